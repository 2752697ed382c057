// Conditions about what has happened at a record.
import { z } from "zod";
import type { Ctx } from "../../../core/context.ts";
import { type Sql, sql } from "../../../db/sql.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import { activityKinds, defining, direction, duration, id, may, naming, need, oneOf } from "../catalog.ts";
import { compares } from "../comparing.ts";
import { momentAfter, type Span } from "../durations.ts";
import type { Values } from "../facts.ts";
import { livingStates } from "../living_states.ts";
import type { Asked, ConditionType } from "./condition.ts";
import { belongsTo, countUpTo, idOf, isThere, zoneOfRecord } from "./subject.ts";

const define = defining<ConditionType>();
const history = "history";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");
const state = need(oneOf("in", "never", "active", "finished"));

export const historyConditions: readonly ConditionType[] = [
  define(
    history,
    "activity_count",
    "How often something happened.",
    {
      kinds: may(activityKinds),
      direction: may(direction),
      window: may(duration),
      op: need(comparison),
      value: need(z.int().min(0).max(1_000_000)),
    },
    { meets: countMeets, byTime: ({ window }) => window != null },
  ),
  define(
    history,
    "last_activity",
    "How long ago something happened.",
    {
      kinds: may(activityKinds),
      direction: may(direction),
      op: need(oneOf("within_last", "not_within_last")),
      window: need(duration),
    },
    {
      meets: async (leaf, asked) => (await countActivities(leaf, asked, 1)) > 0 === (leaf.op === "within_last"),
      byTime: () => true,
    },
  ),
  define(
    history,
    "sequence_state",
    "Whether the contact, or anybody at the lead, is or was in a sequence.",
    { sequence_id: naming(may(id), "sequence"), state },
    { meets: sequenceMeets },
  ),
  define(
    history,
    "automation_state",
    "Whether it is or was in an automation, besides the run that asks.",
    { automation_id: naming(may(id), "automation", "automations"), state },
    { meets: automationMeets },
  ),
];

// --- activities ---

async function countMeets(leaf: Values, asked: Asked): Promise<boolean> {
  const value = Number(leaf.value);
  const count = await countActivities(leaf, asked, value + 1);
  asked.found?.(count > value ? `more than ${value}` : count);
  return compares(String(leaf.op), count, value, asked.now);
}

async function countActivities({ kinds, direction, window }: Values, { ctx, facts, now }: Asked, most: number): Promise<number> {
  const theirs = belongsTo(ctx, facts.record);
  if (theirs === null) return 0;
  const conditions = [theirs, sql`t._type = any(${typesOfKinds(kinds)})`, hasHappened(now)];
  if (direction != null) conditions.push(sql`left(t.direction, 2) = ${String(direction).slice(0, 2)}`);
  if (window != null) conditions.push(sql`t.activity_at > ${begin(ctx, now, window as Span, zoneOfRecord(ctx, facts.record))}`);
  return countUpTo(ctx, ctx.registry.resource("activity")!, conditions, most);
}

/** The types of activities of these kinds, or of all. */
export const typesOfKinds = (kinds: unknown): string[] =>
  (Array.isArray(kinds) ? (kinds as string[]) : activityKinds.element.options).map((kind) => typeOf[kind]!);

const typeOf: Readonly<Record<string, string>> = {
  note: "Note",
  call: "Call",
  email: "Email",
  sms: "SMS",
  meeting: "Meeting",
  channel_message: "ChannelMessage",
  custom: "CustomActivity",
};

/** A message that was not sent has not happened, nor has a draft, or a meeting that was called off. */
export const hasHappened = (now: Date): Sql =>
  sql`t.activity_at <= ${now}::timestamptz and (t._type not in ('ChannelMessage', 'Email', 'SMS') or t.status in ('inbox', 'sent'))
    and (t._type <> 'CustomActivity' or t.status = 'published')
    and (t._type <> 'Meeting' or t.status not in ('canceled', 'declined-by-lead', 'declined-by-org'))`;

/** Nothing is older than the clock of computers, and the database knows no much earlier time. */
const begin = (ctx: Ctx, now: Date, { amount, unit }: Span, zone: string): Date =>
  new Date(Math.max(0, momentAfter(now, { amount: -amount, unit }, zone, { holidays: businessHolidays(ctx) }).getTime()));

// --- sequences and automations ---

const inState = (states: Readonly<Record<string, Sql>>, state: unknown): Sql[] => {
  const condition = states[String(state)];
  return condition === undefined ? [] : [condition];
};

const stateOfSequence = {
  in: sql`t.status in ('active', 'paused')`,
  active: sql`t.status = 'active'`,
  finished: sql`t.status in ('finished', 'goal')`,
};

async function sequenceMeets({ sequence_id, state }: Values, { ctx, facts: { record } }: Asked): Promise<boolean> {
  const { registry } = ctx;
  const contact = idOf(registry.resource("contact")!, record);
  const lead = idOf(registry.resource("lead")!, record);
  if (contact === null && lead === null) return state === "never";
  const conditions = [contact === null ? sql`t.lead_id = ${lead}` : sql`t.contact_id = ${contact}`];
  if (sequence_id != null) conditions.push(sql`t.sequence_id = ${sequence_id}`);
  const found = isThere(ctx, registry.resource("sequence_subscription")!, [...conditions, ...inState(stateOfSequence, state)]);
  return (await found) !== (state === "never");
}

const stateOfRun = {
  in: sql`t.status = any(${livingStates})`,
  active: sql`t.status in ('queued', 'running', 'waiting')`,
  finished: sql`t.status in ('completed', 'exited')`,
};

async function automationMeets({ automation_id, state }: Values, { ctx, facts }: Asked): Promise<boolean> {
  const { record, run } = facts;
  if (record === null) return state === "never";
  const conditions = [sql`t.object_id = ${record.id}`, sql`not (t.is_test or t.is_simulation or t.is_replay)`, ...present(run)];
  if (automation_id != null) conditions.push(sql`t.automation_id = ${automation_id}`);
  return (await isThere(ctx, runsOf(ctx), [...conditions, ...inState(stateOfRun, state)])) !== (state === "never");
}

const present = ({ id: own }: Values): Sql[] => (typeof own === "string" ? [sql`t.id <> ${own}`] : []);

const runsOf = (ctx: Ctx) => ctx.registry.resource("automation_run")!;
