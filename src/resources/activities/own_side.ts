// Our side of messages that a telephony provider carries: the number they are sent from, the default number, and who may send.
import { type Ctx, may } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import { checkOwnNumber, usualTextNumber } from "../telephony/own_numbers.ts";
import type { Attachment } from "./attachments.ts";
import { isLeaving, type MessageState } from "./message_states.ts";
import type { Contact } from "./placing.ts";

interface Sendable {
  status?: MessageState;
  remote_phone?: string | null;
  text?: string | null;
  attachments?: readonly Attachment[];
}

/** Carriers transport no more. */
const attachedMost = 10;

/** Refuses what cannot be sent as it is. */
export function checkSendable(ctx: Ctx, { status = "draft", remote_phone, text, attachments = [] }: Sendable): void {
  if (!isLeaving(status)) return;
  if (!may(ctx, "calling")) throw notAllowed("calling");
  if (!remote_phone) throw invalid({ remote_phone: "is required to send it" });
  if (!canGetTexts(remote_phone)) throw invalid({ remote_phone: `must be a number such as +12125551234, ${withoutExtension}` });
  if (!text && attachments.length === 0) throw invalid({ text: "is required to send it" });
  if (attachments.length > attachedMost) throw invalid({ attachments: `must be ${attachedMost} or fewer to be sent` });
}

const withoutExtension = "with its country and without an extension, to be sent";

/**
 * Contacts may have any text as a number. A provider reads some of it, such as `tel:+12125551234`, as a number that nobody looked
 * up among those who opted out.
 */
export const canGetTexts = (phone: string): boolean => /^\+\d{5,15}$/.test(phone);

interface Numbered {
  status?: MessageState;
  local_phone?: string | null;
}

/** What is logged may have left from anywhere. What is to leave does so from a number that whoever writes it may use. */
export function checkNumber(ctx: Ctx, { status, local_phone }: Numbered, before: Numbered = {}): void {
  if (status === "sent" || status === "inbox" || !local_phone) return;
  const isKnown = local_phone === before.local_phone && (status === "draft" || status === before.status);
  if (!isKnown) checkOwnNumber(ctx, local_phone, ctx.actor.user_id, "local_phone");
}

export const usualNumberOf = (ctx: Ctx, { user_id }: { user_id: string | null }): string | null =>
  usualTextNumber(ctx, user_id ?? ctx.actor.user_id)?.number ?? null;

export const mobileOf = (person: Contact | null): string | null =>
  (person?.phones.find((one) => one.type === "mobile") ?? person?.phones[0])?.phone ?? null;
