// Ends a turn: stores the server's reply as the state of the mail, or starts the next copy.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { ClaimLost, holdClaim, type Job, release } from "../../jobs/job.ts";
import { asService } from "../../records/acting.ts";
import { NotHanded, PerhapsHanded, type Refused } from "../../services/smtp.ts";
import { sendingFailed, sendingWorked } from "../accounts/sending.ts";
import { email } from "../activities/email.ts";
import { type Leaving, noteSending } from "../activities/leaving.ts";
import { giveBackToDay, takeFromDay } from "./daily_cap.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { hostOf } from "./mailbox.ts";
import { failed, isFinal, isForGood, isOfMailbox, mayPass, perhapsSent, refused } from "./reasons.ts";
import type { Outcome } from "./send.ts";
import type { Email, Sending } from "./sending.ts";
import { conclude, type Findings, putOffToTomorrow, withFindings } from "./settle.ts";

/** Returns what to send next. Null when the turn is over. */
export async function end(core: Core, job: Job, sending: Sending, outcome: Outcome): Promise<Sending | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await write(core, job, sending, outcome);
    } catch (error) {
      // If this is not stored now, nobody will ever know it.
      if (error instanceof ClaimLost || tries === triesMost) throw error;
      await sleep(tries * 1000);
    }
  }
}

/** In total for less time than the claim lasts. */
const triesMost = 8;

const write = (core: Core, job: Job, sending: Sending, outcome: Outcome): Promise<Sending | null> =>
  asService(core, job.organization_id, sending.by, requestOf(job), async (ctx) => {
    const [mail] = await Promise.all([lockWithThread(ctx, sending.mail.id), holdClaim(ctx, job)]);
    // Its lead may have been deleted in the meantime.
    const next = mail === undefined ? null : await settled(ctx, mail, sending, outcome);
    if (next instanceof Date || next === null) release(ctx, job, next);
    return next instanceof Date ? null : next;
  });

async function settled(ctx: Ctx, mail: Email, sending: Sending, outcome: Outcome): Promise<Sending | Date | null> {
  const { account, day } = sending;
  const found = findingsOf(ctx, sending, outcome);
  if (outcome instanceof NotHanded) giveBackToDay(ctx, account, mail, day, 1);
  if (outcome instanceof NotHanded && isOfMailbox(outcome)) {
    const again = await sendingFailed(ctx, account.id, found.reasons[0]!.error_message, mayPass(outcome));
    return conclude(ctx, mail, found, again ?? retryAt(ctx, mail));
  }
  if (!(outcome instanceof PerhapsHanded)) await sendingWorked(ctx, account);
  return nextCopy(ctx, mail, { ...sending, deferred: [...sending.deferred, ...found.deferred] }, found);
}

/** The most copies sent in one turn, so that other mails get their turn. */
const copiesMost = 20;

async function nextCopy(ctx: Ctx, mail: Email, sending: Sending, found: Findings): Promise<Sending | Date | null> {
  const { account, rest, deferred, copies } = sending;
  const [copy, ...others] = rest;
  if (copy === undefined) return conclude(ctx, mail, found, deferred.length > 0 ? retryAt(ctx, mail) : null);
  if (copies >= copiesMost) return conclude(ctx, mail, found, ctx.now);
  const day = await takeFromDay(ctx, account, mail, 1);
  if (day === null) return putOffToTomorrow(ctx, mail, found, account);
  const { receipts, send_attempts } = withFindings(ctx, mail, found);
  const noted = noteSending(ctx, email, mail as Leaving, { receipts, send_attempts }) as unknown as Email;
  return { ...sending, mail: noted, copy, rest: others, copies: copies + 1, day };
}

/** The result of a copy for its recipients. Temporarily refused ones are in `deferred`. */
function findingsOf(ctx: Ctx, { account, copy: { to } }: Sending, outcome: Outcome): Findings & { deferred: Refused[] } {
  const date = ctx.now.toISOString();
  const no = ({ email: one, words }: Refused) => ({ to: [one], date, taken: false, reply: words });
  if (outcome instanceof PerhapsHanded)
    return { receipts: [{ to, date, taken: null, reply: outcome.message }], reasons: [perhapsSent(to)], deferred: [] };
  if (outcome instanceof NotHanded && outcome.problem !== "recipients") {
    const all = to.map((one) => ({ email: one, ...outcome.said }));
    const reasons = [failed(outcome, hostOf(ctx.settings, account))];
    return isFinal(outcome) ? { receipts: all.map(no), reasons, deferred: [] } : { receipts: [], reasons, deferred: all };
  }
  const lost = outcome.refused.filter(isForGood);
  const those = new Set(outcome.refused.map((one) => one.email));
  const taken = outcome instanceof NotHanded ? [] : to.filter((one) => !those.has(one));
  return {
    receipts: [...(taken.length > 0 ? [{ to: taken, date, taken: true, reply: replyOf(outcome) }] : []), ...lost.map(no)],
    reasons: outcome.refused.length > 0 ? [refused(outcome.refused)] : [],
    deferred: outcome.refused.filter((one) => !isForGood(one)),
  };
}

const replyOf = (outcome: Outcome): string => ("reply" in outcome ? outcome.reply : "");

const minuteMs = 60_000;

/** A minute, two, four and so on, at most an hour. Jitter spreads the mails over time. */
export function retryAt({ now }: Ctx, { send_after, send_attempts }: Email): Date {
  const tries = send_attempts.filter(({ date }) => date >= send_after!).length;
  return new Date(now.getTime() + Math.min(60, 2 ** tries) * minuteMs * (0.75 + Math.random() / 4));
}
