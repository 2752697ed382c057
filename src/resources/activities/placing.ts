// Finds the lead, contact, opportunity and member that an activity belongs to.
import { type Ctx, may, query, userOf } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import type { TextRow } from "../../db/database.ts";
import { and, join, or, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { findRecord, findRecords, statementName } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { phoneDigits } from "../../values/phone.ts";
import { contact } from "../contacts/contact.ts";
import { conversation } from "../conversations/conversation.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import {
  catchesMail,
  catchesText,
  type Found,
  isCarried,
  isOf,
  mayBeHeld,
  newestExchanges,
  type Through,
  wentThrough,
} from "./catching.ts";

export type Contact = Row<typeof contact>;

interface Given {
  lead_id?: string;
  contact_id?: string | null;
  conversation_id?: string | null;
  opportunity_id?: string | null;
  user_id?: string | null;
  activity_at?: string;
  date_created?: string;
}

/** The other side's address or number. It decides the lead when nothing else does. */
export interface Reached {
  emails?: readonly string[];
  phones?: readonly string[];
  contacts?: readonly Contact[];
}

export interface Placed {
  lead_id: string;
  contact_id: string | null;
  user_id: string | null;
  activity_at: string;
}

/** The records of a new activity. A body with only a lead needs no query. */
export async function place(ctx: Ctx, body: Given, reached: Reached = {}): Promise<{ placed: Placed; person: Contact | null }> {
  checkUser(ctx, body.user_id);
  const given = body.conversation_id ? await inConversation(ctx, body, body.conversation_id) : body;
  const named = given.contact_id ? await findRecord(ctx, contact, given.contact_id) : null;
  if (given.contact_id && named === null) throw invalid({ contact_id: "does not exist" });
  if (named && given.lead_id !== undefined && named.lead_id !== given.lead_id)
    throw invalid({ contact_id: "belongs to another lead" });

  const person = named ?? (given.lead_id === undefined ? await whoHas(ctx, reached) : null);
  const lead_id = given.lead_id ?? person?.lead_id ?? (await leadThatHas(ctx, reached));
  if (lead_id === null) throw invalid({ lead_id: "is required" });
  await checkAtLead(ctx, opportunity, "opportunity_id", given.opportunity_id, lead_id);
  const placed = {
    lead_id,
    contact_id: person?.id ?? null,
    user_id: given.user_id === undefined ? userOf(ctx) : given.user_id,
    activity_at: given.activity_at ?? given.date_created ?? ctx.now.toISOString(),
  };
  return { placed, person };
}

/** A message belongs to the conversation's lead, and to its contact unless it names another. */
async function inConversation(ctx: Ctx, given: Given, id: string): Promise<Given> {
  const found = await findRecord(ctx, conversation, id);
  if (found === null) throw invalid({ conversation_id: "does not exist" });
  if (given.lead_id !== undefined && given.lead_id !== found.lead_id)
    throw invalid({ conversation_id: "belongs to another lead" });
  const contact_id = given.contact_id === undefined ? found.contact_id : given.contact_id;
  return { ...given, lead_id: found.lead_id, contact_id };
}

/** The same rules for a change. The lead of an activity cannot change. */
export async function checkPlace(ctx: Ctx, before: Placed & Given, patch: Given): Promise<void> {
  if (patch.user_id !== before.user_id) checkUser(ctx, patch.user_id);
  if (patch.contact_id !== before.contact_id) await checkAtLead(ctx, contact, "contact_id", patch.contact_id, before.lead_id);
  if (patch.opportunity_id !== before.opportunity_id)
    await checkAtLead(ctx, opportunity, "opportunity_id", patch.opportunity_id, before.lead_id);
}

function checkUser(ctx: Ctx, user_id: string | null | undefined): void {
  if (user_id !== undefined && user_id !== ctx.actor.user_id && !may(ctx, "manage_organization"))
    throw notAllowed("manage_organization");
}

async function checkAtLead(ctx: Ctx, of: Resource, field: string, id: string | null | undefined, lead_id: string): Promise<void> {
  if (id === null || id === undefined) return;
  const found = (await findRecord(ctx, of, id)) as { lead_id: string } | null;
  if (found === null) throw invalid({ [field]: "does not exist" });
  if (found.lead_id !== lead_id) throw invalid({ [field]: "belongs to another lead" });
}

/**
 * Looked up only where there are several to choose from. One member's writing to a contact of their own with the address of somebody
 * else's must not draw the other's mail there.
 */
const lastExchange = (ctx: Ctx, via: "contact_id" | "lead_id", id: Sql, by?: Through): Sql =>
  sql`(case when count(*) over () > 1 then (
    select max(array[(${isCarried} and ${by === undefined ? sql`false` : wentThrough(by)})::int, ${isCarried}::int, extract(epoch from a.activity_at)])
    from ${newestExchanges(ctx, via, id)} where a.activity_at <= ${ctx.now}) end) desc nulls last`;

/**
 * Somebody's own come first, or else a colleague would take their mail by a newer contact with the same address. Looked up only where
 * there are several to choose from.
 */
const theirsFirst = (ctx: Ctx, found: Found, by: Through): Sql =>
  sql`(case when count(*) over () > 1 then (${isOf(ctx, found, by)}) is true end) desc`;

const asContact: Found = { t: "t", lead_id: sql`t.lead_id` };
const asLead: Found = { t: "t", lead_id: sql`t.id` };

/** What decides between several with the same address: whose they are, and then the latest exchange. */
const preferred = (ctx: Ctx, found: Found, by?: Through): Sql[] => [
  ...(by === undefined ? [] : [theirsFirst(ctx, found, by)]),
  ...(found === asContact ? [lastExchange(ctx, "contact_id", sql`t.id`, by)] : []),
  lastExchange(ctx, "lead_id", found.lead_id, by),
];

/** Where nothing decides, the one changed last. */
const first = (order: readonly Sql[], most = 1): Sql =>
  sql`order by ${join([...order, sql`t.date_updated desc`, sql`t.id desc`], ", ")} limit ${raw(String(most))}`;

async function whoHas(ctx: Ctx, reached: Reached, by?: Through): Promise<Contact | null> {
  if (reached.contacts?.length) return reached.contacts[0]!;
  const conditions = reachedBy(reached);
  if (conditions === null) return null;
  const order = first(preferred(ctx, asContact, by));
  return (await findRecords(ctx, contact, [conditions, ...caught(ctx, asContact, reached, by)], order))[0] ?? null;
}

const caught = (ctx: Ctx, found: Found, { phones = [] }: Reached, by?: Through): Sql[] =>
  by === undefined ? [] : [and(phones.map((phone) => catchesText(ctx, found, by, phone)))];

const sharedMax = 100;

/** The parts of a contact that are needed to find it by an address. */
export interface Reachable {
  id: string;
  lead_id: string;
  name: string;
  email_keys: string[];
  /** The owner's mail and meetings come to it by its address alone. */
  catches: boolean;
}

/**
 * The contacts with one of these addresses, whoever may see them, in the order of the latest exchange: first those that catch the
 * mail of `owner`, a context of the member whose mailbox it is.
 */
export async function contactsWith(
  ctx: Ctx,
  emails: readonly string[],
  { most = sharedMax, owner }: { most?: number; owner?: Ctx } = {},
): Promise<Reachable[]> {
  if (owner !== undefined) {
    const few = await atMostOne(ctx, emails, owner);
    if (few !== null) return few;
  }
  const by = owner && { user_id: owner.actor.user_id };
  const order = first([raw("catches desc"), ...preferred(ctx, asContact, by)], most);
  const catches = owner === undefined ? raw("true") : catchesMail(owner, asContact, emails.map(emailKey));
  const rows = await query(
    ctx,
    statement(
      sql`select t.id, t.lead_id, t.name, array_to_json(t.email_keys), ${catches} as catches from contact t
        where t.organization_id = ${ctx.organization_id} and ${reachedBy({ emails })!} ${order}`,
      (text) => statementName(contact, "reached", text),
    ),
  );
  return rows.map(reachableOf);
}

/** Most addresses are of one contact, and nothing has to be weighed. The whole question takes PostgreSQL a millisecond to plan. */
async function atMostOne(ctx: Ctx, emails: readonly string[], owner: Ctx): Promise<Reachable[] | null> {
  const [rows, isOpen] = await Promise.all([
    query(
      ctx,
      statement(
        sql`select t.id, t.lead_id, t.name, array_to_json(t.email_keys), true from contact t
          where t.organization_id = ${ctx.organization_id} and ${reachedBy({ emails })!} limit 2`,
        "contact.reached_plainly",
      ),
    ),
    mayBeHeld(owner, emails.map(emailKey)),
  ]);
  return rows.length === 0 || (rows.length === 1 && !isOpen) ? rows.map(reachableOf) : null;
}

function reachableOf([id, lead_id, name, keys, catches]: TextRow): Reachable {
  return { id: id!, lead_id: lead_id!, name: name!, email_keys: JSON.parse(keys!), catches: catches === "t" };
}

/** The leads that have one of these addresses of their own and catch the owner's mail. */
export async function leadsWith(
  ctx: Ctx,
  emails: readonly string[],
  owner: Ctx,
): Promise<{ id: string; email_keys: string[] }[]> {
  const [any] = await query(
    ctx,
    statement(
      sql`select from lead t where t.organization_id = ${ctx.organization_id} and ${reachedBy({ emails })!} limit 1`,
      "lead.reached_plainly",
    ),
  );
  if (any === undefined) return [];
  const by = { user_id: owner.actor.user_id };
  const rows = await query(
    ctx,
    statement(
      sql`select t.id, array_to_json(t.email_keys) from lead t
        where t.organization_id = ${ctx.organization_id} and ${reachedBy({ emails })!}
          and ${catchesMail(owner, asLead, emails.map(emailKey))}
        ${first(preferred(ctx, asLead, by), sharedMax)}`,
      (text) => statementName(lead, "reached", text),
    ),
  );
  return rows.map(([id, keys]) => ({ id: id!, email_keys: JSON.parse(keys!) }));
}

async function leadThatHas(ctx: Ctx, reached: Reached, by?: Through): Promise<string | null> {
  const conditions = reachedBy(reached);
  if (conditions === null) return null;
  const order = first(preferred(ctx, asLead, by));
  return (await findRecords(ctx, lead, [conditions, ...caught(ctx, asLead, reached, by)], order))[0]?.id ?? null;
}

/** The lead and contact of a number, if known. */
export interface Whose {
  lead_id: string;
  contact_id: string | null;
}

/** Of several with the same number, the one with the latest exchange, by our number if there was one. */
export async function whoseNumber(ctx: Ctx, phone: string, by: Through): Promise<Whose | null> {
  if (phoneDigits(phone).length < 3) return null;
  const person = await whoHas(ctx, { phones: [phone] }, by);
  const lead_id = person?.lead_id ?? (await leadThatHas(ctx, { phones: [phone] }, by));
  return lead_id === null ? null : { lead_id, contact_id: person?.id ?? null };
}

function reachedBy({ emails = [], phones = [] }: Reached): Sql | null {
  const conditions: Sql[] = [];
  if (emails.length > 0) conditions.push(sql`t.email_keys && ${emails.map(emailKey)}::text[]`);
  if (phones.length > 0) conditions.push(sql`t.phone_keys && ${phones.map(phoneDigits)}::text[]`);
  return conditions.length === 0 ? null : or(conditions);
}
