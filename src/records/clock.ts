// Which day it is. A day that a person sees or picks is a day in their time zone, not in the server's.

import type { Ctx } from "../core/context.ts";
import type { Directory } from "../core/directory.ts";
import { todayIn, zoneAt } from "../values/time.ts";

type Asking = Pick<Ctx, "actor" | "request">;

/** At the offset that was sent, else where the member is, else where the organization is: `Europe/Berlin`, or `-04:00`. */
export function zoneOf(directory: Directory, { actor, request }: Asking): string {
  if (request.hasOffset) return zoneAt(request.offsetMinutes);
  const zone = (kind: string, id: string) => directory.find(kind, id)?.timezone as string | null | undefined;
  return zone("user", actor.user_id) ?? zone("organization", directory.organization_id) ?? "UTC";
}

/** The day it is for whoever asks. */
export const todayOf = (directory: Directory, asking: Asking & Pick<Ctx, "now">): string =>
  todayIn(asking.now, zoneOf(directory, asking));
