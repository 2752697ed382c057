// Whether an automation may run for a record again, and whether it runs too often.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import { openCircuit, tellOfRecord } from "./circuit.ts";
import { milliseconds } from "./durations.ts";
import type { Plan } from "./fields.ts";
import type { Listener } from "./listeners.ts";

/** A loop that nothing else recognizes is stopped by these. */
const [startsPerMinute, startsForRecordPerHour] = [500, 20];
/** Runs that a person or the clock starts are no loop. */
const byItself = "kind not in ('manual', 'bulk', 'replay', 'schedule', 'backfill')";

/**
 * Why it may not start now; null if it may. Starts too often in a minute open the circuit; too often for one record, and only that record
 * is refused. `isOfMany`: a bulk action or an import caused it.
 */
export async function enrolment(ctx: Ctx, listener: Listener, objectId: string | null, isOfMany = false): Promise<string | null> {
  const refused = await refusalOf(ctx, listener, objectId, isOfMany);
  if (refused?.exceeds === "minute") await openCircuit(ctx, listener);
  if (refused?.exceeds === "hour_of_record") await tellOfRecord(ctx, listener, objectId!);
  return refused?.reason ?? null;
}

interface Refused {
  reason: string;
  /** The rate that it goes beyond. */
  exceeds: "hour_of_record" | "minute" | null;
}

export async function refusalOf(
  ctx: Ctx,
  { automation_id, plan: { settings } }: { automation_id: string; plan: Pick<Plan, "settings"> },
  objectId: string | null,
  isOfMany = false,
): Promise<Refused | null> {
  const { all, living, last, inHour, inMinute, openUntil } = await startsOf(ctx, automation_id, objectId);
  const no = (reason: string): Refused => ({ reason, exceeds: null });
  if (openUntil !== null && Date.parse(openUntil) > ctx.now.getTime()) return no("loop_rate");
  const { re_enroll, cooldown, max_per_record, max_concurrent_per_record } = settings;
  if (re_enroll === "never" && all > 0) return no("reenroll");
  if (max_concurrent_per_record !== null && living >= max_concurrent_per_record)
    return no(re_enroll === "always" ? "concurrency" : "reenroll");
  if (max_per_record != null && all >= max_per_record) return no("reenroll");
  if (cooldown && last !== null && coolUntil(last, cooldown) > ctx.now.getTime()) return no("cooldown");
  if (objectId !== null && inHour >= startsForRecordPerHour) return { reason: "loop_rate", exceeds: "hour_of_record" };
  // What a member does to many records at once is no loop because they are many.
  if (isOfMany || inMinute < startsPerMinute) return null;
  return { reason: "loop_rate", exceeds: "minute" };
}

export async function countRuns(ctx: Ctx, automationId: string, objectId: string): Promise<number> {
  const [row] = await transactionOf(ctx).read({
    name: "automation.runs_of_record",
    text: `select count(*) from automation_run where organization_id = $1 and automation_id = $2 and object_id = $3
             and not is_replay and not is_test`,
    values: [ctx.organization_id, automationId, objectId],
  });
  return Number(row![0]);
}

/** How often it started, for the record and in the last minute. */
async function startsOf(ctx: Ctx, automationId: string, objectId: string | null) {
  const [row] = await transactionOf(ctx).read({
    name: "automation.enrolment",
    text: `with a as (
             select circuit->>'until' as until, coalesce((circuit->>'since')::timestamptz, '-infinity') as since
             from automation where organization_id = $1 and id = $2)
           select count(*), count(*) filter (where status in ('queued', 'running', 'waiting', 'held')), max(date_created),
             count(*) filter (where date_created > greatest($4, (select since from a)) and ${byItself}),
             (select count(*) from (select from automation_run where organization_id = $1 and automation_id = $2
                and date_created > greatest($5, (select since from a)) and ${byItself} and bulk_action_id is null limit ${startsPerMinute}) n),
             (select until from a)
           from automation_run where organization_id = $1 and automation_id = $2 and object_id = $3 and not is_replay and not is_test`,
    values: [
      ctx.organization_id,
      automationId,
      objectId,
      new Date(ctx.now.getTime() - 3_600_000),
      new Date(ctx.now.getTime() - 60_000),
    ],
  });
  const [all, living, last, inHour, inMinute, openUntil] = row!;
  return {
    all: Number(all),
    living: Number(living),
    last: last ?? null,
    inHour: Number(inHour),
    inMinute: Number(inMinute),
    openUntil: openUntil ?? null,
  };
}

const coolUntil = (last: string, { amount, unit }: { amount: number; unit: string }): number =>
  Date.parse(pgTimestamp(last)) + milliseconds(amount, unit);

/** The key by which the database lets only one run at a time be there for a record. */
export const enrolKey = ({ plan: { settings } }: Listener, objectId: string | null): string | null =>
  settings.max_concurrent_per_record === 1 ? objectId : null;
