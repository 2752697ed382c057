// Sends system mail, one job for each mail. The text is written when the mail is sent, and it is sent again until the server has
// accepted it. If a worker ends between the server's confirmation and its own commit, the mail is sent twice, with the same
// Message-ID.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { type Mailer, MailRefused, mailConnections } from "../../services/mail.ts";
import { oneLine } from "../../values/one_line.ts";
import { pgTimestamp } from "../../values/time.ts";
import { notify } from "../notifications/notify.ts";
import { membership } from "../organization/membership.ts";
import { tellUnsent } from "../quotes/mail_signed.ts";
import { quote } from "../quotes/quote.ts";
import { digestLetter } from "./digest_letter.ts";
import { invitationLetter } from "./invitation_letter.ts";
import { type Composed, htmlOf, type ReadyMail, type SystemMail, textOf } from "./letter.ts";
import { passwordLetter } from "./password_letter.ts";
import { systemMailKind } from "./queue.ts";
import { signedQuoteLetter } from "./signed_quote_letter.ts";

export const systemMailWork: Work = {
  kind: systemMailKind,
  doc: "Sends system mail: invitations, links to set a password, digests of unread notifications, and accepted quotes to customers.",
  slots: mailConnections,

  async run(core, job) {
    const mail = await begin(core, job);
    if (mail === null) return;
    const { mail: mailer } = core.settings;
    if (mailer === null) return end(core, job, mail, "error", "SMTP_URL is not set, so no mail is sent.");
    const composed = await compose(core, mail);
    if (composed === null) return end(core, job, mail, "dropped");
    if (composed === "later") return again(core, job, null, laterMs);

    const failure = await send(mailer, mail, composed);
    if (failure === null) return end(core, job, mail, "sent");
    if (failure instanceof MailRefused || isOld(core, mail)) return end(core, job, mail, "error", failure.message);
    return again(core, job, failure.message, pauseMs(mail.tries));
  },

  async giveUp(ctx, job) {
    const mail = await take(ctx, job);
    if (mail !== null) await finish(ctx, mail, "error", "Several workers ended while sending it.");
  },
};

/** The attempt is counted before it is made, so that a mail that crashes the worker is not tried forever. */
const begin = (core: Core, job: Job): Promise<SystemMail | null> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const mail = await take(ctx, job);
    await holdClaim(ctx, job);
    if (mail === null) release(ctx, job, null);
    return mail;
  });

async function take(ctx: Ctx, job: Job): Promise<SystemMail | null> {
  const [row] = await transactionOf(ctx).read({
    name: "system_mail.take",
    text: `update system_mail set tries = tries + 1 where organization_id = $1 and id = $2 and status = 'outbox'
           returning kind, user_id, membership_id, sealed_token, created_by, tries, date_created, quote_id`,
    values: [ctx.organization_id, job.object_id],
  });
  if (row === undefined) return null;
  return {
    organization_id: ctx.organization_id,
    id: job.object_id,
    kind: row[0] as SystemMail["kind"],
    user_id: row[1] ?? "",
    membership_id: row[2]!,
    quote_id: row[7]!,
    sealed_token: row[3]!,
    created_by: row[4]!,
    tries: Number(row[5]),
    date_created: new Date(pgTimestamp(row[6]!)),
  };
}

const letters = { invitation: invitationLetter, digest: digestLetter, password: passwordLetter, signed_quote: signedQuoteLetter };

const compose = (core: Core, mail: SystemMail): Promise<Composed> => letters[mail.kind](core, mail);

async function send(mailer: Mailer, { id, date_created }: SystemMail, { letter, ...composed }: ReadyMail): Promise<Error | null> {
  const subject = oneLine(letter.subject, 200);
  const mail = { ...composed, id, date: date_created, subject, text: textOf(letter), html: htmlOf(letter) };
  return mailer.send(mail).then(
    () => null,
    (error) => error,
  );
}

// --- results ---

const dayMs = 24 * 3600 * 1000;
const minuteMs = 60_000;
const laterMs = 10 * minuteMs;

const isOld = (core: Core, { date_created }: SystemMail): boolean => core.clock().getTime() - date_created.getTime() >= dayMs;

/** A minute, two, four and so on, at most an hour. Jitter spreads the mails over time. */
const pauseMs = (tries: number): number => Math.min(60, 2 ** (tries - 1)) * minuteMs * (0.5 + Math.random() / 2);

const again = (core: Core, job: Job, error: string | null, pause: number): Promise<void> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    write(ctx, {
      name: "system_mail.again",
      text: "update system_mail set error = $3 where organization_id = $1 and id = $2",
      values: [ctx.organization_id, job.object_id, error?.slice(0, 1000)],
    });
    await holdClaim(ctx, job);
    release(ctx, job, new Date(ctx.now.getTime() + pause));
  });

const end = (core: Core, job: Job, mail: SystemMail, status: "sent" | "error" | "dropped", error?: string): Promise<void> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await finish(ctx, mail, status, error);
    await holdClaim(ctx, job);
    release(ctx, job, null);
  });

async function finish(
  ctx: Ctx,
  mail: SystemMail,
  status: "sent" | "error" | "dropped",
  error: string | null = null,
): Promise<void> {
  write(ctx, {
    name: "system_mail.finish",
    text: `update system_mail set status = $3, error = $4, date_ended = $5, sealed_token = null where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, mail.id, status, error?.slice(0, 1000), ctx.now],
  });
  if (status === "error" && mail.kind === "invitation") tellInviter(ctx, mail, error!);
  if (status === "error" && mail.kind === "signed_quote") await tellSeller(ctx, mail, error!);
}

async function tellSeller(ctx: Ctx, { quote_id }: SystemMail, reason: string): Promise<void> {
  const signed = await findRecord(ctx, quote, quote_id!);
  if (signed !== null) await tellUnsent(ctx, signed, signed.accepted_by_email ?? "the customer", reason);
}

/** Notifies the inviting member that the invitation did not arrive, and why. */
function tellInviter(ctx: Ctx, { created_by, membership_id }: SystemMail, reason: string): void {
  const email = ctx.directory.get(membership, membership_id)?.invited_email;
  notify(ctx, [created_by], {
    type: "message_failed",
    title: `The invitation to ${email ?? "a member"} could not be sent`,
    body: reason.slice(0, 1000),
    object_type: "membership",
    object_id: membership_id!,
    actor_id: null,
  });
}
