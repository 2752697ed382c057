// Whether mail, meetings and texts of one member come to a contact or a lead by its address or number alone. Anybody can write any
// address into a contact, and must not read what its owner writes to somebody else. docs/decisions/0042 says why.
import { type Ctx, query } from "../../core/context.ts";
import { and, name, or, raw, type Sql, sql } from "../../db/sql.ts";
import { leadIsVisible } from "../leads/visibility.ts";

/** Kinds that are an exchange between people. A note or a task does not say whom somebody is talking to. */
const exchanges = ["Email", "SMS", "Call", "ChannelMessage", "Meeting"];

/**
 * A mailbox or a provider has seen it. What somebody only logged counts after that, or else a member could have the mail of a
 * person filed at a lead of their own by logging a message there.
 */
export const isCarried = raw("(cardinality(a.mailbox_user_ids) > 0 or a.receipts <> '[]' or a.provider_id is not null) is true");

/** So many of the newest activities say who was spoken with. All that was ever exchanged with a customer would take too long to read. */
const newestMost = 300;

/** The newest exchanges with a contact or at a lead, as the table `a`. */
export const newestExchanges = (ctx: Ctx, via: "contact_id" | "lead_id", id: Sql): Sql =>
  sql`(select newest.* from (select * from activity one where one.organization_id = ${ctx.organization_id} and one.${name(via)} = ${id}
    order by one.date_created desc, one.id desc limit ${raw(String(newestMost))}) newest where newest._type = any(${exchanges})) a`;

/** Whose mailbox or number a message came to. What went through it before counts more than what others exchanged. */
export interface Through {
  /** Of a number that several use, nobody. */
  user_id: string | null;
  number?: string;
}

/** An exchange of the owner by whatever channel counts, and any through the number. */
export const wentThrough = ({ user_id, number }: Through): Sql =>
  sql`${or([
    ...(user_id === null ? [] : [sql`a.user_id = ${user_id}`, sql`a.mailbox_user_ids @> ${[user_id]}`]),
    ...(number === undefined ? [] : [sql`a.local_phone = ${number}`]),
  ])} is true`;

/** The alias of a contact or lead, and of what it has as its lead. */
export interface Found {
  t: string;
  lead_id: Sql;
}

/** False when mail from these addresses comes to whoever has them: the owner sees all leads, and has none of them as a prospect. */
export async function mayBeHeld(owner: Ctx, keys: readonly string[]): Promise<boolean> {
  if (leadIsVisible(owner, "l") !== null) return true;
  const held = await query(owner, {
    name: "inbox_prospect.held",
    text: `select from inbox_prospect where organization_id = $1 and user_id = $2 and status <> 'converted' and lower(email) = any($3) limit 1`,
    values: [owner.organization_id, owner.actor.user_id, keys],
  });
  return held.length > 0;
}

/** Of mail and meetings: at leads that the owner sees. `owner` acts as the member whose mailbox or calendar it is. */
export function catchesMail(owner: Ctx, found: Found, keys: readonly string[]): Sql {
  const seen = leadIsVisible(owner, "l");
  const { user_id } = owner.actor;
  const held = sql`not exists (select from unnest(${name(found.t)}.email_keys) key where key = any(${keys}::text[])
    and not exists (select from inbox_prospect p where p.organization_id = ${owner.organization_id} and p.user_id = ${user_id}
      and p.status <> 'converted' and lower(p.email) = key))`;
  const caught = or([sql`not ${held}`, isOf(owner, found, { user_id })]);
  return seen === null ? caught : and([atLead(owner, found, seen), caught]);
}

/** Of texts and calls at a number of one member. */
export function catchesText(ctx: Ctx, found: Found, by: Through, phone: string): Sql {
  if (by.user_id === null) return raw("true");
  const held = sql`exists (select from inbox_prospect p where p.organization_id = ${ctx.organization_id} and p.user_id = ${by.user_id}
    and p.status <> 'converted' and p.email is null and p.phone = ${phone})`;
  return or([sql`not ${held}`, isOf(ctx, found, by)]);
}

/** Theirs, or of somebody they have spoken with. What another member writes into a contact or logs there does not make it so. */
export const isOf = (ctx: Ctx, found: Found, by: Through): Sql =>
  or([
    sql`${name(found.t)}.created_by = ${by.user_id}`,
    atLead(ctx, found, sql`l.owner_id = ${by.user_id}`),
    sql`exists (select from ${newestExchanges(ctx, "lead_id", found.lead_id)} where (${isCarried} and ${wentThrough(by)}) or a.created_by = ${by.user_id})`,
  ]);

const atLead = (ctx: Ctx, { lead_id }: Found, rule: Sql): Sql =>
  sql`exists (select from lead l where l.organization_id = ${ctx.organization_id} and l.id = ${lead_id} and ${rule})`;
