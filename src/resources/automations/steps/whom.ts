// Whom a config names: a contact, a lead for the first person there, a member, any record for its contact or lead, or an address or
// number as it is written.
import type { Row } from "../../../core/resource.ts";
import { sql } from "../../../db/sql.ts";
import { findAnyRecord, findRecord, findRecords } from "../../../records/records.ts";
import { isId } from "../../../values/id.ts";
import { contact } from "../../contacts/contact.ts";
import { lead } from "../../leads/lead.ts";
import { user } from "../../organization/user.ts";
import { isObject } from "../config.ts";
import { faultOf, StepFailure } from "../step_failure.ts";
import type { Call } from "./step.ts";

export type Person = Row<typeof contact>;

export interface Whom {
  person: Person | null;
  /** The address or number of somebody who is no contact. */
  written: string | null;
}

/** How people are reached: it decides who of a lead is chosen. */
export type HasWay = (person: Person) => boolean;

export async function whom(call: Call, given: unknown, hasWay: HasWay): Promise<Whom[]> {
  const all: Whom[] = [];
  for (const one of Array.isArray(given) ? given : [given]) all.push(await named(call, isObject(one) ? one.id : one, hasWay));
  return all;
}

/** The only contact that a config names; by default that of the record. */
export async function personNamed(call: Call, given: unknown, hasWay: HasWay): Promise<Person> {
  const [first] = await whom(call, given ?? call.run.object_id, hasWay);
  if (first?.person == null) throw nobody("There is no contact: name one", call.written);
  return first.person;
}

async function named({ ctx, written }: Call, one: unknown, hasWay: HasWay): Promise<Whom> {
  if (typeof one !== "string" || one === "") throw nobody("Somebody to write to is missing: what it refers to is empty", written);
  if (isId(user.prefix, one)) return { person: null, written: ctx.directory.get(user, one)?.email ?? null };
  if (isId(contact.prefix, one)) return { person: await known(findRecord(ctx, contact, one), one), written: null };
  if (isId(lead.prefix, one)) return { person: await firstAt(ctx, one, hasWay), written: null };
  const found = /^[a-z]+_\w+$/.test(one) ? await findAnyRecord(ctx, one) : null;
  if (found === null) return { person: null, written: one };
  const { contact_id, lead_id } = found.row as { contact_id?: string | null; lead_id?: string | null };
  if (contact_id) return { person: await findRecord(ctx, contact, contact_id), written: null };
  if (!lead_id) throw nobody(`The record ${one} belongs to no contact and no lead`, written);
  return { person: await firstAt(ctx, lead_id, hasWay), written: null };
}

const nobody = (words: string, { to, contact, cc, bcc }: Call["written"]) =>
  new StepFailure("unresolved_ref", faultOf([to, contact, cc, bcc]), words);

async function known<T>(found: Promise<T | null>, id: string): Promise<T> {
  const row = await found;
  if (row === null) throw new StepFailure("record_not_found", "not_found", `The record ${id} does not exist`);
  return row;
}

/** The most people of a lead who are looked at. */
const peopleMost = 200;

/** The first who can be reached, else the first. */
async function firstAt(ctx: Call["ctx"], leadId: string, hasWay: HasWay): Promise<Person | null> {
  const order = sql`order by t.date_created, t.id limit ${peopleMost}`;
  const people = await findRecords(ctx, contact, [sql`t.lead_id = ${leadId}`], order);
  return people.find(hasWay) ?? people[0] ?? null;
}
