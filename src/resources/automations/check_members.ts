// Members and groups that steps name by id: whoever is told or given a task must be there.

import { group } from "../organization/group.ts";
import { isActiveMember } from "../organization/user.ts";
import type { FieldCheck } from "./known_fields.ts";

type Config = Record<string, unknown>;

export const checkTold = (check: FieldCheck, { to }: Config, at: string): void => {
  if (Array.isArray(to)) to.forEach((one, i) => checkMember(check, one, `${at}.to.${i}`));
};

export const checkAssigned = (check: FieldCheck, { assigned_to }: Config, at: string): void =>
  checkMember(check, assigned_to, `${at}.assigned_to`);

/** What is filled in is checked when it runs. */
function checkMember({ ctx, errors }: FieldCheck, given: unknown, at: string): void {
  if (typeof given !== "string" || isActiveMember(ctx.directory, given) || ctx.directory.get(group, given) !== undefined) return;
  errors[at] = "is not a member and not a group: see GET /user/ and GET /group/";
}
