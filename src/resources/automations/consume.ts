// Reads the log for automations: starts runs for the events that automations listen to, and wakes runs that wait for one.
import { type Ctx, write } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import type { Consumer, LogEntry } from "../../jobs/consumer.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { automationEvent, type Evaluation } from "./automation_event.ts";
import { countStarted } from "./count_started.ts";
import { endRunsOfGone } from "./end_gone.ts";
import { evaluate, looksAt } from "./evaluate.ts";
import { listenersOf } from "./listeners.ts";
import { livingIds } from "./living_ids.ts";
import { automationNews, runJobs } from "./names.ts";
import { type Occurrence, readOccurrences } from "./occurrence.ts";
import { wakeWatching } from "./wait_condition.ts";
import { awaitedAmong, signalWaits } from "./waits.ts";

export const automationConsumer: Consumer = {
  ...automationNews,
  doc: "Starts automations, wakes their runs that wait for an event, and ends those whose record is deleted.",
  async consume(ctx, events) {
    const listeners = await listenersOf(ctx);
    const names = [...new Set(events.map(({ event }) => event))];
    const [awaited] = await Promise.all([awaitedAmong(ctx, names), wakeWatching(ctx, events)]);
    const heard = events.filter(({ event }) => listeners.has(event) || awaited.has(event));
    const failed = events.filter(({ event }) => event === "automation_run.failed");
    if (failed.length > 0) countFailed(ctx, failed);
    await endRunsOfGone(ctx, events);

    // Few at a time, because an event holds a whole record.
    for (let i = 0; i < heard.length; i += 100) {
      const found = await readOccurrences(
        ctx,
        heard.slice(i, i + 100).map(({ id }) => id),
      );
      for (const one of found) {
        if (awaited.has(one.event)) await signalWaits(ctx, one);
        const evaluations: Evaluation[] = [];
        for (const listener of listeners.get(one.event) ?? [])
          if (looksAt(listener, one)) evaluations.push(...(await evaluate(ctx, listener, one)));
        if (evaluations.length > 0) await recordEvaluations(ctx, one, evaluations);
      }
    }
  },
};

/** What the automations made of it. Runs that started begin in this transaction too. */
export async function recordEvaluations(
  ctx: Ctx,
  one: Occurrence,
  evaluations: Evaluation[],
  from: Values<typeof automationEvent> = {},
): Promise<void> {
  wake(
    ctx,
    runJobs,
    evaluations.flatMap(({ run_id }) => run_id ?? []),
  );
  const started = evaluations.filter(({ run_id }) => run_id !== null).map(({ automation_id }) => automation_id);
  if (started.length > 0) countStarted(ctx, started);
  await keepEvaluations(ctx, one, evaluations, from);
}

/** The event alone. Who starts several at once wakes and counts them together. */
export async function keepEvaluations(
  ctx: Ctx,
  one: Occurrence,
  evaluations: Evaluation[],
  from: Values<typeof automationEvent>,
): Promise<void> {
  const { lead_id } = await livingIds(ctx, one);
  const event = {
    id: one.id!,
    type: one.event,
    source: "event",
    object_type: one.object_type,
    object_id: one.object_id,
    lead_id,
    payload: one.record,
    matched_automation_ids: evaluations.map(({ automation_id }) => automation_id),
    run_ids: evaluations.flatMap(({ run_id }) => run_id ?? []),
    evaluations,
    ...from,
  };
  store.insertOr(ctx, automationEvent, [event], "on conflict do nothing");
}

/** Counted here and not by the runs, which would wait for each other. */
function countFailed(ctx: Ctx, events: readonly LogEntry[]): void {
  write(ctx, {
    name: "automation.failed",
    text: `update automation a set runs_failed = runs_failed + n.count from (
             select automation_id, count(*) from automation_run where organization_id = $1 and id = any($2) and not is_test group by automation_id) n
           where a.organization_id = $1 and a.id = n.automation_id`,
    values: [ctx.organization_id, events.map(({ object_id }) => object_id)],
  });
}
