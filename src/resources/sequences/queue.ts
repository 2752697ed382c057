// The queue of those who wait for a day on which their sender has room, those who have waited longest first. Each asks again on the day
// that its turn may come, so that not all of them ask each morning.
import { Temporal } from "temporal-polyfill";
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { defer } from "../../jobs/job.ts";
import { lockFree } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { todayIn } from "../../values/time.ts";
import { openAt } from "./due.ts";
import type { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { stepJobs } from "./step_jobs.ts";
import type { Step } from "./steps.ts";
import { dayZone, zonesFor } from "./zone.ts";

type Sequence = Row<typeof sequence>;
type Subscription = Row<typeof sequenceSubscription>;

export interface Waiting {
  of: Sequence;
  way: Subscription;
  step: Step;
  /** The zone of the sequence's hours. */
  zone: string;
}

/** The most that are put into it together with the one that finds the day full. */
const most = 500;

/** Those who are further behind ask when so many days have passed on which the sequence is open. */
const daysMost = 30;

/** When a subscription asks again, if at most so many get a place on a day. */
export async function dayInQueue(ctx: Ctx, { of, way, zone }: Waiting, perDay: number): Promise<Date> {
  return openDays(ctx, of, zone)(Math.floor((await countAhead(ctx, way)) / perDay));
}

/**
 * The same, and those who are due at the same step and would be told the same are put into the queue too. Otherwise each of thousands
 * takes a turn of its own to hear it. Where the step has a condition or the sequence a goal, each has to look at its own first.
 */
export async function dayForAllAlike(ctx: Ctx, waiting: Waiting, perDay: number): Promise<Date> {
  const { of, way, step } = waiting;
  if (of.goal !== null || step.condition) return dayInQueue(ctx, waiting, perDay);
  const others = await dueLikewise(ctx, way);
  if (others.length === 0) return dayInQueue(ctx, waiting, perDay);
  const all = [way, ...others].sort(byWaiting);
  const ahead = await countAhead(ctx, all[0]!);
  const zones = await zonesFor(ctx, of, all);
  const daysIn = new Map([...new Set(zones.values())].map((zone) => [zone, openDays(ctx, of, zone)]));
  const times = new Map(all.map(({ id }, i) => [id, daysIn.get(zones.get(id)!)!(Math.floor((ahead + i) / perDay))]));
  await putOff(ctx, others, times);
  return times.get(way.id)!;
}

const byWaiting = (a: Subscription, b: Subscription): number => {
  const [one, other] = [a.throttled_since ?? "", b.throttled_since ?? ""];
  if (one !== other) return one < other ? -1 : 1;
  return a.id < b.id ? -1 : 1;
};

async function putOff(ctx: Ctx, ways: readonly Subscription[], times: ReadonlyMap<string, Date>): Promise<void> {
  const now = ctx.now.toISOString();
  const changes = ways.map((before) => {
    const throttled_since = before.throttled_since ?? now;
    return { before, values: { throttled_since, next_step_at: times.get(before.id)!.toISOString() } };
  });
  await store.updateAll(ctx, sequenceSubscription, changes);
  defer(ctx, stepJobs, new Map(ways.map(({ id }) => [id, times.get(id)!])));
}

/** The first moments of the days from tomorrow on, on which the sequence is open, by their number. */
function openDays(ctx: Ctx, of: Sequence, zone: string): (number: number) => Date {
  const ofDay = dayZone(ctx, of);
  const found: Date[] = [];
  return (number) => {
    while (found.length <= Math.min(number, daysMost)) {
      const tomorrow = Temporal.PlainDate.from(todayIn(found.at(-1) ?? ctx.now, ofDay)).add({ days: 1 });
      found.push(openAt(ctx, of, zone, new Date(tomorrow.toZonedDateTime(ofDay).epochMilliseconds)));
    }
    return found[Math.min(number, daysMost)]!;
  };
}

/** Who is due at the same step, by the same sender and in the same name, and waits for the same: a first message or a follow-up. */
function dueLikewise(ctx: Ctx, way: Subscription): Promise<Subscription[]> {
  const alike = sql`s.sequence_id = ${way.sequence_id} and s.sender_account_id = ${way.sender_account_id}
    and s.current_step_id = ${way.current_step_id} and s.steps_version = ${way.steps_version} and s.keeps_steps = ${way.keeps_steps}
    and s.created_by is not distinct from ${way.created_by}
    and s.from_phone_number_id is not distinct from ${way.from_phone_number_id}
    and (s.initial_email_id is null) = ${way.initial_email_id === null}
    and (s.throttled_since is null) = ${way.throttled_since === null}`;
  const due = sql`s.status = 'active' and s.next_step_at <= ${ctx.now} and s.slot_at is null
    and s.waiting_message_id is null and s.waiting_task_id is null and s.reply_awaited_until is null`;
  return lockFree(
    ctx,
    sequenceSubscription,
    sql`t.id in (select s.id from sequence_subscription s where s.organization_id = ${ctx.organization_id} and s.id <> ${way.id}
      and ${due} and ${alike} order by s.throttled_since, s.id limit ${most})`,
  );
}

/** How many of its kind wait for the same sender, and have waited longer. */
async function countAhead(ctx: Ctx, way: Subscription): Promise<number> {
  const before =
    way.throttled_since === null ? sql`true` : sql`(throttled_since, id) < (${way.throttled_since}::timestamptz, ${way.id})`;
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*) from sequence_subscription where organization_id = ${ctx.organization_id}
        and sender_account_id = ${way.sender_account_id} and status = 'active' and next_step_at > ${ctx.now}
        and throttled_since is not null and slot_at is null and sequence_id = ${way.sequence_id}
        and (initial_email_id is null) = ${way.initial_email_id === null} and ${before}`,
    ),
  );
  return Number(row![0]);
}
