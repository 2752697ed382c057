// What the caller needs to take something back: what they would need to do it by hand.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Verb } from "../../core/operation.ts";
import { checkAllowed } from "../../core/perform.ts";
import type { Resource } from "../../core/resource.ts";

const byHand = "is part of the administration, which is changed by hand";

/** Refuses what no agent may change either. */
export function refuseAdministration(ctx: Ctx, of: Resource): void {
  const verbs = ctx.registry.operations.filter((one) => one.resource === of && one.verb !== null);
  if (verbs.length > 0 && !verbs.some((one) => one.mcp)) throw invalid({}, byHand);
}

/** What has a way of its own to be taken back. */
const ownWays: ReadonlyMap<string, string> = new Map([
  ["bulk_action", "was begun, and is undone by the request that began it or by POST /bulk_action/{id}/undo/"],
  ["bulk_action_undo", "takes something back itself: what it took back is done again by hand"],
  ["import", "is reverted by the request that queued it, or by POST /import/{id}/revert/"],
]);

/** False for what the service notes by itself, such as the thread of mails: it comes and goes with what it notes. */
export const isDeletedByHand = (ctx: Ctx, of: Resource): boolean =>
  ctx.registry.operations.some((one) => one.resource === of && one.verb === "delete");

/** Refuses what the caller's role may not do, and what nobody does by hand. */
export function checkRight(ctx: Ctx, of: Resource, verb: Verb): void {
  const way = ownWays.get(of.name);
  if (way !== undefined) throw invalid({}, way);
  const operation = ctx.registry.operations.find((one) => one.resource === of && one.verb === verb);
  if (operation === undefined) throw invalid({}, withoutVerb(ctx, of, verb));
  // An undo deletes a custom field only as long as it has no values.
  if (!operation.mcp && of.name !== "custom_field") throw invalid({}, byHand);
  checkAllowed(ctx.actor, operation);
}

function withoutVerb(ctx: Ctx, of: Resource, verb: Verb): string {
  const isWritten = ctx.registry.operations.some((one) => one.resource === of && one.method !== "GET");
  if (!isWritten) return "is written by the service alone, and stays as it is";
  return verb === "delete" ? "cannot be deleted, and stays as it is" : "has no way back: write it again as it was";
}
