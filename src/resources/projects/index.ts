import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { project } from "./project.ts";
import { projectTask } from "./project_task.ts";
import { createProjectTask, deleteProjectTask, projectFirst, updateProjectTask } from "./project_task_verbs.ts";
import { createProject, deleteProject, updateProject } from "./project_verbs.ts";

const tasks = standard(
  projectTask,
  { ...crud, create: createProjectTask, update: updateProjectTask, delete: deleteProjectTask },
  "member",
);

export const projects: Operation[] = [
  ...standard(project, { ...crud, create: createProject, update: updateProject, delete: deleteProject }, "member"),
  ...tasks.map((one) => (one.verb === "update" || one.verb === "delete" ? projectFirst(one) : one)),
];
