// The secret of each recipient of a mail, from which the links of their copy are made. Only its hash is stored, and it is
// computed again at every attempt, always the same. The row outlives the mail, so that a link works as long as somebody has it.
import { findMailRecipient, hashOf, type MailRecipient } from "../../auth/unscoped.ts";
import { type Ctx, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { emailKey } from "../../values/email.ts";

/** The secrets of these recipients, by address in the form in which addresses are compared. */
export function secretsOf(ctx: Ctx, emailId: string, recipients: readonly string[]): Map<string, string> {
  const secrets = new Map(recipients.map(emailKey).map((address) => [address, secretOf(ctx, emailId, address)]));
  write(ctx, {
    name: "mail_recipient.insert",
    text: `insert into mail_recipient (organization_id, token_hash, email_id, address, date_created)
           select $1, hash, $2, address, $5 from unnest($3::text[], $4::text[]) as given(hash, address) order by hash
           on conflict do nothing`,
    values: [ctx.organization_id, emailId, [...secrets.values()].map(hashOf), [...secrets.keys()], ctx.now],
  });
  return secrets;
}

const secretOf = ({ settings, organization_id }: Ctx, emailId: string, address: string): string =>
  settings.secrets.derive({ table: "mail_recipient", column: "secret", organization_id, id: `${emailId} ${address}` });

/** The recipient of the link. Null when there is none. */
export const recipientBehind = async (core: Core, secret: string): Promise<MailRecipient | null> =>
  /^[\w-]{43}$/.test(secret) ? findMailRecipient(core.db, hashOf(secret)) : null;
