// Has a copy of a mail that has left put into the mailbox's folder of sent mail, by a job of its own.
import type { Ctx } from "../../core/context.ts";
import { empty, sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { findRecords } from "../../records/records.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import type { Email } from "./sending.ts";

export const sentCopyJobs = { kind: "sent_copy" };

/** Google and Microsoft keep what they send themselves. */
export async function arrangeSentCopy(ctx: Ctx, { id, email_account_id }: Pick<Email, "id" | "email_account_id">): Promise<void> {
  const [account] = await findRecords(ctx, connectedAccount, [sql`t.id = ${email_account_id}`], empty, "to_copy");
  if (account?._type === "custom_email" && account.imap !== null) wake(ctx, sentCopyJobs, [id], ctx.now, account.id);
}
