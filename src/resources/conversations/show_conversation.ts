// A conversation by itself is shown with its newest messages; lists leave them out.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { JsonText, type Operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { findRecords, showRecord } from "../../records/records.ts";
import { withMembers } from "../../records/standard.ts";
import { outputSchema } from "../../records/writer.ts";
import { activity } from "../activities/activity.ts";
import { conversation } from "./conversation.ts";
import { renderMessage } from "./message.ts";

/** Of a longer conversation the newest are shown; the others are listed by `/activity/?conversation_id=`. */
const messagesMax = 100;

export const shownConversation = (outputSchema(conversation) as z.ZodObject).extend({
  messages: z
    .array(z.looseObject({ id: z.string(), type: z.string() }))
    .describe(`Its messages, newest first, at most ${messagesMax}.`),
});

/** The conversation with its messages, or 404. */
export async function showConversation(ctx: Ctx, id: string, fields: readonly string[] | null): Promise<JsonText> {
  return withMessages(ctx, id, fields, await showRecord(ctx, conversation, id, fields));
}

async function withMessages(ctx: Ctx, id: string, fields: readonly string[] | null, record: JsonText): Promise<JsonText> {
  if (fields !== null && !fields.includes("messages")) return record;
  const rows = await findRecords(
    ctx,
    activity,
    [sql`t.conversation_id = ${id}`],
    sql`order by t.activity_at desc, t.id desc limit ${messagesMax}`,
  );
  return withMembers(record, `,"messages":[${rows.map((row) => renderMessage(ctx, activity, row)).join(",")}]`);
}

/** What writes a conversation answers it as reading it would. */
export function answeringMessages(made: Operation): Operation {
  if (made.verb !== "get" && made.verb !== "create" && made.verb !== "update") return made;
  const output = shownConversation.describe(conversation.doc);
  if (made.verb === "get") return { ...made, output };
  return {
    ...made,
    output,
    async run(ctx, input) {
      const record = (await made.run(ctx, input)) as JsonText;
      const id: string = input.id ?? ctx.reply.headers.location!.split("/").at(-2)!;
      return withMessages(ctx, id, input.fields, record);
    },
  };
}
