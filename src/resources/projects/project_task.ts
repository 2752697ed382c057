// A project task: one step of a project, which may have subtasks and wait for other tasks.
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, date, integer, label, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { searched } from "../../search/searched.ts";
import { visibleAsLastLead } from "../leads/visibility.ts";
import { dateCreated, pastMoment } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { otherName } from "../shared/other_names.ts";
import { positionMax } from "../shared/positions.ts";

export const projectTask = resource({
  name: "project_task",
  prefix: "ptask",
  doc: "A step of a project. It may have subtasks, and wait for other tasks.",
  commentable: true,
  visible,
  owned: {
    by: (ctx, row) => row.created_by === ctx.actor.user_id || row.assigned_to === ctx.actor.user_id,
    own: "delete_own_tasks",
    others: "manage_others_tasks",
  },
  indexed: ["project_id", "parent_task_id", "assigned_to"],
  sort: { position: true, due_date: true, name: true },
  search: searched({
    words: (row: { name: string; description: string | null }) => [{ text: row.name }, { text: row.description }],
    covers: ["name", "description"],
  }),
  expand: { project: { resource: "project", via: "project_id", many: false } },
  fields: {
    project_id: ref("project", { onDelete: "cascade", onMove: "follow" }, { required: true, createOnly: true }),
    project_name: label("project_id", "project", "name"),
    lead_id: ref("lead", { onDelete: "clear", onMove: "clear" }, { readOnly: true, doc: "The project's lead." }),
    name: text({ filled: true, doc: "What is to be done; it is required." }),
    title: otherName("name", text({ filled: true })),
    text: otherName("name", text({ filled: true })),
    description: text({ max: 100_000 }),
    status: choice(["todo", "in_progress", "done"], { default: "todo" }),
    is_complete: boolean({ default: false, doc: "True when `status` is `done`: setting either sets the other." }),
    assigned_to: ref("user", { onDelete: "keep", onMove: "clear" }, { doc: "The assignee." }),
    assigned_to_name: label("assigned_to", "user", "name"),
    due_date: date(),
    date: otherName("due_date", date()),
    priority: choice(["low", "medium", "high", "urgent"]),
    parent_task_id: ref(
      "project_task",
      { onDelete: "cascade", onMove: "follow" },
      { doc: "The step of the same project that contains this one." },
    ),
    position: integer({
      min: 0,
      max: positionMax,
      filled: true,
      doc: "Its place among the project's tasks, by default the end. The one at that place moves back.",
    }),
    depends_on: texts({ default: [] as string[], max: 100, doc: "Ids of the project's tasks that must be done before it." }),
    date_completed: timestamp({
      resolve: pastMoment,
      doc: "When it was done; null until then. By default a given `date_created`, else now.",
    }),
    completed_by: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, doc: "Who did it." }),
    date_created: dateCreated,
    ...authorNames,
  },
});

/** Visible to everybody who sees the project, and to the assignee. */
function visible(ctx: Ctx, alias: string): Sql | null {
  const asLead = visibleAsLastLead(ctx, "project");
  if (asLead === null) return null;
  const t = name(alias);
  return sql`(${t}.assigned_to = ${ctx.actor.user_id} or exists (select from project
    where project.organization_id = ${ctx.organization_id} and project.id = ${t}.project_id and ${asLead}))`;
}
