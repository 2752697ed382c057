// Who sees which leads. Every record with a `lead_id` is visible as its lead is.
import { type Ctx, may } from "../../core/context.ts";
import { empty, name, or, type Sql, sql } from "../../db/sql.ts";

/**
 * Without `view_all_leads`: leads that the member owns, and leads that name the member in one of the role's custom user fields.
 */
export function leadIsVisible(ctx: Ctx, alias: string): Sql | null {
  if (may(ctx, "view_all_leads")) return null;
  const lead = name(alias);
  const me = ctx.actor.user_id;
  const role = ctx.directory.has("role") ? ctx.directory.find("role", ctx.actor.role_id) : undefined;
  const named = (role?.visibility_user_lcf_ids as string[] | undefined) ?? [];
  // The values of a field that is being deleted may still be stored.
  const fields = named.filter((id) => ctx.directory.has("custom_field") && ctx.directory.find("custom_field", id) !== undefined);
  const assigned = fields.flatMap((id) => {
    const key = `custom.${id}`;
    return [
      sql`${lead}.custom @> ${JSON.stringify({ [key]: me })}::jsonb`,
      sql`${lead}.custom @> ${JSON.stringify({ [key]: [me] })}::jsonb`,
    ];
  });
  const unassigned =
    role?.visibility_user_lcf_behavior === "allow_unassigned"
      ? [sql`(${lead}.owner_id is null and ${nobody(lead, fields)})`]
      : [];
  return or([sql`${lead}.owner_id = ${me}`, ...assigned, ...unassigned]);
}

const nobody = (lead: Sql, fields: readonly string[]): Sql => sql`not ${lead}.custom ?| ${fields.map((id) => `custom.${id}`)}`;

/** For records with a `lead_id`. Those without a lead are visible to everybody. */
export function visibleAsLead(ctx: Ctx, alias: string): Sql | null {
  const visible = leadIsVisible(ctx, "visible_lead");
  if (visible === null) return null;
  return sql`(${name(alias)}.lead_id is null or exists (select from lead visible_lead
    where visible_lead.organization_id = ${ctx.organization_id} and visible_lead.id = ${name(alias)}.lead_id and ${visible}))`;
}

/**
 * For records that outlive their lead. When the lead is gone, only the author and members who see all leads still see the record.
 */
export function visibleAsLastLead(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  if (asLead === null) return null;
  const t = name(alias);
  return sql`(${asLead} and (${t}.lead_id is not null or ${t}.kept_lead_name is null or ${t}.created_by = ${ctx.actor.user_id}))`;
}

/** The rule as an additional condition of a query. Empty when all may be seen. */
export const andVisible = (rule: Sql | null): Sql => (rule === null ? empty : sql`and ${rule}`);
