// A single conversation is shown with its newest messages. Lists leave them out.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, showRecord } from "../../records/records.ts";
import { recordWith } from "../../records/single.ts";
import type { Alone } from "../../records/standard_operation.ts";
import { activity } from "../activities/activity.ts";
import { conversation } from "./conversation.ts";
import { renderMessage } from "./message.ts";

/** A longer conversation shows its newest messages. `/activity/?conversation_id=` lists the others. */
const messagesMax = 100;

export const shownConversation = (outputSchema(conversation) as z.ZodObject).extend({
  messages: z
    .array(z.looseObject({ id: z.string(), type: z.string() }))
    .describe(`Its messages, newest first, at most ${messagesMax}.`),
});

/** The conversation with its messages, or 404. */
export async function showConversation(ctx: Ctx, id: string): Promise<JsonText> {
  return withMessages(ctx, id, await showRecord(ctx, conversation, id), null);
}

export const messages: Alone = { output: () => shownConversation.describe(conversation.doc), add: withMessages };

async function withMessages(ctx: Ctx, id: string, record: JsonText, fields: readonly string[] | null): Promise<JsonText> {
  if (fields !== null && !fields.includes("messages")) return record;
  const rows = await findRecords(
    ctx,
    activity,
    [sql`t.conversation_id = ${id}`],
    sql`order by t.activity_at desc, t.id desc limit ${messagesMax}`,
  );
  return recordWith(record, `,"messages":[${rows.map((row) => renderMessage(ctx, activity, row)).join(",")}]`);
}
