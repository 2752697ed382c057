// The verbs of roles.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { notBounded } from "../agents/not_bounded.ts";
import { isBuiltIn, role } from "./role.ts";

type Role = Row<typeof role>;

export async function createRole(ctx: Ctx, given: Create<typeof role>): Promise<Role> {
  notBounded(ctx);
  checkVisibility(ctx, given);
  return store.insert(ctx, role, given);
}

export async function updateRole(ctx: Ctx, before: Role, patch: Patch<typeof role>): Promise<Role> {
  notBounded(ctx);
  checkVisibility(ctx, { ...before, ...patch }, before);
  return store.update(ctx, role, before, patch);
}

// A deleted field in the stored role does not prevent other changes.
function checkVisibility(ctx: Ctx, given: Create<typeof role>, before?: Role): void {
  const ids = given.visibility_user_lcf_ids ?? [];
  const known = customFieldsOf(ctx.directory, "lead");
  ids.forEach((id, i) => {
    if (before?.visibility_user_lcf_ids.includes(id)) return;
    const field = known.get(`custom.${id}`);
    if (field === undefined) throw invalid({ [`visibility_user_lcf_ids.${i}`]: "does not exist" });
    if (field.type !== "user")
      throw invalid({ [`visibility_user_lcf_ids.${i}`]: "must be a custom field of leads of type user" });
  });
  if (ids.length > 0 && given.permissions?.includes("view_all_leads"))
    throw invalid({ visibility_user_lcf_ids: "have no effect together with view_all_leads: leave one of them out" });
}

/** Built-in roles are not records. Their ids are known, so a change is refused with a reason instead of a 404. */
export async function lockRole(ctx: Ctx, id: string): Promise<Role> {
  if (isBuiltIn(id)) throw invalid({}, "The built-in roles cannot be changed: create a role of your own.");
  return lockRecord(ctx, role, id);
}
