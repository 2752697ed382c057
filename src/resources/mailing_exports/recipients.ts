// Who of an export's next contacts may be given to a platform, as they are at this moment, and who is left out.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Recipient } from "../../services/mailing.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { type SuppressionReason, suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { type Item, takenAddresses } from "./items.ts";
import type { Exclusion } from "./mailing_export.ts";

type Contact = Row<typeof contact>;

export interface Sorted {
  recipients: { ord: number; recipient: Recipient }[];
  excluded: { ord: number; reason: Exclusion }[];
}

/** `ctx` acts for the export's author. */
export async function sortItems(ctx: Ctx, exportId: string, items: readonly Item[]): Promise<Sorted> {
  const people = await peopleOf(ctx, items);
  const addresses = [...people.values()].flatMap(({ emails }) => emails.map((one) => emailKey(one.email)));
  const suppressed = await suppressedAmong(ctx, addresses, { channel: "email", scope: "marketing" });
  const taken = await takenAddresses(ctx, exportId, addresses);
  const companies = await companiesOf(ctx, [...people.values()]);
  const sorted: Sorted = { recipients: [], excluded: [] };
  for (const { ord, contact_id } of items) {
    const person = people.get(contact_id);
    const found = person === undefined ? "gone" : addressOf(person, suppressed, taken);
    if (typeof found === "string") sorted.excluded.push({ ord, reason: found });
    else {
      taken.add(found.email);
      sorted.recipients.push({ ord, recipient: recipientOf(person!, found.email, companies.get(person!.lead_id) ?? null) });
    }
  }
  return sorted;
}

/** Those that exist and that the author may see. */
export async function peopleOf(ctx: Ctx, items: readonly Pick<Item, "contact_id">[]): Promise<Map<string, Contact>> {
  const ids = items.map(({ contact_id }) => contact_id);
  const rows = await findRecords(ctx, contact, [sql`t.id = any(${ids})`]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The names of their leads. */
export async function companiesOf(ctx: Ctx, people: readonly Contact[]): Promise<Map<string, string | null>> {
  const ids = [...new Set(people.map(({ lead_id }) => lead_id))];
  const rows = await query(
    ctx,
    statement(sql`select id, name from lead where organization_id = ${ctx.organization_id} and id = any(${ids})`, "lead.names"),
  );
  return new Map(rows.map(([id, name]) => [id!, name ?? null]));
}

/** The first address that mailings may go to, and that no other contact of the export has. */
function addressOf(
  { emails }: Contact,
  suppressed: ReadonlyMap<string, SuppressionReason>,
  taken: ReadonlySet<string>,
): { email: string } | Exclusion {
  const keys = emails.map(({ email }) => emailKey(email));
  if (keys.length === 0) return "no_email";
  const willing = keys.find((key) => !suppressed.has(key));
  if (willing === undefined) return suppressed.get(keys[0]!) === "bounced" ? "bounced" : "unsubscribed";
  return taken.has(willing) ? "duplicate" : { email: willing };
}

export function recipientOf({ id, lead_id, name, title }: Contact, email: string, company: string | null): Recipient {
  const [first_name = "", ...rest] = (name ?? "").trim().split(/\s+/);
  return { contact_id: id, lead_id, email, first_name, last_name: rest.join(" "), title, company };
}
