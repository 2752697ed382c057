// How deals went on in a range of time: a deal enters a stage when it comes to it, or past it, from before it, and has advanced when it
// has come further since. What happened before the range need not be read for that.
import type { Ctx } from "../../core/context.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { placed, stagesOf } from "./deal_stages.ts";
import { within } from "./range.ts";
import { type Asked, ask, type DealPipeline } from "./report.ts";

export interface Conversion {
  pipeline_id: string;
  status_id: string;
  label: string;
  entered: number;
  advanced: number;
  conversion_rate: number;
}

/** Of every stage but won. */
export async function stageConversion(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[]): Promise<Conversion[]> {
  const longest = Math.max(1, ...pipelines.map((one) => stagesOf(one).length));
  const entered = Array.from(
    { length: longest },
    (_, place) => sql`coalesce(sum(n) filter (where before < ${place} and furthest >= ${place}), 0)`,
  );
  const advanced = Array.from(
    { length: longest },
    (_, place) => sql`coalesce(sum(n) filter (where before < ${place} and furthest >= ${place} and since > ${place}), 0)`,
  );
  const { found } = await ask(
    ctx,
    {
      // Deals of the same way are counted first: twelve sums over a few ways instead of twelve over every deal.
      found: sql`select pipeline_id, array[${join(entered)}] as entered, array[${join(advanced)}] as advanced
        from (select pipeline_id, before, furthest, since, count(*) as n from way group by 1, 2, 3, 4) same group by 1`,
    },
    ways(ctx, asked, pipelines),
  );
  return pipelines.flatMap((pipeline) => {
    const row = found.find((one) => one.pipeline_id === pipeline.id);
    return stagesOf(pipeline).flatMap(({ id, label, type }, place) => {
      if (type !== "active") return [];
      const [came, went] = [row?.entered[place] ?? 0, row?.advanced[place] ?? 0];
      const conversion_rate = came === 0 ? 0 : went / came;
      return [{ pipeline_id: pipeline.id, status_id: id, label, entered: came, advanced: went, conversion_rate }];
    });
  });
}

/**
 * A row of `way` is a deal that was created or moved in the range: the place it stood at before (-1 where it was not there yet), the
 * furthest in the range and the furthest since the range began.
 */
function ways(ctx: Ctx, { records, range }: Asked, pipelines: readonly DealPipeline[]): Sql {
  const statuses = pipelines.flatMap((one) => placed(one));
  const ids = statuses.map(({ id }) => id);
  const { start, end } = range;
  const isNew = within(range, raw("t.date_created"));
  const inTime = end === null ? empty : sql` filter (where c.activity_at < ${end}::timestamptz)`;
  return sql`
    with status as (
      select * from unnest(${ids}::text[], ${statuses.map((one) => one.pipeline_id)}::text[], ${statuses.map(({ place }) => place)}::int[])
        s(id, pipeline_id, place)
    ), moved as (
      select c.opportunity_id, s.pipeline_id, max(s.place)${inTime} as furthest, max(s.place) as since
      from activity c join status s on s.id = c.new_status_id
      where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'
        ${start === null ? empty : sql`and c.activity_at >= ${start}::timestamptz`} group by 1, 2
    ), first as (
      select distinct on (c.opportunity_id) c.opportunity_id, c.old_status_id from activity c
      where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'
        ${start === null ? empty : sql`and c.activity_at >= ${start}::timestamptz`}
      order by c.opportunity_id, c.activity_at
    ), way as (
      -- What is no stage of its pipeline is where they begin, as the first stage is.
      select s.pipeline_id, case when ${isNew} then -1 else coalesce(begun.place, 0) end as before,
        greatest(case when ${isNew} then coalesce(begun.place, 0) end, moved.furthest) as furthest,
        greatest(coalesce(begun.place, 0), moved.since) as since
      from opportunity t
      join status s on s.id = t.status_id
      left join first on first.opportunity_id = t.id
      left join status begun on begun.id = coalesce(first.old_status_id, t.status_id) and begun.pipeline_id = s.pipeline_id
      left join moved on moved.opportunity_id = t.id and moved.pipeline_id = s.pipeline_id
      where ${records(opportunity, "t", "user_id")} and t.status_id = any(${ids}) and (first.opportunity_id is not null or ${isNew})
    )`;
}
