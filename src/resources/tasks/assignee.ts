// Who a task can be given to: a member, or a group, which means any of its members.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import type { Filter } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { readValues, withMembers } from "../../records/list_input.ts";
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

/** Tasks of a member, or of a group and so of each of its members too. */
export function assigneeFilters(): Record<string, Filter> {
  const givenTo = (ctx: Ctx, ids: readonly string[], alias: string): Sql => {
    const all = withMembers(ctx, ids);
    const column = sql`${name(alias)}.assigned_to`;
    return all.length === 1 ? sql`${column} = ${all[0]}` : sql`${column} = any(${all}::text[])`;
  };
  return {
    assigned_to: {
      doc: "Only tasks of this member, or of this group and its members.",
      sql: (ctx, value, alias) => givenTo(ctx, [value], alias),
    },
    assigned_to__in: {
      doc: "Only tasks of one of these members, groups and members of these groups, separated by commas.",
      sql: (ctx, value, alias) => givenTo(ctx, readValues(value), alias),
    },
  };
}
