import { z } from "zod";
import type { JsonText, Operation } from "../../core/operation.ts";
import { lockBehindParent } from "../../records/locks.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { showRecord } from "../../records/records.ts";
import { recordWith } from "../../records/single.ts";
import { standard } from "../../records/standard.ts";
import { activity, emailLine } from "./activity.ts";
import { call } from "./call.ts";
import { createCall, updateCall } from "./call_verbs.ts";
import { deleteCarried } from "./carried.ts";
import { channelMessage } from "./channel_message.ts";
import { createChannelMessage, updateChannelMessage } from "./channel_message_verbs.ts";
import { created } from "./created.ts";
import { customActivity } from "./custom.ts";
import { createCustomActivity, deleteCustomActivity, updateCustomActivity } from "./custom_verbs.ts";
import { dropVoicemail } from "./drop_voicemail.ts";
import { email } from "./email.ts";
import { emailThread } from "./email_thread.ts";
import { createEmail, deleteEmail, updateEmail } from "./email_verbs.ts";
import { inConversations } from "./in_conversations.ts";
import { meeting } from "./meeting.ts";
import { createMeeting, updateMeeting } from "./meeting_verbs.ts";
import { note } from "./note.ts";
import { createNote, updateNote } from "./note_verbs.ts";
import { sms } from "./sms.ts";
import { createSms, updateSms } from "./sms_verbs.ts";
import { leadStatusChange, opportunityStatusChange } from "./status_change.ts";
import { listActivities } from "./stream.ts";
import { taskCompleted } from "./task_completed.ts";

/** With `thread_emails=true`, e-mails are shown as lines of their thread. */
const pageOfLines = () => listSchema(z.union([outputSchema(activity), outputSchema(emailLine)]));

/** `?send_to_inbox=true` means the same as the field of that name. */
const sendToInbox = {
  parameters: [{ name: "send_to_inbox", doc: "For a received message: also creates a task to answer it.", schema: z.boolean() }],
};

export const activities: Operation[] = [
  ...standard(activity, { list: listActivities }, "member", { list: { output: pageOfLines } }),
  ...standard(note, inConversations(note, { create: createNote, update: updateNote }), "member"),
  ...standard(call, inConversations(call, { create: createCall, update: updateCall }), "member"),
  dropVoicemail,
  ...standard(
    email,
    inConversations(email, {
      create: createEmail,
      update: updateEmail,
      delete: deleteEmail,
      lock: lockBehindParent(email, "thread_id"),
    }),
    "member",
  ).map(tellingOtherLeads),
  ...standard(
    emailThread,
    { list: true, get: (ctx, id, fields) => showRecord(ctx, emailThread, id, fields ?? ["_all"]) },
    "member",
  ),
  ...standard(sms, inConversations(sms, { create: createSms, update: updateSms, ...deleteCarried(sms) }), "member", {
    create: sendToInbox,
  }),
  ...standard(
    channelMessage,
    inConversations(channelMessage, {
      create: createChannelMessage,
      update: updateChannelMessage,
      ...deleteCarried(channelMessage),
    }),
    "member",
  ),
  ...standard(
    customActivity,
    inConversations(customActivity, { create: createCustomActivity, update: updateCustomActivity, delete: deleteCustomActivity }),
    "member",
  ),
  ...standard(meeting, inConversations(meeting, { create: createMeeting, update: updateMeeting }), "member"),
  ...standard(created, { list: true }, "member"),
  ...standard(leadStatusChange, { list: true }, "member"),
  ...standard(opportunityStatusChange, { list: true }, "member"),
  ...standard(taskCompleted, { list: true }, "member"),
];

const places = ["lead_id", "contact_id", "conversation_id", "in_reply_to_id"];

/** A caller who lets the addresses decide which lead an e-mail belongs to is told the other possible leads. */
function tellingOtherLeads(operation: Operation): Operation {
  if (operation.verb !== "create") return operation;
  return {
    ...operation,
    async run(ctx, given) {
      const record = (await operation.run(ctx, given)) as JsonText;
      if (given.fields !== null || places.some((key) => given.input[key])) return record;
      const id = ctx.reply.headers.location!.split("/").at(-2)!;
      const others = await showRecord(ctx, email, id, ["other_lead_ids"]);
      return recordWith(record, `,${others.text.slice(1, -1)}`);
    },
  };
}
