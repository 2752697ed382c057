// Who can be reached now, and who is in a call. Whoever is online says so every minute: a browser that was closed says nothing.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { call } from "../activities/call.ts";
import { user } from "../organization/user.ts";

/** A minute, and time for a message to be late. */
const silentMs = 90_000;

/** The member says that they are online. */
export const noteHeard = (ctx: Ctx, userId: string): void =>
  write(ctx, {
    name: "presence.hear",
    text: `insert into presence (organization_id, user_id, heard_at, date_created) values ($1, $2, $3, $3)
           on conflict (organization_id, user_id) do update set heard_at = excluded.heard_at`,
    values: [ctx.organization_id, userId, ctx.now],
  });

/** Those of the members who are online, or were at a moment before, in the same order. */
export async function onlineAmong(ctx: Ctx, members: readonly string[], at: Date = ctx.now): Promise<string[]> {
  const willing = members.filter((id) => {
    const found = ctx.directory.get(user, id);
    return found?.status === "active" && found.availability === "online";
  });
  if (willing.length === 0) return [];
  const rows = await query(ctx, {
    name: "presence.heard",
    text: "select user_id from presence where organization_id = $1 and user_id = any($2) and heard_at > $3",
    values: [ctx.organization_id, willing, new Date(at.getTime() - silentMs)],
  });
  const heard = new Set(rows.map(([id]) => id));
  return willing.filter((id) => heard.has(id));
}

/** A call without a report for this long is over. */
export const longestCall = "12 hours";

/** The calls that these members are in, or that ring for them by their own wish, as far as the caller sees them. */
export const activeCallsOf = (ctx: Ctx, members: readonly string[]): Promise<Row<typeof call>[]> =>
  findRecords(
    ctx,
    call,
    [
      sql`t.user_id = any(${members})`,
      sql`t.activity_at > ${ctx.now}::timestamptz - ${longestCall}::interval`,
      sql`t.source = 'Internal'`,
      sql`(t.status = 'in-progress'
        or t.status = 'created' and t.direction = 'outbound' and t.provider_id is not null and t.call_method <> 'predictive')`,
    ],
    sql`order by t.activity_at, t.id`,
  );
