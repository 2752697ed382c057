// The list of conversations leaves out deleted ones, unless the request asks for them.
import type { Ctx } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { anyConversation, conversation } from "./conversation.ts";

export async function listConversations(ctx: Ctx, query: Record<string, string>): Promise<JsonText> {
  const of = ["true", "1"].includes(query.include_deleted ?? "") ? anyConversation : conversation;
  return showList(ctx, of, await readList(ctx, of, query));
}
