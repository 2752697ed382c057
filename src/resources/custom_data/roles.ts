// Lists of roles that may change something.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import { builtInRoles } from "../../core/permissions.ts";

/** The roles in a list that nobody defined, each with its place. One that was there `before` may stay: it may be gone since. */
export function unknownRoles(ctx: Ctx, roles: readonly string[], place: string, before: readonly string[] = []): FieldErrors {
  const exists = (id: string) =>
    before.includes(id) || Object.hasOwn(builtInRoles, id) || ctx.directory.find("role", id) !== undefined;
  return Object.fromEntries(roles.flatMap((id, i) => (exists(id) ? [] : [[`${place}.${i}`, "does not exist"]])));
}
