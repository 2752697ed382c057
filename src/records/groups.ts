// Groups of members, where a value names members.
import type { Ctx } from "../core/context.ts";
import { isId } from "../values/id.ts";

export const isGroup = (id: string): boolean => isId("group", id);

/** A group stands for its members, and for itself where records are given to groups. */
export function expandGroups(ctx: Ctx, ids: readonly string[]): string[] {
  const members = (id: string) =>
    isGroup(id) && ctx.directory.has("group") ? ((ctx.directory.find("group", id)?.user_ids as string[] | undefined) ?? []) : [];
  return [...new Set(ids.flatMap((id) => [id, ...members(id)]))];
}
