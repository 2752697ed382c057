// Unsubscribes an address from all mail. The address is stored, and every contact that has it shows it as unsubscribed.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "./contact.ts";
import { unsubscribedEmail } from "./unsubscribed_email.ts";

/** Once is enough: a second time nothing is written. */
export async function unsubscribe(ctx: Ctx, address: string): Promise<void> {
  const email = emailKey(address);
  if ((await store.insertNew(ctx, unsubscribedEmail, { email })) === null) return;
  for (const one of await findRecords(ctx, contact, [sql`t.email_keys @> ${[email]}`], sql`order by t.id for update of t`)) {
    const emails = one.emails.map((entry) => (emailKey(entry.email) === email ? { ...entry, is_unsubscribed: true } : entry));
    store.update(ctx, contact, one, { emails });
  }
}
