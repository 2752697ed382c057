/** The kind of work. */
export const importJobs = { kind: "import" } as const;
