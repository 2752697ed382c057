// Readings of the lists at mailing platforms. There is one for each service, whatever its credentials are at the moment.

/** The object of a job is the service. */
export const listSyncJobs = { kind: "list_sync" } as const;

const synced: ReadonlySet<string> = new Set(["mailchimp", "brevo"]);

/** Whether the lists of a service are read. */
export const isSynced = (service: string): boolean => synced.has(service);
