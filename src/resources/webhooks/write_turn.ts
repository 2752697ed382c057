// Stores the results of a turn, in one transaction that checks the claim: the deliveries, how far the log is handled, the health
// of the webhook, and when it is due again.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { holdClaim, type Job, release } from "../../jobs/job.ts";
import { hastenOpen } from "./open_deliveries.ts";
import { type PauseReason, pause } from "./pause.ts";
import { pingName } from "./ping.ts";
import {
  concurrencyMost,
  firstProbe,
  type Health,
  isStumbling,
  later,
  nextProbe,
  opens,
  stumblingAfter,
  triedForMs,
} from "./schedule.ts";
import type { Delivery, Place, Turn } from "./turn.ts";
import type { Attempt } from "./webhook_delivery.ts";
import { holdBehind, insertDeliveries, type Open, openDeliveries, updateDeliveries } from "./write_deliveries.ts";

/** Returns whether the next turn starts at once: if it may, and there is more to send, the job is not released. */
export async function writeTurn(ctx: Ctx, job: Job, turn: Turn, mayGoOn: boolean): Promise<boolean> {
  const { webhook, deliveries, isProbe } = turn;
  // Together, so that they take one round trip. The webhook is locked before the job, in the same order as a request that changes
  // it and wakes the job.
  const [[row]] = await Promise.all([lock(ctx, webhook.id), holdClaim(ctx, job)]);
  if (row === undefined) return over(ctx, job, null);

  for (const one of deliveries) if (one.isGone) giveUp(one);
  const { written, isCut } = writtenOf(deliveries);
  insertDeliveries(
    ctx,
    webhook.id,
    written.filter((one) => one.place !== null),
  );
  updateDeliveries(
    ctx,
    written.filter((one) => one.place === null && !isLeft(one)),
  );
  if (webhook.ordering === "object") holdBehind(ctx, webhook.id, written.filter(isRefused));
  const health = healthAfter(turn.health, written, ctx.now);
  if (isProbe && health.failures_in_row === 0) hastenOpen(ctx, webhook.id);
  const open = await openDeliveries(ctx, webhook.id);
  const after = withProbe(health, turn, open, ctx.now);
  writeWebhook(ctx, turn, after, open, isCut ? placeOf(written) : turn.place);

  const reason = pauseReasonOf(after, written, ctx.now);
  if (reason !== null && row[0] === "active") {
    pause(ctx, webhook, reason);
    return over(ctx, job, null);
  }
  const readsOn = !isStumbling(after) && (turn.isMore || isCut || isStumbling(turn.health) || isProbe);
  if (mayGoOn && readsOn && after.probe_at === null) return true;
  return over(ctx, job, after.probe_at ?? (readsOn ? ctx.now : open.next_at));
}

function over(ctx: Ctx, job: Job, again: Date | null): false {
  release(ctx, job, again);
  return false;
}

const lock = (ctx: Ctx, id: string) =>
  transactionOf(ctx).read({
    name: "webhook.lock_for_turn",
    text: "select status from webhook where organization_id = $1 and id = $2 for no key update",
    values: [ctx.organization_id, id],
  });

// --- deliveries ---

/** It was due, and was not started. */
const isLeft = ({ attempt, waits, isGone }: Delivery): boolean => attempt === null && !waits && !isGone;

const isRefused = ({ attempt }: Delivery): boolean => attempt !== null && attempt.error_class !== null;

/** Events that were not started are in the log after the stored place, and get no row. */
function writtenOf(deliveries: readonly Delivery[]): { written: readonly Delivery[]; isCut: boolean } {
  const isCut = deliveries.some(isLeft);
  const tried = deliveries.findLastIndex(({ attempt, isGone }) => attempt !== null || isGone);
  return { written: isCut ? deliveries.slice(0, tried + 1) : deliveries, isCut };
}

const placeOf = (written: readonly Delivery[]): Place | null => written.findLast(({ place }) => place !== null)?.place ?? null;

/** An event that is no longer kept, or hidden from the webhook's creator, is not sent. */
function giveUp(one: Delivery): void {
  const error = "the event is no longer kept, or the creator of the webhook may not see it";
  Object.assign(one, { status: "failed", next_at: null, error });
}

// --- the webhook ---

/** Attempts in the order in which they started: a success clears the failures before it. */
function healthAfter(before: Health, written: readonly Delivery[], now: Date): Health {
  const health = { ...before };
  for (const attempt of attemptsOf(written)) {
    if (attempt.error_class === null) {
      Object.assign(health, { failures_in_row: 0, failing_since: null, probe_at: null, probes: 0 });
      health.concurrency = Math.min(concurrencyMost, health.concurrency + 1);
    } else {
      health.failures_in_row++;
      health.failing_since ??= now;
    }
  }
  return health;
}

const attemptsOf = (deliveries: readonly Delivery[]): Attempt[] => deliveries.flatMap(({ attempt }) => attempt ?? []);

/** The time of the next probe, if nothing else is sent from now on. */
function withProbe(health: Health, { isProbe, deliveries }: Turn, open: Open, now: Date): Health {
  if (health.failures_in_row === 0) return health;
  // Only new events are left to test it with.
  if (open.count === 0)
    return { ...health, probe_at: null, probes: 0, failures_in_row: Math.min(health.failures_in_row, stumblingAfter - 1) };
  const tripped = { ...health, concurrency: 0 };
  const asked = deliveries.flatMap(({ wait_until }) => wait_until ?? []).reduce(later, now);
  // A test that somebody asked for is no probe of the schedule.
  const isTest = deliveries.every(({ attempt, event }) => attempt === null || event === pingName);
  const probes = health.probes + (isTest ? 0 : 1);
  if (isProbe && !(isTest && asked > now)) return { ...tripped, probe_at: later(asked, nextProbe(probes, now)), probes };
  if (asked > now) return { ...tripped, probe_at: firstProbe(asked, now), probes: 0 };
  return opens(health, open.count, now) ? { ...tripped, probe_at: nextProbe(0, now), probes: 0 } : health;
}

function pauseReasonOf({ failing_since }: Health, written: readonly Delivery[], now: Date): PauseReason | null {
  if (attemptsOf(written).some(({ http_status }) => http_status === 410)) return "gone";
  return failing_since !== null && now.getTime() - failing_since.getTime() >= triedForMs ? "failures" : null;
}

/** Its place moves on only from where it was read. A change of the place in the meantime was intended. */
function writeWebhook(ctx: Ctx, { webhook, deliveries }: Turn, health: Health, open: Open, place: Place | null): void {
  const attempts = attemptsOf(deliveries);
  const failure = attempts.findLast(({ error_class }) => error_class !== null);
  const success = attempts.findLast(({ error_class }) => error_class === null);
  const gaveUp = deliveries.filter(({ status }) => status === "failed");
  const read: Place = [String(webhook.cursor_epoch), String(webhook.cursor_position), String(webhook.cursor_seq)];
  const isThere = "(cursor_epoch, cursor_position, cursor_seq) = ($4::bigint, $5::bigint, $6::bigint)";
  write(ctx, {
    name: "webhook.write_turn",
    text: `update webhook set
             cursor_epoch = case when ${isThere} then $7::bigint else cursor_epoch end,
             cursor_position = case when ${isThere} then $8::bigint else cursor_position end,
             cursor_seq = case when ${isThere} then $9::bigint else cursor_seq end,
             failures_in_row = $10, failing_since = $11, probe_at = $12, probes = $13, pending = $14, oldest_pending_at = $15,
             delivered = delivered + $16, failed = failed + $17, last_success_at = coalesce($18, last_success_at),
             last_failure = coalesce($19::jsonb, last_failure), latest_error = case when $20 then $3 else latest_error end,
             concurrency = $21
           where organization_id = $1 and id = $2`,
    values: [
      ctx.organization_id,
      webhook.id,
      health.failures_in_row === 0 ? null : (failure?.error ?? webhook.latest_error),
      ...read,
      ...(place ?? read),
      health.failures_in_row,
      health.failing_since,
      health.probe_at,
      health.probes,
      open.count,
      open.oldest,
      attempts.filter(({ error_class }) => error_class === null).length,
      gaveUp.length,
      success?.started_at ?? null,
      failure === undefined ? null : JSON.stringify(lastFailureOf(failure)),
      attempts.length > 0,
      health.concurrency,
    ],
  });
}

const lastFailureOf = ({ started_at, http_status, error_class, error }: Attempt) => ({
  at: started_at,
  http_status,
  error_class,
  error,
});
