// Who sees which tasks: everybody who sees the lead, and the assignee.
import type { Ctx } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { idsOfCaller } from "./assignee.ts";

export function taskIsVisible(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  return asLead === null ? null : sql`(${name(alias)}.assigned_to = any(${idsOfCaller(ctx)}) or ${asLead})`;
}
