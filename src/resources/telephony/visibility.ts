// A dialer names leads: who does not see all of them sees only their own dialers.
import { type Ctx, may } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";

export const dialerIsVisible = (ctx: Ctx, alias: string): Sql | null =>
  may(ctx, "view_all_leads") ? null : sql`${name(alias)}.user_id = ${ctx.actor.user_id}`;
