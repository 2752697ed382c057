// The work on mailboxes: a job is one connected account whose mail should be fetched. A visit reads new messages in the Inbox and
// in the folder of sent mail, and returns for the rest. At rest it returns after some minutes.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { renewClaim, requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, outside, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { MailboxError } from "../../services/imap.ts";
import { failAccount } from "../accounts/account_states.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { mailboxJobs } from "../accounts/mailbox_jobs.ts";
import { provenByOthers } from "../accounts/proof.ts";
import { accountToRead } from "./account_to_read.ts";
import { beginningOf, waitForOwner } from "./between_visits.ts";
import { enterMailbox } from "./mailbox_login.ts";
import { noteFailure, noteSuccess } from "./outcome.ts";
import { readFolder } from "./read_folder.ts";
import type { Visit } from "./visit.ts";

export const mailboxWork: Work = {
  ...mailboxJobs,
  doc: "Fetches mail from connected accounts.",
  slots: 16,
  run: visit,
  async giveUp(ctx, job) {
    waitForOwner(ctx, job.object_id);
    await failAccount(ctx, job.object_id, ["receive"], givenUp);
  },
};

const givenUp =
  "Workers ended again and again while they read this mailbox. The operator of the service finds out why in its log; change the account to have it tried again.";

const ofAnother =
  "It is the mailbox of another member, who entered it first: they, or an admin, can share it with you. If it is yours alone by now, change the account to have it read.";

/** The most messages of one visit, and the time after which it starts nothing new, so that other jobs get their turn. */
const most = 200;
const beginsForMs = 15_000;
/** Less than a job is somebody's; while a message comes over a slow line the claim is renewed. */
const visitMs = 25_000;

async function visit(core: Core, job: Job): Promise<void> {
  const inside = <T>(act: (ctx: Ctx) => Promise<T>): Promise<T> =>
    asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
      await lockToChange(ctx, connectedAccount, sql`t.id = ${job.object_id}`);
      await holdClaim(ctx, job);
      return act(ctx);
    });
  const end = (when: (ctx: Ctx) => Promise<Date | null>) => inside(async (ctx) => release(ctx, job, await when(ctx)));
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const account = await accountToRead(reading, job.object_id);
  if (account === null) return end(async () => null);

  const since = await inside((ctx) => beginningOf(ctx, account));
  const begun = { core, job, account, since, left: most, until: performance.now() + beginsForMs };
  try {
    if ((await provenByOthers(reading, [account])).size > 0) throw new MailboxError("login", ofAnother);
    const wait = <T>(answer: Promise<T>): Promise<T> => outside(job, answer);
    const patience = { limitMs: visitMs, goOn: () => renewClaim(core, job), wait };
    const isMore = await enterMailbox(core, account, (mailbox) => readAll(Object.assign(begun, { mailbox })), patience);
    await end((ctx) => noteSuccess(ctx, account, isMore));
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    await end((ctx) => noteFailure(ctx, account, error, begun.left < most));
  }
}

/** What was sent comes after what arrived. Answers whether there may be more. */
async function readAll(visit: Visit): Promise<boolean> {
  if (await readFolder(visit, "inbox", "INBOX")) return true;
  const sent = await visit.mailbox.sentFolder();
  return sent !== null && readFolder(visit, "sent", sent);
}
