// Puts a copy of what has left into the mailbox's folder of sent mail, where its provider does not do that itself. A job of its own: what
// goes wrong here has nothing to do with the mail, which has left.
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, outside, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { type Mailbox, MailboxError } from "../../services/imap.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { waitsMs } from "../activities/outbox_by_clock.ts";
import { enterMailbox } from "../mail_in/mailbox_login.ts";
import { withoutLink } from "../mail_tracking/personal.ts";
import { sentCopyJobs } from "./arrange_copy.ts";
import { look } from "./begin.ts";
import { type Composition, composer } from "./compose.ts";
import { partsOf } from "./parts.ts";
import { CannotLeave } from "./reasons.ts";
import { compositionOf } from "./send.ts";
import type { Account, Email } from "./sending.ts";
import { signed } from "./signature.ts";
import { withTextForm } from "./text_form.ts";

export const sentCopyWork: Work = {
  ...sentCopyJobs,
  doc: "Puts copies of sent mail into the mailboxes that it left by.",
  slots: 10,
  laneMost: 1,
  async run(core, job) {
    const mail = await look(core, job);
    const composition = mail && (await copyOf(core, job, mail));
    const again = composition ? await putIn(core, job, composition) : null;
    await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
      await holdClaim(ctx, job);
      release(ctx, job, again);
    });
  },
  // The mail has left all the same.
  async giveUp() {},
};

interface SentCopy {
  account: Account;
  composition: Composition;
}

/** Null where the mail, its mailbox or what was attached is no more. */
async function copyOf(core: Core, job: Job, mail: Email): Promise<SentCopy | null> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [account] = await findRecords(ctx, connectedAccount, [sql`t.id = ${mail.email_account_id}`]);
  if (mail.status !== "sent" || account === undefined || account.imap === null) return null;
  try {
    const parts = await partsOf(ctx, mail.attachments);
    const { body_text, body_html } = signed(withTextForm(mail), account);
    const copy = { to: [], text: withoutLink(body_text ?? ""), html: body_html && withoutLink(body_html), headers: {} };
    const composition = { ...compositionOf({ mail, account, parts, copy }), showsBcc: true };
    return { account, composition: { ...composition, message_id: mail.message_ids[0]! } };
  } catch (error) {
    if (error instanceof CannotLeave) return null;
    throw error;
  }
}

/** All in all for less time than the job is ours. */
const visitMs = 50_000;

/** Answers when it is tried again; null where it lies there, or is given up. */
async function putIn(core: Core, job: Job, { account, composition }: SentCopy): Promise<Date | null> {
  const raw = await bytesOf(composition);
  const { date, message_id } = composition;
  try {
    const work = (mailbox: Mailbox) => appendOnce(mailbox, raw, date, message_id);
    await outside(job, enterMailbox(core, account, work, { limitMs: visitMs }));
    return null;
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    const age = core.clock().getTime() - date.getTime();
    return age > waitsMs ? null : new Date(core.clock().getTime() + Math.max(60_000, age / 2));
  }
}

/** Whoever was killed here before may have put it there already; some servers do it themselves. */
async function appendOnce(mailbox: Mailbox, raw: Buffer, date: Date, messageId: string): Promise<void> {
  const folder = (await mailbox.sentFolder()) ?? (await mailbox.makeSentFolder());
  await mailbox.open(folder);
  if ((await mailbox.withMessageId(messageId)).length === 0) await mailbox.append(folder, raw, date);
}

async function bytesOf(composition: Composition): Promise<Buffer> {
  const compose = await composer();
  return Buffer.concat(await compose(composition).toArray());
}
