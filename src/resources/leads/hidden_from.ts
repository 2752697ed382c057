// What a member sees who is not the caller.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, may } from "../../core/context.ts";
import { findRecord } from "../../records/records.ts";
import { lead } from "./lead.ts";

/** False for somebody who is no member: nothing is told to them anyway. */
export async function isHiddenFrom(ctx: Ctx, userId: string, leadId: string): Promise<boolean> {
  const actor = userId === "" ? null : await actorOfMember(ctx.db, ctx.organization_id, userId);
  if (actor === null || may({ ...ctx, actor }, "view_all_leads")) return false;
  return (await findRecord({ ...ctx, actor }, lead, leadId)) === null;
}

/** The rights of a member. Somebody who is no active member has none, and sees nothing but leads of their own. */
export async function rightsOf(ctx: Ctx, userId: string): Promise<Actor> {
  const actor = await actorOfMember(ctx.db, ctx.organization_id, userId);
  return actor ?? { ...ctx.actor, user_id: userId, role_id: "", permissions: new Set() };
}
