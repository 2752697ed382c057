// Notifies that a task's day is over and it is not completed: once for each due date, and only while it is news.
import { type Ctx, write } from "../../core/context.ts";
import { raw, sql, statement } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { emitAll } from "../../records/event.ts";
import { isNews, notifyAll } from "../notifications/notify.ts";
import { endOf } from "./overdue.ts";
import { task } from "./task.ts";
import { notice, type Task } from "./task_verbs.ts";

export const overdueTasks: Due<typeof task> = {
  of: task,
  when: (now) => sql`t.overdue_at <= ${now}::timestamptz`,
  since: raw("t.overdue_at"),
  async act(ctx, rows) {
    const now = ctx.now.toISOString();
    const ends = rows.map((row) => ({ row, end: endOf(row, ctx.directory) ?? now }));
    for (const { row, end } of ends) if (end > now) putOff(ctx, row, end);

    const over = ends.filter(({ end }) => end <= now);
    markTold(
      ctx,
      over.map(({ row }) => row.id),
    );
    const news = over.filter(({ end }) => isNews(ctx, end)).map(({ row }) => row);
    emitAll(
      ctx,
      task,
      news.map((after) => ({ action: "overdue", after })),
    );
    // Nobody completed it, so a member who assigned it to themselves is notified too.
    await notifyAll(
      ctx,
      news.map((row) => [
        [row.assigned_to],
        { ...notice(row), type: "task_due", title: "One of your tasks is overdue", actor_id: null },
      ]),
    );
  },
};

/** The assignee's time zone has changed or was unknown: it is checked again later. Readers see nothing of this. */
function putOff(ctx: Ctx, { id }: Task, end: string): void {
  write(
    ctx,
    statement(
      sql`update task set overdue_at = ${end}::timestamptz where organization_id = ${ctx.organization_id} and id = ${id}`,
    ),
  );
}

function markTold(ctx: Ctx, ids: readonly string[]): void {
  if (ids.length === 0) return;
  write(
    ctx,
    statement(sql`update task set overdue_at = null, overdue_told = date
      where organization_id = ${ctx.organization_id} and id = any(${ids})`),
  );
}
