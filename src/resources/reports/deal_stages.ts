// How far deals came. The stages of a pipeline are its active statuses in order, and then won. A deal reaches a stage when it
// first has that status or a later one, so it also reaches the stages that it skips. Every deal starts at the first stage.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { stoodSince } from "./first_standing.ts";
import { daysWithin, type Range, within } from "./range.ts";
import { type Asked, ask, type DealPipeline, type DealStatus, total } from "./report.ts";

/** Which deals are followed, and which of their stages count. Null means no limit. */
export interface Followed {
  /** Only deals created in this range. */
  created: Range | null;
  /** Only stages reached in this range. */
  reached: Range | null;
}

/** The figures of a stage, for a pipeline as a whole (`of_pipeline`) or for the deals of one member. */
export interface Stage {
  pipeline_id: string;
  /** From 0. Won is the last. */
  place: number;
  of_pipeline: boolean;
  user_id: string | null;
  count: number;
  advanced: number;
  count_lost: number;
  value: number;
  value_advanced: number;
  value_lost: number;
  weighted_value: number;
  weighted_value_advanced: number;
  average_time_to_advance: number | null;
}

export interface Totals {
  pipeline_id: string;
  count: number;
  count_total_won: number;
  count_total_complete: number;
  value_total_won: number;
  value_total_complete: number;
  average_time_to_win: number | null;
  average_value_annualized_per_won_opportunity: number | null;
  average_value_won: number | null;
  count_other_currencies: number;
}

/** The totals of a pipeline's deals in one currency. */
export interface CurrencyTotals {
  pipeline_id: string;
  currency: string;
  count: number;
  value_total_won: number;
  value_total_complete: number;
}

/** The stages of a pipeline, each by the status that it is named after. */
export function stagesOf({ statuses }: DealPipeline): DealStatus[] {
  const won = statuses.find(({ type }) => type === "won");
  return [...statuses.filter(({ type }) => type === "active"), ...(won === undefined ? [] : [won])];
}

/** The figures of the stages, and of the deals as a whole. */
export async function followDeals(
  ctx: Ctx,
  asked: Asked,
  pipelines: readonly DealPipeline[],
  followed: Followed,
): Promise<{ stages: Stage[]; totals: Totals[]; currencies: CurrencyTotals[] }> {
  const n = (where: string) => sql`${total(raw("n"), raw(where))}::int`;
  const sum = (amount: string, where = "true") => total(raw(amount), raw(`${where} and in_currency`));
  const average = (all: Sql, of: string, where: string) =>
    sql`(${all} filter (where ${raw(where)}) / nullif(sum(${raw(of)}) filter (where ${raw(where)}), 0))`;
  const stages = placesOf(pipelines).map((place) => sql`(${place}::int, ${raw(`went_${place}`)})`);
  return ask<"stages" | "totals" | "currencies">(
    ctx,
    {
      // A deal counts at each stage that it reached. It has advanced if it reached the next one, at any time.
      stages: sql`
        select pipeline_id, place, grouping(user_id) = 1 as of_pipeline, user_id, sum(n)::int as count, ${n("came > place + 1")} as advanced,
          ${n("came = place + 1 and type = 'lost'")} as count_lost,
          ${sum("value")} as value, ${sum("value", "came > place + 1")} as value_advanced,
          ${sum("value", "came = place + 1 and type = 'lost'")} as value_lost,
          ${sum("expected_value")} as weighted_value, ${sum("expected_value", "came > place + 1")} as weighted_value_advanced,
          round(extract(epoch from sum(went)) / nullif(sum(n) filter (where came > place + 1), 0), 3) as average_time_to_advance
        from alike join lateral (values ${join(stages)}) stage(place, went) on place >= earlier and place < by_then
        group by grouping sets ((pipeline_id, place), (pipeline_id, place, user_id)) order by user_id`,
      totals: sql`
        select pipeline_id, sum(n)::int as count, ${n("type = 'won'")} as count_total_won, ${n("type <> 'active'")} as count_total_complete,
          ${sum("value", "type = 'won'")} as value_total_won, ${sum("value", "type <> 'active'")} as value_total_complete,
          round(extract(epoch from sum(winning) filter (where type = 'won')) / nullif(sum(n_winning) filter (where type = 'won'), 0), 3)
            as average_time_to_win,
          round(${average(raw("sum(annualized_value)"), "n_annualized_value", "type = 'won' and in_currency")})
            as average_value_annualized_per_won_opportunity,
          ${average(raw("sum(value)"), "n_value", "type = 'won' and in_currency")} as average_value_won,
          ${n("not in_currency")} as count_other_currencies
        from alike where earlier < by_then group by 1`,
      currencies: sql`
        select pipeline_id, currency, sum(n)::int as count, ${total(raw("value"), raw("type = 'won'"))} as value_total_won,
          ${total(raw("value"), raw("type <> 'active'"))} as value_total_complete
        from alike where earlier < by_then group by 1, 2 order by 2`,
    },
    sql`with ${alike(ctx, asked, pipelines, followed)}`,
  );
}

const placesOf = (pipelines: readonly DealPipeline[]): number[] =>
  Array.from({ length: Math.max(1, ...pipelines.map((one) => stagesOf(one).length)) }, (_, place) => place);

/**
 * A row of `alike` is a number of deals of a member that came equally far: `came` stages in all, `earlier` of them before the
 * range, and `by_then` of them by its end. A stage is never reached before an earlier one, so these numbers say which stages were
 * reached when. They leave out only how long it took.
 */
function alike(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[], followed: Followed): Sql {
  const { start, end } = followed.reached ?? { start: null, end: null };
  const places = placesOf(pipelines);
  const reached = (where: (at: string) => Sql) =>
    join(
      places.map((place) => sql`(${where(`at_${place}`)})::int`),
      " + ",
    );
  const before = (moment: string) => reached((at) => sql`coalesce(${raw(at)} < ${moment}::timestamptz, false)`);
  const came = reached((at) => raw(`${at} is not null`));
  const went = places.map((place) =>
    raw(place + 1 < places.length ? `sum(at_${place + 1} - at_${place}) as went_${place}` : `null::interval as went_${place}`),
  );
  return sql`${ways(ctx, asked, pipelines, followed)}, alike as (
      select pipeline_id, type, user_id, value_currency as currency, value_currency = ${asked.currency} as in_currency, ${came} as came,
        ${start === null ? raw("0") : before(start)} as earlier, ${end === null ? came : before(end)} as by_then, count(*) as n,
        sum(value) as value, count(value) as n_value, sum(expected_value) as expected_value,
        sum(annualized_value) as annualized_value, count(annualized_value) as n_annualized_value,
        sum(won_at - date_created) as winning, count(won_at) as n_winning, ${join(went)}
      from way group by 1, 2, 3, 4, 5, 6, 7, 8
    )`;
}

/**
 * A row of `way` is a deal with the moments when it reached each stage, `at_0` and so on, and when it last got a won status. For
 * a deal that was imported as won, that is the date it names.
 */
function ways(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[], followed: Followed): Sql {
  const statuses = pipelines.flatMap((one) => placed(one));
  const ids = statuses.map(({ id }) => id);
  const won = statuses.filter(({ type }) => type === "won").map(({ id }) => id);
  const some = touched(ctx, asked, followed);
  const among = (id: string) => (some === null ? raw("true") : sql`${raw(id)} in (select id from touched)`);
  const counted = followed.created === null ? among("t.id") : within(followed.created, raw("t.date_created"));

  // Changes are read in the order of deals. A join or another grouping key would lose that order, so each pipeline has its own
  // columns.
  const columns = pipelines.flatMap((one, p) => stagesOf(one).map((_, place) => ({ p, place })));
  if (columns.length > columnsMax) throw invalid({ pipeline_id: "is required: there are too many stages to show them all" });
  const moved = columns.map(({ p, place }) =>
    raw(`min(c.activity_at) filter (where c.place_${p} >= ${place}) as at_${p}_${place}`),
  );
  const reached = (place: number) => {
    const own = columns.filter((one) => one.place === place).map(({ p }) => ({ p, at: raw(`moved.at_${p}_${place}`) }));
    if (own.length === 0) return raw("null::timestamptz");
    return sql`case s.pipeline_id ${join(
      own.map(({ p, at }) => sql`when ${pipelines[p]!.id} then ${at}`),
      " ",
    )} end`;
  };
  // A status that is no stage of its pipeline counts as the first stage, reached when the deal was created.
  const first = { from: null, status: raw("coalesce(moved.old_status_id, t.status_id)"), changed: raw("moved.first_at") };
  const since = stoodSince(ctx, followed.reached ?? asked.range, pipelines, first);
  const at = placesOf(pipelines).map((place) => {
    const stood = place === 0 ? sql`least(t.date_created, ${since})` : sql`case when start.place >= ${place} then ${since} end`;
    return sql`least(${stood}, ${reached(place)}) as ${raw(`at_${place}`)}`;
  });
  return sql`${some === null ? empty : sql`touched as (${some}), `}status as (
      select * from unnest(${ids}::text[], ${statuses.map((one) => one.pipeline_id)}::text[],
        ${statuses.map(({ type }) => type)}::text[], ${statuses.map(({ place }) => place)}::int[]) s(id, pipeline_id, type, place)
    ), moved as (
      select c.opportunity_id, (array_agg(c.old_status_id order by c.activity_at))[1] as old_status_id,
        min(c.activity_at) as first_at, ${join([...moved, sql`max(c.activity_at) filter (where c.new_status_id = any(${won})) as won_at`])}
      from (
        select c.opportunity_id, c.activity_at, c.old_status_id, c.new_status_id,
          ${join(pipelines.map((one, p) => sql`${placeIn(one, raw("c.new_status_id"))} as ${raw(`place_${p}`)}`))}
        from activity c
        where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange' and ${among("c.opportunity_id")}
        order by c.opportunity_id, c.activity_at) c
      group by 1
    ), way as (
      select s.pipeline_id, s.type, t.user_id, t.value, t.annualized_value, t.expected_value, t.value_currency, t.date_created,
        ${join(at)}, coalesce(moved.won_at, case when start.type = 'won' then greatest(t.date_created, t.date_won::timestamptz) end) as won_at
      from opportunity t
      left join moved on moved.opportunity_id = t.id
      join status s on s.id = t.status_id
      left join status start on start.id = coalesce(moved.old_status_id, t.status_id) and start.pipeline_id = s.pipeline_id
      where ${asked.records(opportunity, "t", "user_id")} and t.status_id = any(${ids}) and ${counted}
      -- Each moment is computed once, and not again in every sum that uses it.
      offset 0
    )`;
}

/** PostgreSQL selects at most 1,664 columns. */
const columnsMax = 1_500;

/** In a range this long, most deals are created or moved. Reading all of them in order is faster than looking up each. */
const mostAreTouched = 100;
const days = ({ start, end }: Range): number =>
  start === null || end === null ? Number.POSITIVE_INFINITY : (Date.parse(end) - Date.parse(start)) / 86_400_000;

/** The deals that can count: those created, won, lost or moved in the range. Null when reading all deals is as good. */
function touched(ctx: Ctx, asked: Asked, { created, reached }: Followed): Sql | null {
  const deals = (inTime: Sql) =>
    sql`select t.id from opportunity t where ${asked.records(opportunity, "t", "user_id")} and ${inTime}`;
  if (created !== null) return deals(within(created, raw("t.date_created")));
  if (reached === null || days(reached) > mostAreTouched) return null;
  return sql`${deals(within(reached, raw("t.date_created")))} union ${deals(daysWithin(reached, raw("t.date_won")))}
    union ${deals(within(reached, raw("t.date_lost")))} union select c.opportunity_id from activity c
    where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange' and ${within(reached, raw("c.activity_at"))}`;
}

/** Every status with the place of its stage. A lost status has none. */
export function placed(one: DealPipeline): (DealStatus & { place: number | null })[] {
  const stages = stagesOf(one);
  return one.statuses.map((status) => {
    if (status.type === "lost") return { ...status, place: null };
    return { ...status, place: status.type === "won" ? stages.length - 1 : stages.indexOf(status) };
  });
}

/** The place of the stage for a status of the pipeline. Null for lost statuses, and for those of other pipelines. */
export function placeIn(one: DealPipeline, statusId: Sql): Sql {
  const known = placed(one).filter(({ place }) => place !== null);
  if (known.length === 0) return raw("null::int");
  return sql`case ${statusId} ${join(
    known.map(({ id, place }) => sql`when ${id} then ${place}::int`),
    " ",
  )} end`;
}
