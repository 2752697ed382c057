// Wakes jobs that ask the provider about a call, because the provider's own reports can be lost.

/** The pause without a report. */
const quietMs = 10 * 60_000;
/** By then, reports that came out of order have arrived. */
const settledMs = 30_000;
/** A call that a dialer placed ahead occupies a line and a member. The provider is asked, and knows. */
const aheadMs = 3_000;

export const callJobs = {
  kind: "call",
  firstLook: (now: Date): Date => new Date(now.getTime() + quietMs),
  soon: (now: Date, isAhead = false): Date => new Date(now.getTime() + (isAhead ? aheadMs : settledMs)),
} as const;
