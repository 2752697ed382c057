// Who sees the runs of automations: everybody who sees the lead of the record they ran for.
import type { Ctx } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";

/** Kinds of record that may have no lead. All others had one. When it is gone, only members who see all leads see the run. */
const freeOfLeads = ["project", "quote"];

/** Visible as the record's lead is. */
export function visibleAsRecord(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  if (asLead === null) return null;
  const t = name(alias);
  return sql`(${asLead} and (${t}.lead_id is not null or ${t}.object_type is null or ${t}.object_type = any(${freeOfLeads})))`;
}

/**
 * The same for runs and for events, where `told` is the condition for what another service sent: that belongs to no lead until one is
 * found for it.
 */
const visibleBesides = (ctx: Ctx, alias: string, told: (t: Sql) => Sql): Sql | null => {
  const asRecord = visibleAsRecord(ctx, alias);
  return asRecord && sql`(${asRecord} and (${name(alias)}.lead_id is not null or not ${told(name(alias))}))`;
};

export const visibleAsEvent = (ctx: Ctx, alias: string): Sql | null =>
  visibleBesides(ctx, alias, (t) => sql`${t}.type = 'webhook.received'`);

/** The events of a run hold what its steps read: they are for members who see all leads, and for the one with whose eyes it was read. */
export function knownAsRun(ctx: Ctx, alias: string): Sql | null {
  const asRun = visibleAsRun(ctx, alias);
  return asRun && sql`(${asRun} and ${name(alias)}.seen_as_user_id = ${ctx.actor.user_id})`;
}

export const visibleAsRun = (ctx: Ctx, alias: string): Sql | null =>
  visibleBesides(ctx, alias, (t) => sql`${t}.trigger_type = 'webhook.received'`);
