// Stores the summary of a conversation. It is written in `ai/`.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { conversation } from "./conversation.ts";

type Conversation = Row<typeof conversation>;

/** Locks the conversation, stores what `write` says of it, and returns that. */
export async function keepSummary(ctx: Ctx, id: string, write: (found: Conversation) => string): Promise<string> {
  const [found] = await findRecords(ctx, conversation, [sql`t.id = ${id}`], sql`for update of t`);
  if (found === undefined) throw invalid({ conversation_id: "does not exist" });
  const summary = write(found);
  store.update(ctx, conversation, found, { summary });
  return summary;
}
