// The hours in which an automation talks to people. Only its steps that do so wait for them: delays and branches are not moved. What
// waits is spread over the first minutes, each run always at the same place.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import { organizationOf } from "../organization/organization.ts";
import { user } from "../organization/user.ts";
import { firstSlot } from "../sequences/schedule.ts";
import { ownerOf, zoneOfRecord } from "./conditions/subject.ts";
import { type Finding, finding } from "./findings.ts";
import { days, type Settings } from "./settings.ts";
import { shareOf } from "./share_of.ts";
import { StepFailure } from "./step_failure.ts";
import type { Call } from "./steps/step.ts";
import { whom } from "./steps/whom.ts";

type Window = NonNullable<Settings["time_window"]>;

/** So far ahead it looks, which is further than dates can be blocked. */
const ahead = 400;

const slotOf = (window: Window, zone: string, at: Date) =>
  firstSlot(
    {
      ranges: (window.days ?? days).map((day) => ({
        weekday: days.indexOf(day) + 1,
        start: window.from ?? "00:00",
        end: window.to ?? "24:00",
      })),
    },
    zone,
    at,
    { blocked: window.blocked_dates, ahead },
  );

/** When the step may talk to people. Null for now. */
export async function opensAt(call: Call, window: Window): Promise<Date | null> {
  const { now } = call.ctx;
  const slot = slotOf(window, await zoneFor(call, window.timezone ?? "recipient"), now);
  if (slot === null)
    throw new StepFailure("window_empty", "config", "settings.time_window never opens: change its days or dates");
  if (slot.at <= now) return null;
  const length = Math.min((window.spread_minutes ?? 0) * 60_000, slot.closes.getTime() - slot.at.getTime());
  return new Date(slot.at.getTime() + Math.floor(shareOf(`${call.run.id} ${call.step_id}`) * length));
}

async function zoneFor(call: Call, zone: string): Promise<string> {
  const { ctx, config, facts } = call;
  if (zone === "recipient")
    return (await whom(call, config.to, () => true))[0]?.person?.timezone ?? zoneOfRecord(ctx, facts.record);
  if (zone === "owner") return zoneOfMember(ctx, ownerOf(facts.record));
  return zone === "sender" ? zoneOfMember(ctx, ctx.actor.user_id) : zone;
}

const zoneOfMember = (ctx: Ctx, id: string | null): string =>
  ctx.directory.get(user, id)?.timezone ?? organizationOf(ctx.directory).timezone;

/** Hours that end before they begin. */
export function problemOfHours({ time_window: window }: Settings): FieldErrors {
  const isEmpty = window != null && (window.from ?? "00:00") >= (window.to ?? "24:00");
  return isEmpty ? { "settings.time_window.to": "must be later than from, or it never opens" } : {};
}

/** Hours that never come, because all their days are blocked. */
export function problemsOfWindow({ now }: Ctx, { time_window }: Settings): Finding[] {
  if (time_window == null || slotOf(time_window, "UTC", now) !== null) return [];
  return [finding("window_empty", "settings.time_window", "never opens: all its days are in blocked_dates")];
}
