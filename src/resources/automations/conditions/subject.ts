// Which records a condition is about, beside the record of the run: the lead or contact that it belongs to, its history, its owner.
import { type Ctx, query } from "../../../core/context.ts";
import { from, type Resource, scope } from "../../../core/resource.ts";
import { and, name, type Sql, sql, statement } from "../../../db/sql.ts";
import { zoneOf } from "../../../records/clock.ts";
import { isId } from "../../../values/id.ts";
import type { Values } from "../facts.ts";

type Subject = Values | null;

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The record itself if it is of this kind, else the one that it names: the lead of a task. Null if there is none. */
export function idOf({ prefix, name }: Resource, record: Subject): string | null {
  const own = text(record?.id);
  return own !== null && isId(prefix, own) ? own : text(record?.[`${name}_id`]);
}

export const ownerOf = (record: Subject): string | null =>
  text(record?.owner_id) ?? text(record?.user_id) ?? text(record?.assigned_to);

/** The kinds of record that activities name. Every other record has the history of its lead. */
const withHistory = ["lead", "contact", "opportunity", "conversation"];

/** Condition on rows `t` that belong to a record, such as its activities. Null for a record without a lead. */
export function belongsTo({ registry }: Ctx, record: Subject): Sql | null {
  const own = text(record?.id);
  const kind = own === null ? undefined : withHistory.find((one) => isId(registry.resource(one)!.prefix, own));
  const lead = text(record?.lead_id);
  // Calls and mail seldom name a deal. What names no other deal counts.
  if (kind === "opportunity" && lead !== null) return sql`t.lead_id = ${lead} and coalesce(t.opportunity_id, ${own}) = ${own}`;
  if (kind !== undefined) return sql`t.${name(`${kind}_id`)} = ${own}`;
  return lead === null ? null : sql`t.lead_id = ${lead}`;
}

/** How many records, on the alias `t`, meet the conditions. Not more than `most` are counted. */
export async function countUpTo(ctx: Ctx, of: Resource, conditions: readonly Sql[], most: number): Promise<number> {
  const found = sql`select from ${from(of, "t")} where ${and([...scope(ctx, of), ...conditions])} limit ${most}`;
  const [row] = await query(ctx, statement(sql`select count(*) from (${found}) found`));
  return Number(row![0]);
}

export const isThere = async (ctx: Ctx, of: Resource, conditions: readonly Sql[]): Promise<boolean> =>
  (await countUpTo(ctx, of, conditions, 1)) > 0;

/** The time zone of a record, else of its owner, else of the organization. */
export function zoneOfRecord(ctx: Ctx, record: Subject): string {
  const owner = ownerOf(record);
  const theirs = owner === null ? null : ctx.directory.find("user", owner)?.timezone;
  return text(record?.timezone) ?? text(theirs) ?? zoneOf(ctx.directory, ctx);
}
