// An unsubscribed address: this organization sends no more mail to it.
import { type Ctx, query } from "../../core/context.ts";
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emailKey } from "../../values/email.ts";
import type { Email } from "../shared/contact_points.ts";

export const unsubscribedEmail = resource({
  name: "unsubscribed_email",
  prefix: "unsub",
  doc: "An address whose owner wants no more mail of this organization.",
  fields: { email: text({ required: true, readOnly: true, doc: "In lower case." }) },
});

/** Those of the addresses that have unsubscribed, in lower case. */
export async function unsubscribedAmong(ctx: Ctx, addresses: readonly string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const found = await query(
    ctx,
    statement(
      sql`select email from unsubscribed_email where organization_id = ${ctx.organization_id} and email = any(${addresses.map(emailKey)})`,
      "unsubscribed_email.among",
    ),
  );
  return new Set(found.map(([email]) => email!));
}

/** Says of each address whether it has unsubscribed. Of those the contact had `before` that is known. */
export async function markUnsubscribed(ctx: Ctx, emails: readonly Email[], before: readonly Email[] = []): Promise<Email[]> {
  const known = new Map(before.map((one) => [emailKey(one.email), one.is_unsubscribed === true]));
  const unknown = emails.map((one) => one.email).filter((email) => !known.has(emailKey(email)));
  const unsubscribed = await unsubscribedAmong(ctx, unknown);
  return emails.map(({ email, type }) => {
    const key = emailKey(email);
    return { email, type, is_unsubscribed: known.get(key) ?? unsubscribed.has(key) };
  });
}

/** People who come from another organization: whoever wants no more mail of this one, or wanted none of that one, gets none. */
export async function markArrivals(ctx: Ctx, people: readonly { emails: Email[] }[]): Promise<void> {
  const unsubscribed = await unsubscribedAmong(
    ctx,
    people.flatMap((one) => one.emails.map(({ email }) => email)),
  );
  for (const one of people)
    one.emails = one.emails.map((entry) =>
      unsubscribed.has(emailKey(entry.email)) ? { ...entry, is_unsubscribed: true } : entry,
    );
}
