// What somebody lets an application do ends when they disconnect it. So it lets nobody in: no key, no member, no role outlives it.
import type { Ctx } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";

/** Refuses a connection by OAuth what gives access beyond it. A key, or the person's own page, may. */
export function notByConnection({ actor }: Ctx): void {
  if (actor.oauth === undefined) return;
  throw new Problem(
    403,
    "An application that is connected by OAuth may not give access: it would outlast the connection. Use an API key.",
  );
}
