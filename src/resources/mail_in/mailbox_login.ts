// How a mailbox is entered: by its password, or by a token that its owner granted at a provider.
import type { Core } from "../../core/core.ts";
import { inMailbox, type Mailbox, MailboxError, type MailboxLogin, type Patience } from "../../services/imap.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { accessTokenOf, forgetToken, NotConnected, TokenUnavailable } from "../accounts/oauth/access_token.ts";
import { openSealed } from "../shared/sealed.ts";
import type { Account } from "./visit.ts";

/**
 * Does `work` in a mailbox. A token that the server refuses before it expires is refreshed, once: nothing was done by then. Throws
 * `MailboxError`.
 */
export async function enterMailbox<T>(
  core: Core,
  account: Account,
  work: (mailbox: Mailbox) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const enter = (login: MailboxLogin) => inMailbox(core.settings.addresses, login, work, patience);
  const login = await loginOf(core, account);
  try {
    return await enter(login);
  } catch (error) {
    const isRefused = error instanceof MailboxError && error.problem === "login";
    if (!isRefused || login.access_token === undefined) throw error;
    await forgetToken(core, account, login.access_token);
  }
  return enter(await loginOf(core, account));
}

/** Throws `MailboxError` when there is no way to log in. */
export async function loginOf(core: Core, account: Account): Promise<MailboxLogin> {
  const { imap, email, sealed_imap_password: sealed } = account;
  if (imap === null) return loginByGrant(core, account);
  const { host, port, use_ssl, username } = imap;
  const password = sealed === null ? "" : openSealed(core.settings, connectedAccount, account, "sealed_imap_password", sealed);
  return { host, port, use_ssl, username: username ?? email!, password };
}

async function loginByGrant(core: Core, account: Account): Promise<MailboxLogin> {
  const access_token = await accessTokenOf(core, account).catch((error) => {
    if (error instanceof NotConnected) throw new MailboxError("login", error.message, error);
    throw error instanceof TokenUnavailable ? new MailboxError("connect", error.message, error) : error;
  });
  return { ...core.settings.oauth[account._type as "google" | "microsoft"].imap, username: account.email!, access_token };
}
