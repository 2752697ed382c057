// Statistics of an automation over time, and of the mail that its runs sent.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { periodOf, periodsOf } from "../reports/range.ts";

export type Interval = "hour" | "day" | "week";

const hourMs = 3_600_000;

/** One entry for each interval in which runs began. `runs` is the condition on the alias `r`. */
export async function seriesOf(ctx: Ctx, runs: Sql, { start, end }: { start: string; end: string }, interval: Interval) {
  const starts =
    interval === "hour" ? null : periodsOf({ start, end, zone: zoneOf(ctx.directory, ctx) }, interval, [], "date_start");
  // Hours begin at the same instants in nearly every zone, and need no list.
  const at =
    starts === null ? sql`floor(extract(epoch from r.date_created) / 3600)::bigint` : periodOf(starts, sql`r.date_created`);
  const rows = await query(
    ctx,
    statement(sql`select ${at} as t, count(*), count(*) filter (where r.status = 'completed'), count(*) filter (where r.status = 'failed')
      from automation_run r where ${runs} group by 1 order by 1 limit 2000`),
  );
  return rows.map(([t, started, completed, failed]) => ({
    t: new Date(starts === null ? Number(t) * hourMs : starts.starts[Number(t) - 1]!).toISOString(),
    started: Number(started),
    completed: Number(completed),
    failed: Number(failed),
  }));
}

const counts = ["sent", "delivered", "opened", "clicked", "replied", "bounced", "unsubscribed"] as const;
export const emailShape = z.strictObject(
  Object.fromEntries(counts.map((key) => [key, z.int()])) as Record<(typeof counts)[number], z.ZodInt>,
);

/** The mail of the runs. A mail whose run is counted is at the lead of that run, so who sees the run sees it. */
export async function emailOf(ctx: Ctx, runs: Sql) {
  // One row with the numbers, in the order of `counts`.
  const [row] = await query(
    ctx,
    statement(sql`select count(*), count(*) filter (where coalesce(a.bounces, '[]') = '[]'),
        count(*) filter (where a.opens_summary is not null), count(*) filter (where a.clicks_summary is not null),
        count(*) filter (where a.has_reply), count(*) filter (where coalesce(a.bounces, '[]') <> '[]'),
        count(*) filter (where exists (select from unsubscribed_email u where u.organization_id = ${ctx.organization_id} and u.source_id = a.id))
      from automation_run r join activity a on a.organization_id = ${ctx.organization_id} and a.automation_run_id = r.id
      where ${runs} and a._type = 'Email' and a.status = 'sent'`),
  );
  return Object.fromEntries(counts.map((key, i) => [key, Number(row![i])])) as Record<(typeof counts)[number], number>;
}
