// Who is to be erased: the values by which a person is found, those of today and those of before.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { readRows } from "../../records/references.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { user } from "../organization/user.ts";

type Contact = Row<typeof contact>;

export interface Person {
  /** The contact, and others with the same name and address. */
  contact_ids: string[];
  names: string[];
  emails: string[];
  phones: string[];
  urls: string[];
}

const values = ["names", "emails", "phones", "urls"] as const;
type Values = Record<(typeof values)[number], Set<string>>;

/** The person behind a contact, and how many of their values belong to others too. */
export async function personOf(ctx: Ctx, one: Contact): Promise<{ person: Person; n_shared: number }> {
  const twins = await twinsOf(ctx, one);
  const all: Values = { names: new Set(), emails: new Set(), phones: new Set(), urls: new Set() };
  const people = [one, ...twins];
  for (const each of people) add(all, each);
  const contact_ids = people.map(({ id }) => id);
  for (const former of await formerOf(ctx, contact_ids)) add(all, former);
  const shared = await sharedAmong(ctx, all, people);
  const own = (kind: (typeof values)[number]) => [...all[kind]].filter((value) => !shared.has(value));
  return {
    person: { contact_ids, names: own("names"), emails: own("emails"), phones: own("phones"), urls: own("urls") },
    n_shared: shared.size,
  };
}

/** Contacts of the same name with one of the addresses or numbers: the same person at another lead. */
async function twinsOf(ctx: Ctx, { id, name, email_keys, phone_keys }: Contact): Promise<Contact[]> {
  if (name === null) return [];
  return readRows(
    ctx,
    contact,
    sql`t.id <> ${id} and lower(t.name) = lower(${name}) and (t.email_keys && ${email_keys}::text[] or t.phone_keys && ${phone_keys}::text[])`,
  );
}

/** The values that the contacts had before, as their events tell. */
async function formerOf(ctx: Ctx, ids: readonly string[]): Promise<Partial<Contact>[]> {
  const rows = await query(
    ctx,
    statement(sql`select previous_data from event where organization_id = ${ctx.organization_id} and object_id = any(${ids})
      and changed_fields && '{name,emails,phones,urls}'`),
  );
  return rows.map(([data]) => JSON.parse(data!));
}

function add(all: Values, { name, emails, phones, urls }: Partial<Contact>): void {
  // One word alone, such as a first name, would be found in what is about others.
  if (typeof name === "string" && /\S\s+\S/.test(name.trim())) all.names.add(name.trim());
  for (const { email } of emails ?? []) all.emails.add(emailKey(email));
  for (const { phone } of phones ?? []) all.phones.add(phone);
  for (const { url } of (urls ?? []) as { url: string }[]) all.urls.add(url);
}

/** Which of the values other contacts, leads or members have as their own. */
async function sharedAmong(ctx: Ctx, all: Values, people: readonly Contact[]): Promise<Set<string>> {
  const ids = people.map(({ id }) => id);
  const [emails, phones, urls] = [[...all.emails], [...all.phones], [...all.urls]];
  const rows = await query(
    ctx,
    statement(sql`
      select v from unnest(${emails}::text[]) v where exists (select from contact c where c.organization_id = ${ctx.organization_id}
        and c.email_keys @> array[v] and not c.id = any(${ids}))
      union all
      select v from unnest(${phones}::text[]) v where exists (select from contact c where c.organization_id = ${ctx.organization_id}
        and c.phones @> jsonb_build_array(jsonb_build_object('phone', v)) and not c.id = any(${ids}))
      union all
      select v from unnest(${phones}::text[]) v where exists (select from lead l where l.organization_id = ${ctx.organization_id}
        and l.phones @> jsonb_build_array(jsonb_build_object('phone', v)))
      union all
      select v from unnest(${urls}::text[]) v where exists (select from lead l where l.organization_id = ${ctx.organization_id} and l.url = v)`),
  );
  const shared = new Set([...rows.map(([value]) => value!), ...(await namesakes(ctx, [...all.names], people))]);
  for (const { email } of ctx.directory.all("user") as readonly { email?: unknown }[])
    if (typeof email === "string" && all.emails.has(emailKey(email))) shared.add(emailKey(email));
  return shared;
}

/**
 * Which of the names others have, too: contacts with only other addresses or numbers, leads that are not the person's own (people are
 * often a lead themselves), and members.
 */
async function namesakes(ctx: Ctx, names: readonly string[], people: readonly Contact[]): Promise<string[]> {
  const [ids, leads] = [people.map(({ id }) => id), people.map(({ lead_id }) => lead_id)];
  const rows = await query(
    ctx,
    statement(sql`
      select v from unnest(${names}::text[]) v where exists (select from contact c where c.organization_id = ${ctx.organization_id}
        and lower(c.name) = lower(v) and cardinality(c.email_keys) + cardinality(c.phone_keys) > 0 and not c.id = any(${ids}))
      union all
      select v from unnest(${names}::text[]) v where exists (select from lead l where l.organization_id = ${ctx.organization_id}
        and lower(l.name) = lower(v) and not l.id = any(${leads}))`),
  );
  const members = new Set(ctx.directory.list(user).map(({ name }) => name.toLowerCase()));
  return [...rows.map(([value]) => value!), ...names.filter((name) => members.has(name.toLowerCase()))];
}
