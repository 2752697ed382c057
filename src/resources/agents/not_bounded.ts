// Access for somebody: members, roles, applications. What an application, a narrow key or one with a budget makes of it
// would be bounded by nothing that bounds them.
import type { Ctx } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { refuseBudgeted } from "./budget.ts";

/** Refuses who may do less than the person whose key it is. */
export function notBounded(ctx: Ctx): void {
  notByConnection(ctx);
  refuseBudgeted(ctx);
  if (!ctx.actor.scopes.has("write_destructive"))
    throw new Problem(403, "A key of a narrower scope may not do this: it would give access beyond it. Use a key of all scopes.");
}
