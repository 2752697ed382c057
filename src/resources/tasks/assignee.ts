// The assignee of a task: a member, or a group, which means any of its members.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { group } from "../organization/group.ts";
import { isActiveMember, user } from "../organization/user.ts";

export const canBeAssigned = (directory: Directory, id: string): boolean =>
  isActiveMember(directory, id) || directory.get(group, id) !== undefined;

export const assigneeName = (directory: Directory, id: string | null): string | null =>
  directory.get(user, id)?.name ?? directory.get(group, id)?.name ?? null;

/** A member and their groups: tasks of any of these are theirs. */
export const idsOfMember = (directory: Directory, userId: string): string[] => [
  userId,
  ...directory.list(group).flatMap((one) => (one.user_ids.includes(userId) ? [one.id] : [])),
];

export const idsOfCaller = ({ actor, directory }: Ctx): string[] => idsOfMember(directory, actor.user_id);

export const isAssignedToCaller = (ctx: Ctx, assignedTo: string): boolean => idsOfCaller(ctx).includes(assignedTo);
