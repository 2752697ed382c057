// Who sees the runs of automations: whoever sees the lead of the record they ran for.
import type { Ctx } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";

/** Kinds of record that may have no lead; all others had one, and when it is gone only who sees all leads sees what was done. */
const freeOfLeads = ["project", "quote"];

/** As the record's lead is visible. */
export function visibleAsRecord(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  if (asLead === null) return null;
  const t = name(alias);
  return sql`(${asLead} and (${t}.lead_id is not null or ${t}.object_type is null or ${t}.object_type = any(${freeOfLeads})))`;
}
