// `POST /report/sales/`: which deals were won and by whom, how deals moved, and the forecast.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { scope } from "../../core/resource.ts";
import { and, raw, type Sql, sql } from "../../db/sql.ts";
import { activity } from "../activities/activity.ts";
import { goal } from "../goals/goal.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { daysWithin, periodsOf, within } from "./range.ts";
import {
  type Asked,
  ask,
  byCurrency,
  type DealPipeline,
  perUser,
  pipelineInput,
  pipelinesOf,
  report,
  statusIds,
  total,
} from "./report.ts";
import { stageConversion } from "./stage_conversion.ts";
import { workflow, workflowPerformance } from "./workflow_performance.ts";

const seller = {
  won_count: z.int(),
  won_value: z.int(),
  open_count: z.int(),
  open_value: z.int(),
  calls: z.int(),
  emails: z.int().describe("How many e-mails were sent."),
  meetings: z.int(),
};
const worth = {
  won_count: z.int(),
  won_value: z.int(),
  open_count: z.int(),
  open_value: z.int(),
  won_annualized_value: z.int(),
  open_expected_value: z.int(),
};
const goals = {
  goal: z.int().nullable().describe("The target for the sum of won values."),
  goal_progress: z.number().nullable(),
};
const nothing = {
  ...Object.fromEntries(Object.keys(seller).map((key) => [key, 0])),
  goal: null,
  goal_progress: null,
};

/** The targets, and how much of each was won, at most all of it, over the rows of `aim`. */
const reached = raw(`sum(target) as goal,
  case when sum(target) = 0 then 1 when sum(target) > 0 then least(1, round(coalesce(sum(won), 0) / sum(target), 4)) end as goal_progress`);

const month = z.string().describe("Such as 2026-01.");

export const salesReport = report({
  path: "sales",
  doc: "Returns the deals won by month, how deals advanced, the forecast, sales by member, and the results of sequences and automations.",
  range: "this-year",
  input: pipelineInput,
  output: {
    currency: z.string(),
    won_by_month: z.array(z.strictObject({ month, count: z.int(), value: z.int(), annualized_value: z.int() })),
    stage_conversion: z.array(
      z.strictObject({
        pipeline_id: z.string(),
        status_id: z.string(),
        label: z.string(),
        entered: z.int().describe("How many deals reached or passed the stage in the range."),
        advanced: z.int().describe("How many of them have advanced since."),
        conversion_rate: z.number(),
      }),
    ),
    forecast: z.array(
      z.strictObject({
        month: z.string().describe("When open deals are expected to close, such as 2026-01; `none` without a date."),
        count: z.int(),
        value: z.int(),
        expected_value: z.int(),
      }),
    ),
    leaderboard: z.array(
      z.strictObject({ user_id: z.string().nullable(), user_name: z.string().nullable(), ...seller, ...goals }),
    ),
    workflow_performance: z.array(workflow),
    by_currency: z.record(z.string(), z.strictObject(worth)).describe("The sums of the won and open deals of each currency."),
    totals: z.strictObject({
      ...seller,
      won_annualized_value: z.int(),
      open_expected_value: z.int(),
      count_other_currencies: z
        .int()
        .describe("How many of the won and open deals are in other currencies and therefore in no sum."),
      ...goals,
    }),
  },
  tables: {
    leaderboard: ({ leaderboard }) => leaderboard,
    won_by_month: ({ won_by_month }) => won_by_month,
    stage_conversion: ({ stage_conversion }) => stage_conversion,
    forecast: ({ forecast }) => forecast,
    workflow_performance: ({ workflow_performance }) => workflow_performance,
  },
  async run(ctx, { pipeline_id }, asked) {
    const pipelines = pipelinesOf(ctx, pipeline_id);
    const [sums, stage_conversion, workflow_performance] = await Promise.all([
      sumsOf(ctx, asked, pipelines),
      stageConversion(ctx, asked, pipelines),
      workflowPerformance(ctx, asked),
    ]);
    const { totals, by_currency, ...rows } = sums;
    return {
      currency: asked.currency,
      won_by_month: rows.won_by_month,
      stage_conversion,
      forecast: rows.forecast,
      leaderboard: rows.leaderboard,
      workflow_performance,
      by_currency,
      totals,
    };
  },
});

// --- sums ---

async function sumsOf(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[]) {
  const { records, range, currency } = asked;
  const [won, open] = [statusIds(pipelines, "won"), statusIds(pipelines, "active")];
  const isWon = sql`status_id = any(${won})`;
  const isOpen = sql`status_id = any(${open})`;
  const inCurrency = sql`currency = ${currency}`;
  const counts = sql`${total(raw("n"), isWon)} as won_count, ${total(raw("n"), isOpen)} as open_count`;
  const amounts = (where: Sql) => sql`${total(raw("value"), sql`${isWon} and ${where}`)} as won_value,
    ${total(raw("value"), sql`${isOpen} and ${where}`)} as open_value`;
  const ofAll = (where: Sql) => sql`${counts}, ${amounts(where)},
    ${total(raw("annualized_value"), sql`${isWon} and ${where}`)} as won_annualized_value,
    ${total(raw("expected_value"), sql`${isOpen} and ${where}`)} as open_expected_value`;
  const money = (amount: string) => sql`${total(raw(amount), inCurrency)} as ${raw(amount)}`;
  const monthOf = (day: string) => raw(`date_trunc('month', t.${day}::timestamp)::date`);
  const goalsAsked = and([
    ...scope(ctx, goal, "g"),
    ...(asked.users === null ? [] : [sql`g.user_id = any(${[...asked.users]})`]),
  ]);

  const found = await ask(
    ctx,
    {
      months: sql`
        select to_char(won_in, 'YYYY-MM') as month, sum(n) as count, ${money("value")}, ${money("annualized_value")}
        from deal where ${isWon} group by 1 order by 1`,
      forecast: sql`
        select coalesce(to_char(expected_in, 'YYYY-MM'), 'none') as month, sum(n) as count, ${money("value")}, ${money("expected_value")}
        from deal where ${isOpen} group by 1 order by 1`,
      sellers: sql`select user_id, ${counts}, ${amounts(inCurrency)} from deal group by 1`,
      totals: sql`select ${ofAll(inCurrency)}, ${total(raw("n"), sql`not ${inCurrency}`)} as count_other_currencies from deal`,
      currencies: sql`select currency, ${ofAll(raw("true"))} from deal group by 1 order by 1`,
      workers: sql`
        select user_id, grouping(user_id) = 1 as whole, ${total(raw("n"), raw("_type = 'Call'"))} as calls,
          ${total(raw("n"), raw("_type = 'Email'"))} as emails, ${total(raw("n"), raw("_type = 'Meeting'"))} as meetings
        from done group by grouping sets ((user_id), ())`,
      goals: sql`select user_id, ${reached} from aim group by 1`,
      // The organization's own goal takes precedence over the sum of the members' goals.
      goal: sql`select ${reached} from aim where (user_id is null) = exists (select from aim where user_id is null)`,
    },
    // A row of `deal` is a number of deals of a member with a status and a currency, won in the same month of the range or open
    // and expected in the same month. A row of `done` is a number of activities of a member. A row of `aim` is a goal in the
    // range with the amount won in its period, without goals that are part of a longer one there.
    sql`
      with deal as (
        select t.status_id, t.user_id, ${monthOf("date_won")} as won_in, ${monthOf("expected_close_date")} as expected_in,
          t.value_currency as currency, count(*) as n, sum(t.value) as value, sum(t.annualized_value) as annualized_value,
          sum(t.expected_value) as expected_value
        from opportunity t
        where ${records(opportunity, "t", "user_id")}
          and (t.status_id = any(${open}) or t.status_id = any(${won}) and ${daysWithin(range, raw("t.date_won"))})
        group by 1, 2, 3, 4, 5
      ), done as (
        select t.user_id, t._type, count(*) as n from activity t
        where ${records(activity, "t", "user_id")} and ${within(range, raw("t.activity_at"))} and t._type in ('Call', 'Email', 'Meeting')
          and (t._type = 'Call' or t.status = 'sent' or t._type = 'Meeting' and t.status not in ('canceled', 'declined-by-lead', 'declined-by-org'))
        group by 1, 2
      ), goal_in as (
        select g.user_id, g.target, g.period_start, g.period_end from goal g
        where ${goalsAsked} and g.currency = ${currency} and ${daysWithin(range, raw("g.period_start"))} and ${daysWithin(range, raw("g.period_end"))}
      ), aim as (
        select g.user_id, g.target, (
          select sum(d.value) from deal d
          where d.status_id = any(${won}) and d.${inCurrency} and d.won_in between g.period_start and g.period_end
            and (g.user_id is null or d.user_id = g.user_id)) as won
        from goal_in g
        where not exists (
          select from goal_in longer where longer.user_id is not distinct from g.user_id and longer.period_start <= g.period_start
            and longer.period_end >= g.period_end and longer.period_end - longer.period_start > g.period_end - g.period_start)
      )`,
  );

  const { whole: _whole, user_id: _nobody, ...work } = found.workers.find((row) => row.whole);
  return {
    by_currency: byCurrency(found.currencies, ({ currency: _, ...worth }) => worth),
    won_by_month: everyMonth(asked, found.months),
    forecast: found.forecast,
    leaderboard: leaderboard(ctx, asked, [
      ...found.sellers,
      ...found.workers.filter((row) => !row.whole),
      ...found.goals.filter((row) => row.user_id !== null),
    ]),
    totals: { ...found.totals[0], ...work, ...found.goal[0] },
  };
}

/** Months in which nothing was won are shown as well. */
function everyMonth({ range }: Asked, found: readonly { month: string }[]) {
  const byMonth = new Map(found.map((row) => [row.month, row]));
  const { days } = periodsOf(
    range,
    "month",
    found.map(({ month }) => `${month}-01`),
  );
  return days.map((day) => byMonth.get(day.slice(0, 7)) ?? { month: day.slice(0, 7), count: 0, value: 0, annualized_value: 0 });
}

/** The member who won most comes first. The figures of a member come from several rows. */
function leaderboard(ctx: Ctx, asked: Asked, known: readonly any[]) {
  const rows = new Map<string | null, any>();
  for (const { whole: _, ...row } of known) rows.set(row.user_id, { ...rows.get(row.user_id), ...row });
  const found = [...rows.values()].map((row) => ({ ...nothing, ...row }));
  return perUser<any>(ctx, asked, found, nothing).sort(
    (a, b) =>
      b.won_value - a.won_value || b.won_count - a.won_count || (a.user_name ?? "").localeCompare(b.user_name ?? "", "en"),
  );
}
