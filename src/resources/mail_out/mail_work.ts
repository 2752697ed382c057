// Sends e-mails: a job is one e-mail in the outbox. A turn records that it starts, sends the mail to the server, and stores the
// server's reply. A mail that was started and has no result is not sent again, because nobody knows what happened.
import type { Work } from "../../jobs/job.ts";
import { email } from "../activities/email.ts";
import { jobsOf } from "../activities/leaving.ts";
import { begin, look } from "./begin.ts";
import { doubtful, resolve } from "./doubt.ts";
import { end } from "./end.ts";
import { keepLinked } from "./keep_linked.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { crashed } from "./reasons.ts";
import { send } from "./send.ts";
import { conclude } from "./settle.ts";

export const mailWork: Work = {
  ...jobsOf(email),
  doc: "Sends e-mails through the mailboxes of whoever sends them.",
  slots: 40,
  // Servers treat more as an attack.
  laneMost: 3,

  async run(core, job) {
    const seen = await look(core, job);
    if (seen !== undefined && !(await keepLinked(core, job, seen))) return;
    const begun = await begin(core, job, seen);
    if (begun === null) return;
    if (!("account" in begun)) return resolve(core, job, begun);
    for (let next: typeof begun | null = begun; next !== null; ) next = await end(core, job, next, await send(core, job, next));
  },

  async giveUp(ctx, job) {
    const mail = await lockWithThread(ctx, job.object_id);
    if (mail === undefined || mail.send_after === null) return;
    await conclude(ctx, mail, mail.sending_at === null ? { receipts: [], reasons: [crashed] } : doubtful(ctx, mail), null);
  },
};
