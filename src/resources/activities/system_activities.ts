// The activities that the service writes into a lead's history by itself. Other areas call these functions when something
// happens. Each is a write in the same transaction with its event, and needs no query, unless its comment says otherwise.
import { type Ctx, userOf } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { created } from "./created.ts";
import { leadMerge } from "./lead_merge.ts";
import { leadStatusChange, opportunityStatusChange } from "./status_change.ts";
import { taskCompleted } from "./task_completed.ts";

/** The parts of a lead that an activity needs. */
interface Lead {
  id: string;
  display_name: string;
  status_id: string;
  source: string;
  date_created: string;
}

/** The parts of a deal that an activity needs. */
interface Deal {
  id: string;
  lead_id: string;
  contact_id: string | null;
  status_id: string;
  value: number | null;
  value_currency: string;
  value_period: string;
  confidence: number | null;
  date_won: string | null;
}

/** The parts of a task that an activity needs. */
interface Task {
  id: string;
  lead_id: string;
  contact_id: string | null;
  text: string | null;
  assigned_to: string;
  date_completed: string | null;
}

/** Leads were created. There is no event for the activity, because `lead.created` says the same. */
export async function logCreated(ctx: Ctx, leads: readonly Lead[]): Promise<void> {
  const values = leads.map((lead) => ({
    lead_id: lead.id,
    source: lead.source,
    import_id: (ctx.meta.import_id as string | undefined) ?? null,
    user_id: userOf(ctx),
    // A lead may be created with a date in the past. Its history starts there.
    activity_at: lead.date_created,
    date_created: lead.date_created,
  }));
  await store.insertAll(ctx, created, values);
}

/** A lead's `status_id` changed. */
export function logLeadStatusChange(ctx: Ctx, before: Lead, after: Lead): Row<typeof leadStatusChange> {
  return store.insert(ctx, leadStatusChange, {
    lead_id: after.id,
    old_status_id: before.status_id,
    old_status_label: wordOf(ctx, "lead_status", before.status_id, "label"),
    new_status_id: after.status_id,
    new_status_label: wordOf(ctx, "lead_status", after.status_id, "label"),
    ...now(ctx),
  });
}

/** A deal's `status_id` changed. */
export function logOpportunityStatusChange(ctx: Ctx, before: Deal, after: Deal): Row<typeof opportunityStatusChange> {
  const old_pipeline_id = wordOf(ctx, "opportunity_status", before.status_id, "pipeline_id");
  const new_pipeline_id = wordOf(ctx, "opportunity_status", after.status_id, "pipeline_id");
  return store.insert(ctx, opportunityStatusChange, {
    lead_id: after.lead_id,
    contact_id: after.contact_id,
    opportunity_id: after.id,
    old_status_id: before.status_id,
    old_status_label: wordOf(ctx, "opportunity_status", before.status_id, "label"),
    old_status_type: wordOf(ctx, "opportunity_status", before.status_id, "type"),
    old_pipeline_id,
    old_pipeline_name: wordOf(ctx, "pipeline", old_pipeline_id, "name"),
    new_status_id: after.status_id,
    new_status_label: wordOf(ctx, "opportunity_status", after.status_id, "label"),
    new_status_type: wordOf(ctx, "opportunity_status", after.status_id, "type"),
    new_pipeline_id,
    new_pipeline_name: wordOf(ctx, "pipeline", new_pipeline_id, "name"),
    opportunity_value: after.value,
    opportunity_value_currency: after.value_currency,
    opportunity_value_period: after.value_period,
    opportunity_confidence: after.confidence,
    opportunity_date_won: after.date_won,
    ...now(ctx),
  });
}

/** Deletes the history of a deal's statuses with the deal. Call it before the deal is deleted. It reads what it deletes. */
export async function removeStatusChangesOf(ctx: Ctx, opportunityId: string): Promise<void> {
  const found = await findRecords(ctx, opportunityStatusChange, [sql`t.opportunity_id = ${opportunityId}`]);
  await store.remove(ctx, opportunityStatusChange, found);
}

/** Tasks were completed. */
export async function logTasksCompleted(ctx: Ctx, tasks: readonly Task[]): Promise<void> {
  await store.insertAll(
    ctx,
    taskCompleted,
    tasks.map((task) => ({
      lead_id: task.lead_id,
      contact_id: task.contact_id,
      task_id: task.id,
      task_text: task.text,
      task_assigned_to: task.assigned_to,
      user_id: userOf(ctx),
      ...doneAt(task),
    })),
  );
}

/** The completion dates of tasks were changed, so those of their activities follow. It reads them first. */
export async function redateTasksCompleted(ctx: Ctx, tasks: readonly Task[]): Promise<void> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const found = await tracesOf(ctx, [...byId.keys()]);
  await store.updateAll(
    ctx,
    taskCompleted,
    found.map((before) => ({ before, values: doneAt(byId.get(before.task_id!)!) })),
  );
}

/** The activities of completed tasks, including those at leads that the assignee cannot see. */
async function tracesOf(ctx: Ctx, taskIds: readonly string[]): Promise<Row<typeof taskCompleted>[]> {
  if (taskIds.length === 0) return [];
  return (await lockPointing(ctx, { from: taskCompleted, field: "task_id" }, taskIds)) as Row<typeof taskCompleted>[];
}

/** Like a lead's, the history of a task may be imported with dates in the past. */
const doneAt = ({ date_completed }: Task) => ({ activity_at: date_completed!, date_created: date_completed! });

/** Tasks were opened again, so their activities are deleted. It reads them first. */
export async function removeTasksCompleted(ctx: Ctx, tasks: readonly Task[]): Promise<void> {
  await store.remove(
    ctx,
    taskCompleted,
    await tracesOf(
      ctx,
      tasks.map(({ id }) => id),
    ),
  );
}

/** `source` was merged into `destination`. */
export function logLeadMerge(ctx: Ctx, source: Lead, destination: Lead): Row<typeof leadMerge> {
  return store.insert(ctx, leadMerge, {
    lead_id: destination.id,
    source_lead_id: source.id,
    source_lead_name: source.display_name,
    destination_lead_id: destination.id,
    status: "completed",
    ...now(ctx),
  });
}

const now = (ctx: Ctx) => ({ user_id: userOf(ctx), activity_at: ctx.now.toISOString() });

/** The label of a small record as it is today. */
const wordOf = (ctx: Ctx, resource: string, id: string | null, field: string): string | null =>
  id === null ? null : ((ctx.directory.find(resource, id)?.[field] as string | undefined) ?? null);
