/** The kind of work. */
export const exportJobs = { kind: "export" } as const;
