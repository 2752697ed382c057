// Groups of members, for values that name members.
import type { Ctx } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import { isId } from "../values/id.ts";

/** The resource whose ids a column holds, by `ref` or `naming`: the members, if the column takes groups too. */
export const refersTo = (field: Field): string | null =>
  field.ref?.to ?? (field.type === "text" ? field.names.find((one) => one.key === null && !one.past)?.to[0] : null) ?? null;

export const isGroup = (id: string): boolean => isId("group", id);

/** Replaces a group by its members. The group itself stays in the list, for records that are assigned to groups. */
export function expandGroups(ctx: Ctx, ids: readonly string[]): string[] {
  const members = (id: string) =>
    isGroup(id) && ctx.directory.has("group") ? ((ctx.directory.find("group", id)?.user_ids as string[] | undefined) ?? []) : [];
  return [...new Set(ids.flatMap((id) => [id, ...members(id)]))];
}
