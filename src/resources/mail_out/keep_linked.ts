// What is attached to a mail by an address elsewhere is fetched before the mail is sent, outside of any transaction, and becomes a
// file of the lead. So every attempt, and the copy in the folder of sent mail, has the same bytes.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, outside, release } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { NotFetched } from "../../services/fetch_public.ts";
import { TooLarge } from "../../services/storage.ts";
import { same } from "../../values/same.ts";
import { type Attachment, attachedMax, isLink } from "../activities/attachments.ts";
import { email } from "../activities/email.ts";
import { hasToWait, type Leaving, releaserOf } from "../activities/leaving.ts";
import { isLeaving } from "../activities/message_states.ts";
import { linkOf } from "../files/file.ts";
import { insertFile } from "../files/store_file.ts";
import type { KeptBytes } from "../files/stored_bytes.ts";
import { wasNotFetched } from "../files/upload.ts";
import { retryAt } from "./end.ts";
import { keepFetched } from "./keep_fetched.ts";
import { lockWithThread } from "./lock_with_thread.ts";
import { attachmentClass, notFetched, tooMuchAttached } from "./reasons.ts";
import { keeping } from "./send.ts";
import type { Email } from "./sending.ts";
import { conclude, withFindings } from "./settle.ts";

/** False where this turn is over, because something could not be fetched or the mail was changed. */
export async function keepLinked(core: Core, job: Job, seen: Email): Promise<boolean> {
  const isDue = isLeaving(seen.status) && seen.sending_at === null && Date.parse(seen.send_after!) <= core.clock().getTime();
  if (!isDue || !seen.attachments.some(isLink)) return true;
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const fetched = await keeping(core, job, () => outside(job, fetchAll(reading, seen.attachments)));

  return asService(core, job.organization_id, releaserOf(seen), requestOf(job), async (ctx) => {
    const mail = await lockWithThread(ctx, seen.id);
    await holdClaim(ctx, job);
    const isOther = mail === undefined || mail.status !== seen.status || !same(mail.attachments, seen.attachments);
    const isOver = isOther || fetched.failure !== null;
    if (isOther) release(ctx, job, ctx.now);
    else if (fetched.failure !== null) release(ctx, job, await concludeUnfetched(ctx, mail, fetched.failure));
    else await hasToWait(ctx, email, mail as Leaving, null, { attachments: await asFiles(ctx, mail, fetched) });
    return !isOver;
  });
}

interface Fetched {
  /** By its place in the list. */
  files: Map<number, { kept: KeptBytes; name: string }>;
  failure: { attached: Attachment; error: unknown } | null;
}

const oneMs = 30_000;
const allMs = 120_000;

/** One after the other, up to the first that cannot be had. */
async function fetchAll(ctx: Ctx, attachments: readonly Attachment[]): Promise<Fetched> {
  const files: Fetched["files"] = new Map();
  const until = Date.now() + allMs;
  let left = attachments.filter((one) => !isLink(one)).reduce((bytes, { size }) => bytes - (size ?? 0), attachedMax);
  for (const [i, attached] of attachments.entries()) {
    if (!isLink(attached)) continue;
    try {
      const wholeMs = Math.max(1, Math.min(oneMs, until - Date.now()));
      const fetched = await keepFetched(ctx, attached, Math.max(0, left), wholeMs);
      files.set(i, fetched);
      left -= fetched.kept.size;
    } catch (error) {
      if (!(error instanceof TooLarge) && !wasNotFetched(error)) throw error;
      return { files, failure: { attached, error } };
    }
  }
  return { files, failure: null };
}

const asFiles = (ctx: Ctx, { lead_id, contact_id, attachments }: Email, { files }: Fetched): Promise<Attachment[]> =>
  Promise.all(
    attachments.map(async (one, i) => {
      const fetched = files.get(i);
      if (fetched === undefined) return one;
      const { id, name, mime, size, ...link } = await insertFile(ctx, fetched.kept, { name: fetched.name, lead_id, contact_id });
      return { ...one, file_id: id, url: linkOf(ctx, { name, ...link }), filename: name, content_type: mime, size };
    }),
  );

/** Whoever waits for a brochure wants to know within the hour. */
const triesMost = 5;

/** Answers when it is tried again. Null where the mail is an error now. */
async function concludeUnfetched(
  ctx: Ctx,
  mail: Email,
  { attached, error }: NonNullable<Fetched["failure"]>,
): Promise<Date | null> {
  const tries =
    mail.send_attempts.filter((one) => one.error_class === attachmentClass && one.date >= mail.send_after!).length + 1;
  const isPassing = !(error instanceof TooLarge) && (!(error instanceof NotFetched) || error.isPassing) && tries < triesMost;
  const reason = error instanceof TooLarge ? tooMuchAttached(attached) : notFetched(attached, isPassing);
  const found = { receipts: [], reasons: [reason] };
  return conclude(ctx, mail, found, isPassing ? retryAt(ctx, withFindings(ctx, mail, found)) : null);
}
