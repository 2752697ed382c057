// What writing a sequence does besides writing the row: its templates must exist, and contacts in the
// middle of it continue at the right step.
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { and, type Sql, sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { find } from "../../search/find.ts";
import { type QueryNode, readQuery } from "../../search/nodes.ts";
import { resourceOf } from "../../search/relations.ts";
import { same } from "../../values/same.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { smsTemplate } from "../templates/sms_template.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { atFirstStep, finish } from "./sequence_subscription_verbs.ts";
import { numbered, type Step, survivorOf } from "./steps.ts";

type Sequence = Row<typeof sequence>;

export async function createSequence(ctx: Ctx, given: Create<typeof sequence>): Promise<Sequence> {
  // Steps that were read of another sequence become steps of this one.
  const own = (given.steps ?? []).map((step) => ({ ...step, id: null }));
  const steps = numbered(own, [], ctx.now);
  const status = statusWith(steps, given.status);
  await checkTemplates(ctx, steps, []);
  await checkTrigger(ctx, given.trigger_query, null);
  return store.insert(ctx, sequence, { ...given, status, steps });
}

export async function updateSequence(ctx: Ctx, before: Sequence, patch: Patch<typeof sequence>): Promise<Sequence> {
  await checkTrigger(ctx, patch.trigger_query, before.trigger_query);
  const steps = numbered(patch.steps ?? before.steps, before.steps, ctx.now);
  const status = statusWith(steps, patch.status, before);
  if (same(steps, before.steps)) return store.update(ctx, sequence, before, { ...patch, status, steps: before.steps });

  await checkTemplates(ctx, steps, before.steps);
  const after = store.update(ctx, sequence, before, { ...patch, status, steps, steps_version: before.steps_version + 1 });
  await moveOn(ctx, before, after);
  return after;
}

/** An active one has steps to take somebody through; one that loses them all is a draft again. */
function statusWith(steps: readonly Step[], said: Sequence["status"] | undefined, before?: Sequence): Sequence["status"] {
  if (steps.length > 0) return said ?? before?.status ?? "active";
  if (said === "active") throw invalid({ status: "cannot be active without steps" });
  return said ?? (before?.status === "paused" ? "paused" : "draft");
}

/** Its steps go with it; who was on their way is told why it ended. */
export async function deleteSequence(ctx: Ctx, before: Sequence): Promise<void> {
  for (const one of await lockSubscriptions(ctx, before, isLiving))
    store.update(ctx, sequenceSubscription, one, {
      status: "error",
      status_reason: "sequence-deleted",
      current_step_id: null,
      next_step_at: null,
      paused_at: null,
      finished_at: ctx.now.toISOString(),
    });
  await store.remove(ctx, sequence, [before]);
}

/**
 * Whoever stands at a step that is gone stands at the next one that is still there; whoever is on their way and finds none has come
 * to the end. Whoever waits for a first step to be there begins.
 */
async function moveOn(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  const kept = new Set(after.steps.map((step) => step.id));
  const gone = before.steps.filter((step) => !kept.has(step.id)).map((step) => step.id);
  for (const one of await lockSubscriptions(ctx, before, sql`t.current_step_id = any(${gone})`)) {
    const next = survivorOf(one.current_step_id!, before.steps, after.steps);
    const values = { current_step_id: next?.id ?? null, steps_version: after.steps_version };
    if (next === null && one.finished_at === null) finish(ctx, one, values);
    else store.update(ctx, sequenceSubscription, one, values);
  }
  if (before.steps.length > 0) return;
  for (const one of await lockSubscriptions(ctx, before, and([isLiving, sql`t.current_step_id is null`])))
    store.update(ctx, sequenceSubscription, one, atFirstStep(after, one.start_date));
}

const isLiving = sql`t.status in ('active', 'paused')`;

/** Whoever may change a sequence changes it for everyone in it, also for contacts of leads they may not see. */
const lockSubscriptions = (ctx: Ctx, of: Sequence, which: Sql): Promise<Row<typeof sequenceSubscription>[]> =>
  lockWhere(ctx, sequenceSubscription, and([sql`t.sequence_id = ${of.id}`, which]));

// --- what it names ---

/** Templates must be there and be seen by the caller; what a sequence had before may stay. They cannot be deleted meanwhile. */
async function checkTemplates(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): Promise<void> {
  const errors: FieldErrors = {};
  for (const [field, of] of [
    ["email_template_id", emailTemplate],
    ["sms_template_id", smsTemplate],
  ] as const) {
    const kept = new Set(before.map((step) => step[field]));
    const ids = [...new Set(steps.map((step) => step[field]))].filter((id) => id !== null && !kept.has(id)) as string[];
    const found = await existing(ctx, of, ids);
    steps.forEach((step, i) => {
      const id = step[field];
      if (id !== null && !kept.has(id) && !found.has(id)) errors[`steps.${i}.${field}`] = "does not exist";
    });
  }
  refuse(errors);
}

async function existing(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for key share of t`);
  return new Set(rows.map((row) => row.id as string));
}

/** A query for leads or contacts, which the search would take. What was taken before may be written back. */
async function checkTrigger(ctx: Ctx, given: object | null | undefined, before: object | null): Promise<void> {
  if (given === null || given === undefined || same(given, before)) return;
  const { query, errors } = readQuery(given, "trigger_query");
  if (errors !== null) throw invalid(errors);
  const of = resourceOf(ctx, objectTypeIn(query) ?? "");
  if (of === undefined || !["lead", "contact"].includes(of.name))
    throw invalid({
      trigger_query: 'must be for leads or contacts: {"type": "object_type", "object_type": "lead"} in its outermost "and"',
    });
  await below("trigger_query", () => find(ctx, of, query));
}

function objectTypeIn(tree: QueryNode): string | null {
  const nodes = tree.type === "and" && !tree.negate ? tree.queries : [tree];
  for (const node of nodes) if (node.type === "object_type" && !node.negate) return node.object_type;
  return null;
}
