// What the service notes by itself in a lead's history. Other areas call these when the thing happens: each is a write in the
// same transaction, with its event, and waits for nothing unless it says so.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { created } from "./created.ts";
import { leadMerge } from "./lead_merge.ts";
import { leadStatusChange, opportunityStatusChange } from "./status_change.ts";
import { taskCompleted } from "./task_completed.ts";

/** As much of a lead as is noted. */
interface Lead {
  id: string;
  display_name: string;
  status_id: string;
  source: string;
  date_created: string;
}

/** As much of a deal as is noted. */
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

/** As much of a task as is noted. */
interface Task {
  id: string;
  lead_id: string;
  contact_id: string | null;
  text: string | null;
  assigned_to: string;
  date_completed: string | null;
}

/** A lead was created. */
export function logCreated(ctx: Ctx, lead: Lead): Row<typeof created> {
  const import_id = (ctx.meta.import_id as string | undefined) ?? null;
  return store.insert(ctx, created, {
    lead_id: lead.id,
    source: lead.source,
    import_id,
    user_id: ctx.actor.user_id,
    // A lead may be entered with a date in the past; its history begins there.
    activity_at: lead.date_created,
    date_created: lead.date_created,
  });
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

/** The history of a deal's statuses goes with the deal. Call it before the deal is removed. Waits for what it finds. */
export async function removeStatusChangesOf(ctx: Ctx, opportunityId: string): Promise<void> {
  const found = await findRecords(ctx, opportunityStatusChange, [sql`t.opportunity_id = ${opportunityId}`]);
  await store.remove(ctx, opportunityStatusChange, found);
}

/** A task was done. */
export function logTaskCompleted(ctx: Ctx, task: Task): Row<typeof taskCompleted> {
  return store.insert(ctx, taskCompleted, {
    lead_id: task.lead_id,
    contact_id: task.contact_id,
    task_id: task.id,
    task_text: task.text,
    task_assigned_to: task.assigned_to,
    user_id: ctx.actor.user_id,
    ...doneAt(task),
  });
}

/** It turned out when a task was done. Waits for what it finds. */
export async function redateTaskCompleted(ctx: Ctx, task: Task): Promise<void> {
  const found = await lockPointing(ctx, { from: taskCompleted, field: "task_id" }, [task.id]);
  for (const row of found) store.update(ctx, taskCompleted, row as Row<typeof taskCompleted>, doneAt(task));
}

/** Like a lead's, the history of a task may be brought in. */
const doneAt = ({ date_completed }: Task) => ({ activity_at: date_completed!, date_created: date_completed! });

/** A task turned out not to be done. Waits for what it finds, also at a lead that whoever was to do it does not see. */
export async function removeTaskCompleted(ctx: Ctx, taskId: string): Promise<void> {
  const found = await lockPointing(ctx, { from: taskCompleted, field: "task_id" }, [taskId]);
  await store.remove(ctx, taskCompleted, found as Row<typeof taskCompleted>[]);
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

const now = (ctx: Ctx) => ({ user_id: ctx.actor.user_id, activity_at: ctx.now.toISOString() });

/** A word of a small record as it is today. */
const wordOf = (ctx: Ctx, resource: string, id: string | null, field: string): string | null =>
  id === null ? null : ((ctx.directory.find(resource, id)?.[field] as string | undefined) ?? null);
