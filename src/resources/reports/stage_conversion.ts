// How deals moved through the stages in a range of time. A deal enters a stage when it moves from an earlier stage to this one or
// past it. It has advanced when it has moved further since. Nothing before the range has to be read for that.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { placed, placeIn, stagesOf } from "./deal_stages.ts";
import { stoodSince } from "./first_standing.ts";
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

/** Each has two columns, and PostgreSQL selects at most 1,664. */
const pipelinesMax = 750;

/** For every stage but won. */
export async function stageConversion(ctx: Ctx, asked: Asked, pipelines: readonly DealPipeline[]): Promise<Conversion[]> {
  if (pipelines.length > pipelinesMax) throw invalid({ pipeline_id: "is required: there are too many to show them all" });
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
      found: sql`select pipeline_id, array[${join(entered)}] as entered, array[${join(advanced)}] as advanced from way group by 1`,
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
 * A row of `way` is a number of deals that were created or moved in the range and went the same way: the place before (-1 when
 * they were not there yet), the furthest place in the range, and the furthest since the range started.
 */
function ways(ctx: Ctx, { records, range }: Asked, pipelines: readonly DealPipeline[]): Sql {
  const statuses = pipelines.flatMap((one) => placed(one));
  const ids = statuses.map(({ id }) => id);
  const { start, end } = range;
  const first = { status: raw("coalesce(moved.old_status_id, t.status_id)"), changed: raw("moved.first_at") };
  const since = stoodSince(ctx, range, pipelines, { from: start, ...first });
  const isNew = within(range, raw("least(t.date_created, stood.since)"));
  const came = within(range, raw("stood.since"));
  const inTime = end === null ? empty : sql` filter (where c.activity_at < ${end}::timestamptz)`;
  // Changes are read in the order of deals. A join or another grouping key would lose that order, so each pipeline has its own
  // columns.
  const moved = pipelines.flatMap((one, p) => {
    const place = placeIn(one, raw("c.new_status_id"));
    return [sql`max(${place})${inTime} as ${raw(`furthest_${p}`)}`, sql`max(${place}) as ${raw(`since_${p}`)}`];
  });
  const columns = raw(pipelines.map((_, p) => `furthest_${p}, since_${p}`).join(", "));
  const own = (column: string) =>
    sql`case s.pipeline_id ${join(
      pipelines.map(({ id }, p) => sql`when ${id} then ${raw(`${column}_${p}`)}`),
      " ",
    )} end`;
  return sql`
    with status as (
      select * from unnest(${ids}::text[], ${statuses.map((one) => one.pipeline_id)}::text[], ${statuses.map(({ place }) => place)}::int[])
        s(id, pipeline_id, place)
    ), moved as (
      select c.opportunity_id, (array_agg(c.old_status_id order by c.activity_at))[1] as old_status_id,
        min(c.activity_at) as first_at, ${join(moved)}
      from activity c
      where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'
        ${start === null ? empty : sql`and c.activity_at >= ${start}::timestamptz`} group by 1
    ), same as (
      -- Deals that are equal in everything that matters are counted first, so that the following steps work on a few rows.
      select t.status_id, moved.old_status_id, ${isNew} as is_new, ${came} as came,
        ${start === null ? raw("true") : sql`stood.since >= ${start}::timestamptz`} as stands_since, ${columns}, count(*) as n
      from opportunity t left join moved on moved.opportunity_id = t.id
        cross join lateral (select ${since} as since offset 0) stood
      where ${records(opportunity, "t", "user_id")} and t.status_id = any(${ids}) and (moved.opportunity_id is not null or ${isNew} or ${came})
      group by 1, 2, 3, 4, 5, ${columns}
    ), way as (
      -- A status that is no stage of its pipeline counts as the first stage, and so does a deal that was imported as won.
      select s.pipeline_id, same.n, case when is_new then -1 when stands_since then 0 else coalesce(begun.place, 0) end as before,
        greatest(case when came then coalesce(begun.place, 0) when is_new then 0 end, ${own("furthest")}) as furthest,
        greatest(coalesce(begun.place, 0), ${own("since")}) as since
      from same
      join status s on s.id = same.status_id
      left join status begun on begun.id = coalesce(same.old_status_id, same.status_id) and begun.pipeline_id = s.pipeline_id
    )`;
}
