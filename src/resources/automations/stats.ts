// Statistics of an automation for a range of time: its runs by day and by step.

import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { scope } from "../../core/resource.ts";
import { and, join, sql, statement } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { parseTimestamp } from "../../values/time.ts";
import { periodOf, periodsOf } from "../reports/range.ts";
import { automationRun, runStates as states } from "./automation_run.ts";
import { momentAfter } from "./durations.ts";
import { isReal } from "./fields.ts";
import { getAutomation } from "./nested_lists.ts";
import { emailOf, emailShape, seriesOf } from "./stats_series.ts";
import { nowOf, sharesOf, skippedByReason } from "./stats_shares.ts";

const daysShown = 30;
const dayMs = 86_400_000;
const count = z.int();
const rate = z.number().nullable();

const output = z.strictObject({
  automation_id: z.string(),
  date_start: z.iso.datetime(),
  date_end: z.iso.datetime(),
  runs: z.strictObject({
    total: count,
    ...Object.fromEntries(states.map((state) => [state, count])),
    active_now: count.describe("Of any date: queued or running."),
    waiting_now: count,
    held_now: count,
    skipped_by_reason: z
      .record(z.string(), count)
      .describe("How often it did not start, by the reason, as far as events are kept."),
  }),
  success_rate: z.number().nullable().describe("The share of the ended runs that completed: 0 to 1."),
  rates: z
    .strictObject({ success: rate, goal: rate, failure: rate })
    .describe("Of the ended runs that completed or failed: the shares that completed and failed. Of all: that reached a goal."),
  average_duration_ms: z.number().nullable(),
  duration_ms: z.strictObject({ p50: count.nullable(), p95: count.nullable(), max: count.nullable() }),
  last_run_at: z.iso.datetime().nullable(),
  last_failure_at: z.iso.datetime().nullable(),
  series: z
    .array(z.strictObject({ t: z.iso.datetime(), started: count, completed: count, failed: count }))
    .describe("The runs by when they began, in the caller's time zone. Times without runs are left out."),
  email: emailShape.describe("The mail of these runs. Opens and clicks by programs do not count."),
  runs_by_day: z.array(z.strictObject({ date: z.iso.date(), completed: count, failed: count })),
  steps: z.array(
    z.strictObject({
      step_id: z.string(),
      type: z.string(),
      entered: count,
      succeeded: count,
      failed: count,
      waiting: count,
      skipped: count,
      retries: count,
      avg_ms: z.number().nullable(),
      ports: z.record(z.string(), count).describe("How often runs left by each port."),
    }),
  ),
  top_errors: z.array(
    z.strictObject({ fingerprint: z.string().nullable(), code: z.string().nullable(), count, last_run_id: z.string() }),
  ),
  versions: z.array(z.strictObject({ number: count, runs: count })),
  next_timer_at: z.iso
    .datetime()
    .nullable()
    .describe("When the next of the waiting runs goes on by the clock, or the clock starts it or looks for its dates."),
  goals: count.describe("How many runs reached a goal."),
});

interface Period {
  start: string;
  end: string;
  version_id?: string | undefined;
}

export const automationStats = operation({
  name: "automations.stats",
  method: "GET",
  path: "/automations/{id}/stats/",
  doc: "Returns how an automation has performed: its runs of the last 30 days, or of a period.",
  permission: "member",
  group: "report",
  input: {
    id: z.string(),
    date_start: z.string().optional().describe("The start; by default 30 days before the end."),
    date_end: z.string().optional().describe("The end; by default now. A day counts whole."),
    from: z.string().optional().describe("The same as `date_start`."),
    to: z.string().optional().describe("The same as `date_end`."),
    interval: z.enum(["hour", "day", "week"]).default("day").describe("What each entry of `series` covers."),
    version_id: z.string().optional().describe("Only the runs of this version."),
  },
  output,
  async run(ctx, { id, interval, version_id, date_start, date_end, from, to }) {
    const { id: automation_id } = await getAutomation(ctx, id);
    const [start, end] = [date_start === undefined ? "from" : "date_start", date_end === undefined ? "to" : "date_end"] as const;
    const given = { start: { named: start, text: date_start ?? from }, end: { named: end, text: date_end ?? to } };
    const period = { ...readPeriod(ctx, given), version_id };
    const [{ runs, ...rest }, days, series, email, steps, shares, skipped_by_reason, now] = await Promise.all([
      runsOf(ctx, automation_id, period),
      daysOf(ctx, automation_id, period),
      seriesOf(ctx, within(ctx, automation_id, period), period, interval),
      emailOf(ctx, within(ctx, automation_id, period)),
      stepsOf(ctx, automation_id, period),
      sharesOf(ctx, within(ctx, automation_id, period)),
      skippedByReason(ctx, automation_id, period),
      nowOf(ctx, automation_id),
    ]);
    return {
      automation_id,
      date_start: period.start,
      date_end: period.end,
      runs: { ...runs, ...now.counts, skipped_by_reason },
      ...rest,
      series,
      email,
      runs_by_day: days,
      steps,
      ...shares,
      next_timer_at: now.next_timer_at,
    };
  },
});

interface Bound {
  named: string;
  text: string | undefined;
}

/** A day alone begins at its midnight, and as the end it counts too. */
function readPeriod(ctx: Ctx, given: { start: Bound; end: Bound }): Period {
  const zone = zoneOf(ctx.directory, ctx);
  const read = ({ text, named }: Bound, otherwise: Date): string => {
    if (text === undefined || text === "") return otherwise.toISOString();
    const moment = parseTimestamp(text, zone);
    if (moment === null) throw invalid({ [named]: "must be a day, or a time such as 2026-01-02T03:04:05.678Z" });
    return moment;
  };
  const last = read(given.end, ctx.now);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(given.end.text ?? "");
  const end = isDay ? momentAfter(new Date(last), { amount: 1, unit: "days" }, zone).toISOString() : last;
  const start = read(given.start, new Date(Date.parse(end) - daysShown * dayMs));
  if (start > end) throw invalid({ [given.start.named]: `must not be later than ${given.end.named}` });
  return { start, end };
}

/** The runs in the range that the caller may see. */
const within = (ctx: Ctx, id: string, { start, end, version_id }: Period) =>
  and([
    ...scope(ctx, automationRun, "r"),
    sql`r.automation_id = ${id}`,
    isReal,
    ...(version_id === undefined ? [] : [sql`r.version_id = ${version_id}`]),
    sql`r.date_created between ${start}::timestamptz and ${end}::timestamptz`,
  ]);

async function runsOf(ctx: Ctx, id: string, period: Period) {
  // One row: the number in each state, the duration, and the date of the last.
  const [row] = await query(
    ctx,
    statement(sql`select count(*), array_to_json(array[${join(states.map((one) => sql`count(*) filter (where r.status = ${one})`))}]),
      avg(r.duration_ms)::double precision, extract(epoch from max(r.date_created)) * 1000,
      extract(epoch from max(r.date_created) filter (where r.status = 'failed')) * 1000,
      count(*) filter (where r.goal_id is not null),
      array_to_json(percentile_disc(array[0.5, 0.95, 1]) within group (order by r.duration_ms))
      from automation_run r where ${within(ctx, id, period)}`),
  );
  const [total, inStates, average, last, lastFailure, goals, durations] = row!;
  const counted: number[] = JSON.parse(inStates!);
  const runs = Object.fromEntries(states.map((state, i) => [state, counted[i]!]));
  const ended = runs.completed! + runs.failed!;
  const [p50, p95, max]: (number | null)[] = JSON.parse(durations ?? "[null,null,null]");
  const share = (some: number, all: number) => (all === 0 ? null : some / all);
  const at = (ms: string | null) => (ms === null ? null : new Date(Math.round(Number(ms))).toISOString());
  return {
    runs: { total: Number(total), ...runs },
    success_rate: share(runs.completed!, ended),
    rates: {
      success: share(runs.completed!, ended),
      goal: share(Number(goals), Number(total)),
      failure: share(runs.failed!, ended),
    },
    duration_ms: { p50: p50 ?? null, p95: p95 ?? null, max: max ?? null },
    average_duration_ms: average === null ? null : Number(average),
    last_run_at: at(last!),
    last_failure_at: at(lastFailure!),
    goals: Number(goals),
  };
}

async function daysOf(ctx: Ctx, id: string, period: Period) {
  const days = periodsOf({ ...period, zone: zoneOf(ctx.directory, ctx) }, "day", [], "date_start");
  // One row for each day on which a run began, in the caller's time zone.
  const rows = await query(
    ctx,
    statement(sql`select ${periodOf(days, sql`r.date_created`)} as day, count(*) filter (where r.status = 'completed'), count(*) filter (where r.status = 'failed')
      from automation_run r where ${within(ctx, id, period)} group by day order by day`),
  );
  return rows.map(([day, completed, failed]) => ({
    date: days.days[Number(day) - 1]!,
    completed: Number(completed),
    failed: Number(failed),
  }));
}

async function stepsOf(ctx: Ctx, id: string, period: Period) {
  // One row for each step of the graph: how often runs entered it, and how they left.
  const rows = await query(
    ctx,
    statement(sql`with by_port as (
        select s.step_id, s.type, s.branch, count(*) as n, count(*) filter (where s.status = 'succeeded') as succeeded,
          count(*) filter (where s.status = 'failed') as failed, count(*) filter (where s.status = 'waiting') as waiting,
          count(*) filter (where s.status = 'skipped') as skipped, sum(greatest(s.attempt - 1, 0)) as retries,
          count(s.finished_at - s.started_at) as timed, sum(extract(epoch from s.finished_at - s.started_at) * 1000) as ms
        from automation_run r join automation_step_run s on s.organization_id = r.organization_id and s.run_id = r.id
        where ${within(ctx, id, period)} group by s.step_id, s.type, s.branch)
      select p.step_id, p.type, sum(p.n), sum(p.succeeded), sum(p.failed), sum(p.waiting), sum(p.skipped), sum(p.retries),
        (sum(p.ms) / nullif(sum(p.timed), 0))::double precision,
        coalesce(json_object_agg(p.branch, p.n order by p.branch) filter (where p.branch is not null), '{}')
      from by_port p group by p.step_id, p.type order by p.step_id, p.type`),
  );
  return rows.map(([step_id, type, entered, succeeded, failed, waiting, skipped, retries, ms, ports]) => ({
    step_id: step_id!,
    type: type!,
    entered: Number(entered),
    succeeded: Number(succeeded),
    failed: Number(failed),
    waiting: Number(waiting),
    skipped: Number(skipped),
    retries: Number(retries),
    avg_ms: ms == null ? null : Number(ms),
    ports: JSON.parse(ports!),
  }));
}
