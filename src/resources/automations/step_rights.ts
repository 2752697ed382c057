// Whether the steps of a plan may do what they do: with the rights of the member in whose name it runs, or else of who publishes it.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import { isItself } from "./config.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import type { Step } from "./graph_shape.ts";
import { stepTypesByName } from "./step_types.ts";

/** What only who puts it in force needs the right for: others may try it out. */
export const isOfRights = ({ code }: Finding): boolean => code === "destructive_requires_admin" || code === "permission_step";

export async function problemsOfRights(ctx: Ctx, plan: Plan): Promise<Finding[]> {
  const { run_as_user_id } = plan.settings;
  const actor = run_as_user_id === null ? ctx.actor : await actorOfMember(ctx.db, ctx.organization_id, run_as_user_id);
  // A member who is gone is refused as such.
  if (actor === null) return [];
  return Object.entries(plan.graph.steps).flatMap(([id, step]) =>
    problemsOfStep(ctx, plan, step, actor).map(([code, reason]) => finding(code, `graph.steps.${id}.type`, reason)),
  );
}

type Reason = ["destructive_requires_admin" | "permission_step", string];

/** Without a member in whose name it runs, a step has all rights. Whoever lets it delete must have them too. */
function problemsOfStep(ctx: Ctx, { trigger, settings }: Plan, step: Step, { permissions }: Actor): Reason[] {
  const isDestructive = stepTypesByName.get(step.type)?.side_effect === "destructive";
  if (isDestructive && settings.run_as_user_id === null && !permissions.has("manage_organization"))
    return [
      [
        "destructive_requires_admin",
        "deletes with all rights: let an admin publish it, or name a member in settings.run_as_user_id",
      ],
    ];
  const needed = permissionOf(ctx, step, trigger.config.object_type);
  if (needed === "member" || permissions.has(needed)) return [];
  const who = settings.run_as_user_id === null ? "you do not have" : "the member in settings.run_as_user_id does not have";
  return [["permission_step", `needs the permission ${needed}, which ${who}`]];
}

/** That of the operation it stands for. Where the kind of record is known only when it runs, it is asked then. */
function permissionOf({ registry }: Ctx, { type, config }: Step, objectType: unknown) {
  const does = stepTypesByName.get(type)?.does;
  if (does === undefined) return "member";
  const kind = does.kind?.(config) ?? (isItself(config.target) ? objectType : null);
  return registry.operation(`${String(kind)}.${does.verb}`)?.permission ?? "member";
}
