// In whose time a record is due where the trigger names no zone: its contact's, else its owner's or its lead's owner's, else the
// organization's. What is due somewhere is looked for with room for all zones, and compared exactly afterwards.
import type { Ctx } from "../../../core/context.ts";
import type { Resource } from "../../../core/resource.ts";
import { name, type Sql, sql } from "../../../db/sql.ts";
import { zoneOf } from "../../../records/clock.ts";
import { user } from "../../organization/user.ts";

/** How far clocks on walls are before and behind UTC. */
export const [aheadMostMs, behindMostMs] = [14 * 3_600_000, 12 * 3_600_000];
/** All of them differ from it by a multiple of this. */
export const zoneStepMinutes = 15;

const owners = ["owner_id", "user_id", "assigned_to"];

/** The zone and the owner that a row says, on the alias `t`. */
export function saidOf(ctx: Ctx, of: Resource): [zone: Sql, owner: Sql] {
  const has = (field: string) => Object.hasOwn(of.fields, field);
  const one = (table: string, column: string, id: string) =>
    sql`(select x.${name(column)} from ${name(table)} x where x.organization_id = ${ctx.organization_id} and x.id = t.${name(id)})`;
  const zones = [
    ...(has("timezone") ? [sql`t.timezone`] : []),
    ...(has("contact_id") ? [one("contact", "timezone", "contact_id")] : []),
  ];
  const named = [
    ...owners.filter(has).map((column) => sql`t.${name(column)}`),
    ...(has("lead_id") ? [one("lead", "owner_id", "lead_id")] : []),
  ];
  return [firstOf(zones), firstOf(named)];
}

const firstOf = ([first, ...others]: Sql[]): Sql =>
  first === undefined ? sql`null::text` : others.reduce((found, one) => sql`coalesce(${found}, ${one})`, first);

export const zoneFrom = (ctx: Ctx, zone: string | null, owner: string | null): string =>
  zone ?? ctx.directory.get(user, owner)?.timezone ?? zoneOf(ctx.directory, ctx);
