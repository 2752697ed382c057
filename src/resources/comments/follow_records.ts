// Moves comments with their record, when it goes to another lead or is merged into another record.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { comment } from "./comment.ts";
import { commentThread } from "./comment_thread.ts";

/** Call it before two records are merged. If both have comments, those of the removed record join the other's thread. */
export async function uniteThreads(ctx: Ctx, gone: string, kept: string, meta: Record<string, unknown>): Promise<void> {
  const threads = await lockWhere(ctx, commentThread, sql`t.object_id = any(${[gone, kept]})`);
  const [from, to] = [gone, kept].map((id) => threads.find((thread) => thread.object_id === id));
  if (from === undefined || to === undefined) return;

  const { id: thread_id, object_id, lead_id } = to;
  for (const one of await lockWhere(ctx, comment, sql`t.thread_id = ${from.id}`))
    store.update(ctx, comment, one, { thread_id, object_id, lead_id }, meta);
  const num_comments = to.num_comments + from.num_comments;
  const participating = [...new Set([...to.participating, ...from.participating])];
  store.update(ctx, commentThread, to, { num_comments, participating }, meta);
  await store.remove(ctx, commentThread, [from], meta);
}

/** Call it after records were moved to another lead, because visibility follows the lead. */
export async function carryComments(ctx: Ctx, objectIds: readonly string[], lead_id: string | null): Promise<void> {
  for (const one of [commentThread, comment])
    for (const row of await lockWhere(ctx, one, sql`t.object_id = any(${objectIds})`)) store.update(ctx, one, row, { lead_id });
}
