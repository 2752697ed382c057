// Who a task can be assigned to: a member, or a group, which means any of its members.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { group } from "../organization/group.ts";
import { isActiveMember, user } from "../organization/user.ts";

export const canBeAssigned = (directory: Directory, id: string): boolean =>
  isActiveMember(directory, id) || directory.get(group, id) !== undefined;

export const assigneeName = (directory: Directory, id: string | null): string | null =>
  directory.get(user, id)?.name ?? directory.get(group, id)?.name ?? null;

/** The caller and the groups the caller is in: what is assigned to any of these is the caller's to do. */
export const idsOfCaller = ({ actor, directory }: Ctx): string[] => [
  actor.user_id,
  ...directory.list(group).flatMap((one) => (one.user_ids.includes(actor.user_id) ? [one.id] : [])),
];

export const isAssignedToCaller = (ctx: Ctx, assignedTo: string): boolean => idsOfCaller(ctx).includes(assignedTo);
