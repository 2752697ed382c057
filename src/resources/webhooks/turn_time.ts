// How long the parts of a turn may take, by the service's clock; should that be set back, by the time that has passed. A turn that
// outlasts its claim counts as a crashed worker, and several of them as a webhook that crashes workers. A receiver that is only slow must
// never look like that.
import type { Core } from "../../core/core.ts";
import { claimMs, type Job } from "../../jobs/job.ts";

/** How long it looks for something to send. */
const looksForMs = 5_000;
/** How long it starts deliveries, because other webhooks wait for the slot. */
const beginsForMs = 10_000;
/**
 * Nothing is started this shortly before the claim expires. An exchange takes at most 16 seconds, so it ends before it would be
 * cut off.
 */
const beginsBeforeMs = 36_000;
/** Exchanges that still hang are cut off this long before the claim expires, because the results must still be stored. */
const hangsUpBeforeMs = 20_000;
/** How often the clock is checked. */
const watchMs = 100;

/** Whether a turn that starts now may still look for something to send. */
export function lookingTime(core: Core): () => boolean {
  const passed = stopwatch(core);
  return () => passed() < looksForMs;
}

/** The milliseconds since now. */
function stopwatch({ clock }: Core): () => number {
  const [at, began] = [clock().getTime(), performance.now()];
  return () => Math.max(clock().getTime() - at, performance.now() - began);
}

export interface SendingTime {
  mayBegin(): boolean;
  /** Aborts when everything has to end. */
  over: AbortSignal;
}

/** Makes `send` end well before the claim expires. */
export async function withinClaim(core: Core, job: Job, send: (time: SendingTime) => Promise<void>): Promise<void> {
  const passed = stopwatch(core);
  const left = Math.min(claimMs, job.claimed_until.getTime() - core.clock().getTime());
  const until = Math.min(beginsForMs, left - beginsBeforeMs);
  const over = new AbortController();
  const watch = setInterval(() => passed() >= left - hangsUpBeforeMs && over.abort(), watchMs);
  try {
    await send({ mayBegin: () => passed() < until, over: over.signal });
  } finally {
    clearInterval(watch);
  }
}
