// The state of a turn that sends a mail.
import type { Row } from "../../core/resource.ts";
import type { Refused } from "../../services/smtp.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";
import type { email } from "../activities/email.ts";
import { people } from "../activities/recipients.ts";
import type { Copy } from "../mail_tracking/copies.ts";
import type { Part } from "./compose.ts";

export type Email = Row<typeof email>;
export type Account = Row<typeof connectedAccount>;

/** A mail, one copy of which is about to be sent. */
export interface Sending {
  mail: Email;
  /** In whose name it is sent. */
  by: string;
  account: Account;
  parts: Part[];
  copy: Copy;
  /** The copies that come after it. */
  rest: Copy[];
  /** Recipients who did not get it in this turn, and may later. */
  deferred: Refused[];
  /** How many copies this turn has started. */
  copies: number;
  /** The mailbox's day whose limit the copy was taken from. */
  day: string;
}

/** Another worker started sending and stored no result: it is unknown whether a copy was sent. */
export interface Doubt {
  mail: Email;
  by: string;
}

/** All recipients, each address once. */
export function recipientsOf({ to, cc, bcc }: Pick<Email, "to" | "cc" | "bcc">): string[] {
  const all = people([to, cc, bcc].flat()).map((one) => one.email);
  return [...new Map(all.map((one) => [one.toLowerCase(), one])).values()];
}

/** The recipients who have not got it yet, and may. */
export function remaining(mail: Pick<Email, "to" | "cc" | "bcc" | "receipts">): string[] {
  const settled = new Set(mail.receipts.flatMap((one) => one.to));
  return recipientsOf(mail).filter((one) => !settled.has(one));
}
