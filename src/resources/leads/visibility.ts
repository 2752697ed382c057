// Who sees which leads. Whatever carries a `lead_id` is visible as its lead is.
import { type Ctx, may } from "../../core/context.ts";
import { empty, name, or, type Sql, sql } from "../../db/sql.ts";

/** Without `view_all_leads`: one's own leads, and those that a custom user field of the role assigns to one. */
export function leadIsVisible(ctx: Ctx, alias: string): Sql | null {
  if (may(ctx, "view_all_leads")) return null;
  const lead = name(alias);
  const me = ctx.actor.user_id;
  const role = ctx.directory.has("role") ? ctx.directory.find("role", ctx.actor.role_id) : undefined;
  const fields = (role?.visibility_user_lcf_ids as string[] | undefined) ?? [];
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

/** For records with a `lead_id`; those without a lead are visible to all. */
export function visibleAsLead(ctx: Ctx, alias: string): Sql | null {
  const visible = leadIsVisible(ctx, "visible_lead");
  if (visible === null) return null;
  return sql`(${name(alias)}.lead_id is null or exists (select from lead visible_lead
    where visible_lead.organization_id = ${ctx.organization_id} and visible_lead.id = ${name(alias)}.lead_id and ${visible}))`;
}

/** For records that outlive their lead: of one whose lead is gone, whoever made it and whoever sees all leads are left. */
export function visibleAsLastLead(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLead(ctx, alias);
  if (asLead === null) return null;
  const t = name(alias);
  return sql`(${asLead} and (${t}.lead_id is not null or ${t}.kept_lead_name is null or ${t}.created_by = ${ctx.actor.user_id}))`;
}

/** The rule as a further condition of a query that has some: nothing where all may be seen. */
export const andVisible = (rule: Sql | null): Sql => (rule === null ? empty : sql`and ${rule}`);
