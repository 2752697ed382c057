// Recognizes automatic replies: somebody is away, or a program confirms receipt. Headers say so (RFC 3834), or else the text.
import { type AbsenceSigns, absenceSigns, isAutomaticSubject, isReceipt } from "./absence_words.ts";
import type { Facts } from "./parsed.ts";

export interface AutoReply {
  rule: string;
  confidence: number;
  /** They are away, so writing to them now makes no sense. False for a confirmation or other automatic news. */
  is_absent: boolean;
}

export function autoReplyIn(facts: Facts): AutoReply | null {
  const signs = absenceSigns(facts.written);
  const subject = isAutomaticSubject(facts.subject);
  const rule = ruleOf(facts);
  if (rule !== null)
    return { rule, confidence: subject || signs.absent ? 0.98 : 0.9, is_absent: isAbsent(facts, signs, subject) };
  return inWords(facts, signs, subject);
}

// --- headers ---

/** The presence of these headers is enough, whatever their value: programs that reply automatically set them. */
const anyValue = ["x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-reply-from", "x-autoreply-from", "x-mail-autoreply"];

function ruleOf(facts: Facts): string | null {
  const says = (name: string) => facts.header(name).toLowerCase();
  if (!["", "no"].includes(says("auto-submitted").split(";")[0]!.trim())) return "auto-submitted";
  if (anyValue.some((name) => !["", "no", "false"].includes(says(name)))) return "x-autoreply";
  if ([says("precedence"), says("x-precedence"), says("preference")].includes("auto_reply")) return "precedence";
  if (says("x-post-messageclass").includes("autoresponder") || says("delivered-to").startsWith("autoresponder"))
    return "x-autoreply";
  if (says("x-fc-machinegenerated") === "true") return "x-autoreply";
  if (!["", "none"].includes(says("x-auto-response-suppress"))) return "auto-response-suppress";
  // `vacation` and the like. Bulk mail is not a reply to a message.
  const answers = isAnswer(facts) || /^re\s?:/i.test(facts.subject);
  return ["bulk", "junk"].includes(says("precedence")) && answers ? "precedence" : null;
}

/** It refers to a message that it answers. */
export const isAnswer = ({ header }: Facts): boolean => header("in-reply-to") !== "" || header("references") !== "";

/** An automatic reply to us is about an absence unless it says something else. Other automatic mail is not. */
function isAbsent(facts: Facts, signs: AbsenceSigns, subject: boolean): boolean {
  if (signs.absent || subject) return true;
  const answers = !facts.header("auto-submitted").toLowerCase().startsWith("auto-generated") && isAnswer(facts);
  return answers && !isReceipt(`${facts.subject}\n${facts.written}`);
}

// --- words ---

/** At least two of them are required, and one must say that it is automatic: people also write that they are on holiday. */
function inWords({ header, written }: Facts, signs: AbsenceSigns, subject: boolean): AutoReply | null {
  const others = [signs.absent, signs.back, signs.deputy, signs.limited].filter((one) => one).length;
  if ((subject && (signs.automatic || others > 0)) || (signs.automatic && others > 0))
    return { rule: "absence-words", confidence: 0.85, is_absent: subject || signs.absent };
  if (subject && header("in-reply-to") !== "") return { rule: "absence-words", confidence: 0.7, is_absent: true };
  // A mail with a question or a long answer was written by a person.
  const isNotice = signs.absent && signs.deputy && (signs.back || signs.limited) && !/[?？]/.test(written);
  return isNotice && header("in-reply-to") === "" ? { rule: "absence-words", confidence: 0.6, is_absent: true } : null;
}
