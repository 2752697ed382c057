// Checks lists of roles, such as those that may change a type.
import type { Ctx } from "../../core/context.ts";
import { refuse } from "../../core/errors.ts";
import { builtInRoles } from "../../core/permissions.ts";

/**
 * Refuses unknown roles in a list, each by its place. A role that the list already had (`before`) may stay, even if it was
 * deleted since.
 */
export function checkRoles(ctx: Ctx, roles: readonly string[], place: string, before: readonly string[] = []): void {
  const exists = (id: string) =>
    before.includes(id) || Object.hasOwn(builtInRoles, id) || ctx.directory.find("role", id) !== undefined;
  refuse(Object.fromEntries(roles.flatMap((id, i) => (exists(id) ? [] : [[`${place}.${i}`, "does not exist"]]))));
}
