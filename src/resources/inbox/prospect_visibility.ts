// Who sees which prospects: a converted one is visible as its lead is. One from a member's mailbox or personal number is
// visible only to that member and those the mailbox is shared with.
import type { Ctx } from "../../core/context.ts";
import { and, name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { idsOfCaller } from "../tasks/assignee.ts";

/** No role opens another member's mailbox. */
export function prospectIsVisible(ctx: Ctx, alias: string): Sql {
  const t = name(alias);
  const shared = sql`array(select a.id from connected_account a
    where a.organization_id = ${ctx.organization_id} and a.shared_with && ${idsOfCaller(ctx)}::text[])`;
  const own = sql`(${t}.user_id is null or ${t}.user_id = ${ctx.actor.user_id} or ${t}.account_id = any(${shared}))`;
  const asLead = visibleAsLead(ctx, alias);
  return asLead === null ? own : and([own, asLead]);
}
