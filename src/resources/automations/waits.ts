// Runs that wait for an event, in a step or until a goal or exit is reached. The consumer of the log finds them by the name of the event
// and one of its values. A wait and the look for what has already happened are one transaction, in which the consumer stands still, so
// that no event falls between the two.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";
import { pgTimestamp } from "../../values/time.ts";
import { matchesAll, valueOfEvent } from "./event_matching.ts";
import { factsOfEvent } from "./facts.ts";
import { sees, withItsEyes } from "./lent_rights.ts";
import { askedOf, holds } from "./meets.ts";
import { automationNews, runJobs } from "./names.ts";
import { type Occurrence, readOccurrences } from "./occurrence.ts";
import { StepFailure } from "./step_failure.ts";

export type Purpose = "wait" | "goal" | "exit";

export interface EventWait {
  purpose: Purpose;
  /** Of the step, goal or exit. */
  name: string;
  events: readonly string[];
  match: Record<string, unknown>;
  condition: unknown;
  /** Events since then count. */
  since: string;
}

/** The keys that waits are found by. A wait without any of them is found by its event alone. */
const keys = ["object_id", "lead_id", "contact_id", "opportunity_id"];

const keyOf = (match: Record<string, unknown>): [string, string] => {
  const key = keys.find((one) => typeof match[one] === "string");
  return key === undefined ? ["", ""] : [key, match[key] as string];
};

/** Until the transaction ends, the log is not read for automations. Called before anything else is locked. */
export async function holdConsumer(ctx: Ctx): Promise<void> {
  await transactionOf(ctx).read({
    name: "automation_wait.hold_consumer",
    text: "select from consumer where organization_id = $1 and name = $2 for share",
    values: [ctx.organization_id, automationNews.name],
  });
}

/** In a transaction that holds the consumer. What has happened since then is found at once. */
export async function awaitEvents(ctx: Ctx, runId: string, wait: EventWait): Promise<void> {
  const [match_key, match_value] = keyOf(wait.match);
  const come = await alreadyCome(ctx, wait);
  write(ctx, {
    name: "automation_wait.insert",
    text: `insert into automation_wait (organization_id, run_id, purpose, name, event, match_key, match_value, match, condition, event_id, came_at, date_created)
           select $1, $2, $3, $4, event, $6, $7, $8, $9, $10, $11, $12 from unnest($5::text[]) event
           on conflict (organization_id, run_id, purpose, name, event) do nothing`,
    values: [
      ctx.organization_id,
      runId,
      wait.purpose,
      wait.name,
      [...wait.events],
      match_key,
      match_value,
      JSON.stringify(wait.match),
      wait.condition == null ? null : JSON.stringify(wait.condition),
      come?.id ?? null,
      come?.at ?? null,
      ctx.now,
    ],
  });
  if (come !== null) wake(ctx, runJobs, [runId]);
}

/**
 * What a run waits for in its step and has come, though the consumer of the log has not read so far. Null for nothing. An event of the
 * instant in which the wait began counts too, unless the run caused it or was started by it.
 */
export async function comeUnread(ctx: Ctx, run: { id: string; event_id: string | null }): Promise<{ event_id: string } | null> {
  const rows = await transactionOf(ctx).read({
    name: "automation_wait.of_step",
    text: `select event, match, condition, date_created from automation_wait
           where organization_id = $1 and run_id = $2 and purpose = 'wait' and event_id is null`,
    values: [ctx.organization_id, run.id],
  });
  const [first] = rows;
  if (first === undefined) return null;
  const [match, condition] = first.slice(1, 3).map((text) => (text === null ? null : JSON.parse(text!)));
  const wait = { purpose: "wait", name: "", events: rows.map(([event]) => event!), match, condition } as const;
  const since = new Date(Date.parse(pgTimestamp(first[3]!)) - 1).toISOString();
  const isOwn = (event: Occurrence) => event.id === run.event_id || event.meta.automation_run_id === run.id;
  const come = await alreadyCome(ctx, { ...wait, since }, isOwn);
  return come && { event_id: come.id! };
}

/** The first event since then that is meant. */
async function alreadyCome(
  ctx: Ctx,
  { events, match, condition, since }: EventWait,
  isPassedOver: (event: Occurrence) => boolean = () => false,
): Promise<Occurrence | null> {
  const [key, value] = keyOf(match);
  const column = key === "lead_id" || key === "object_id" ? key : null;
  const rows = await query(ctx, {
    text: `select id from event where organization_id = $1 and event = any($2) and date_created > $3 ${column === null ? "" : `and ${column} = $4`}
           order by date_created, id limit 1000`,
    values: [ctx.organization_id, [...events], since, ...(column === null ? [] : [value])],
  });
  const found = await readOccurrences(
    ctx,
    rows.map(([id]) => id!),
  );
  for (const one of found) if (!isPassedOver(one) && (await isMeant(ctx, ctx, { match, condition }, one))) return one;
  return null;
}

/** What the member in whose name the run acts does not see is nothing that it hears of. */
async function isMeant(
  ctx: Ctx,
  eyes: Ctx,
  { match, condition }: Pick<EventWait, "match" | "condition">,
  event: Occurrence,
): Promise<boolean> {
  if (!matchesAll(match, event) || !(await sees(eyes, event.object_id))) return false;
  try {
    return await holds(condition, askedOf(ctx, factsOfEvent(ctx, event)));
  } catch (error) {
    if (error instanceof StepFailure) return false;
    throw error;
  }
}

/** Those of these events that any run waits for. */
export async function awaitedAmong(ctx: Ctx, events: readonly string[]): Promise<Set<string>> {
  const rows = await transactionOf(ctx).read({
    name: "automation_wait.events",
    text: `select event from unnest($2::text[]) event where exists (
             select from automation_wait w where w.organization_id = $1 and w.event = event.event and w.event_id is null)`,
    values: [ctx.organization_id, [...events]],
  });
  return new Set(rows.map(([event]) => event!));
}

/** Marks the waits that this event ends, and wakes their runs. The first event wins. */
export async function signalWaits(ctx: Ctx, event: Occurrence): Promise<void> {
  const values = keys.flatMap((key) => {
    const value = valueOfEvent(key, event);
    return typeof value === "string" ? [[key, value] as const] : [];
  });
  const rows = await transactionOf(ctx).read({
    name: "automation_wait.candidates",
    text: `select w.run_id, w.purpose, w.name, w.match, w.condition, r.seen_as_user_id from automation_wait w
           join automation_run r on r.organization_id = $1 and r.id = w.run_id
           join unnest($3::text[], $4::text[]) k(key, value) on w.match_key = k.key and w.match_value = k.value
           where w.organization_id = $1 and w.event = $2 and w.event_id is null`,
    values: [ctx.organization_id, event.event, ["", ...values.map(([key]) => key)], ["", ...values.map(([, value]) => value)]],
  });
  const meant: typeof rows = [];
  for (const row of rows) {
    const [match, condition] = row.slice(3, 5).map((text) => (text === null ? null : JSON.parse(text!)));
    const eyes = await withItsEyes(ctx, { settings: { run_as_user_id: row[5]! } });
    if (await isMeant(ctx, eyes, { match, condition }, event)) meant.push(row);
  }
  if (meant.length === 0) return;
  write(ctx, {
    name: "automation_wait.signal",
    text: `update automation_wait w set event_id = $2, came_at = $3 from unnest($4::text[], $5::text[], $6::text[]) n(run_id, purpose, name)
           where w.organization_id = $1 and w.run_id = n.run_id and w.purpose = n.purpose and w.name = n.name and w.event_id is null`,
    values: [
      ctx.organization_id,
      event.id,
      event.at,
      meant.map(([run]) => run),
      meant.map(([, purpose]) => purpose),
      meant.map(([, , name]) => name),
    ],
  });
  wake(ctx, runJobs, [...new Set(meant.map(([run]) => run!))]);
}

export interface Signal {
  purpose: Purpose;
  name: string;
  event_id: string;
}

/** What has come for a run, the first first. */
export async function signalsFor(ctx: Ctx, runId: string): Promise<Signal[]> {
  const rows = await transactionOf(ctx).read({
    name: "automation_wait.come",
    text: `select purpose, name, event_id from automation_wait where organization_id = $1 and run_id = $2 and event_id is not null
           order by came_at, event_id`,
    values: [ctx.organization_id, runId],
  });
  return rows.map(([purpose, name, event_id]) => ({ purpose: purpose as Purpose, name: name!, event_id: event_id! }));
}

/** The step is over, and waits no more. */
export function endWait(ctx: Ctx, runId: string): void {
  write(ctx, {
    name: "automation_wait.end",
    text: "delete from automation_wait where organization_id = $1 and run_id = $2 and purpose = 'wait'",
    values: [ctx.organization_id, runId],
  });
}
