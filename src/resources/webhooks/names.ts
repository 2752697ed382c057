// The names of webhook jobs, for code that wakes them.

/** A job of this kind sends what is due for one webhook. */
export const webhookJobs = { kind: "webhook" } as const;

/** The consumer of the log that wakes the webhooks with new events. */
export const webhookNews = { name: "webhooks" } as const;
