// In whose name a rule acts. It has no field to set that by: it acts for who saved it, and who changes it later shall neither lend it less
// without a word, nor give it more than they have.
import { type Ctx, may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { isActiveMember } from "../organization/user.ts";
import type { Plan } from "./fields.ts";
import { mayLend } from "./lent_rights.ts";

/** Its `run_as_user_id` when the caller saves it: that of the member it acts for already, as long as they are here. */
export function nameOfRule(ctx: Ctx, before: Pick<Plan, "settings"> | null): string | null {
  const present = before?.settings.run_as_user_id ?? null;
  if (present !== null && isActiveMember(ctx.directory, present)) return present;
  if (may(ctx, "view_all_leads")) return null;
  return before === null ? ctx.actor.user_id : present;
}

/** Asked before it goes live. */
export function checkNameOfRule(ctx: Ctx, { settings: { run_as_user_id } }: Plan): void {
  if (!mayLend(ctx, run_as_user_id))
    throw new Problem(
      403,
      "This rule acts for who saved it, with rights that you lack, or that they do not lend you: ask them or an admin, or save one of your own.",
    );
}
