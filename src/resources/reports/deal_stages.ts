// How far deals came: the stages of a pipeline are its active statuses in their order, and then won. A deal reaches a stage when it
// first stands there or further on, so that one that skips a stage has reached it too; each begins at the first stage.
import type { Ctx } from "../../core/context.ts";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
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

export async function followDeals(
  ctx: Ctx,
  asked: Asked,
  pipelines: readonly DealPipeline[],
  followed: Followed,
): Promise<{ stages: Stage[]; totals: Totals[] }> {
  const longest = Math.max(1, ...pipelines.map((one) => stagesOf(one).length));
  const places = Array.from({ length: longest }, (_, place) => place);
  const at = (place: number) => (place < longest ? raw(`at_${place}`) : raw("null::timestamptz"));
  const counts = (column: Sql) =>
    followed.reached === null ? sql`${column} is not null` : sql`${column} is not null and ${within(followed.reached, column)}`;
  const inCurrency = sql`value_currency = ${asked.currency}`;
  const counted =
    followed.reached === null
      ? raw("true")
      : join(
          places.map((place) => sql`(${counts(at(place))})`),
          " or ",
        );

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
        from way cross join lateral (values ${join(places.map((place) => sql`(${place}::int, ${at(place)}, ${at(place + 1)})`))}) stage(place, at, next_at)
        where ${counts(raw("stage.at"))}
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
        from way where ${counted} group by 1`,
    },
    ways(ctx, asked, pipelines, followed, places),
  );
}

/** A row of `way` is a deal with the moments it reached each stage, `at_0` and so on, and stood at a won status last. */
function ways(
  ctx: Ctx,
  asked: Asked,
  pipelines: readonly DealPipeline[],
  { created, reached }: Followed,
  places: readonly number[],
): Sql {
  const statuses = pipelines.flatMap((one) => placed(one));
  const changeOf = sql`c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'`;
  const movedIn =
    reached === null
      ? raw("true")
      : sql`(${within(reached, raw("t.date_created"))} or t.id in (select c.opportunity_id from activity c where ${changeOf} and ${within(reached, raw("c.activity_at"))}))`;
  const pivot = places.map((place) => sql`min(step.at) filter (where step.place >= ${place}) as ${raw(`at_${place}`)}`);
  return sql`
    with status as (
      select * from unnest(${statuses.map(({ id }) => id)}::text[], ${statuses.map((one) => one.pipeline_id)}::text[],
        ${statuses.map(({ type }) => type)}::text[], ${statuses.map(({ place }) => place)}::int[]) s(id, pipeline_id, type, place)
    ), deal as (
      select t.id, s.pipeline_id, s.type, t.user_id, t.status_id, t.value, t.annualized_value, t.expected_value, t.value_currency, t.date_created
      from opportunity t join status s on s.id = t.status_id
      where ${asked.records(opportunity, "t", "user_id")} and t.status_id = any(${statuses.map(({ id }) => id)})
        and ${created === null ? raw("true") : within(created, raw("t.date_created"))} and ${movedIn}
    ), change as (
      select c.opportunity_id, c.old_status_id, c.new_status_id, c.activity_at
      from deal join activity c on ${changeOf} and c.opportunity_id = deal.id
    ), step as (
      -- A deal stands at a stage from a moment on, the first time since it was created. What is no stage of its pipeline is no step.
      select deal.id, coalesce(s.place, 0) as place, deal.date_created as at, s.type
      from deal left join (select distinct on (opportunity_id) opportunity_id, old_status_id from change order by opportunity_id, activity_at) first
        on first.opportunity_id = deal.id
      left join status s on s.id = coalesce(first.old_status_id, deal.status_id) and s.pipeline_id = deal.pipeline_id
      union all
      select deal.id, s.place, change.activity_at, s.type
      from change join deal on deal.id = change.opportunity_id
      join status s on s.id = change.new_status_id and s.pipeline_id = deal.pipeline_id and s.place is not null
    ), way as (
      select deal.*, reached.* from deal join (
        select step.id as deal_id, ${join(pivot)}, max(step.at) filter (where step.type = 'won') as won_at from step group by 1
      ) reached on reached.deal_id = deal.id
    )`;
}

/** Every status with the place of its stage; a lost one has none. */
function placed(one: DealPipeline): (DealStatus & { place: number | null })[] {
  const stages = stagesOf(one);
  return one.statuses.map((status) => {
    if (status.type === "lost") return { ...status, place: null };
    return { ...status, place: status.type === "won" ? stages.length - 1 : stages.indexOf(status) };
  });
}
