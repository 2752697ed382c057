// Whose rights an automation may have. Without `run_as_user_id` it has those of who publishes it, and starts for every lead. So nobody
// puts one in force like that who does not see all leads.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { membership } from "../organization/membership.ts";
import { recordById } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";

/** In whose name the caller may let an automation act: their own, or that of a member who allows it. Admins may choose anybody. */
export function mayActAs(ctx: Pick<Ctx, "actor" | "directory">, userId: string | null): boolean {
  if (userId === null || userId === ctx.actor.user_id || ctx.actor.permissions.has("manage_organization")) return true;
  return ctx.directory.list(membership).some((one) => one.user_id === userId && one.may_workflows_impersonate);
}

/** Asked each time that somebody puts a plan in force or starts it, because what it does may have changed since it was named. */
export function checkActing(ctx: Ctx, userId: string | null): void {
  if (!mayActAs(ctx, userId))
    throw new Problem(
      403,
      "This member does not let automations act in their name: settings.run_as_user_id must be you or a member who allows it. Name yourself, or ask an admin.",
    );
}

/** The same, where the steps may read: nobody who sees only some leads lets the service do it for them. */
export const mayLend = (ctx: Pick<Ctx, "actor" | "directory">, userId: string | null): boolean =>
  mayActAs(ctx, userId) && (userId !== null || ctx.actor.permissions.has("view_all_leads"));

export function checkLending(ctx: Ctx, userId: string | null): void {
  checkActing(ctx, userId);
  if (!mayLend(ctx, userId))
    throw new Problem(
      403,
      "This automation acts with rights that you lack, because settings.run_as_user_id is null: name yourself, or ask somebody who sees all leads.",
    );
}

export function problemsOfLentRights(ctx: Ctx, { settings }: Pick<Plan, "settings">): Finding[] {
  if (settings.run_as_user_id !== null || may(ctx, "view_all_leads")) return [];
  return [
    finding(
      "permission_step",
      "settings.run_as_user_id",
      "is null, so it would act with rights that you lack: name yourself, or let somebody publish it who sees all leads",
    ),
  ];
}

/** With the eyes of the member in whose name it runs, if these do not see everything; else with those of `ctx`. */
export async function withItsEyes(ctx: Ctx, { settings }: { settings: Pick<Plan["settings"], "run_as_user_id"> }): Promise<Ctx> {
  const { run_as_user_id: id } = settings;
  const actor = id === null ? null : await memberOf(ctx, id);
  return actor === null || actor.permissions.has("view_all_leads") ? ctx : { ...ctx, actor };
}

const members = new WeakMap<Ctx, Map<string, Promise<Actor | null>>>();

/** Many events are evaluated with one context: who a member is, is asked once for all of them. */
function memberOf(ctx: Ctx, id: string): Promise<Actor | null> {
  const known = members.get(ctx) ?? new Map<string, Promise<Actor | null>>();
  members.set(ctx, known);
  const member = known.get(id) ?? actorOfMember(ctx.db, ctx.organization_id, id);
  known.set(id, member);
  return member;
}

/** Whether those eyes see the record. What they do not see starts nothing, and nobody is told of it. */
export const isSeen = async (ctx: Ctx, eyes: Ctx, objectId: string | null): Promise<boolean> =>
  eyes === ctx || sees(eyes, objectId);

export const sees = async (eyes: Ctx, objectId: string | null): Promise<boolean> =>
  may(eyes, "view_all_leads") || objectId === null || (await recordById(eyes, objectId)) !== null;
