// `POST /report/activity/`: what was done, by member or by day, week or month.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { activity } from "../activities/activity.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { type Metric, metrics, type Source } from "./activity_metrics.ts";
import { daysWithin, type Periods, periodOf, periodOfDay, periodsOf, within } from "./range.ts";
import { type Asked, ask, perUser, pipelinesOf, report, statusIds } from "./report.ts";

type Numbers = Record<string, number>;
type Line = Numbers & { key: string | null; whole: boolean };

const keys = metrics.map(({ key }) => key) as [string, ...string[]];
const numbers = z.record(z.string(), z.number());

export const activityReport = report({
  path: "activity",
  doc: "Counts activity in a range of time, by member (`comparison`) or by day, week or month (`overview`).",
  input: {
    metrics: z.array(z.string()).max(200).nullish().describe("The keys of the metrics to count; by default all."),
    type: z.enum(["comparison", "overview"]).default("comparison"),
    interval: z.enum(["day", "week", "month"]).default("day").describe("The period of a row of an overview."),
  },
  output: {
    data: z.array(z.looseObject({})),
    aggregations: z.strictObject({
      totals: numbers,
      by_currency: z.record(z.string(), numbers).describe("The amounts of money of each currency."),
    }),
    queries: z.strictObject({}),
    currency: z.string().describe("The currency of all amounts."),
  },
  tables: { data: ({ data }) => data },
  async run(ctx, given, asked) {
    const wanted = wantedMetrics(given.metrics ?? []);
    const periods = given.type === "overview" ? await periodsAsked(ctx, asked, given.interval) : null;
    const sources = [...new Set(wanted.map(({ source }) => source))];
    const each = sources.map((source) => [source, select(ctx, asked, source, wanted, periods)] as const);
    const amounts = sources.flatMap((source) => selectAmounts(ctx, asked, source, wanted));
    const { amount, ...found } = await ask<Source | "amount">(
      ctx,
      Object.fromEntries([...each, ["amount", amounts.length === 0 ? nothingAt : join(amounts, " union all ")]]) as Record<
        Source | "amount",
        Sql
      >,
      sources.includes("contacted") ? sql`with contacted as (${counted(ctx, asked, "contacted", periods)})` : empty,
    );

    const lines = byKey(Object.values(found).flat());
    const nothing = Object.fromEntries(wanted.map(({ key }) => [key, 0]));
    const { key: _key, whole: _whole, ...totals } = { ...nothing, ...lines.get(wholeKey) } as Line;
    lines.delete(wholeKey);
    const rows = [...lines.values()].map(({ key, whole: _, ...numbers }) => ({ key, ...nothing, ...numbers }));
    return {
      data: periods === null ? ofUsers(ctx, asked, rows, nothing) : ofPeriods(periods, rows, nothing),
      aggregations: { totals, by_currency: amountsByCurrency(amount) },
      queries: {},
      currency: asked.currency,
    };
  },
});

function wantedMetrics(asked: readonly string[]): Metric[] {
  const unknown = asked.filter((key) => !keys.includes(key));
  if (unknown.length > 0)
    throw invalid({ metrics: `has no ${unknown.slice(0, 5).join(", ")}; GET /report/activity/ lists what there is` });
  return asked.length === 0 ? [...metrics] : metrics.filter(({ key }) => asked.includes(key));
}

/** Without limits, the periods reach from the first thing that is counted to the last. */
async function periodsAsked(ctx: Ctx, asked: Asked, interval: "day" | "week" | "month"): Promise<Periods> {
  if (asked.range.start !== null && asked.range.end !== null) return periodsOf(asked.range, interval);
  const edges = (of: Resource, column: string) =>
    sql`select min(t.${raw(column)}) as first, max(t.${raw(column)}) as last from ${raw(of.table)} t where ${asked.records(of, "t", null)}`;
  const { found } = await ask(ctx, {
    found: sql`${edges(activity, "activity_at")} union all ${edges(lead, "date_created")} union all ${edges(opportunity, "date_created")}
      union all select min(t.date_won), max(t.date_won) from opportunity t where ${asked.records(opportunity, "t", null)}`,
  });
  return periodsOf(
    asked.range,
    interval,
    found.flatMap(({ first, last }) => [first, last]),
  );
}

// --- statements ---

/** One row for each member or period, and one (`whole`) for all of them. */
function select(ctx: Ctx, asked: Asked, source: Source, wanted: readonly Metric[], periods: Periods | null): Sql {
  const sums = wanted
    .filter((metric) => metric.source === source)
    .map(({ key, sum }) => sql`${sum(sql`t.value_currency = ${asked.currency}`)} as ${raw(`"${key}"`)}`);
  // A lead that two members spoke to counts once in the whole. Distinct rows are counted, because sorting takes twice as long.
  if (source === "contacted")
    return sql`select t.key, false as whole, ${join(sums, ", ")} from contacted t group by 1
      union all select null, true, ${join(sums, ", ")} from (select distinct lead_id from contacted) t`;
  return sql`select t.key, grouping(t.key) = 1 as whole, ${join(sums, ", ")}
    from (${counted(ctx, asked, source, periods)}) t group by grouping sets ((t.key), ())`;
}

/** One row for each currency, with its amounts as a list of keys and numbers. */
function selectAmounts(ctx: Ctx, asked: Asked, source: Source, wanted: readonly Metric[]): Sql[] {
  const amounts = wanted.filter((metric) => metric.source === source && metric.unit === "money");
  if (amounts.length === 0) return [];
  const members = amounts.map(({ key, sum }) => sql`${raw(`'${key}'`)}, ${sum(raw("true"))}`);
  return [
    sql`select t.value_currency as currency, json_build_object(${join(members)}) as sums
      from (${counted(ctx, asked, source, null)}) t group by 1`,
  ];
}

const nothingAt = raw("select null as currency, null as sums where false");

function amountsByCurrency(found: readonly { currency: string; sums: Numbers }[]): Record<string, Numbers> {
  const all: Record<string, Numbers> = {};
  for (const { currency, sums } of found) all[currency] = { ...all[currency], ...sums };
  return all;
}

function counted(ctx: Ctx, asked: Asked, source: Source, periods: Periods | null): Sql {
  const { range } = asked;
  const key = (user: string, at: Sql) => (periods === null ? raw(`t.${user}`) : periodOf(periods, at));
  const created = (user: string) => sql`select ${key(user, raw("t.date_created"))} as key`;
  const createdIn = (of: Resource, user: string) =>
    sql`${asked.records(of, "t", user)} and ${within(range, raw("t.date_created"))}`;

  switch (source) {
    case "activity":
      return activities(ctx, asked, key("user_id", raw("t.activity_at")));
    case "contacted":
      return sql`select distinct ${key("user_id", raw("t.activity_at"))} as key, t.lead_id from activity t
        where ${asked.records(activity, "t", "user_id")} and ${within(range, raw("t.activity_at"))}
          and t._type in ('Call', 'Email', 'SMS', 'ChannelMessage') and (t.status = 'sent' or t._type = 'Call' and t.direction = 'outbound')`;
    case "lead":
      return sql`${created("created_by")} from lead t where ${createdIn(lead, "created_by")}`;
    case "deal_created":
      return sql`${created("created_by")} from opportunity t where ${createdIn(opportunity, "created_by")}`;
    case "deal_created_for":
      return sql`${created("user_id")} from opportunity t where ${createdIn(opportunity, "user_id")}`;
    case "deal_won": {
      const day = periods === null ? raw("t.user_id") : periodOfDay(periods, raw("t.date_won"));
      return deals(ctx, asked, "won", day, daysWithin(range, raw("t.date_won")));
    }
    case "deal_lost":
      return deals(
        ctx,
        asked,
        "lost",
        key("user_id", raw("t.date_lost")),
        sql`t.date_lost is not null and ${within(range, raw("t.date_lost"))}`,
      );
  }
}

const deals = (ctx: Ctx, asked: Asked, type: "won" | "lost", key: Sql, when: Sql): Sql =>
  sql`select ${key} as key, t.value, t.annualized_value, t.value_period, t.value_currency, t.line_items_by_period
    from opportunity t
    where ${asked.records(opportunity, "t", "user_id")} and t.status_id = any(${statusIds(pipelinesOf(ctx, null), type)}) and ${when}`;

/** One row for each group of equal activities: there may be a million activities, but few ways to differ. */
function activities(ctx: Ctx, asked: Asked, key: Sql): Sql {
  return sql`select ${key} as key, t._type, t.direction, t.status, t.call_method, t.sequence_id is not null as sequenced,
      t.has_reply, t.opens_summary is not null as opened,
      t.ends_at <= ${ctx.now.toISOString()}::timestamptz as over, count(*) as n, sum(t.duration) filter (where t._type = 'Call') as seconds
    from activity t
    where ${asked.records(activity, "t", "user_id")} and ${within(asked.range, raw("t.activity_at"))}
      and t._type in ('Call', 'Email', 'SMS', 'ChannelMessage', 'Meeting', 'Note', 'TaskCompleted')
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9`;
}

// --- rows ---

const wholeKey = Symbol("whole");

/** The results of all sources for one member or period become one row. */
function byKey(found: readonly Line[]): Map<string | symbol | null, Line> {
  const lines = new Map<string | symbol | null, Line>();
  for (const line of found) {
    const key = line.whole ? wholeKey : line.key;
    lines.set(key, { ...lines.get(key), ...line });
  }
  return lines;
}

type Keyed = { key: string | null };

const ofUsers = (ctx: Ctx, asked: Asked, rows: readonly Keyed[], nothing: Numbers) =>
  perUser<object>(
    ctx,
    asked,
    rows.map(({ key, ...found }) => ({ user_id: key, ...found })),
    nothing,
  );

/** One row for each period, even if nothing was done in it. */
function ofPeriods({ starts }: Periods, rows: readonly Keyed[], nothing: Numbers) {
  const byPeriod = new Map(rows.map(({ key, ...found }) => [Number(key), found]));
  return starts.map((datetime, i) => ({ datetime, ...nothing, ...byPeriod.get(i + 1) }));
}
