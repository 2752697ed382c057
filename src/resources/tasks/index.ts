import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { bulkUpdateTasks } from "./bulk_update.ts";
import { task } from "./task.ts";
import { createTask, deleteTask, updateTask } from "./task_verbs.ts";

export const tasks: Operation[] = [
  ...standard(task, { ...crud, create: createTask, update: updateTask, delete: deleteTask }, "member"),
  bulkUpdateTasks,
];
