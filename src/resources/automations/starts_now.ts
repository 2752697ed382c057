// Whether an automation would start for an event, and why not.
import type { Ctx } from "../../core/context.ts";
import { refusalOf } from "./enrolment.ts";
import { failingPart } from "./evaluate.ts";
import type { Plan } from "./fields.ts";
import type { Occurrence } from "./occurrence.ts";
import type { Trace } from "./trace.ts";
import { startsWith } from "./what_starts.ts";

export interface StartsNow {
  isMatched: boolean;
  conditions: Trace;
  /** Why it does not start; null if it does. */
  reason: string | null;
}

/** Asked with the rights of the context. What its trigger makes of a record that nothing has happened to is not asked. */
export async function startsNow(
  ctx: Ctx,
  id: string,
  plan: Plan,
  occurrence: Occurrence,
  given: Record<string, unknown>,
): Promise<StartsNow> {
  const conditions: Trace = [];
  if (occurrence.id !== null && !startsWith(plan, occurrence)) return { isMatched: false, conditions, reason: "trigger" };
  const failing = await failingPart(ctx, plan, occurrence, given, conditions);
  if (failing !== null) return { isMatched: false, conditions, reason: failing.reason };
  const refused = await refusalOf(ctx, { automation_id: id, plan }, occurrence.object_id);
  return { isMatched: true, conditions, reason: refused?.reason ?? null };
}
