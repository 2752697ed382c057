// Wakes the job of a port, which asks the provider for it and looks how far it is.

export const portJobs = { kind: "port" } as const;
