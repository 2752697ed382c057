// The name of the calendar jobs, for code that wakes them.
export const calendarJobs = { kind: "calendar" } as const;
