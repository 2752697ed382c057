// What somebody lets an application do ends when they disconnect it. So it lets nobody in, and sends nothing anywhere, that would go
// on after that. Operations that always do say `outlasts`; this is for those that do with some bodies.
import type { Ctx } from "../../core/context.ts";
import { outlasting } from "../../core/errors.ts";

/** Refuses a connection by OAuth what gives access beyond it. A key, or the person's own page, may. */
export function notByConnection({ actor }: Ctx): void {
  if (actor.oauth !== undefined) throw outlasting();
}
