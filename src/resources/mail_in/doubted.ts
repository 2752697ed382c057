// Whether a report looks as if a mail server sent it. Whoever got a mail knows its id, and can write a report about it.
import { feedbackLoops } from "../mail_class/complaint.ts";
import type { ArrivedMail } from "./arrived.ts";
import { hasFailed, isAuthentic } from "./authentic.ts";
import type { Account } from "./visit.ts";

/** Servers' reports about a mail have no sender who could become a prospect. */
export const isReport = ({ classification }: Pick<ArrivedMail, "classification">): boolean =>
  ["bounce", "complaint"].includes(classification.class);

/**
 * Reports have no envelope sender (RFC 3464, RFC 6522), so that nothing can be returned to them. The mailbox's server shows that as
 * `<>`, or as a name without a domain.
 */
export function isDoubted(account: Account, mail: ArrivedMail): boolean {
  if (!isReport(mail)) return false;
  if (hasFailed(account, mail)) return true;
  return mail.return_path.includes("@") && !isFeedbackLoop(account, mail);
}

const isFeedbackLoop = (account: Account, mail: ArrivedMail): boolean =>
  mail.classification.class === "complaint" && feedbackLoops.test(mail.from?.email ?? "") && isAuthentic(account, mail);
