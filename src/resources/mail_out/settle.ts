// The new state of a mail after a turn: it was sent, still waits, or is an error.
import type { Ctx } from "../../core/context.ts";
import { email } from "../activities/email.ts";
import { attemptsWith, hasFailed, hasLeft, hasToWait, type Leaving, type Reason, tellSender } from "../activities/leaving.ts";
import { isTooLate, tooLate } from "../activities/outbox_by_clock.ts";
import { arrangeSentCopy } from "./arrange_copy.ts";
import { messageIdOf } from "./compose.ts";
import { nextDay } from "./daily_cap.ts";
import { overCap } from "./reasons.ts";
import { type Account, type Email, remaining } from "./sending.ts";

/** What a turn found: the result for some recipients, and what the sender should know. */
export interface Findings {
  receipts: Email["receipts"];
  reasons: Reason[];
}

/** The mail with these results. */
export const withFindings = (ctx: Ctx, mail: Email, { receipts, reasons }: Findings): Email => ({
  ...mail,
  receipts: [...mail.receipts, ...receipts],
  send_attempts: attemptsWith(ctx, mail.send_attempts, reasons) as Email["send_attempts"],
});

/** Ends a turn, with the mail locked after its thread. Returns when to look at it again. Null when nothing is left to do. */
export async function conclude(
  ctx: Ctx,
  mail: Email,
  found: Findings,
  again: Date | null,
  send_after = mail.send_after!,
): Promise<Date | null> {
  const { receipts, send_attempts } = withFindings(ctx, mail, found);
  const left = remaining({ ...mail, receipts });
  const isOver = again === null || isTooLate(ctx, send_after) || left.length === 0;
  const values = { receipts, send_attempts, send_after: isOver ? null : send_after };
  const before = mail as Leaving;
  if (mail.status === "sent") await hasToWait(ctx, email, before, null, values);
  else if (receipts.some(({ taken }) => taken)) {
    await hasLeft(ctx, email, before, { ...values, ...identified(ctx, mail) });
    await arrangeSentCopy(ctx, mail);
  } else if (!isOver) await hasToWait(ctx, email, before, null, { ...values, status: "outbox" });
  else return hasFailed(ctx, email, before, found.reasons.at(-1) ?? tooLate, { values }).then(() => null);
  const isLost = found.receipts.some(({ taken }) => !taken) || (isOver && left.length > 0);
  if (isLost) await tellSender(ctx, email, before, found.reasons.at(-1) ?? tooLate);
  return isOver ? null : again;
}

function identified(ctx: Ctx, mail: Email): Pick<Email, "message_ids" | "envelope"> {
  const message_id = messageIdOf(mail);
  return {
    message_ids: [message_id],
    envelope: mail.envelope && { ...mail.envelope, message_id, date: ctx.now.toISOString() },
  };
}

/** It waits for something else than its own retry. This is stored once, however often it is looked at. */
export async function postpone(ctx: Ctx, mail: Email, reason: Reason, again: Date): Promise<Date | null> {
  const isSaid = mail.send_attempts.at(-1)?.error_class === reason.error_class;
  return conclude(ctx, mail, { receipts: [], reasons: isSaid ? [] : [reason] }, again);
}

/** Its mailbox has reached its limit for today. Tomorrow it counts as put into the outbox then. */
export async function putOffToTomorrow(ctx: Ctx, mail: Email, found: Findings, account: Account): Promise<Date | null> {
  const send_after = nextDay(ctx, account);
  const reason = overCap(account, send_after);
  const isSaid = mail.send_attempts.at(-1)?.error_class === reason.error_class;
  const reasons = [...found.reasons, ...(isSaid ? [] : [reason])];
  return conclude(ctx, mail, { ...found, reasons }, new Date(send_after), send_after);
}
