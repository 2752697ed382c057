/** The kind of work. */
export const mailingExportJobs = { kind: "mailing_export" } as const;
