// Finds mailboxes that should be read but have no job: it was lost, or their owner is a member again.
import { unreadMailboxes } from "../../auth/unscoped_mailboxes.ts";
import { lostJobsTimer } from "../../jobs/lost_jobs.ts";
import { mailboxJobs } from "../accounts/mailbox_jobs.ts";

export const mailboxesTimer = lostJobsTimer(
  "mailboxes",
  "Mailboxes that should be read but have no job get one.",
  mailboxJobs,
  unreadMailboxes,
);
