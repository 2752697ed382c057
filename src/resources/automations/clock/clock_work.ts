// Starts automations by the clock. An automation has one job, which sleeps until something may be due. It notes all that is due at a
// time, and starts some of it in each turn: what a turn starts and how far it came commit together, so nothing starts twice or not at
// all. After a time without workers, one look makes up for all that were missed.
import { type Ctx, query, transactionOf, write } from "../../../core/context.ts";
import { sql } from "../../../db/sql.ts";
import { requestOf } from "../../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../../jobs/job.ts";
import { asSystem } from "../../../records/acting.ts";
import { zoneOf } from "../../../records/clock.ts";
import { lockToChange } from "../../../records/references.ts";
import { newId } from "../../../values/id.ts";
import { parseTextArray } from "../../../values/text_array.ts";
import { pgTimestamp } from "../../../values/time.ts";
import { anyAutomation } from "../any_automation.ts";
import { automationEvent } from "../automation_event.ts";
import { recordEvaluations } from "../consume.ts";
import { startFor } from "../evaluate.ts";
import { recordById } from "../facts.ts";
import { withItsEyes } from "../lent_rights.ts";
import { type Listener, listenerById } from "../listeners.ts";
import { clockJobs } from "../names.ts";
import type { Occurrence } from "../occurrence.ts";
import type { Clock, DueRecord } from "./clock.ts";

/** The most records of one transaction. */
const chunk = 200;
/** Looks overlap by so much: a date may be written by a transaction that commits after the look at its time. */
const overlapMs = 5 * 60_000;

export const clockWork: Work = {
  ...clockJobs,
  doc: "Starts automations whose time has come.",
  slots: 2,
  run: (core, job) => asSystem(core, job.organization_id, requestOf(job), (ctx) => takeTurn(ctx, job)),
  // Its look stays under way. Whoever publishes it again begins anew.
  async giveUp() {},
};

/** A look under way: its time, and what it still has to start. */
interface Look {
  tick: Date;
  some: readonly DueRecord[];
  isLast: boolean;
}

async function takeTurn(ctx: Ctx, job: Job): Promise<void> {
  await lockToChange(ctx, anyAutomation, sql`t.id = ${job.object_id}`);
  await holdClaim(ctx, job);
  const listener = await listenerById(ctx, job.object_id);
  const clock = listener?.trigger.clock;
  if (!listener || !clock) return release(ctx, job, null);

  const { config } = listener.plan.trigger;
  const zone = (config.timezone as string | null | undefined) ?? zoneOf(ctx.directory, ctx);
  const { looked_until, look } = await readLook(ctx, listener, clock, zone);
  if (look !== null) {
    const isNew = clock.objectType(config) === null || (await noteOccasions(ctx, listener, look.some));
    await startDue(ctx, listener, clock, look, isNew);
    endTurn(ctx, job.object_id, look);
    if (!look.isLast) return release(ctx, job, ctx.now);
  }
  release(ctx, job, clock.next(ctx, config, zone, look?.tick ?? looked_until));
}

/** The look under way, or else a new one if something may be due. */
async function readLook(
  ctx: Ctx,
  { automation_id, plan }: Listener,
  clock: Clock,
  zone: string,
): Promise<{ looked_until: Date; look: Look | null }> {
  const { trigger } = plan;
  const [row] = await transactionOf(ctx).read({
    name: "automation_clock.read",
    text: `select since, looked_until, tick, object_ids[position + 1:position + ${chunk}], occasions[position + 1:position + ${chunk}],
             position + ${chunk} >= cardinality(object_ids)
           from automation_clock where organization_id = $1 and automation_id = $2`,
    values: [ctx.organization_id, automation_id],
  });
  const [since, looked_until] = [row![0]!, row![1]!].map((at) => new Date(pgTimestamp(at))) as [Date, Date];
  const [, , tick, ids, occasions, isLast] = row!;
  if (tick != null) {
    const of = parseTextArray(occasions!);
    const some = parseTextArray(ids!).map((object_id, i) => ({ object_id, occasion: of[i]! }));
    return { looked_until, look: { tick: new Date(pgTimestamp(tick)), some, isLast: isLast === "t" } };
  }
  const at = clock.latest(trigger.config, zone, looked_until, ctx.now);
  if (at === null) return { looked_until, look: null };
  const after = new Date(Math.max(since.getTime(), looked_until.getTime() - overlapMs));
  const due = await clock.due(await withItsEyes(ctx, plan), trigger.config, zone, after, at);
  noteLook(ctx, automation_id, at, due);
  return { looked_until, look: { tick: at, some: due.slice(0, chunk), isLast: due.length <= chunk } };
}

function noteLook(ctx: Ctx, automationId: string, tick: Date, due: readonly DueRecord[]): void {
  write(ctx, {
    name: "automation_clock.begin",
    text: `update automation_clock set tick = $3, object_ids = $4, occasions = $5, position = 0 where organization_id = $1 and automation_id = $2`,
    values: [ctx.organization_id, automationId, tick, due.map((one) => one.object_id), due.map((one) => one.occasion)],
  });
}

function endTurn(ctx: Ctx, automationId: string, { tick, isLast }: Look): void {
  write(ctx, {
    name: "automation_clock.go_on",
    text: `update automation_clock set position = case when $4 then 0 else position + ${chunk} end,
             looked_until = case when $4 then $3 else looked_until end, tick = case when $4 then null else tick end,
             object_ids = case when $4 then '{}' else object_ids end, occasions = case when $4 then '{}' else occasions end
           where organization_id = $1 and automation_id = $2`,
    values: [ctx.organization_id, automationId, tick, isLast],
  });
}

/** Those that have not started for their occasion yet, by their ids. */
async function noteOccasions(ctx: Ctx, { automation_id }: Listener, some: readonly DueRecord[]): Promise<ReadonlySet<string>> {
  const rows = await query(ctx, {
    name: "automation_occasion.note",
    text: `insert into automation_occasion (organization_id, automation_id, object_id, occasion, date_created)
           select $1, $2, d.id, d.occasion, $5 from unnest($3::text[], $4::text[]) d(id, occasion) on conflict do nothing returning object_id`,
    values: [ctx.organization_id, automation_id, some.map((one) => one.object_id), some.map((one) => one.occasion), ctx.now],
  });
  return new Set(rows.map(([id]) => id!));
}

/** True for `news` where it is about no record. */
async function startDue(
  ctx: Ctx,
  listener: Listener,
  clock: Clock,
  { tick, some }: Look,
  news: ReadonlySet<string> | true,
): Promise<void> {
  if (news === true) return start(ctx, listener, occurrenceAt(ctx, tick, null, {}));
  const object_type = clock.objectType(listener.plan.trigger.config)!;
  for (const { object_id, occasion } of some) {
    const record = news.has(object_id) ? await recordById(ctx, object_id) : null;
    if (record === null) continue;
    await start(ctx, listener, { ...occurrenceAt(ctx, tick, object_type, record), payload: { occasion } });
  }
}

async function start(ctx: Ctx, listener: Listener, occurrence: Occurrence): Promise<void> {
  const input = { scheduled_for: occurrence.at, ...occurrence.payload };
  const evaluation = await startFor(ctx, listener, occurrence, { kind: "schedule", input });
  await recordEvaluations(ctx, occurrence, [evaluation], { source: "schedule", automation_id: listener.automation_id });
}

function occurrenceAt(ctx: Ctx, tick: Date, object_type: string | null, record: Record<string, unknown>): Occurrence {
  const object_id = object_type === null ? null : (record.id as string);
  return {
    id: newId(automationEvent.prefix, ctx.now.getTime()),
    event: "schedule.tick",
    object_type,
    object_id,
    lead_id: object_type === "lead" ? object_id : ((record.lead_id as string | null | undefined) ?? null),
    user_id: null,
    api_key_id: null,
    record,
    previous: {},
    changed_fields: [],
    meta: {},
    at: tick.toISOString(),
  };
}
