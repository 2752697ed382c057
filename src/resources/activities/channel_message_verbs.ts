// The verbs of channel messages.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { fromText } from "../../values/rich_text.ts";
import { textsWithoutOurLinks } from "../mail_tracking/quoted.ts";
import { activity } from "./activity.ts";
import { type Attachment, attachedMax } from "./attachments.ts";
import { anew } from "./carried.ts";
import { channelMessage, messageMax } from "./channel_message.ts";
import { followText } from "./followed_text.ts";
import { wakeSender } from "./leaving.ts";
import { fromMarkdown } from "./markdown.ts";
import { checkContent, checkMove, isLeaving, releasedBy, sendAfter, sendAfterChange, sentAt, sentBy } from "./message_states.ts";
import { checkNumber, checkSendable, mobileOf, usualNumberOf } from "./own_side.ts";
import { type Contact, checkPlace, place } from "./placing.ts";

type ChannelMessage = Row<typeof channelMessage>;

export async function createChannelMessage(ctx: Ctx, given: Create<typeof channelMessage>): Promise<ChannelMessage> {
  const status = given.status ?? (given.direction === "incoming" ? "inbox" : "sent");
  const direction = status === "inbox" ? "incoming" : "outgoing";
  if (given.direction !== undefined && given.direction !== direction)
    throw invalid({ direction: `must be ${direction} for the status ${status}` });
  const written = texts(await textsWithoutOurLinks(ctx, given, words, messageMax));
  if (!written.text && !given.attachments?.length) throw invalid({ text: "is required" });
  checkSize(given.attachments);
  const { placed, person } = await place(ctx, given, { phones: given.remote_phone ? [given.remote_phone] : [] });
  await checkAnswered(ctx, given.response_to_id, placed.lead_id);
  const numbers = isCarried({ ...given, status }) ? numbersOf(ctx, given, placed, person) : {};
  checkCarried(ctx, { ...given, ...numbers, ...written, status });

  const date_sent = sentAt(ctx, status, given);
  const row = store.insert(ctx, channelMessage, {
    ...given,
    ...placed,
    ...written,
    ...numbers,
    status,
    direction,
    date_sent,
    activity_at: given.activity_at ?? date_sent ?? placed.activity_at,
    send_after: sendAfter(ctx, status, given),
    released_by: releasedBy(ctx, status),
  });
  wakeSender(ctx, channelMessage, row);
  if (status === "sent") emit(ctx, channelMessage, { action: "sent", after: row });
  if (status === "inbox") {
    emit(ctx, channelMessage, { action: "received", after: row });
    await followText(ctx, row);
  }
  return row;
}

const content = [
  "text",
  "message_markdown",
  "attachments",
  "local_phone",
  "remote_phone",
  "local_handle",
  "remote_handle",
  "response_to_id",
  "date_sent",
] as const;

export async function updateChannelMessage(
  ctx: Ctx,
  before: ChannelMessage,
  patch: Patch<typeof channelMessage>,
): Promise<ChannelMessage> {
  const status = patch.status ?? before.status;
  checkMove(before.status, status);
  checkContent(before, patch, content);
  await checkPlace(ctx, before, patch);
  if (patch.response_to_id !== before.response_to_id) await checkAnswered(ctx, patch.response_to_id, before.lead_id);
  if (patch.date_sent && patch.date_sent !== before.date_sent) sentAt(ctx, status, patch);
  const passed = await textsWithoutOurLinks(ctx, patch, words, messageMax, before);
  const values = { ...passed, ...texts(passed, before) };
  if (values.text === null && !(patch.attachments ?? before.attachments).length) throw invalid({ text: "must not be empty" });
  checkSize(patch.attachments);
  checkCarried(ctx, { ...before, ...values }, before);

  const after = store.update(ctx, channelMessage, before, {
    ...values,
    ...(status !== before.status && anew),
    send_after: sendAfterChange(ctx, before, status, patch),
    released_by: releasedBy(ctx, status, before),
    ...sentBy(ctx, status, before, patch.user_id),
  });
  if (after.send_after !== before.send_after) wakeSender(ctx, channelMessage, after);
  return after;
}

type Carried = Partial<Pick<ChannelMessage, "channel" | "status" | "local_phone" | "remote_phone" | "text" | "attachments">>;

/** The telephony provider sends it, by its number. Messages of all other channels are only logged here. */
const isCarried = ({ channel, status = "draft" }: Carried): boolean => channel === "whatsapp" && isLeaving(status);

const numbersOf = (ctx: Ctx, given: Carried, placed: { user_id: string | null }, person: Contact | null) => ({
  local_phone: given.local_phone === undefined ? usualNumberOf(ctx, placed) : given.local_phone,
  remote_phone: given.remote_phone === undefined ? mobileOf(person) : given.remote_phone,
});

function checkCarried(ctx: Ctx, after: Carried, before: Carried = {}): void {
  const { channel, status = "draft" } = after;
  if (channel !== "whatsapp" && isLeaving(status) && status !== before.status)
    throw invalid({ status: `must not be ${status}: nothing here sends on ${channel}. Send it there, and log it as sent` });
  if (!isCarried(after)) return;
  if (after.status !== before.status) checkSendable(ctx, after);
  checkNumber(ctx, after, before);
}

type Texts = Partial<Pick<ChannelMessage, "text" | "message_markdown" | "message_html">>;

/** Those that are written; the HTML is made from them. */
const words = ["text", "message_markdown"] as const;

/** Markdown says more than plain text, so the text is made from it. */
function texts(given: Texts, before: Texts = {}): Texts {
  const markdown = given.message_markdown === before.message_markdown ? undefined : given.message_markdown;
  const plain = given.text === before.text ? undefined : given.text;
  if (typeof markdown === "string") {
    const { text, html } = fromMarkdown(markdown);
    return { message_markdown: markdown, text, message_html: html };
  }
  if (plain === undefined && markdown === undefined) return {};
  const text = plain === undefined ? (before.text ?? null) : plain;
  return { message_markdown: null, text, message_html: text === null ? null : fromText(text).html };
}

function checkSize(attachments: readonly Attachment[] = []): void {
  const size = attachments.reduce((sum, one) => sum + (one.size ?? 0), 0);
  if (size > attachedMax) throw invalid({ attachments: "must be 25 MB or less in all" });
}

async function checkAnswered(ctx: Ctx, id: string | null | undefined, lead_id: string): Promise<void> {
  if (!id) return;
  const found = await findRecord(ctx, activity, id);
  if (found === null) throw invalid({ response_to_id: "does not exist" });
  if (found.lead_id !== lead_id) throw invalid({ response_to_id: "belongs to another lead" });
}
