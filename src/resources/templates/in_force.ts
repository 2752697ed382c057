// Whether something that acts by itself sends what a template says.
import { type Ctx, query } from "../../core/context.ts";

/** An active sequence has it in a step, or an automation in force names it. */
export async function isInForce(ctx: Ctx, { id }: { id: string }): Promise<boolean> {
  const [row] = await query(ctx, {
    name: "template.in_force",
    text: `select exists (select from sequence where organization_id = $1 and status = 'active'
               and (email_template_ids @> array[$2] or sms_template_ids @> array[$2]))
             or exists (select from automation where organization_id = $1 and status = 'active'
               and strpos(coalesce(published->'graph', graph)::text, to_json($2::text)::text) > 0)`,
    values: [ctx.organization_id, id],
  });
  return row![0] === "t";
}
