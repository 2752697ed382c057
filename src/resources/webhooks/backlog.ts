// How much a webhook still has to send: open deliveries, and events in the log after its place.
import type { Ctx } from "../../core/context.ts";
import { scope } from "../../core/resource.ts";
import { and, name, raw, type Sql, sql } from "../../db/sql.ts";
import { event } from "../events/event.ts";
import { webhookJobs } from "./names.ts";
import { isAskedForIn } from "./wanted.ts";

/** The count stops here, because every response contains it: 40 webhooks with a million events cost as much as with these. */
export const backlogMost = 1_000;

/** An SQL number, for the webhook with this alias. */
export function backlogOf(alias: string, ctx: Ctx): Sql {
  const w = name(alias);
  const job = sql`select from job j where j.organization_id = ${ctx.organization_id} and j.kind = ${webhookJobs.kind} and j.object_id = ${w}.id`;
  // An active webhook without a job has sent everything, however far behind its place may be.
  const isDone = sql`${w}.status = 'active' and not exists (${job})`;
  return sql`least(${backlogMost}::bigint, ${w}.pending + case when ${isDone} then 0 else (${eventsBehind(w, ctx)}) end)`;
}

/** The next events that match its names, and that its creator may see. */
function eventsBehind(w: Sql, ctx: Ctx): Sql {
  return sql`
    select count(*) from (
      select e.organization_id, e.event, e.object_id, e.meta, e.epoch, e.xid from event e
      where e.organization_id = ${ctx.organization_id} and (e.epoch, e.position, e.seq) > (${w}.cursor_epoch, ${w}.cursor_position, ${w}.cursor_seq)
      order by e.epoch, e.position, e.seq limit ${backlogMost}) told
    where ${and([...scope(ctx, event, "told"), isAskedForIn(sql`${w}.events`, raw("told.event")), isAfterItsBeginning(w)])}`;
}

const isAfterItsBeginning = (w: Sql): Sql => sql`
  (${w}.begins_after is null or told.epoch > (${w}.begins_after->>'epoch')::bigint
    or not pg_visible_in_snapshot(told.xid, (${w}.begins_after->>'snapshot')::pg_snapshot))`;
