// Queues system mail, in the transaction that causes it. `send.ts` sends it after the commit.
import { hashOf } from "../../auth/unscoped.ts";
import { type Ctx, userOf, write } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";
import { idMoment } from "../../records/rehearse.ts";
import { withAsciiDomain } from "../../services/smtp_letters.ts";
import { emailKey } from "../../values/email.ts";
import { newId } from "../../values/id.ts";

export const systemMailKind = "system_mail";

/** The invited member, and the secret of the link. */
export interface InvitationMail {
  kind: "invitation";
  user_id: string;
  membership_id: string;
  /** Whose mailbox it is for, as `recipientOf` counts it. */
  recipient: string;
  token: string;
}

/** A digest: its notifications name this mail. */
export interface DigestMail {
  kind: "digest";
  user_id: string;
}

/** The secret of a link to set a password. */
export interface PasswordMail {
  kind: "password";
  user_id: string;
  token: string;
}

/** The accepted quote, for the customer who accepted it. */
export interface SignedQuoteMail {
  kind: "signed_quote";
  quote_id: string;
  recipient: string;
}

/** The hash by which mails to one person are counted: of the address as mail servers get it. Most of them ignore what follows a plus. */
export const recipientOf = (email: string): string =>
  hashOf(withAsciiDomain(emailKey(email.normalize("NFKC"))).replace(/\+[^@]*@/, "@"));

const prefix = "smail";

export const newMailId = (ctx: Ctx): string => newId(prefix, idMoment(ctx));

/** True for the Message-ID of a mail that this service sent by itself. `services/mail.ts` writes them. */
export function isSystemMail({ settings }: Ctx, messageId: string | null): boolean {
  return (
    messageId !== null && messageId.startsWith(`<${prefix}_`) && messageId.endsWith(`@${new URL(settings.base_url).hostname}>`)
  );
}

/** The secret is stored sealed until the mail was sent. */
export const tokenPlace = (organization_id: string, id: string) => ({
  table: "system_mail",
  column: "sealed_token",
  organization_id,
  id,
});

export function queueMail(ctx: Ctx, id: string, mail: InvitationMail | DigestMail | PasswordMail | SignedQuoteMail): void {
  const membershipId = mail.kind === "invitation" ? mail.membership_id : null;
  const [userId, quoteId] = mail.kind === "signed_quote" ? [null, mail.quote_id] : [mail.user_id, null];
  const recipient = "recipient" in mail ? mail.recipient : null;
  const token = "token" in mail ? ctx.settings.secrets.seal(mail.token, tokenPlace(ctx.organization_id, id)) : null;
  write(ctx, {
    name: "system_mail.queue",
    text: `insert into system_mail (organization_id, id, kind, user_id, membership_id, quote_id, sealed_token, created_by, date_created, recipient)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [ctx.organization_id, id, mail.kind, userId, membershipId, quoteId, token, userOf(ctx), ctx.now, recipient],
  });
  wake(ctx, { kind: systemMailKind }, [id]);
}
