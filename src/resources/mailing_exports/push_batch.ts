// Gives one batch to a platform, outside of any transaction, and stores what became of it.
import type { Ctx } from "../../core/context.ts";
import { store } from "../../records/store.ts";
import { type Failures, type Mailing, NotTaken, type Pushed, type Recipient } from "../../services/mailing.ts";
import { afterWait, later } from "../webhooks/schedule.ts";
import { type Item, markItems } from "./items.ts";
import { mailingExport } from "./mailing_export.ts";
import { counted, fail, isOver, type MailingExport, nameOf } from "./progress.ts";

/** Items that are stored as `sending`. */
export interface Batch {
  platform: Mailing;
  items: readonly Item[];
  /** The same, as the platform gets to know them. Empty when it has got them already, and a receipt stands for them. */
  recipients: readonly Recipient[];
  receipt: string | null;
  /** The same whenever the batch comes again. */
  key: string;
}

export type Answer = Pushed | "working" | NotTaken;

export async function send({ platform, items, recipients, receipt, key }: Batch): Promise<Answer> {
  try {
    if (receipt === null) return recipients.length === 0 ? { failures: new Map() } : await platform.push(recipients, key);
    const emails = items.flatMap(({ address }) => address ?? []);
    const failures = await platform.results!(receipt, emails);
    return failures === null ? "working" : { failures };
  } catch (error) {
    if (error instanceof NotTaken) return error;
    throw error;
  }
}

/** When a platform is asked how far it is with a batch. */
const askedAfterMs = 2000;
const askedMostMs = 60_000;

/** Returns when the export goes on; null when it is over. */
export function settle(ctx: Ctx, row: MailingExport, batch: Batch, answer: Answer): Date | null {
  // Whoever canceled it meanwhile is told whom the platform has.
  if (isOver(row)) {
    if (typeof answer === "object" && "failures" in answer) noteResults(ctx, row, batch, answer.failures);
    return null;
  }
  if (answer instanceof NotTaken) return notTaken(ctx, row, batch, answer);
  if (answer === "working") return wait(ctx, row, null, null);
  if ("receipt" in answer) {
    store.update(ctx, mailingExport, row, { ...calm, receipt: answer.receipt }, undefined, null);
    return new Date(ctx.now.getTime() + askedAfterMs);
  }
  return noteResults(ctx, row, batch, answer.failures);
}

/** Nothing is wrong any more. */
const calm = { tries: 0, failing_since: null, error: null } as const;

function noteResults(ctx: Ctx, row: MailingExport, { platform, items }: Batch, refused: Failures): Date | null {
  const reasons = new Map([...refused].map(([email, error]) => [email.toLowerCase(), error.slice(0, 1000)]));
  const marks = items.map(({ ord, address }) => {
    const error = reasons.get(address!);
    return {
      ord,
      address: address!,
      ...(error === undefined ? { status: "pushed" as const } : { status: "failed" as const, error }),
    };
  });
  markItems(ctx, row.id, marks);
  const failures = items.flatMap(({ contact_id, address }) => {
    const error = reasons.get(address!);
    return error === undefined ? [] : [{ contact_id, error }];
  });
  const counters = counted(row, { pushed: items.length - failures.length, excluded: [], failures });
  const grown = row.batch_most === null ? null : row.batch_most * 2;
  const batch_most = grown === null || grown >= platform.most ? null : grown;
  const after = store.update(ctx, mailingExport, row, { ...calm, ...counters, receipt: null, batch_most }, undefined, null);
  if (isOver(row) || after.n_pushed > 0 || after.n_failed < hopelessAfter) return ctx.now;
  fail(ctx, after, after.errors.at(-1)!.error);
  return null;
}

/** When so many were refused and nobody was taken, it is not about people. */
const hopelessAfter = 100;

function notTaken(ctx: Ctx, row: MailingExport, batch: Batch, answer: NotTaken): Date | null {
  const { kind, message, retryAfter } = answer;
  if (kind === "later") return wait(ctx, row, afterWait(retryAfter, ctx.now), message);
  if (kind === "batch" && batch.receipt === null) {
    const [first] = batch.items;
    if (batch.items.length === 1) return noteResults(ctx, row, batch, new Map([[first!.address!, message]]));
    // Nobody was taken. Smaller batches show whom the platform does not want.
    markItems(
      ctx,
      row.id,
      batch.items.map(({ ord }) => ({ ord, status: "pending" })),
    );
    store.update(ctx, mailingExport, row, { batch_most: Math.ceil(batch.items.length / 2) }, undefined, null);
    return ctx.now;
  }
  fail(ctx, row, message);
  return null;
}

/** For so long, a platform that is away is asked again. */
const triedForMs = 24 * 3_600_000;

/** With an error, or because the platform still works on the batch. */
function wait(ctx: Ctx, row: MailingExport, asked: Date | null, error: string | null): Date | null {
  const failing_since = row.failing_since ?? ctx.now.toISOString();
  if (ctx.now.getTime() - Date.parse(failing_since) >= triedForMs) {
    fail(ctx, row, `For a day, it could not go on: ${error ?? `${nameOf(row)} did not end its job`}`);
    return null;
  }
  const values = { tries: row.tries + 1, failing_since, error: error?.slice(0, 1000) ?? null };
  store.update(ctx, mailingExport, row, values, undefined, null);
  const pause = Math.min(askedMostMs * 5, askedAfterMs * 2 ** Math.min(row.tries, 10));
  const again = new Date(ctx.now.getTime() + pause);
  return asked === null ? again : later(asked, again);
}
