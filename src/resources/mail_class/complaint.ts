// Recognizes complaints: a recipient marked a mail as spam, and their provider reports it by a feedback report (RFC 5965), or in
// Microsoft's own form.
import { parseEmail } from "../../values/email.ts";
import { headersIn } from "./header_lines.ts";
import type { Facts } from "./parsed.ts";

export interface Complaint {
  rule: string;
  confidence: number;
  /** Who complained, in lower case. Empty when the provider hides it. */
  complained: string[];
}

/** Other reports are about signatures, or say that a mail is not spam after all. */
const complaints = new Set(["abuse", "fraud", "complaint", "opt-out", "opt-out-list"]);

/** The feedback loops of some providers have an envelope sender, and report for domains of their customers too. */
export const feedbackLoops = /^(?:staff@(?:hotmail|outlook)\.com|scomp@aol\.(?:net|com)|feedback@arf\.mail\.yahoo\.com)$/i;

export const complaintIn = (facts: Facts): Complaint | null => reported(facts) ?? byMicrosoft(facts);

/** Any feedback report, even without a complaint: a program wrote it. */
export const isFeedbackReport = (facts: Facts): boolean => facts.parts("message/feedback-report").length > 0;

function reported(facts: Facts): Complaint | null {
  const report = facts.parts("message/feedback-report").flatMap(headersIn)[0];
  if (report === undefined || !complaints.has(report.get("feedback-type")?.toLowerCase() ?? "")) return null;
  const returned = facts
    .parts("message/rfc822", "text/rfc822-headers", "message/rfc822-headers")
    .flatMap((one) => headersIn(one)[0] ?? []);
  const named = [report.get("original-rcpt-to"), report.get("removal-recipient"), ...returned.map((one) => one.get("to"))];
  return { rule: "feedback-report", confidence: 0.99, complained: addressesIn(named) };
}

/** Microsoft's form names the recipient in a header of the returned message. */
function byMicrosoft(facts: Facts): Complaint | null {
  if (!/^(?:staff@(?:hotmail|outlook)\.com|[^@]+@(?:[a-z0-9-]+\.)?hotmail\.com)$/.test(facts.from)) return null;
  if (!/^complaint about message from /i.test(facts.subject)) return null;
  const returned = facts.parts("message/rfc822").flatMap((one) => headersIn(one)[0] ?? []);
  const named = returned.flatMap((one) => [one.get("x-hmxmroriginalrecipient"), one.get("to")]);
  return { rule: "complaint-words", confidence: 0.95, complained: addressesIn(named) };
}

/** The first header that names anybody. */
function addressesIn(values: readonly (string | undefined)[]): string[] {
  for (const value of values) {
    const found = [...(value ?? "").matchAll(/[^\s<>,;"]{1,64}@[^\s<>,;"]{3,190}/g)].flatMap(([one]) => parseEmail(one) ?? []);
    if (found.length > 0) return [...new Set(found.map((one) => one.toLowerCase()))].slice(0, 20);
  }
  return [];
}
