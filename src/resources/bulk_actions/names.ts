/** The kind of work. */
export const bulkJobs = { kind: "bulk_action" } as const;
