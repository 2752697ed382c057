// The verbs of project tasks. The project is locked first, so that its tasks are counted, sorted and checked for circles by one
// request at a time.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { isActiveMember } from "../organization/organization.ts";
import { dateOfState, refuseEndBeforeCreated } from "../shared/history.ts";
import { ownNames } from "../shared/other_names.ts";
import { behind, pushedBack } from "../shared/positions.ts";
import { checkName } from "./named.ts";
import { project } from "./project.ts";
import { projectTask } from "./project_task.ts";
import { tasksOf } from "./project_tasks.ts";

type Task = Row<typeof projectTask>;
type Project = Row<typeof project>;

const others = { title: "name", text: "name", date: "due_date" } as const;
const tasksMax = 2000;

export async function createProjectTask(ctx: Ctx, body: Create<typeof projectTask>): Promise<Task> {
  const given = ownNames(projectTask, body, others);
  checkName(given, true);
  checkAssignee(ctx, given.assigned_to, null);
  refuseEndBeforeCreated(given);
  const { of, tasks } = await lockedProject(ctx, given.project_id!);
  if (tasks.length >= tasksMax) throw invalid({ project_id: `has ${tasksMax} tasks already` });
  checkTree(tasks, given, null);
  const position = placed(ctx, tasks, given.position);

  const row = store.insert(ctx, projectTask, {
    ...given,
    ...state(ctx, given, null),
    depends_on: [...new Set(given.depends_on)],
    lead_id: of.lead_id,
    position,
  });
  if (row.is_complete) emit(ctx, projectTask, { action: "completed", after: row });
  count(ctx, of, [...tasks, row]);
  tellAssigned(ctx, row);
  return row;
}

export async function updateProjectTask(ctx: Ctx, stored: Task, body: Patch<typeof projectTask>): Promise<Task> {
  const given = ownNames(projectTask, body, others, stored);
  checkName(given, false);
  const { of, tasks } = await lockedProject(ctx, stored.project_id);
  const before = tasks.find((task) => task.id === stored.id)!;
  const rest = tasks.filter((task) => task.id !== before.id);
  checkAssignee(ctx, given.assigned_to, before.assigned_to);
  checkTree(tasks, given, before);
  if (given.position !== undefined && given.position !== before.position) placed(ctx, rest, given.position);

  const depends_on = given.depends_on && [...new Set(given.depends_on)];
  const after = store.update(ctx, projectTask, before, {
    ...given,
    ...(depends_on && { depends_on }),
    ...state(ctx, given, before),
  });
  if (after.is_complete && !before.is_complete) tellCompleted(ctx, before, after);
  if (after.is_complete !== before.is_complete) count(ctx, of, [...rest, after]);
  if (after.assigned_to !== before.assigned_to) tellAssigned(ctx, after);
  return after;
}

/** Deletes its subtasks too, and removes it from the tasks that wait for it. */
export async function deleteProjectTask(ctx: Ctx, before: Task): Promise<void> {
  const { of, tasks } = await lockedProject(ctx, before.project_id);
  const gone = new Set(below(tasks, before.id));
  const left = tasks.filter((task) => !gone.has(task.id));
  for (const task of left) {
    const depends_on = task.depends_on.filter((id) => !gone.has(id));
    if (depends_on.length < task.depends_on.length) store.update(ctx, projectTask, task, { depends_on });
  }

  await store.remove(ctx, projectTask, [before]);
  count(ctx, of, left);
}

/** The project, whether or not the caller sees it, because assignees see their task. */
async function lockedProject(ctx: Ctx, id: string): Promise<{ of: Project; tasks: Task[] }> {
  const [of] = await lockPointing(ctx, { from: project, field: "id" }, [id]);
  if (of === undefined) throw invalid({ project_id: "does not exist" });
  return { of: of as Project, tasks: await tasksOf(ctx, id) };
}

/** Counts are no change of the project itself, so they have no event. */
function count(ctx: Ctx, of: Project, tasks: readonly Task[]): void {
  const done = tasks.filter((task) => task.is_complete).length;
  const progress = tasks.length === 0 ? 0 : Math.round((done / tasks.length) * 10_000) / 10_000;
  store.update(ctx, project, of, { task_count: tasks.length, completed_task_count: done, progress }, undefined, null);
}

function placed(ctx: Ctx, tasks: readonly Task[], wanted: number | undefined): number {
  if (wanted === undefined) return behind(tasks);
  for (const [task, position] of pushedBack(tasks, wanted)) store.update(ctx, projectTask, task, { position });
  return wanted;
}

// --- completion ---

/** `status` and `is_complete` mean the same. If both are sent, the one that differs from the stored value counts. */
function state(ctx: Ctx, given: Values<typeof projectTask>, before: Task | null): Values<typeof projectTask> {
  const was = before?.status ?? "todo";
  const saysStatus = given.status !== undefined && given.status !== was;
  const saysComplete = given.is_complete !== undefined && given.is_complete !== (was === "done");
  if (saysStatus && saysComplete && given.is_complete !== (given.status === "done"))
    throw invalid({ is_complete: `contradicts the status ${given.status}` });

  const status = saysStatus ? given.status! : saysComplete ? (given.is_complete ? "done" : "todo") : was;
  const is_complete = status === "done";
  const done = { was: was === "done", is: is_complete, called: "the status done", before: before?.date_completed };
  return {
    status,
    is_complete,
    ...dateOfState("date_completed", given.date_completed, done, given.date_created ?? ctx.now.toISOString()),
    ...(done.is === done.was ? {} : { completed_by: done.is ? userOf(ctx) : null }),
  };
}

// --- assignees ---

function checkAssignee(ctx: Ctx, id: string | null | undefined, before: string | null): void {
  if (typeof id === "string" && id !== before && !isActiveMember(ctx.directory, id))
    throw invalid({ assigned_to: "is not an active member" });
}

/** The assignee may not see the project. They see its name beside the task. */
function tellAssigned(ctx: Ctx, task: Task): void {
  notify(ctx, [task.assigned_to], { ...about(task), type: "task_assigned", title: `You were assigned: ${task.name}` });
}

function tellCompleted(ctx: Ctx, before: Task, after: Task): void {
  emit(ctx, projectTask, { action: "completed", before, after, changed: changedFields(projectTask, before, after) });
  notify(ctx, [after.created_by], { ...about(after), type: "task_completed", title: `Done: ${after.name}` });
}

const about = ({ id, lead_id }: Task) => ({ object_type: projectTask.name, object_id: id, lead_id });

// --- subtasks and dependencies ---

/** Parents and dependencies must be other tasks of the project, without circles. */
function checkTree(tasks: readonly Task[], given: Values<typeof projectTask>, before: Task | null): void {
  const { parent_task_id, depends_on = [] } = given;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  if (parent_task_id && !byId.has(parent_task_id)) throw invalid({ parent_task_id: "is not a task of this project" });
  const unknown = depends_on.findIndex((id) => !byId.has(id));
  if (unknown >= 0) throw invalid({ [`depends_on.${unknown}`]: "is not a task of this project" });
  if (before === null) return;

  if (parent_task_id && reaches(parent_task_id, before.id, (id) => [byId.get(id)?.parent_task_id ?? null]))
    throw invalid({ parent_task_id: "is the task itself or one of its subtasks" });
  if (depends_on.some((one) => reaches(one, before.id, (id) => byId.get(id)?.depends_on ?? [])))
    throw invalid({ depends_on: "has a task that waits for this one" });
}

function reaches(from: string, to: string, step: (id: string) => readonly (string | null)[]): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...step(id).filter((one) => one !== null));
  }
  return false;
}

/** The task and all its subtasks. */
function below(tasks: readonly Task[], id: string): string[] {
  return [id, ...tasks.filter((task) => task.parent_task_id === id).flatMap((task) => below(tasks, task.id))];
}
