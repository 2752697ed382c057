// `POST /activity/call/{id}/voicemail_drop/`: a member who hears a mailbox leaves a recorded message there and goes on to the next call.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid, Problem } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { checkVoicemail, voicemailOf } from "../telephony/voicemail_drop.ts";
import { call } from "./call.ts";
import { isMachine } from "./machines.ts";

type Call = Row<typeof call>;

export const dropVoicemail = operation({
  name: "call.voicemail_drop",
  method: "POST",
  path: "/activity/call/{id}/voicemail_drop/",
  doc: "Leaves a recorded message in a call of one's own that is in progress, and ends the call for the caller at once. The call is `vm-left` when the message begins.",
  permission: "calling",
  input: {
    id: z.string(),
    file_id: z
      .string()
      .max(64, { error: "does not exist" })
      .nullish()
      .describe("The message, an MP3 or WAV file; by default that of the dialer which the call is from."),
  },
  output: outputSchema(call),
  async run(ctx, { id, file_id }) {
    const row = await lockRecord(ctx, call, id);
    const leg = legToTake(ctx, row);
    if (file_id) await checkVoicemail(ctx, file_id, "file_id");
    const chosen = file_id ? store.update(ctx, call, row, { voicemail_drop_file_id: file_id }, undefined, null) : row;
    if ((await voicemailOf(ctx, chosen)) === null) throw invalid({ file_id: noMessage(chosen) });

    return showWritten(ctx, call, await isMachine(ctx, chosen, "mailbox", leg));
  },
});

/** The phone that hears the message. Throws when the caller may not leave one, or nobody would hear it. */
function legToTake(ctx: Ctx, row: Call): string {
  if (row.user_id !== ctx.actor.user_id) throw new Problem(403, "Only the member who makes the call can leave a message in it.");
  if (row.direction !== "outbound") throw invalid({ direction: "is inbound: a message is left only where one has called" });
  if (row.status !== "in-progress")
    throw invalid({ status: `is ${row.status}: a message can be left only while the call is in progress` });
  const leg = row.call_method === "predictive" ? row.provider_id : row.other_leg;
  if (leg === null) throw invalid({ source: "is not a call that the telephony provider carries" });
  return leg;
}

const noMessage = ({ voicemail_drop_file_id, dialer_id }: Call): string => {
  if (voicemail_drop_file_id !== null) return "has no link that the provider can play it from: share the file again";
  return dialer_id === null ? "is required" : "is required: the dialer has no message of its own";
};
