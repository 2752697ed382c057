// The mailbox that sends a mail, with the present rights of the member who released it.
import type { Ctx } from "../../core/context.ts";
import type { Core, Settings } from "../../core/core.ts";
import type { OauthType } from "../../services/oauth_providers.ts";
import { NotHanded } from "../../services/smtp.ts";
import type { SmtpServer } from "../../services/smtp_connections.ts";
import { emailKey } from "../../values/email.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { accessTokenOf, NotConnected, TokenUnavailable } from "../accounts/oauth/access_token.ts";
import { hasProven, maySendAs, ownAddressesOf, sendersOf, usualMailbox } from "../accounts/senders.ts";
import { person } from "../activities/recipients.ts";
import { user } from "../organization/user.ts";
import { openSealed } from "../shared/sealed.ts";
import { CannotLeave } from "./reasons.ts";
import type { Account, Email } from "./sending.ts";

/** Throws `CannotLeave` when there is none, or when it may no longer be used. */
export async function mailboxFor(ctx: Ctx, userId: string, mail: Email): Promise<Account> {
  const { email_account_id, send_as_id } = mail;
  const senders = await sendersOf(ctx, userId);
  const sender = person(mail.sender!).email;
  const name = ctx.directory.get(user, userId)?.name ?? "Whoever sent it off";
  if (!maySendAs(ctx, senders, sender))
    throw new CannotLeave("not_allowed", `${name} may not send as ${sender}: connect its account, or change the sender`);
  const found = usualMailbox(ctx, senders, { sender, email_account_id, send_as_id });
  if (found !== null && !ownAddressesOf(found).includes(emailKey(sender)) && !hasProven(ctx, senders, sender))
    throw new CannotLeave(
      "not_allowed",
      `Nothing was read or sent by the account of ${sender} yet: its own account has to send first`,
    );
  if (found !== null) return found;
  throw email_account_id === null
    ? new CannotLeave("no_mailbox", `${name} has no mailbox to send from: connect one, and put the e-mail into the outbox again`)
    : new CannotLeave("not_allowed", `${name} cannot send from the connected account that it names: name another, or none`);
}

/** The address and login of its server. Google and Microsoft need a token. Throws `NotHanded` when there is none. */
export async function serverOf(core: Core, account: Account): Promise<SmtpServer> {
  const { smtp, sealed_smtp_password: sealed, email } = account;
  if (smtp !== null) {
    const { host, port, use_ssl, username } = smtp;
    const password =
      sealed === null ? null : openSealed(core.settings, connectedAccount, account, "sealed_smtp_password", sealed);
    // The login is the address when only a password is given.
    return { host, port, use_ssl, username: username ?? (password === null ? null : email), password };
  }
  const { host, port, use_ssl } = providerOf(core.settings, account).smtp;
  const access_token = await accessTokenOf(core, account).catch((error) => {
    if (error instanceof NotConnected || error instanceof TokenUnavailable)
      throw new NotHanded(error instanceof NotConnected ? "login" : "connect", { code: null, words: error.message });
    throw error;
  });
  return { host, port, use_ssl, username: email, access_token };
}

export const hostOf = (settings: Pick<Settings, "oauth">, account: Account): string =>
  account.smtp?.host ?? providerOf(settings, account).smtp.host;

const providerOf = ({ oauth }: Pick<Settings, "oauth">, { _type }: Account) => oauth[_type as OauthType];
