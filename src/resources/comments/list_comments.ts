// Comments are read where they are: those of one record, or those of one thread.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { JsonText } from "../../core/operation.ts";
import { expandIds, showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { showRecord } from "../../records/records.ts";
import { withMembers } from "../../records/standard.ts";
import { comment } from "./comment.ts";
import { commentThread } from "./comment_thread.ts";

export async function listComments(ctx: Ctx, given: Record<string, string>): Promise<JsonText> {
  const named = ["object_id", "thread_id"].filter((key) => given[key] !== undefined);
  if (named.length === 0) throw invalid({ object_id: "or thread_id is required: comments are listed for one of them" });
  if (named.length === 2) throw invalid({ thread_id: "cannot be given together with object_id" });
  return showList(ctx, comment, await readList(ctx, comment, given));
}

/** A single thread brings its comments along. */
export async function showThread(ctx: Ctx, id: string, fields: readonly string[] | null): Promise<JsonText> {
  const thread = await showRecord(ctx, commentThread, id, fields);
  if (fields !== null && !fields.includes("comments")) return thread;
  const [members] = await expandIds(ctx, commentThread, ["comments"], [id]);
  return withMembers(thread, members!);
}
