// The verbs of groups. Members can be given as ids or as objects.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { task } from "../tasks/task.ts";
import { group } from "./group.ts";
import { isActiveMember } from "./user.ts";

type Group = Row<typeof group>;

export async function createGroup(ctx: Ctx, given: Create<typeof group>): Promise<Group> {
  return store.insert(ctx, group, membersNamed(ctx, given, []));
}

export async function updateGroup(ctx: Ctx, before: Group, patch: Patch<typeof group>): Promise<Group> {
  return store.update(ctx, group, before, membersNamed(ctx, patch, before.user_ids));
}

/** The group's tasks are assigned to the member who deletes it, one by one, so that none is forgotten. */
export async function deleteGroup(ctx: Ctx, before: Group): Promise<void> {
  for (const row of await lockWhere(ctx, task, sql`t.assigned_to = ${before.id}`))
    await ctx.registry.verb(task, "update")(ctx, row, { assigned_to: ctx.actor.user_id });
  await store.remove(ctx, group, [before]);
}

/** When both forms of the members are sent back, the one that differs from the stored value counts. */
function membersNamed(
  ctx: Ctx,
  { members, user_ids, ...given }: Patch<typeof group>,
  present: readonly string[],
): Values<typeof group> {
  const forms = { user_ids, members: members === null ? [] : members?.map((one) => one.user_id) };
  const changed = Object.entries(forms).filter(([, ids]) => ids !== undefined && !same(ids, present));
  if (changed.length === 0) return given;
  if (changed.length === 2 && !same(forms.user_ids, forms.members))
    throw invalid({ members: "differs from user_ids: send one of them" });

  const [field, ids] = changed[0]! as [string, string[]];
  ids.forEach((id, i) => {
    const place = field === "members" ? `members.${i}.user_id` : `user_ids.${i}`;
    if (!present.includes(id) && !isActiveMember(ctx.directory, id)) throw invalid({ [place]: "is not a member" });
  });
  return { ...given, user_ids: [...new Set(ids)] };
}
