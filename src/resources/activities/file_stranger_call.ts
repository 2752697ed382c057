// Turns the call of a stranger into a record, once the prospect is converted.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { createRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { fileAtLead } from "../files/file_at_lead.ts";
import type { StrangerCall } from "../inbox/stranger_call.ts";
import { withdrawNotices } from "../notifications/notify.ts";
import { call } from "./call.ts";

interface Place {
  conversation_id: string;
  received_at: string;
}

/**
 * The member who converts the prospect did not take the call, and may not be allowed to make calls. So the provider's values are
 * stored without checks.
 */
export async function fileStrangerCall(
  ctx: Ctx,
  { direction, status, phone, local_phone, disposition, ...said }: StrangerCall,
  { conversation_id, received_at }: Place,
): Promise<Row<typeof call>> {
  const told = { direction, status, phone, local_phone, ...(disposition && { disposition }) };
  const row = await createRecord(ctx, call, { ...told, conversation_id, activity_at: received_at });
  // Whoever missed it was told when it rang.
  withdrawNotices(ctx, row.id);
  const { user_id, provider_id, is_to_group_number, duration = 0, date_answered = null } = said;
  const { recording_url = null, voicemail_url = null, voicemail_duration = null } = said;
  const recorded = { recording_url, voicemail_url, voicemail_duration };
  await fileAtLead(ctx, [recording_url, voicemail_url], row);
  const measured = { user_id, provider_id, is_to_group_number, duration, date_answered, ...recorded } as const;
  return store.update(ctx, call, row, { ...measured, source: "Internal", call_method: "regular" }, undefined, null);
}
