// The names of an automation's background work, for code that wakes it.

/** A job of this kind carries out one run. */
export const runJobs = { kind: "automation_run" } as const;

/** The consumer of the log that starts runs and wakes those that wait for an event. */
export const automationNews = { name: "automations" } as const;
