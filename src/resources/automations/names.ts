// The names of an automation's background work, for code that wakes it.

/** A job of this kind carries out one run. */
export const runJobs = { kind: "automation_run" } as const;

/** A job of this kind starts an automation for one call to its address. */
export const hookJobs = { kind: "automation_hook" } as const;

/** A job of this kind looks at the clock for one automation. */
export const clockJobs = { kind: "automation_clock" } as const;

/** The consumer of the log that starts runs and wakes those that wait for an event. */
export const automationNews = { name: "automations" } as const;

/** The event of a start by hand. */
export const byHand = "manual.run";
