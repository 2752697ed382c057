// The activity that says that a task was completed. It stays when the task is deleted, and is deleted when the task is opened
// again.
import { z } from "zod";
import { lookedUp, namingPast, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { assigneeName } from "../tasks/assignee.ts";
import { act, kind } from "./act.ts";

export const taskCompleted = resource({
  ...kind("TaskCompleted", "task_completed"),
  doc: "Records that a task of a lead was completed.",
  fields: {
    ...act("TaskCompleted"),
    task_id: text({ readOnly: true, doc: "The task that was completed." }),
    task_text: text({ readOnly: true, doc: "The text of the task." }),
    task_assigned_to: text({
      readOnly: true,
      names: namingPast("user", "group"),
      doc: "The member or group it was assigned to.",
    }),
    task_assigned_to_name: lookedUp(
      ["task_assigned_to"],
      z.string().nullable(),
      assigneeName,
      "The name of the member that the task was assigned to.",
    ),
  },
});
