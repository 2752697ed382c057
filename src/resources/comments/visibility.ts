// Who sees which comments: everybody who sees the lead of the record. If the record has outlived its lead, everybody who sees the
// record.
import type { Ctx } from "../../core/context.ts";
import { from } from "../../core/resource.ts";
import { name, or, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";

const freeOfLeads = ["quote", "project", "project_task"];

export function visibleAsSubject(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  if (asLead === null) return null;
  const t = name(alias);
  const seen = freeOfLeads.map((kind) => {
    const of = ctx.registry.resource(kind)!;
    return sql`exists (select from ${from(of, "subject")}
      where subject.organization_id = ${ctx.organization_id} and subject.id = ${t}.object_id and ${of.visible!(ctx, "subject")!})`;
  });
  return sql`(${asLead} and (${t}.lead_id is not null or ${t}.object_type <> all(${freeOfLeads}) or ${or(seen)}))`;
}
