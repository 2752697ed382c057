// The verbs of text messages.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { textsWithoutOurLinks } from "../mail_tracking/quoted.ts";
import { createSystemTask } from "../tasks/system_task.ts";
import { smsFromTemplate } from "../templates/fill.ts";
import { anew } from "./carried.ts";
import { followText } from "./followed_text.ts";
import { wakeSender } from "./leaving.ts";
import { checkContent, checkMove, releasedBy, sendAfter, sendAfterChange, sentAt, sentBy } from "./message_states.ts";
import { checkNumber, checkSendable, mobileOf, usualNumberOf } from "./own_side.ts";
import { checkPlace, place } from "./placing.ts";
import { sms, smsMax } from "./sms.ts";

type Sms = Row<typeof sms>;

export async function createSms(
  ctx: Ctx,
  { send_in, send_to_inbox, ...given }: Create<typeof sms>,
  extras?: Extras,
): Promise<Sms> {
  const isToAnswer = readIsToAnswer(extras?.query.send_to_inbox) ?? send_to_inbox;
  const status = given.status ?? (given.direction === "inbound" ? "inbox" : "draft");
  const direction = status === "inbox" ? "inbound" : "outbound";
  if (given.direction !== undefined && given.direction !== direction)
    throw invalid({ direction: `must be ${direction} for the status ${status}` });
  if (isToAnswer && status !== "inbox") throw invalid({ send_to_inbox: "can only be given with the status inbox" });
  const { placed, person } = await place(ctx, given, { phones: given.remote_phone ? [given.remote_phone] : [] });
  const filled = { ...given, ...(await smsFromTemplate(ctx, { ...given, ...placed }, person, smsMax)) };
  const written = await textsWithoutOurLinks(ctx, filled, ["text"], smsMax);

  const date_sent = sentAt(ctx, status, given);
  const values = {
    ...written,
    ...placed,
    status,
    direction,
    remote_phone: given.remote_phone === undefined ? mobileOf(person) : given.remote_phone,
    local_phone: given.local_phone === undefined && date_sent === null ? usualNumberOf(ctx, placed) : given.local_phone,
    source: given.source ?? (date_sent === null ? "Internal" : "External"),
    date_sent,
    activity_at: given.activity_at ?? date_sent ?? placed.activity_at,
    send_after: sendAfter(ctx, status, { ...given, send_in }),
    released_by: releasedBy(ctx, status),
  } as const;
  checkSendable(ctx, values);
  checkNumber(ctx, values);
  const row = store.insert(ctx, sms, values);
  wakeSender(ctx, sms, row);
  if (status === "sent") emit(ctx, sms, { action: "sent", after: row });
  if (status === "inbox") {
    emit(ctx, sms, { action: "received", after: row });
    await followText(ctx, row);
  }
  if (isToAnswer) answerIt(ctx, row);
  return row;
}

function readIsToAnswer(asked: string | undefined): boolean | null {
  if (asked === undefined) return null;
  if (!/^(true|false)$/i.test(asked)) throw invalid({ send_to_inbox: "must be true or false" });
  return asked.toLowerCase() === "true";
}

const content = ["text", "local_phone", "remote_phone", "attachments", "date_sent", "template_id"] as const;

export async function updateSms(ctx: Ctx, before: Sms, { send_in, ...patch }: Patch<typeof sms>): Promise<Sms> {
  const status = patch.status ?? before.status;
  checkMove(before.status, status);
  checkContent(before, patch, content);
  await checkPlace(ctx, before, patch);
  if (patch.date_sent && patch.date_sent !== before.date_sent) sentAt(ctx, status, patch);
  const send_after = sendAfterChange(ctx, before, status, { ...patch, send_in });
  const written = { ...patch, ...(await fromNewTemplate(ctx, before, patch)) };
  const values = await textsWithoutOurLinks(ctx, written, ["text"], smsMax, before);
  if (status !== before.status) checkSendable(ctx, { ...before, ...values });
  checkNumber(ctx, { ...before, ...values }, before);

  const after = store.update(ctx, sms, before, {
    ...values,
    ...(status !== before.status && { ...anew, cost: null }),
    send_after,
    released_by: releasedBy(ctx, status, before),
    ...sentBy(ctx, status, before, patch.user_id),
  });
  if (after.send_after !== before.send_after) wakeSender(ctx, sms, after);
  return after;
}

/** A draft that gets another template keeps the text it already has. */
async function fromNewTemplate(ctx: Ctx, before: Sms, patch: Patch<typeof sms>) {
  if (patch.template_id === undefined || patch.template_id === before.template_id) return {};
  const contact_id = patch.contact_id === undefined ? before.contact_id : patch.contact_id;
  const person = contact_id === null ? null : await findRecord(ctx, contact, contact_id);
  return smsFromTemplate(ctx, { ...before, ...patch }, person, smsMax);
}

function answerIt(ctx: Ctx, { lead_id, contact_id, user_id, id, remote_phone, local_phone, text }: Sms): void {
  const assigned_to = user_id ?? userOf(ctx);
  if (assigned_to === null) return;
  createSystemTask(ctx, {
    _type: "incoming_sms",
    lead_id,
    contact_id,
    assigned_to,
    object_type: "activity.sms",
    object_id: id,
    phone: remote_phone,
    local_phone,
    body_preview: text,
  });
}
