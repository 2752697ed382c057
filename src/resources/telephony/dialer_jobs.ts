// Wakes the job that dials ahead for a dialer.

export const dialerJobs = { kind: "dialer" } as const;

/** The reason of a call that was not placed, because its dialer no longer dials. */
export const stoppedReason = "The dialer was stopped before it was placed";
