// What writing a sequence does besides writing the row: its templates must be there, and who is on their way through it goes on
// sensibly.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { same } from "../../core/row.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { below, compileQuery } from "../../search/compile.ts";
import { type QueryNode, readQuery } from "../../search/nodes.ts";
import { resourceOf } from "../../search/relations.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { smsTemplate } from "../templates/sms_template.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { finish } from "./sequence_subscription_verbs.ts";
import { numbered, type Step, survivorOf } from "./steps.ts";

type Sequence = Row<typeof sequence>;

export async function createSequence(ctx: Ctx, given: Create<typeof sequence>): Promise<Sequence> {
  const steps = numbered(given.steps ?? [], [], ctx.now);
  await checkTemplates(ctx, steps, []);
  await checkTrigger(ctx, given.trigger_query);
  return store.insert(ctx, sequence, { status: steps.length > 0 ? "active" : "draft", ...given, steps });
}

export async function updateSequence(ctx: Ctx, before: Sequence, patch: Patch<typeof sequence>): Promise<Sequence> {
  await checkTrigger(ctx, patch.trigger_query);
  const steps = numbered(patch.steps ?? before.steps, before.steps, ctx.now);
  if (same(steps, before.steps)) return store.update(ctx, sequence, before, { ...patch, steps: before.steps });

  await checkTemplates(ctx, steps, before.steps);
  const after = store.update(ctx, sequence, before, { ...patch, steps, steps_version: before.steps_version + 1 });
  await moveOn(ctx, before, after);
  return after;
}

/** Its steps go with it; who was on their way is told why it ended. */
export async function deleteSequence(ctx: Ctx, before: Sequence): Promise<void> {
  const living = await findLocked(ctx, before.id);
  for (const one of living)
    store.update(ctx, sequenceSubscription, one, {
      status: "error",
      status_reason: "sequence-deleted",
      current_step_id: null,
      next_step_at: null,
      finished_at: ctx.now.toISOString(),
    });
  await store.remove(ctx, sequence, [before]);
}

/** Whoever stands at a step that is gone stands at the next one that is still there, or has come to the end. */
async function moveOn(ctx: Ctx, before: Sequence, after: Sequence): Promise<void> {
  const kept = new Set(after.steps.map((step) => step.id));
  const gone = before.steps.filter((step) => !kept.has(step.id)).map((step) => step.id);
  if (gone.length === 0) return;
  for (const one of await findLocked(ctx, before.id, gone)) {
    const next = survivorOf(one.current_step_id!, before.steps, after.steps);
    const values = { current_step_id: next?.id ?? null, steps_version: after.steps_version };
    if (next !== null) store.update(ctx, sequenceSubscription, one, values);
    else finish(ctx, one, values);
  }
}

function findLocked(ctx: Ctx, sequenceId: string, stepIds?: readonly string[]): Promise<Row<typeof sequenceSubscription>[]> {
  const conditions = [
    sql`t.sequence_id = ${sequenceId}`,
    sql`t.status in ('active', 'paused')`,
    ...(stepIds === undefined ? [] : [sql`t.current_step_id = any(${stepIds})`]),
  ];
  return findAll(ctx, conditions);
}

// Whoever may change a sequence changes it for everyone in it, also for contacts of leads they may not see.
async function findAll(ctx: Ctx, conditions: ReturnType<typeof sql>[]): Promise<Row<typeof sequenceSubscription>[]> {
  const { visible: _, ...all } = sequenceSubscription;
  return findRecords(ctx, all as typeof sequenceSubscription, conditions, sql`order by t.id for update of t`);
}

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
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

async function existing(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for key share of t`);
  return new Set(rows.map((row) => row.id as string));
}

/** A query for leads or contacts, which the search would take. */
async function checkTrigger(ctx: Ctx, given: object | null | undefined): Promise<void> {
  if (given === null || given === undefined) return;
  const { query, errors } = readQuery(given, "trigger_query");
  if (errors !== null) throw invalid(errors);
  const of = resourceOf(ctx, objectTypeIn(query) ?? "");
  if (of === undefined || !["lead", "contact"].includes(of.name))
    throw invalid({
      trigger_query: 'must be for leads or contacts: {"type": "object_type", "object_type": "lead"} in its outermost "and"',
    });
  await below("trigger_query", () => compileQuery(ctx, of, "t", query));
}

function objectTypeIn(tree: QueryNode): string | null {
  const nodes = tree.type === "and" && !tree.negate ? tree.queries : [tree];
  for (const node of nodes) if (node.type === "object_type" && !node.negate) return node.object_type;
  return null;
}
