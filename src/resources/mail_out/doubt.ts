// A turn that began and came to no end: its worker was killed, or lost the database. It is not begun again, for the mail may have left.
// The mailbox's folder of sent mail may know.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, outside, release } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { MailboxError } from "../../services/imap.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { enterMailbox } from "../mail_in/mailbox_login.ts";
import { copiesOf } from "../mail_tracking/copies.ts";
import { messageIdOf } from "./compose.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { perhapsSent } from "./reasons.ts";
import { type Doubt, type Email, remaining } from "./sending.ts";
import { conclude, type Findings } from "./settle.ts";

/** So long a folder that cannot be asked is asked again. */
const askedForMs = 10 * 60_000;
const askAgainMs = 60_000;

/** What is not found, whoever sent it has to look for; copies that nobody began to hand over leave all the same. */
export async function resolve(core: Core, job: Job, { mail: seen, by }: Doubt): Promise<void> {
  const isThere = await askSentFolder(core, job, seen);
  await asService(core, job.organization_id, by, requestOf(job), async (ctx) => {
    const mail = await lockWithThread(ctx, seen.id);
    await holdClaim(ctx, job);
    if (mail === undefined || mail.sending_at === null) return release(ctx, job, null);
    const isEarly = ctx.now.getTime() - Date.parse(mail.sending_at) < askedForMs;
    if (isThere === null && isEarly) return release(ctx, job, new Date(ctx.now.getTime() + askAgainMs));
    release(ctx, job, await conclude(ctx, mail, isThere ? there(ctx, mail) : doubtful(ctx, mail), ctx.now));
  });
}

/** Null where it cannot be asked at this moment. Of several copies the folder does not say which one it has. */
async function askSentFolder(core: Core, job: Job, mail: Email): Promise<boolean | null> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [account] = await findRecords(ctx, connectedAccount, [sql`t.id = ${mail.email_account_id}`]);
  if (account === undefined || account.receive_status === "disabled" || mail.receipts.length > 0) return false;
  try {
    const visit = enterMailbox(core, account, async (mailbox) => {
      const folder = await mailbox.sentFolder();
      if (folder === null) return false;
      await mailbox.open(folder);
      return (await mailbox.withMessageId(messageIdOf(mail))).length > 0;
    });
    return await outside(job, visit);
  } catch (error) {
    if (error instanceof MailboxError) return null;
    throw error;
  }
}

/** The copy that was being sent: its result is unknown. */
export function doubtful(ctx: Ctx, mail: Email): Findings {
  const to = underWay(ctx, mail);
  return { receipts: [{ to, date: ctx.now.toISOString(), taken: null, reply: "" }], reasons: [perhapsSent(to)] };
}

const there = (ctx: Ctx, mail: Email): Findings => ({
  receipts: [{ to: underWay(ctx, mail), date: ctx.now.toISOString(), taken: true, reply: "found in the folder of sent mail" }],
  reasons: [],
});

const underWay = (ctx: Ctx, mail: Email): string[] => copiesOf(ctx, mail, remaining(mail))[0]?.to ?? [];
