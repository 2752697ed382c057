// Sends e-mails: a job is one e-mail in the outbox. A turn records that it starts, sends the mail to the server, and stores the
// server's reply. A mail that was started and has no result is not sent again, because nobody knows what happened.
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { email } from "../activities/email.ts";
import { jobsOf } from "../activities/leaving.ts";
import { begin, look } from "./begin.ts";
import { doubtful, resolve } from "./doubt.ts";
import { end } from "./end.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { takePlace } from "./places.ts";
import { crashed } from "./reasons.ts";
import { send } from "./send.ts";
import { type Email, releaserOf } from "./sending.ts";
import { conclude } from "./settle.ts";

export const mailWork: Work = {
  ...jobsOf(email),
  doc: "Sends e-mails through the mailboxes of whoever sends them.",
  slots: 40,

  async run(core, job) {
    const seen = await look(core, job);
    const leave = await takePlace(core, seen?.email_account_id ?? (seen && releaserOf(seen)) ?? "");
    if (leave === null) return giveWay(core, job);
    await takeTurn(core, job, seen).finally(leave);
  },

  async giveUp(ctx, job) {
    const mail = await lockWithThread(ctx, job.object_id);
    if (mail === undefined || mail.send_after === null) return;
    await conclude(ctx, mail, mail.sending_at === null ? { receipts: [], reasons: [crashed] } : doubtful(ctx, mail), null);
  },
};

async function takeTurn(core: Core, job: Job, seen: Email | undefined): Promise<void> {
  const begun = await begin(core, job, seen);
  if (begun === null) return;
  if (!("account" in begun)) return resolve(core, job, begun);
  for (let next: typeof begun | null = begun; next !== null; ) next = await end(core, job, next, await send(core, job, next));
}

const giveWay = (core: Core, job: Job): Promise<void> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await holdClaim(ctx, job);
    release(ctx, job, ctx.now);
  });
