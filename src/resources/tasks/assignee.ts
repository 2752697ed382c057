// Who a task can be given to: a member, or a group, which means any of its members.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { isActiveMember, user } from "../organization/organization.ts";

interface Group {
  id: string;
  name: string;
  user_ids: readonly string[];
}

const groups = (directory: Directory): readonly Group[] =>
  directory.has("group") ? (directory.all("group") as unknown as Group[]) : [];

const group = (directory: Directory, id: string): Group | undefined => groups(directory).find((one) => one.id === id);

export const canBeAssigned = (directory: Directory, id: string): boolean =>
  isActiveMember(directory, id) || group(directory, id) !== undefined;

export const assigneeName = (directory: Directory, id: string | null): string | null =>
  id === null ? null : (directory.get(user, id)?.name ?? group(directory, id)?.name ?? null);

/** The caller and the groups the caller is in: what is assigned to any of these is the caller's to do. */
export const idsOfCaller = ({ actor, directory }: Ctx): string[] => [
  actor.user_id,
  ...groups(directory).flatMap((one) => (one.user_ids.includes(actor.user_id) ? [one.id] : [])),
];

export const isAssignedToCaller = (ctx: Ctx, assignedTo: string): boolean => idsOfCaller(ctx).includes(assignedTo);
