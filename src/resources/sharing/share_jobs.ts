/** The kind of work. */
export const shareJobs = { kind: "share_bulk" } as const;
