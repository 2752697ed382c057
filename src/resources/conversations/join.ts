// Finds the conversation that an incoming message belongs to.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { createRecord, findRecords } from "../../records/records.ts";
import { conversation } from "./conversation.ts";

export interface Joining {
  lead_id: string;
  contact_id: string | null;
  channel: Row<typeof conversation>["channel"];
  /** The conversation that it continues, if the message it answers is in one. */
  thread_id: string | null;
}

/**
 * The conversation of the message it answers, or else the newest open one with the same person over the same channel, or else a
 * new one.
 */
export async function joinConversation(ctx: Ctx, { lead_id, contact_id, channel, thread_id }: Joining): Promise<string> {
  const isTheirs = sql`t.lead_id = ${lead_id} and t.contact_id is not distinct from ${contact_id}`;
  const isOpen = sql`t.channel = ${channel} and t.status in ('open', 'snoozed') and ${isTheirs}`;
  const [found] = await findRecords(
    ctx,
    conversation,
    [sql`(t.id = ${thread_id ?? ""} or ${isOpen})`],
    sql`order by t.id = ${thread_id ?? ""} desc, t.last_message_at desc nulls last, t.id desc limit 1`,
  );
  if (found !== undefined) return found.id;
  return (await createRecord(ctx, conversation, { lead_id, ...(contact_id && { contact_id }), channel })).id;
}
