// The state of a visit to a mailbox.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import type { Mailbox } from "../../services/imap.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";

export type Account = Row<typeof connectedAccount>;

export const roles = ["inbox", "sent"] as const;
/** The kind of a folder: received messages, or messages that its owner has sent. */
export type Role = (typeof roles)[number];

/** Where messages come from. */
export interface Source {
  account: Account;
  /** The account's owner, with their rights. */
  owner: Actor;
  role: Role;
  /** Members among the people of the messages, by the addresses of their accounts. */
  members: ReadonlyMap<string, string>;
}

/** One visit. */
export interface Visit extends Pick<Source, "account"> {
  core: Core;
  job: Job;
  mailbox: Mailbox;
  /** Earlier messages are not fetched. */
  since: Date;
  /** How many more messages are read, and until when (by `performance.now()`) something new may be started. */
  left: number;
  until: number;
}

/** One transaction of the visit. */
export const holding = <T>({ core, job }: Pick<Visit, "core" | "job">, act: (ctx: Ctx) => Promise<T>): Promise<T> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await holdClaim(ctx, job);
    return act(ctx);
  });
