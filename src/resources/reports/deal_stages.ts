// How far deals came: the stages of a pipeline are its active statuses in their order, and then won. A deal reaches a stage when it
// first stands there or further on, so that one that skips a stage has reached it too; each begins at the first stage.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { empty, join, or, raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { type Range, within } from "./range.ts";
import { type Asked, ask, type DealPipeline, type DealStatus, total } from "./report.ts";

/** Which deals are followed, and which of the stages they reach count. Null bounds nothing. */
export interface Followed {
  /** Only deals created in it. */
  created: Range | null;
  /** Only stages reached in it. */
  reached: Range | null;
}

/** What is known of a stage, for a pipeline as a whole (`of_pipeline`) or for the deals of one member. */
export interface Stage {
  pipeline_id: string;
  /** From 0; won is the last. */
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

/** The stages of a pipeline, each by the status that it is named after. */
export function stagesOf({ statuses }: DealPipeline): DealStatus[] {
  const won = statuses.find(({ type }) => type === "won");
  return [...statuses.filter(({ type }) => type === "active"), ...(won === undefined ? [] : [won])];
}

/** All there is to know of the stages, and of the deals as a whole. */
export async function followDeals(
  ctx: Ctx,
  asked: Asked,
  pipelines: readonly DealPipeline[],
  followed: Followed,
): Promise<{ stages: Stage[]; totals: Totals[] }> {
  const moments = momentsOf(pipelines, followed);
  const inCurrency = sql`value_currency = ${asked.currency}`;
  const stages = moments.map(({ place, at, next }) => sql`(${place}::int, ${at}, ${next})`);
  return ask<"stages" | "totals">(
    ctx,
    {
      stages: sql`
        select pipeline_id, stage.place, grouping(user_id) = 1 as of_pipeline, user_id, count(*)::int as count,
          count(stage.next_at)::int as advanced,
          count(*) filter (where stage.next_at is null and type = 'lost')::int as count_lost,
          ${total(raw("value"), inCurrency)} as value,
          ${total(raw("value"), sql`stage.next_at is not null and ${inCurrency}`)} as value_advanced,
          ${total(raw("value"), sql`stage.next_at is null and type = 'lost' and ${inCurrency}`)} as value_lost,
          ${total(raw("expected_value"), inCurrency)} as weighted_value,
          ${total(raw("expected_value"), sql`stage.next_at is not null and ${inCurrency}`)} as weighted_value_advanced,
          round(avg(extract(epoch from stage.next_at - stage.at)), 3) as average_time_to_advance
        from way cross join lateral (values ${join(stages)}) stage(place, at, next_at)
        where ${counts(followed, raw("stage.at"))}
        group by grouping sets ((pipeline_id, stage.place), (pipeline_id, stage.place, user_id))`,
      totals: sql`
        select pipeline_id, count(*)::int, count(*) filter (where type = 'won')::int as count_total_won,
          count(*) filter (where type <> 'active')::int as count_total_complete,
          ${total(raw("value"), sql`type = 'won' and ${inCurrency}`)} as value_total_won,
          ${total(raw("value"), sql`type <> 'active' and ${inCurrency}`)} as value_total_complete,
          round(avg(extract(epoch from won_at - date_created)) filter (where type = 'won'), 3) as average_time_to_win,
          round(avg(annualized_value) filter (where type = 'won' and ${inCurrency})) as average_value_annualized_per_won_opportunity,
          avg(value) filter (where type = 'won' and ${inCurrency}) as average_value_won,
          count(*) filter (where value_currency <> ${asked.currency})::int as count_other_currencies
        from way where ${or(moments.map(({ counted }) => counted))} group by 1`,
    },
    sql`with ${ways(ctx, asked, pipelines, followed)}`,
  );
}

/** The moment each stage was reached and the one the next was, over a row of `way`; and whether it counts. */
function momentsOf(
  pipelines: readonly DealPipeline[],
  followed: Followed,
): { place: number; at: Sql; next: Sql; counted: Sql }[] {
  const places = placesOf(pipelines);
  const at = (place: number) => (place < places.length ? raw(`at_${place}`) : raw("null::timestamptz"));
  return places.map((place) => ({ place, at: at(place), next: at(place + 1), counted: counts(followed, at(place)) }));
}

/** A stage that was not reached was not reached in time either. */
const counts = ({ reached }: Followed, at: Sql): Sql =>
  reached === null || (reached.start === null && reached.end === null) ? sql`${at} is not null` : sql`(${within(reached, at)})`;

const placesOf = (pipelines: readonly DealPipeline[]): number[] =>
  Array.from({ length: Math.max(1, ...pipelines.map((one) => stagesOf(one).length)) }, (_, place) => place);

/** A row of `way` is a deal with the moments it reached each stage, `at_0` and so on, and when it got to a won status last. */
function ways(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[], followed: Followed): Sql {
  const statuses = pipelines.flatMap((one) => placed(one));
  const ids = statuses.map(({ id }) => id);
  const some = touched(ctx, asked, followed);
  const among = (id: string) => (some === null ? raw("true") : sql`${raw(id)} in (select id from touched)`);
  const changes = sql`c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange' and ${among("c.opportunity_id")}`;

  // Changes are read in the order of deals, which a join or a further key of the groups would lose: so each pipeline has its columns.
  const movedTo = (these: readonly { id: string }[]) => sql`(where c.new_status_id = any(${these.map(({ id }) => id)}))`;
  const moments = pipelines.flatMap((one, p) =>
    stagesOf(one).map((_, place) => ({
      p,
      place,
      on: placed(one).filter((status) => status.place !== null && status.place >= place),
    })),
  );
  if (moments.length > columnsMax) throw invalid({ pipeline_id: "is required: there are too many stages to show them all" });
  const moved = moments.map(({ p, place, on }) => sql`min(c.activity_at) filter ${movedTo(on)} as ${raw(`at_${p}_${place}`)}`);
  const reached = (place: number) => {
    const own = moments.filter((one) => one.place === place);
    const each = own.map(({ p }) => sql`when ${pipelines[p]!.id} then moved.${raw(`at_${p}_${place}`)}`);
    if (own.length === 0) return raw("null::timestamptz");
    return pipelines.length === 1 ? raw(`moved.at_0_${place}`) : sql`case s.pipeline_id ${join(each, " ")} end`;
  };
  // It stood at its first status since it was created; what is no stage of its pipeline is where they begin.
  const at = placesOf(pipelines).map(
    (place) =>
      sql`least(case when coalesce(start.place, 0) >= ${place} then t.date_created end, ${reached(place)}) as ${raw(`at_${place}`)}`,
  );
  return sql`${some === null ? empty : sql`touched as (${some}), `}status as (
      select * from unnest(${ids}::text[], ${statuses.map((one) => one.pipeline_id)}::text[],
        ${statuses.map(({ type }) => type)}::text[], ${statuses.map(({ place }) => place)}::int[]) s(id, pipeline_id, type, place)
    ), way as (
      select s.pipeline_id, s.type, t.user_id, t.value, t.annualized_value, t.expected_value, t.value_currency, t.date_created,
        ${join(at)}, coalesce(moved.won_at, case when start.type = 'won' then t.date_created end) as won_at
      from opportunity t
      left join (select distinct on (c.opportunity_id) c.opportunity_id, c.old_status_id from activity c
        where ${changes} order by c.opportunity_id, c.activity_at) first on first.opportunity_id = t.id
      left join (select c.opportunity_id, ${join([...moved, sql`max(c.activity_at) filter ${movedTo(statuses.filter(({ type }) => type === "won"))} as won_at`])}
        from activity c where ${changes} group by 1) moved on moved.opportunity_id = t.id
      join status s on s.id = t.status_id
      left join status start on start.id = coalesce(first.old_status_id, t.status_id) and start.pipeline_id = s.pipeline_id
      where ${asked.records(opportunity, "t", "user_id")} and t.status_id = any(${ids}) and ${among("t.id")}
      -- Each moment is worked out once, and not again in every sum that looks at it.
      offset 0
    )`;
}

/** PostgreSQL selects no more than 1,664 columns. */
const columnsMax = 1_500;

/** In so many days most deals are created or moved: to read all of them in order is quicker than to look up each. */
const mostAreTouched = 100;
const days = ({ start, end }: Range): number =>
  start === null || end === null ? Number.POSITIVE_INFINITY : (Date.parse(end) - Date.parse(start)) / 86_400_000;

/** The deals that can count: those created in time, or that moved in time. Null where all may as well be read. */
function touched(ctx: Ctx, asked: Asked, { created, reached }: Followed): Sql | null {
  const deals = (range: Range) =>
    sql`select t.id from opportunity t where ${asked.records(opportunity, "t", "user_id")} and ${within(range, raw("t.date_created"))}`;
  if (created !== null) return deals(created);
  if (reached === null || days(reached) > mostAreTouched) return null;
  return sql`${deals(reached)} union select c.opportunity_id from activity c
    where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange' and ${within(reached, raw("c.activity_at"))}`;
}

/** Every status with the place of its stage; a lost one has none. */
export function placed(one: DealPipeline): (DealStatus & { place: number | null })[] {
  const stages = stagesOf(one);
  return one.statuses.map((status) => {
    if (status.type === "lost") return { ...status, place: null };
    return { ...status, place: status.type === "won" ? stages.length - 1 : stages.indexOf(status) };
  });
}
