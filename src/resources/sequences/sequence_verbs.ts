// The verbs of sequences: templates must exist, and subscribed contacts continue at the right step.
import { type Ctx, query } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { checkTemplate, TemplateError } from "../../services/liquid.ts";
import { same } from "../../values/same.ts";
import { mailboxOf } from "../accounts/senders.ts";
import { dispositions } from "../activities/call.ts";
import { outcomesOf } from "../activities/outcomes.ts";
import { holidayCalendars } from "../organization/holidays.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { smsTemplate } from "../templates/sms_template.ts";
import { atFirstStep } from "./due.ts";
import { finish } from "./endings.ts";
import { forgetSteps, keepSteps } from "./former_steps.ts";
import { isLive } from "./live_once.ts";
import { checkQuery } from "./matches.ts";
import { closeTask } from "./open_task.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { stepJobs, wakeStep } from "./step_jobs.ts";
import { numbered, type Step, survivorOf, wordingsOf } from "./steps.ts";
import { zoneFor } from "./zone.ts";

type Sequence = Row<typeof sequence>;

export async function createSequence(ctx: Ctx, { apply_edits: _, ...given }: Create<typeof sequence>): Promise<Sequence> {
  // Steps copied from another sequence become new steps of this one.
  const own = (given.steps ?? []).map((step) => ({ ...step, id: null }));
  const steps = numbered(own, [], ctx.now);
  const status = statusWith(steps, given.status);
  await checkTemplates(ctx, steps, []);
  await checkQueries(ctx, { ...given, steps }, null);
  checkOutcomes(ctx, steps, []);
  checkHolidays(ctx, given.schedule, null);
  await checkMailboxes(ctx, given.sender);
  return store.insert(ctx, sequence, { ...given, status, steps });
}

export async function updateSequence(
  ctx: Ctx,
  before: Sequence,
  { apply_edits, ...patch }: Patch<typeof sequence>,
): Promise<Sequence> {
  const steps = numbered(patch.steps ?? before.steps, before.steps, ctx.now);
  const status = statusWith(steps, patch.status, before);
  await checkQueries(ctx, { ...patch, steps }, before);
  checkOutcomes(ctx, steps, before.steps);
  checkHolidays(ctx, patch.schedule, before.schedule);
  if (!same(patch.sender ?? null, before.sender)) await checkMailboxes(ctx, patch.sender);
  if (same(steps, before.steps)) {
    const after = store.update(ctx, sequence, before, { ...patch, status, steps: before.steps });
    await wakeAll(ctx, before, after);
    return after;
  }

  if (steps.length === 0) await refuseWhileUsed(ctx, before);
  await checkTemplates(ctx, steps, before.steps);
  const after = store.update(ctx, sequence, before, { ...patch, status, steps, steps_version: before.steps_version + 1 });
  if (apply_edits === "new_only") keepSteps(ctx, before);
  else await moveOn(ctx, before, after);
  await wakeAll(ctx, before, after);
  return after;
}

/** Nobody is put out of a sequence by a list that was forgotten. */
async function refuseWhileUsed(ctx: Ctx, before: Sequence): Promise<void> {
  const [one] = await findRecords(ctx, ofAnybody, [sql`t.sequence_id = ${before.id}`, isLive], sql`limit 1`);
  if (one !== undefined)
    throw invalid({
      steps: "cannot be empty while contacts are in the sequence: pause it, finish their subscriptions or delete it",
    });
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
  return said ?? (before?.status === "paused" ? "paused" : "draft");
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

/**
 * When a step is deleted, subscriptions at it move to the next remaining step. If there is none, they are finished. Subscriptions
 * that were waiting for a first step start.
 */
async function moveOn(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  const kept = new Set(after.steps.map((step) => step.id));
  const gone = before.steps.filter((step) => !kept.has(step.id)).map((step) => step.id);
  for (const one of await lockSubscriptions(ctx, before, sql`t.current_step_id = any(${gone}) and not t.keeps_steps`)) {
    const next = survivorOf(one.current_step_id!, before.steps, after.steps);
    const values = { current_step_id: next?.id ?? null, steps_version: after.steps_version };
    await closeTask(ctx, one, "abandoned");
    if (next === null && one.finished_at === null) finish(ctx, one, values);
    else wakeStep(ctx, store.update(ctx, sequenceSubscription, one, { ...values, ...(isWaiting(one) && notWaiting(ctx)) }));
  }
  if (before.steps.length > 0) return;
  for (const one of await lockSubscriptions(ctx, before, and([isLive, sql`t.current_step_id is null`]))) {
    const first = atFirstStep(ctx, after, one.start_date, await zoneFor(ctx, after, one));
    wakeStep(ctx, store.update(ctx, sequenceSubscription, one, first));
  }
}

const isWaiting = (way: Row<typeof sequenceSubscription>): boolean =>
  way.waiting_message_id !== null || way.waiting_task_id !== null;

const notWaiting = ({ now }: Ctx) => ({
  waiting_message_id: null,
  waiting_task_id: null,
  next_step_at: now.toISOString(),
});

/** A change of a sequence affects all its subscriptions, including those of leads that the caller cannot see. */
const lockSubscriptions = (ctx: Ctx, of: Sequence, which: Sql): Promise<Row<typeof sequenceSubscription>[]> =>
  lockWhere(ctx, sequenceSubscription, and([sql`t.sequence_id = ${of.id}`, which]));

// --- templates and queries ---

/**
 * Templates must exist and be visible to the caller. Those that the sequence already had may stay. They are locked, so that
 * nobody deletes them at the same time.
 */
async function checkTemplates(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): Promise<void> {
  const errors: FieldErrors = {};
  for (const [field, of] of [
    ["email_template_id", emailTemplate],
    ["sms_template_id", smsTemplate],
  ] as const) {
    const kept = new Set(before.flatMap((step) => namedBy(step, field).map(({ id }) => id)));
    const named = steps.flatMap((step, i) => namedBy(step, field).map(({ id, at }) => ({ id, at: `steps.${i}.${at}` })));
    const fresh = named.filter(({ id }) => !kept.has(id));
    const found = await existing(ctx, of, [...new Set(fresh.map(({ id }) => id))]);
    for (const { id, at } of fresh) if (!found.has(id)) errors[at] = "does not exist";
  }
  refuse(errors);
}

function namedBy(step: Step, field: "email_template_id" | "sms_template_id"): { id: string; at: string }[] {
  const own = step[field];
  const those = own === null ? [] : [{ id: own, at: field }];
  if (field === "sms_template_id") return those;
  const others = (step.variants ?? []).map(({ email_template_id: id }, i) => ({ id, at: `variants.${i}.${field}` }));
  return [...those, ...others.filter((one): one is { id: string; at: string } => one.id !== null)];
}

async function existing(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for key share of t`);
  return new Set(rows.map((row) => row.id as string));
}

/** The queries must be such as the search accepts, and tags such as can be read. */
async function checkQueries(
  ctx: Ctx,
  { trigger_query, goal, steps }: Patch<typeof sequence> & { steps: readonly Step[] },
  before: Sequence | null,
): Promise<void> {
  await checkQuery(ctx, trigger_query, before?.trigger_query ?? null, "trigger_query");
  await checkQuery(ctx, goal, before?.goal ?? null, "goal");
  const kept = new Map(before?.steps.map((step) => [step.id, step]));
  for (const [i, step] of steps.entries()) {
    await checkQuery(ctx, step.condition, kept.get(step.id)?.condition ?? null, `steps.${i}.condition`);
    const assignee = step.assigned_to;
    if (assignee && assignee !== kept.get(step.id)?.assigned_to && !canBeAssigned(ctx.directory, assignee))
      throw invalid({ [`steps.${i}.assigned_to`]: "is not an active member or a group" });
    checkTags(step.text, `steps.${i}.text`);
    for (const { subject, body } of wordingsOf(step)) {
      checkTags(subject, `steps.${i}.subject`);
      checkTags(body, `steps.${i}.body`);
    }
  }
}

function checkTags(source: string | null, place: string): void {
  try {
    if (source !== null) checkTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) throw invalid({ [place]: error.message });
    throw error;
  }
}

/** The outcomes must be of calls. Those that the sequence already had may stay. */
function checkOutcomes(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): void {
  const known = new Set([...dispositions, ...outcomesOf(ctx, "call_outcomes").map(({ id }) => id)]);
  for (const one of before) for (const key of Object.keys(one.outcome_map ?? {})) known.add(key);
  for (const [i, { outcome_map }] of steps.entries())
    for (const key of Object.keys(outcome_map ?? {}))
      if (!known.has(key))
        throw invalid({
          [`steps.${i}.outcome_map.${key}`]: "is neither the id of an outcome in settings.call_outcomes nor a disposition",
        });
}

function checkHolidays(ctx: Ctx, given: Sequence["schedule"] | undefined, before: Sequence["schedule"]): void {
  const id = given?.skip_holidays ?? null;
  if (id === null || id === before?.skip_holidays || holidayCalendars(ctx).some((one) => one.id === id)) return;
  throw invalid({ "schedule.skip_holidays": "is not the id of a calendar in settings.holiday_calendars" });
}

/** Whoever writes the sequence may send from its mailboxes. */
async function checkMailboxes(ctx: Ctx, sender: Sequence["sender"] | undefined): Promise<void> {
  if (!sender) return;
  if (sender.mode !== "owner" && sender.account_ids.length === 0)
    throw invalid({ "sender.account_ids": `are required for ${sender.mode}` });
  for (const [i, id] of sender.account_ids.entries()) await mailboxOf(ctx, ctx.actor.user_id, id, `sender.account_ids.${i}`);
}
