// All tasks of a project, including those that the caller cannot see, for its rules.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { rowReader } from "../../core/row.ts";
import { sql, statement } from "../../db/sql.ts";
import { allColumns } from "../../records/columns.ts";
import { projectTask } from "./project_task.ts";

/** Every change of a task locks the project first, so the rows need no lock here. */
export async function tasksOf(ctx: Ctx, projectId: string): Promise<Row<typeof projectTask>[]> {
  const rows = await query(
    ctx,
    statement(sql`select ${allColumns(projectTask)} from project_task t
      where t.organization_id = ${ctx.organization_id} and t.project_id = ${projectId} order by t.position, t.id`),
  );
  return rows.map(rowReader(projectTask));
}
