// The list of comments takes a record or a thread: there is no list of all comments.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { JsonText } from "../../core/operation.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { comment } from "./comment.ts";

export async function listComments(ctx: Ctx, given: Record<string, string>): Promise<JsonText> {
  const named = ["object_id", "thread_id"].filter((key) => given[key] !== undefined);
  if (named.length === 0) throw invalid({ object_id: "is required, or thread_id: comments are listed for one of them" });
  if (named.length === 2) throw invalid({ thread_id: "cannot be given together with object_id" });
  return showList(ctx, comment, await readList(ctx, comment, given));
}
