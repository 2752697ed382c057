// Who sees which dialers: members who do not see all leads see only their own dialers, because a dialer names leads.
import { type Ctx, may } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";

export const dialerIsVisible = (ctx: Ctx, alias: string): Sql | null =>
  may(ctx, "view_all_leads") ? null : sql`${name(alias)}.user_id = ${ctx.actor.user_id}`;
