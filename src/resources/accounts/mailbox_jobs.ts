// The name of mailbox jobs. A job is one connected account whose mail should be fetched.

export const mailboxJobs = { kind: "mailbox" } as const;
