import type { Operation } from "../../core/operation.ts";
import { lockBehindParent } from "../../records/locks.ts";
import { crud, standard } from "../../records/standard.ts";
import { project } from "./project.ts";
import { projectTask } from "./project_task.ts";
import { createProjectTask, deleteProjectTask, updateProjectTask } from "./project_task_verbs.ts";
import { createProject, deleteProject, updateProject } from "./project_verbs.ts";

export const projects: Operation[] = [
  ...standard(project, { ...crud, create: createProject, update: updateProject, delete: deleteProject }, "member"),
  ...standard(
    projectTask,
    {
      ...crud,
      create: createProjectTask,
      update: updateProjectTask,
      delete: deleteProjectTask,
      lock: lockBehindParent(projectTask, "project_id"),
    },
    "member",
  ),
];
