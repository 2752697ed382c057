// Begins a turn: checks the mail as it is now, and records that sending starts, or why it does not.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { empty, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { isLeftInPeace } from "../accounts/sending.ts";
import { email } from "../activities/email.ts";
import { type Leaving, noteSending, pastDue, releaserOf } from "../activities/leaving.ts";
import { noteIdentity } from "../activities/mail_identity.ts";
import { endLate, isTooLate } from "../activities/outbox_by_clock.ts";
import { copiesOf } from "../mail_tracking/copies.ts";
import { user } from "../organization/user.ts";
import { takenBack } from "../sequences/still_wanted.ts";
import { messageIdOf } from "./compose.ts";
import { continued } from "./continued.ts";
import { takeFromDay } from "./daily_cap.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { mailboxFor } from "./mailbox.ts";
import { partsOf } from "./parts.ts";
import { CannotLeave, waitsForMailbox } from "./reasons.ts";
import { type Doubt, type Email, remaining, type Sending } from "./sending.ts";
import { conclude, postpone, putOffToTomorrow, withFindings } from "./settle.ts";
import { signed } from "./signature.ts";
import { withTextForm } from "./text_form.ts";
import { unwanted } from "./unwanted.ts";

/** What is known of a mail before anything is locked. */
export async function look(core: Core, job: Job): Promise<Email | undefined> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  return (await findRecords(ctx, email, [sql`t.id = ${job.object_id}`], empty, "to_send"))[0];
}

/** Null when there is nothing to send, now or at all. */
export async function begin(core: Core, job: Job, seen: Email | undefined): Promise<Sending | Doubt | null> {
  const by = seen === undefined ? "" : releaserOf(seen);
  const actor = by === "" ? null : await actorOfMember(core.db, job.organization_id, by);
  return asService(core, job.organization_id, by, requestOf(job), async (ctx) => {
    // A mail of a sequence may be taken back, which changes its thread.
    const lock = seen?.sequence_subscription_id ? lockWithThread : lockAlone;
    const [mail] = await Promise.all([lock(ctx, job.object_id), holdClaim(ctx, job)]);
    if (mail === undefined || mail.send_after === null) return stop(ctx, job, null);
    if (mail.sending_at !== null) return { mail, by };
    const due = new Date(mail.send_after);
    if (due > ctx.now || releaserOf(mail) !== by) return stop(ctx, job, due);
    if (mail.status !== "sent" && (await takenBack(ctx, email, mail))) return stop(ctx, job, null);
    // A mail that reached some of its recipients gets one more turn, which finds the others.
    if (mail.status !== "sent" && isTooLate(ctx, mail.send_after)) {
      await endLate(ctx, email, mail as Leaving);
      return stop(ctx, job, null);
    }
    try {
      const begun = await prepare(ctx, mail, by, actor);
      return "again" in begun ? stop(ctx, job, begun.again) : begun;
    } catch (refusal) {
      if (!(refusal instanceof CannotLeave)) throw refusal;
      return stop(ctx, job, await conclude(ctx, mail, { receipts: [], reasons: [refusal.reason] }, null));
    }
  });
}

const lockAlone = async (ctx: Ctx, id: string): Promise<Email | undefined> =>
  (await lockToChange(ctx, email, sql`t.id = ${id}`, "email.lock_to_begin"))[0];

function stop(ctx: Ctx, job: Job, again: Date | null): null {
  release(ctx, job, again);
  return null;
}

/** When to look at it again, if it is not sent in this turn. */
interface Later {
  again: Date | null;
}

const hourMs = 3_600_000;

async function prepare(ctx: Ctx, mail: Email, by: string, actor: Actor | null): Promise<Sending | Later> {
  await checkMember(ctx, mail, by, actor);
  if (actor!.past_due) return { again: await postpone(ctx, mail, pastDue, new Date(ctx.now.getTime() + hourMs)) };
  const account = await mailboxFor(ctx, by, mail);
  if (isLeftInPeace(account, ctx.now))
    return { again: await postpone(ctx, mail, waitsForMailbox(account), new Date(account.send_again_at!)) };

  const found = await unwanted(ctx, mail, remaining(mail));
  const [copy, ...rest] = copiesOf(ctx, signed(withTextForm(mail), account), remaining(withFindings(ctx, mail, found)));
  if (copy === undefined) return { again: await conclude(ctx, mail, found, null) };
  const parts = await partsOf(ctx, mail.attachments);
  const day = await takeFromDay(ctx, account, mail, 1);
  if (day === null) return { again: await putOffToTomorrow(ctx, mail, found, account) };
  const { receipts, send_attempts } = withFindings(ctx, mail, found);
  // Its copy in the folder of sent mail must not be read as another mail, however soon that happens.
  noteIdentity(ctx, messageIdOf(mail), mail.id);
  const { references, envelope } = await continued(ctx, mail);
  const values = { email_account_id: account.id, receipts, send_attempts, references, envelope };
  const noted = noteSending(ctx, email, mail as Leaving, values);
  return { mail: noted as unknown as Email, by, account, parts, copy, rest, deferred: [], copies: 1, day };
}

/** It is sent with the present rights of the member who released it. */
async function checkMember(ctx: Ctx, mail: Email, by: string, actor: Actor | null): Promise<void> {
  const name = ctx.directory.get(user, by)?.name ?? "Whoever sent it off";
  if (actor === null)
    throw new CannotLeave("no_member", `${name} is not a member any more: somebody else has to send it in their own name`);
  if ((await findRecord({ ...ctx, actor }, email, mail.id)) === null)
    throw new CannotLeave("not_allowed", `${name} does not see the lead any more: somebody else has to send it`);
}
