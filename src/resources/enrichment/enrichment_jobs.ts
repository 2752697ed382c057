/** The kind of work. */
export const enrichmentJobs = { kind: "enrichment" } as const;
