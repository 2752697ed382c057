// The state of a visit to a mailbox.
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import type { Job } from "../../jobs/job.ts";
import type { Mailbox } from "../../services/imap.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";

export type Account = Row<typeof connectedAccount>;

export const roles = ["inbox", "sent"] as const;
/** The kind of a folder: received messages, or messages that its owner has sent. */
export type Role = (typeof roles)[number];

/** Where messages come from. */
export interface Source {
  account: Account;
  role: Role;
  /** Members by the addresses of their accounts. */
  members: ReadonlyMap<string, string>;
}

/** One visit. Fetched messages are filed right away, each in a transaction that checks the claim. */
export interface Visit extends Omit<Source, "role"> {
  core: Core;
  job: Job;
  mailbox: Mailbox;
  /** Earlier messages are not fetched. */
  since: Date;
  /** How many more messages are read, and until when (by `performance.now()`) something new may be started. */
  left: number;
  until: number;
}
