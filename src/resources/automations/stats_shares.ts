// Parts of an automation's statistics: what did not start and why, which failures most runs share, what each version ran, and what
// goes on now.
import { type Ctx, query } from "../../core/context.ts";
import { scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { automationEvent } from "./automation_event.ts";
import { automationRun } from "./automation_run.ts";
import { isReal } from "./fields.ts";
import { clockJobs } from "./names.ts";

/** How many kinds of failures are listed. */
const errorsMost = 10;

/** The failures that most runs share, and the runs of each version. `runs` is the condition on the alias `r`. */
export async function sharesOf(ctx: Ctx, runs: Sql) {
  // One row with two lists.
  const [row] = await query(
    ctx,
    statement(sql`with r as materialized (
        select r.id, r.error, r.version_number, r.date_created from automation_run r where ${runs})
      select (select coalesce(json_agg(e), '[]') from (
          select r.error->>'fingerprint' as fingerprint, min(r.error->>'code') as code, count(*) as count,
            (array_agg(r.id order by r.date_created desc, r.id desc))[1] as last_run_id
          from r where r.error is not null group by 1 order by count(*) desc, 1 limit ${errorsMost}) e),
        (select coalesce(json_agg(v), '[]') from (
          select r.version_number as number, count(*) as runs from r where r.version_number is not null group by 1 order by 1) v)`),
  );
  return { top_errors: JSON.parse(row![0]!), versions: JSON.parse(row![1]!) };
}

/** How often it did not start, by the reason. Events are kept for a while only. */
export async function skippedByReason(ctx: Ctx, id: string, { start, end }: { start: string; end: string }) {
  // One row for each reason.
  const rows = await query(
    ctx,
    statement(sql`select v->>'reason', count(*) from automation_event e, jsonb_array_elements(e.evaluations) v
      where ${and(scope(ctx, automationEvent, "e"))} and e.matched_automation_ids @> ${[id]}::text[]
        and e.date_created between ${start}::timestamptz and ${end}::timestamptz
        and v->>'automation_id' = ${id} and v->>'run_id' is null and v->>'reason' is not null
      group by 1 order by 1`),
  );
  return Object.fromEntries(rows.map(([reason, count]) => [reason!, Number(count)]));
}

/** The runs that are not over, and when the next of them goes on, or the automation is looked at, by the clock. */
export async function nowOf(ctx: Ctx, id: string) {
  // One row. The states are those of the index.
  const [row] = await query(
    ctx,
    statement(sql`select count(*) filter (where r.status in ('queued', 'running')), count(*) filter (where r.status = 'waiting'),
        count(*) filter (where r.status = 'held'), extract(epoch from least(min(r.wait_until) filter (where r.status = 'waiting'),
          (select min(j.due_at) from job j where j.organization_id = ${ctx.organization_id} and j.kind = ${clockJobs.kind} and j.object_id = ${id}))) * 1000
      from automation_run r where ${and(scope(ctx, automationRun, "r"))} and r.automation_id = ${id}
        and r.status in ('queued', 'running', 'waiting', 'held') and ${isReal}`),
  );
  const [active_now, waiting_now, held_now, next] = row!;
  return {
    counts: { active_now: Number(active_now), waiting_now: Number(waiting_now), held_now: Number(held_now) },
    next_timer_at: next == null ? null : new Date(Math.round(Number(next))).toISOString(),
  };
}
