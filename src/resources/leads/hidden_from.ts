// Whether a member who is not the caller sees a lead.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, may } from "../../core/context.ts";
import { findRecord } from "../../records/records.ts";
import { lead } from "./lead.ts";

/** False for somebody who is no member: nothing is told to them anyway. */
export async function isHiddenFrom(ctx: Ctx, userId: string, leadId: string): Promise<boolean> {
  const actor = userId === "" ? null : await actorOfMember(ctx.db, ctx.organization_id, userId);
  if (actor === null || may({ ...ctx, actor }, "view_all_leads")) return false;
  return (await findRecord({ ...ctx, actor }, lead, leadId)) === null;
}
