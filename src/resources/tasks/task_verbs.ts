// The verbs of tasks.

import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { type Create, type Patch, type Row, type Values } from "../../core/resource.ts";
import { todayOf } from "../../records/clock.ts";
import { changedFields, emit, emitInTurns } from "../../records/event.ts";
import { findAnyRecord, findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { notAmong } from "../../values/reasons.ts";
import { logTasksCompleted, redateTasksCompleted, removeTasksCompleted } from "../activities/system_activities.ts";
import { carryComments } from "../comments/follow_records.ts";
import { contact } from "../contacts/contact.ts";
import { nameOfCaller, notify, notifyAll, shortened, type Told } from "../notifications/notify.ts";
import { stepMoved } from "../sequences/step_jobs.ts";
import { dateOfState, refuseEndBeforeCreated } from "../shared/history.ts";
import { checkApprovals, refuseOpenApproval } from "./approvals.ts";
import { canBeAssigned } from "./assignee.ts";
import { ownTypes, task } from "./task.ts";

export type Task = Row<typeof task>;

export async function createTask(ctx: Ctx, { due_date, ...given }: Create<typeof task>): Promise<Task> {
  if (given._type !== undefined && !(ownTypes as readonly string[]).includes(given._type))
    throw invalid({ _type: `is made by the service: a new one ${notAmong(given._type, ownTypes)}` });
  if (due_date !== undefined && given.date !== undefined && due_date !== given.date)
    throw invalid({ due_date: "differs from date" });
  const assigned_to = given.assigned_to ?? userOf(ctx);
  if (assigned_to === null) throw invalid({ assigned_to: "is required where nobody asks" });
  checkAssignee(ctx, assigned_to);
  refuseEndBeforeCreated(given);
  if (given.contact_id) await checkContact(ctx, given.contact_id, given.lead_id!);
  const about = await objectOf(ctx, given);

  const date = given.date === undefined ? (due_date === undefined ? todayOf(ctx.directory, ctx) : due_date) : given.date;
  const row = store.insert(ctx, task, {
    ...given,
    ...about,
    text: given.text ?? "",
    date,
    assigned_to,
    ...completion(ctx, given, null),
  });
  if (row.is_complete) {
    emit(ctx, task, { action: "completed", after: row });
    await logTasksCompleted(ctx, [row]);
  } else notify(ctx, ...toAssignee(ctx, row));
  return row;
}

export async function updateTask(ctx: Ctx, before: Task, { due_date, ...given }: Patch<typeof task>): Promise<Task> {
  const values = { ...given, ...changedDate(before, given.date, due_date) };
  await checkApprovals(ctx, [before], values);
  const contact_id = values.contact_id === undefined ? before.contact_id : values.contact_id;
  const lead_id = values.lead_id ?? before.lead_id;
  if (values.assigned_to !== undefined && values.assigned_to !== before.assigned_to) checkAssignee(ctx, values.assigned_to);
  if (contact_id !== null && (contact_id !== before.contact_id || lead_id !== before.lead_id))
    await checkContact(ctx, contact_id, lead_id);

  if (lead_id !== before.lead_id) await carryComments(ctx, [before.id], lead_id);
  return (await changeTasks(ctx, [before], values))[0]!;
}

/** The step of a sequence that waited for it goes on. */
export async function deleteTask(ctx: Ctx, before: Task): Promise<void> {
  refuseOpenApproval(before);
  await store.remove(ctx, task, [before]);
  stepMoved(ctx, [before]);
}

/**
 * Writes a checked change to any number of tasks, with what follows from it: completing a task adds an activity, reopening it
 * removes that activity.
 */
export async function changeTasks(ctx: Ctx, befores: readonly Task[], values: Values<typeof task>): Promise<Task[]> {
  const rows = befores.map((before) => ({ before, values: { ...values, ...completion(ctx, values, before) } }));
  const afters = await store.updateAll(ctx, task, rows);
  const changes = afters.map((after, i) => ({ before: befores[i]!, after }));
  const which = (is: (before: Task, after: Task) => boolean) => changes.filter(({ before, after }) => is(before, after));

  const done = which((before, after) => after.is_complete && !before.is_complete);
  await emitInTurns(
    ctx,
    task,
    done.map((one) => ({ action: "completed", ...one, changed: changedFields(task, one.before, one.after) })),
  );
  await logTasksCompleted(ctx, rowsOf(done));
  stepMoved(ctx, rowsOf(done));
  await removeTasksCompleted(ctx, rowsOf(which((before, after) => before.is_complete && !after.is_complete)));
  const redated = which(
    (before, after) => before.is_complete && after.is_complete && after.date_completed !== before.date_completed,
  );
  await redateTasksCompleted(ctx, rowsOf(redated));
  const given = which((before, after) => after.assigned_to !== before.assigned_to && !after.is_complete);
  await notifyAll(ctx, [...rowsOf(given).map((row) => toAssignee(ctx, row)), ...rowsOf(done).map((row) => toCreator(ctx, row))]);
  return afters;
}

const rowsOf = (changes: readonly { after: Task }[]): Task[] => changes.map(({ after }) => after);

const toAssignee = (ctx: Ctx, row: Task): Told => [
  [row.assigned_to],
  { ...notice(row), type: "task_assigned", title: `${nameOfCaller(ctx)} assigned you a task` },
];

const toCreator = (ctx: Ctx, row: Task): Told => [
  [row.created_by],
  { ...notice(row), type: "task_completed", title: `${nameOfCaller(ctx)} completed your task` },
];

export const notice = (row: Task) => ({
  body: row.text === null ? null : shortened(row.text, 200),
  object_type: `task.${row._type}`,
  object_id: row.id,
  lead_id: row.lead_id,
});

export function checkAssignee(ctx: Ctx, id: string): void {
  if (!canBeAssigned(ctx.directory, id)) throw invalid({ assigned_to: "is not an active member or a group" });
}

/** A task that is created as completed was completed when it was created, unless the body has a date. */
function completion(ctx: Ctx, given: Values<typeof task>, before: Task | null): Values<typeof task> {
  const was = before?.is_complete ?? false;
  const is = given.is_complete ?? was;
  const state = { was, is, called: "is_complete", before: before?.date_completed };
  return {
    ...dateOfState("date_completed", given.date_completed, state, given.date_created ?? ctx.now.toISOString()),
    ...(is === was ? {} : { completed_by: is ? userOf(ctx) : null }),
  };
}

async function checkContact(ctx: Ctx, contactId: string, leadId: string): Promise<void> {
  const found = await findRecord(ctx, contact, contactId);
  if (found === null) throw invalid({ contact_id: "does not exist" });
  if (found.lead_id !== leadId) throw invalid({ contact_id: "is a contact of another lead" });
}

// A client that writes a record back sends both names of the date. The one that differs from the stored value counts.
function changedDate(
  before: Task,
  date: string | null | undefined,
  due_date: string | null | undefined,
): { date?: string | null } {
  const meant = [date, due_date].filter((day) => day !== undefined && day !== before.date);
  if (meant.length === 2 && meant[0] !== meant[1]) throw invalid({ due_date: "differs from date" });
  return meant.length === 0 ? {} : { date: meant[0]! };
}

/** The record that the task is about: it must be visible to the caller, and its type is named as in events. */
async function objectOf(
  ctx: Ctx,
  { object_type = null, object_id = null }: { object_type?: string | null; object_id?: string | null },
): Promise<{ object_type: string | null; object_id: string | null }> {
  if (object_id === null && object_type !== null) throw invalid({ object_id: "is required with object_type" });
  if (object_id === null) return { object_type, object_id };

  const found = await findAnyRecord(ctx, object_id);
  if (found === null) throw invalid({ object_id: "does not exist" });
  const type = found.kind.event?.(found.row) ?? found.kind.name;
  if (object_type !== null && object_type !== type) throw invalid({ object_type: `must be ${type} for this object_id` });
  return { object_type: type, object_id };
}
