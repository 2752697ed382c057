// The sender of an e-mail, and the account that sends it. A logged e-mail may have any sender. An e-mail to be sent must be in
// the name of its author; this is checked again when it is put into the outbox, and when it is sent.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { checkAddressAmong, checkSendAsAmong, identityOf, mailboxAmong, sendersOf, usualMailbox } from "../accounts/senders.ts";
import { user } from "../organization/user.ts";
import type { email } from "./email.ts";
import { isLeaving, type MessageState } from "./message_states.ts";
import { addressLine, person } from "./recipients.ts";

type Named = Partial<Pick<Row<typeof email>, "sender" | "email_account_id" | "send_as_id">>;

/** Fills in the sender and the account. A sender that is not allowed is a 400. */
export async function senderOf(
  ctx: Ctx,
  mail: Named & { status: MessageState },
  before: Named & { status?: MessageState } = {},
): Promise<Named> {
  const { status, sender = null, email_account_id = null, send_as_id = null } = mail;
  const isSentOff = isLeaving(status) && status !== before.status;
  const known = status !== "draft" && status !== before.status ? {} : before;
  const isNew = (key: keyof Named) => Boolean(mail[key]) && mail[key] !== known[key];
  const isLogged = status === "sent" || status === "inbox";
  const isAsked = !isLogged && (["sender", "email_account_id", "send_as_id"] as const).some(isNew);
  const isOurs = status !== "draft" && status !== "inbox";
  if (!isSentOff && !isAsked) return { sender: sender ?? (isOurs ? callersAddress(ctx) : null) };

  const senders = await sendersOf(ctx, ctx.actor.user_id);
  if (isNew("email_account_id")) mailboxAmong(senders, email_account_id!, "email_account_id");
  if (isNew("send_as_id")) checkSendAsAmong(senders, send_as_id!, "send_as_id");
  const address = sender === null ? null : person(sender).email;
  if (isNew("sender")) checkAddressAmong(ctx, senders, address!, "sender");
  if (!isSentOff) return { sender };

  const mailbox = usualMailbox(ctx, senders, { sender: address, email_account_id, send_as_id });
  if (mailbox === null) return { sender: sender ?? callersAddress(ctx) };
  return { sender: sender ?? addressLine(identityOf(ctx, senders, mailbox)), email_account_id: mailbox.id };
}

function callersAddress(ctx: Ctx): string | null {
  const me = ctx.directory.get(user, ctx.actor.user_id);
  return me === undefined ? null : addressLine(me);
}
