// The verbs of sequences: subscribed contacts continue at the right step.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { atFirstStep } from "./due.ts";
import { forgetSteps, keepSteps } from "./former_steps.ts";
import { checkLetsIn, checkSpeaks } from "./lets_in.ts";
import { isLive } from "./live_once.ts";
import { noteMatching } from "./matched_before.ts";
import { sequence } from "./sequence.ts";
import { checkHolidays, checkMailboxes, checkOutcomes, checkQueries, checkTemplates, withFound } from "./sequence_checks.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { stepJobs, wakeStep } from "./step_jobs.ts";
import { numbered, type Step } from "./steps.ts";
import { toAnotherStep } from "./to_another_step.ts";
import { zoneFor } from "./zone.ts";

type Sequence = Row<typeof sequence>;

export async function createSequence(ctx: Ctx, { apply_edits: _, ...given }: Create<typeof sequence>): Promise<Sequence> {
  // Steps copied from another sequence become new steps of this one.
  const own = (given.steps ?? []).map((step) => ({ ...step, id: null }));
  const steps = await withFound(ctx, numbered(own, [], ctx.now), []);
  const status = statusWith(steps, given.status);
  await checkTemplates(ctx, steps, []);
  await checkQueries(ctx, { ...given, steps }, null);
  checkOutcomes(ctx, steps, []);
  checkHolidays(ctx, given.schedule, null);
  await checkMailboxes(ctx, given.sender);
  const made = store.insert(ctx, sequence, { ...given, status, steps });
  if (made.trigger_query !== null) await noteMatching(ctx, made);
  return made;
}

export async function updateSequence(
  ctx: Ctx,
  before: Sequence,
  { apply_edits, ...patch }: Patch<typeof sequence>,
): Promise<Sequence> {
  const steps = await withFound(ctx, numbered(patch.steps ?? before.steps, before.steps, ctx.now), before.steps);
  const status = statusWith(steps, patch.status, before);
  checkLetsIn(ctx, before, patch, status);
  if (status === "archived" && before.status !== "archived") await refuseWhileUsed(ctx, before, "status");
  await checkQueries(ctx, { ...patch, steps }, before);
  checkOutcomes(ctx, steps, before.steps);
  checkHolidays(ctx, patch.schedule, before.schedule);
  if (!same(patch.sender ?? null, before.sender)) await checkMailboxes(ctx, patch.sender);
  if (same(steps, before.steps)) {
    const after = store.update(ctx, sequence, before, { ...patch, status, steps: before.steps });
    await goesOn(ctx, before, after);
    return after;
  }

  await checkSpeaks(ctx, before);
  if (steps.length === 0) await refuseWhileUsed(ctx, before, "steps");
  await checkTemplates(ctx, steps, before.steps);
  const after = store.update(ctx, sequence, before, { ...patch, status, steps, steps_version: before.steps_version + 1 });
  if (apply_edits === "new_only") keepSteps(ctx, before);
  else await moveOn(ctx, before, after);
  await goesOn(ctx, before, after);
  return after;
}

async function goesOn(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  const isNew = (before.status === "draft" || before.status === "archived") && after.status === "active";
  if (isNew || !same(before.trigger_query, after.trigger_query)) await noteMatching(ctx, after);
  await wakeAll(ctx, before, after);
}

const notWhileUsed = {
  steps: "cannot be empty while contacts are in the sequence: pause it, finish their subscriptions or delete it",
  status: "cannot be archived while contacts are in the sequence: pause it, or finish their subscriptions first",
};

/** Nobody is put out of a sequence by a list that was forgotten, or stays for ever in one that is over. */
async function refuseWhileUsed(ctx: Ctx, before: Sequence, field: keyof typeof notWhileUsed): Promise<void> {
  const [one] = await findRecords(ctx, ofAnybody, [sql`t.sequence_id = ${before.id}`, isLive], sql`limit 1`);
  if (one !== undefined) throw invalid({ [field]: notWhileUsed[field] });
}

const ofAnybody: typeof sequenceSubscription = { ...sequenceSubscription, visible: undefined };

/** It goes on: its subscriptions look at their steps again. */
async function wakeAll(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  if (after.status !== "active" || before.status === "active") return;
  const rows = await query(
    ctx,
    statement(
      sql`select t.id from sequence_subscription t where t.organization_id = ${ctx.organization_id}
        and t.sequence_id = ${after.id} and t.status = 'active'`,
    ),
  );
  const ids = rows.map(([id]) => id!);
  wake(ctx, stepJobs, ids);
}

/** An active sequence has steps. One that loses all of them becomes a draft again. */
function statusWith(steps: readonly Step[], said: Sequence["status"] | undefined, before?: Sequence): Sequence["status"] {
  if (steps.length > 0) return said ?? before?.status ?? "active";
  if (said === "active") throw invalid({ status: "cannot be active without steps" });
  return said ?? (before === undefined || before.status === "active" ? "draft" : before.status);
}

/** Its steps are deleted with it. Its subscriptions end, with the reason. */
export async function deleteSequence(ctx: Ctx, before: Sequence): Promise<void> {
  for (const one of await lockSubscriptions(ctx, before, isLive))
    store.update(ctx, sequenceSubscription, one, {
      status: "error",
      status_reason: "sequence-deleted",
      current_step_id: null,
      next_step_at: null,
      waiting_task_id: null,
      paused_at: null,
      resume_at: null,
      finished_at: ctx.now.toISOString(),
    });
  forgetSteps(ctx, before);
  await store.remove(ctx, sequence, [before]);
}

/** Subscriptions whose step is deleted move on. Those that were waiting for a first step start. */
async function moveOn(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  const kept = new Set(after.steps.map((step) => step.id));
  const gone = before.steps.filter((step) => !kept.has(step.id)).map((step) => step.id);
  for (const one of await lockSubscriptions(ctx, before, sql`t.current_step_id = any(${gone}) and not t.keeps_steps`))
    await toAnotherStep(ctx, one, before, after);
  if (before.steps.length > 0) return;
  for (const one of await lockSubscriptions(ctx, before, and([isLive, sql`t.current_step_id is null`]))) {
    const first = atFirstStep(ctx, after, one.start_date, await zoneFor(ctx, after, one));
    wakeStep(ctx, store.update(ctx, sequenceSubscription, one, first));
  }
}

/** A change of a sequence affects all its subscriptions, including those of leads that the caller cannot see. */
const lockSubscriptions = (ctx: Ctx, of: Sequence, which: Sql): Promise<Row<typeof sequenceSubscription>[]> =>
  lockWhere(ctx, sequenceSubscription, and([sql`t.sequence_id = ${of.id}`, which]));
