import type { Ctx } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";

/** For what no permission of a role of one's own gives. `act`: what it is, in the words of the refusal. */
export function onlyAdmin({ actor }: Ctx, act: string): void {
  if (actor.role_id !== "admin") throw new Problem(403, `Only an admin may ${act}.`);
}
