// What somebody lets an application do ends when they disconnect it. So it lets nobody in, and sends nothing anywhere, that would go
// on after that: it makes no key, member, role, organization, webhook, and stores no credentials.
import type { Ctx } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";

/** Refuses a connection by OAuth what gives access beyond it. A key, or the person's own page, may. */
export function notByConnection({ actor }: Ctx): void {
  if (actor.oauth === undefined) return;
  throw new Problem(
    403,
    "An application that is connected by OAuth may not do this: it would outlast the connection. Use an API key.",
  );
}
