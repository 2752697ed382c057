// Has somebody call a person.
import { todayIn } from "../../../values/time.ts";
import { mobileOf } from "../../activities/own_side.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import { isObject } from "../config.ts";
import { momentAfter, type Span } from "../durations.ts";
import type { Call, Outcome } from "./step.ts";
import { zoneOfRun } from "./timeouts.ts";
import { personNamed } from "./whom.ts";
import { createOf, idOf } from "./writing.ts";

export async function giveCall(call: Call): Promise<Outcome> {
  const { ctx, config } = call;
  const person = await personNamed(call, config.to, (one) => mobileOf(one) !== null);
  const { assigned_to, due, script } = config;
  const zone = zoneOfRun(call);
  const date = isObject(due)
    ? todayIn(momentAfter(ctx.now, due as unknown as Span, zone, { holidays: businessHolidays(ctx) }), zone)
    : due;
  const place = { lead_id: person.lead_id, contact_id: person.id };
  const text = script ?? `Call ${person.name ?? "back"}`;
  const made = await createOf(call, "task", { _type: "call", ...place, assigned_to, text, ...(date != null && { date }) });
  return { output: idOf(made) };
}
