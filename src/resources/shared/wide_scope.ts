// What destroys, or is done to many records at once, where it follows from the body of a request and not from its operation.
import type { Ctx } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";

/** Refuses who has not the widest scope. */
export function needsWideScope({ actor }: Ctx, what: string): void {
  if (!actor.scopes.has("write_destructive")) throw new Problem(403, `${what} needs the scope write_destructive.`);
}
