// An automation without `run_as_user_id` acts as the service, which sees everything. So nobody puts one in force who does not.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, may } from "../../core/context.ts";
import { recordById } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";

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
export async function withItsEyes(ctx: Ctx, { settings }: Pick<Plan, "settings">): Promise<Ctx> {
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
  eyes === ctx || objectId === null || (await recordById(eyes, objectId)) !== null;
