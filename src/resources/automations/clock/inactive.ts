// Records at which nothing has happened for some days. The silence begins with the last activity, or with the record. It is found by
// what happened at its beginning, so that only these records are read and not all that are silent.
import { query } from "../../../core/context.ts";
import { from, scope } from "../../../core/resource.ts";
import { and, name, type Sql, sql, statement } from "../../../db/sql.ts";
import { pgTimestamp } from "../../../values/time.ts";
import { hasHappened, typesOfKinds } from "../conditions/history.ts";
import { momentAfter } from "../durations.ts";
import type { Clock } from "./clock.ts";

/** The kinds of record that activities name. */
export const withSilence = ["lead", "contact", "opportunity"];

/** Calls and mail are about a lead, and seldom name a deal. So what names no other deal counts for each deal of the lead. */
const belongs = (kind: string): Sql =>
  kind === "opportunity"
    ? sql`t.lead_id = r.lead_id and coalesce(t.opportunity_id, r.id) = r.id`
    : sql`t.${name(`${kind}_id`)} = r.id`;

const everyMs = 5 * 60_000;

export const inactiveClock: Clock = {
  next: (_ctx, _config, _zone, after) => new Date(after.getTime() + everyMs),
  latest: (_config, _zone, _after, until) => until,
  objectType: ({ object_type }) => object_type,
  async due(ctx, { object_type, days, activity_kinds }, zone, after, until) {
    const [of, activity] = [ctx.registry.resource(object_type)!, ctx.registry.resource("activity")!];
    const [start, end] = [after, until].map((at) => momentAfter(at, { amount: -days, unit: "days" }, zone));
    const happened = [...scope(ctx, activity), hasHappened(until), sql`t._type = any(${typesOfKinds(activity_kinds)})`];
    const within = (moment: Sql): Sql => sql`${moment} > ${start}::timestamptz and ${moment} <= ${end}::timestamptz`;
    const last = sql`greatest(r.date_created, (select max(t.activity_at) from ${from(activity, "t")} where ${and([...happened, belongs(object_type)])}))`;
    const rows = await query(
      ctx,
      statement(sql`with begun as (
          select r.id from ${from(activity, "t")} join ${from(of, "r")} on r.organization_id = t.organization_id and ${belongs(object_type)}
            where ${and([...happened, within(sql`t.activity_at`)])}
          union select r.id from ${from(of, "r")} where ${and([...scope(ctx, of, "r"), within(sql`r.date_created`)])}),
        silent as (select r.id, ${last} since from ${from(of, "r")} where ${and(scope(ctx, of, "r"))} and r.id in (select id from begun))
        select id, since from silent where ${within(sql`since`)} order by id`),
    );
    return rows.map(([id, since]) => ({ object_id: id!, occasion: pgTimestamp(since!) }));
  },
};
