// Calendar days. A day that a person sees or picks is a day in their time zone, not in the server's.

import type { Ctx } from "../core/context.ts";
import type { Directory } from "../core/directory.ts";
import { todayIn, zoneAt } from "../values/time.ts";

type Asking = Pick<Ctx, "actor" | "request">;

/** The offset of the request, else the time zone of the member, else of the organization: `Europe/Berlin`, or `-04:00`. */
export function zoneOf(directory: Directory, { actor, request }: Asking): string {
  return request.hasOffset ? zoneAt(request.offsetMinutes) : zoneOfMember(directory, actor);
}

/** The same for work that nobody waits for: no request says an offset. */
export function zoneOfMember(directory: Directory, { user_id }: Pick<Ctx["actor"], "user_id">): string {
  const zone = (kind: string, id: string) => directory.find(kind, id)?.timezone as string | null | undefined;
  return zone("user", user_id) ?? zone("organization", directory.organization_id) ?? "UTC";
}

/** The present day for the caller. */
export const todayOf = (directory: Directory, asking: Asking & Pick<Ctx, "now">): string =>
  todayIn(asking.now, zoneOf(directory, asking));
