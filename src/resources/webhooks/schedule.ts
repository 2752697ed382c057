// When a failed delivery is retried, and when only probes are sent. Pure functions of the history.

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** The pause after each failure. The last one repeats. */
const delays = [
  5 * seconds,
  30 * seconds,
  2 * minutes,
  10 * minutes,
  30 * minutes,
  hours,
  2 * hours,
  4 * hours,
  8 * hours,
  12 * hours,
];

/** How long a delivery is retried, and how long a webhook may fail without one success. */
export const triedForMs = 72 * hours;

/** The longest wait that a receiver can ask for. */
const waitMost = hours;

/** After this many failures in a row, no new events are read: the retries show whether the receiver is back. */
export const stumblingAfter = 10;

/**
 * If that lasts this long, with several open deliveries, only one at a time is sent: a probe. A single delivery keeps to its
 * schedule.
 */
const opensAfterMs = 60 * seconds;

/**
 * The time of the next retry after this many attempts. Null for never. `jitter` is between 0 and 1 and means plus or minus a
 * fifth, to spread the retries.
 */
export function nextTry(tries: number, triedSince: Date, now: Date, jitter: number): Date | null {
  const end = triedSince.getTime() + triedForMs;
  if (now.getTime() >= end) return null;
  const delay = delays[Math.min(tries, delays.length) - 1]! * (0.8 + 0.4 * jitter);
  return new Date(Math.min(end, now.getTime() + delay));
}

/** The time before which a receiver wants nothing. Null when its wish is missing or not understood. */
export function afterWait(retryAfter: string | null, now: Date): Date | null {
  if (retryAfter === null) return null;
  const asked = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) * seconds : Date.parse(retryAfter) - now.getTime();
  if (Number.isNaN(asked)) return null;
  return new Date(now.getTime() + Math.min(waitMost, asked));
}

/** The recent results of a webhook. */
export interface Health {
  failures_in_row: number;
  failing_since: Date | null;
  probe_at: Date | null;
  probes: number;
  /** How many deliveries are sent at once, see `pace.ts`. 0 while only probes are sent. */
  concurrency: number;
}

/** How many deliveries are sent at once to a healthy receiver. */
export const concurrencyMost = 16;

export const isStumbling = ({ failures_in_row }: Health): boolean => failures_in_row >= stumblingAfter;

/** Whether a failing webhook gets only probes from now on, with this many open deliveries. */
export const opens = ({ failures_in_row, failing_since, probe_at }: Health, open: number, now: Date): boolean =>
  probe_at === null && open > 1 && failures_in_row >= stumblingAfter && now.getTime() - failing_since!.getTime() >= opensAfterMs;

/** When the next probe is sent after this many failed ones: every half minute at first, every five minutes in the end. */
export const nextProbe = (probes: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(5 * minutes, 30 * seconds * 2 ** probes));

/** When the first probe is sent to a receiver that asks to wait: not sooner than any failed delivery is sent again. */
export const firstProbe = (asked: Date, now: Date): Date => later(asked, new Date(now.getTime() + delays[0]!));

export const later = (one: Date, other: Date): Date => (one > other ? one : other);
