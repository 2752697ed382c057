// Whether an automation may run for a record again, and whether it runs too often.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import { milliseconds } from "./durations.ts";
import type { Listener } from "./listeners.ts";

/** A loop that nothing else recognizes is stopped by these. */
const [startsPerMinute, startsForRecordPerHour] = [500, 20];

/** Why it may not start now; null if it may. */
export async function enrolment(
  ctx: Ctx,
  { automation_id, plan: { settings } }: Listener,
  objectId: string | null,
): Promise<string | null> {
  const [row] = await transactionOf(ctx).read({
    name: "automation.enrolment",
    text: `select count(*), count(*) filter (where status in ('queued', 'running', 'waiting', 'held')), max(date_created),
             count(*) filter (where date_created > $4),
             (select count(*) from (select from automation_run where organization_id = $1 and automation_id = $2 and date_created > $5 limit ${startsPerMinute}) n),
             (select count(*) from (select from automation_run where organization_id = $1 and automation_id = $2
                and status in ('queued', 'running', 'waiting', 'held') limit 100000) n)
           from automation_run where organization_id = $1 and automation_id = $2 and object_id = $3 and not is_replay and not is_test`,
    values: [
      ctx.organization_id,
      automation_id,
      objectId,
      new Date(ctx.now.getTime() - 3_600_000),
      new Date(ctx.now.getTime() - 60_000),
    ],
  });
  const [all, living, last, inHour, inMinute, allLiving] = row!.map((one) => one ?? null);
  const { re_enroll, cooldown, max_per_record, max_concurrent_per_record, concurrency } = settings;
  if (re_enroll === "never" && Number(all) > 0) return "reenroll";
  if (re_enroll === "after_exit" && Number(living) >= max_concurrent_per_record) return "reenroll";
  if (re_enroll === "always" && max_concurrent_per_record > 1 && Number(living) >= max_concurrent_per_record)
    return "concurrency";
  if (max_per_record != null && Number(all) >= max_per_record) return "reenroll";
  if (concurrency?.max_active_runs !== undefined && Number(allLiving) >= concurrency.max_active_runs) return "concurrency";
  if (cooldown && last != null && coolUntil(last, cooldown) > ctx.now.getTime()) return "cooldown";
  return Number(inHour) >= startsForRecordPerHour || Number(inMinute) >= startsPerMinute ? "loop_rate" : null;
}

const coolUntil = (last: string, { amount, unit }: { amount: number; unit: string }): number =>
  Date.parse(pgTimestamp(last)) + milliseconds(amount, unit);

/** The key by which the database lets only one run at a time be there for a record. */
export const enrolKey = ({ plan: { settings } }: Listener, objectId: string | null): string | null =>
  settings.re_enroll !== "always" && settings.max_concurrent_per_record === 1 ? objectId : null;
