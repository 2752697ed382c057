// Writes a message in a conversation. It becomes an activity of its kind, by the rules of that kind.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, invalid, reasonsOf } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { readCreate } from "../../records/input.ts";
import { createRecord, findRecords, getRecord } from "../../records/records.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { note } from "../activities/note.ts";
import { sms } from "../activities/sms.ts";
import { normalizedSubject } from "../activities/threading.ts";
import { conversation } from "./conversation.ts";
import { renderMessage } from "./message.ts";
import { type MessageBody, messageBody } from "./message_body.ts";

type Conversation = Row<typeof conversation>;

/** The kind of activity for each type of message, and the field for its text. */
const kinds = {
  note: { of: note, words: "note" },
  email: { of: email, words: "body_text" },
  sms: { of: sms, words: "text" },
  channel_message: { of: channelMessage, words: "text" },
} as const satisfies Record<MessageBody["type"], { of: Resource; words: string }>;

export const postMessage = operation({
  name: "conversation.message",
  method: "POST",
  path: "/conversation/{id}/message/",
  doc: "Writes a message in a conversation: a note, an e-mail, a text message or a channel message. It is a draft unless its state says otherwise. It is also an activity of the lead.",
  permission: "member",
  status: 201,
  input: { id: z.string(), ...messageBody },
  output: z.looseObject({ id: z.string(), type: z.string(), status: z.string(), state: z.string(), body: z.string().nullable() }),
  async run(ctx, { id, ...body }) {
    const { of, row } = await writeMessage(ctx, await getRecord(ctx, conversation, id), body);
    ctx.reply.headers.location = `/api/v1${of.path}/${row.id}/`;
    return new JsonText(renderMessage(ctx, of, row));
  },
});

/**
 * Writes a message of `thread` by the rules of its kind. Errors name the fields of `body`. Members that the kind does not take
 * are named behind `place`.
 */
export async function writeMessage(
  ctx: Ctx,
  thread: Conversation,
  body: MessageBody,
  place = "",
): Promise<{ of: Resource; row: Row<Resource> }> {
  const { of, words } = kinds[body.type];
  checkSaysSomething(body, words);
  try {
    const answers = body.type === "email" && saysNoThread(body) ? await answering(ctx, thread) : {};
    const said = { ...activityBody(thread, body, words), ...answers };
    const given = { params: {}, query: {}, body: said, strict: ctx.request.strict === true };
    const { input, ignored } = readCreate(ctx, of as Resource, given);
    ctx.reply.ignored.push(...ignored.map((one) => `${place}${one}`));
    return { of, row: await createRecord(ctx, of as Resource, input) };
  } catch (problem) {
    throw invalid(renamed(reasonsOf(problem), body, words));
  }
}

/** It names neither the e-mail that it answers nor a subject of its own. */
const saysNoThread = ({ in_reply_to_id, subject, template_id }: MessageBody): boolean =>
  in_reply_to_id === undefined && subject === undefined && !template_id;

/** An e-mail in a conversation answers its newest one, so that it is in the same thread wherever it is read. */
async function answering(ctx: Ctx, { id, lead_id, subject }: Conversation): Promise<Record<string, unknown>> {
  const carried = [sql`t.conversation_id = ${id}`, sql`t.lead_id = ${lead_id}`, sql`t.status in ('inbox', 'sent')`];
  const [newest] = await findRecords(ctx, email, carried, sql`order by t.activity_at desc, t.id desc limit 1`);
  const root = normalizedSubject(newest?.subject || (subject ?? ""));
  return { ...(newest && { in_reply_to_id: newest.id }), ...(root !== "" && { subject: `Re: ${root}`.slice(0, 1000) }) };
}

function checkSaysSomething(body: MessageBody, words: string): void {
  const { type, status, state } = body;
  if (status !== undefined && state !== undefined && status !== state) throw invalid({ state: "differs from status" });
  if (type === "note" && (status ?? state ?? "sent") !== "sent")
    throw invalid({ [stateField(body)]: "must be sent: a note has no other state" });
  const texts = ["body", words, "body_html", "note_html", "message_markdown", "template_id"] as const;
  const says = texts.some((field) => !isBlank((body as Record<string, unknown>)[field]));
  const attached = type !== "note" && type !== "email" && (!isBlank(body.attachments) || !isBlank(body.file_ids));
  if (!says && !attached) throw invalid({ body: "is required" });
}

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" ? value.trim() === "" : Array.isArray(value) && value.length === 0);

const stateField = (body: MessageBody): string => (body.status === undefined ? "state" : "status");

/** The body of the activity that the message becomes. */
function activityBody(thread: Conversation, body: MessageBody, words: string): Record<string, unknown> {
  const { type, status, state, body: text, file_ids = [], ...rest } = body;
  const given: Record<string, unknown> = { ...rest, conversation_id: thread.id };
  if (text !== undefined && given[words] === undefined) given[words] = text;
  if (file_ids.length > 0) given.attachments = withFiles(body.attachments ?? [], file_ids);
  if (type === "note") return body.body_html === undefined ? given : { note_html: body.body_html, ...given };
  return { ...given, status: status ?? state ?? "draft", ...defaults[type](thread, body) };
}

/** A value that is not a list is passed on and refused there. */
const withFiles = (attachments: unknown, file_ids: readonly string[]): unknown =>
  Array.isArray(attachments) ? [...attachments, ...file_ids.map((file_id) => ({ file_id }))] : attachments;

const channels: readonly string[] = ["whatsapp", "linkedin"];

/** The defaults of an answer. */
const defaults: Record<
  Exclude<MessageBody["type"], "note">,
  (thread: Conversation, body: MessageBody) => Record<string, unknown>
> = {
  email: () => ({}),
  sms: (_thread, body) => (body.remote_phone === undefined && body.to !== undefined ? { remote_phone: [body.to].flat()[0] } : {}),
  channel_message: ({ channel }, body) => ({ channel: body.channel ?? (channels.includes(channel) ? channel : "other") }),
};

/** The activity's fields for the members of a message body. */
function renamed(fields: FieldErrors, body: MessageBody, words: string): FieldErrors {
  const names: Record<string, string> = { status: stateField(body) };
  if (body.body !== undefined && (body as Record<string, unknown>)[words] === undefined) names[words] = "body";
  const entries = Object.entries(fields).map(([field, reason]) => [
    Object.hasOwn(names, field) ? names[field]! : fileName(field, body),
    reason,
  ]);
  // A text message goes to a number, but in a conversation the member is called `to`.
  if (fields.remote_phone !== undefined) entries.push(["to", fields.remote_phone]);
  return Object.fromEntries(entries);
}

/** Stored files come after other attachments. */
function fileName(field: string, { attachments, file_ids = [] }: MessageBody): string {
  const [list, place] = field.split(".");
  const at = Number(place) - (Array.isArray(attachments) ? attachments.length : 0);
  return list === "attachments" && at >= 0 && at < file_ids.length ? `file_ids.${at}` : field;
}
