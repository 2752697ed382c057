// A schedule by a cron expression: it starts once for each of its times, or for each record that it is about.
import { query } from "../../../core/context.ts";
import { from, scope } from "../../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../../db/sql.ts";
import { lastTime, nextTime } from "../../../values/cron.ts";
import { recordsThat } from "../searched_records.ts";
import type { Clock } from "./clock.ts";

/** The most records of one time. */
const most = 50_000;

export const cronClock: Clock = {
  next: (_ctx, { cron }, zone, after) => nextTime(cron, zone, after),
  latest: ({ cron }, zone, after, until) => lastTime(cron, zone, after, until),
  objectType: ({ for_each }) => for_each?.object_type ?? null,
  async due(ctx, { for_each }, _zone, _after, until) {
    if (for_each == null) return [];
    const of = ctx.registry.resource(for_each.object_type)!;
    const conditions: Sql[] = scope(ctx, of);
    if (for_each.condition != null) conditions.push(await recordsThat(ctx, of, for_each.condition));
    const rows = await query(
      ctx,
      statement(sql`select t.id from ${from(of, "t")} where ${and(conditions)} order by t.id limit ${for_each.limit ?? most}`),
    );
    return rows.map(([id]) => ({ object_id: id!, occasion: until.toISOString() }));
  },
};
