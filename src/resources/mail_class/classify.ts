// Classifies a received message: written by a person, or sent by a program. The first rule that matches decides, in this order:
// bounce, complaint, automatic mail, bulk mail, opt-out. Nothing is looked up.
import { Temporal } from "temporal-polyfill";
import { autoReplyIn, isAnswer } from "./auto_reply.ts";
import { bounceIn, type Failure, isDeliveryReceipt } from "./bounce.ts";
import { complaintIn, isFeedbackReport } from "./complaint.ts";
import { idsAbout } from "./message_ids.ts";
import { optOutIn } from "./opt_out.ts";
import { type Facts, factsOf, type ParsedMessage } from "./parsed.ts";
import { returnDate } from "./return_date.ts";

export const mailClasses = ["human", "auto_reply", "bounce", "complaint", "opt_out", "list"] as const;
export type MailClass = (typeof mailClasses)[number];

export interface Verdict {
  class: MailClass;
  /** From 0 to 1. */
  confidence: number;
  /** The rule that decided, such as `delivery-status`. */
  rule: string;
  /** The ids of the messages that it answers or returns, with angle brackets, the most relevant first. */
  about: string[];
  /** For an automatic reply: the sender is away. */
  is_absent?: boolean;
  /** For an absence: the first day they are back, as `2026-08-17`, in their own time zone. */
  returns_at?: string;
  /** For a bounce: the failed recipients. */
  failed?: Failure[];
  /** For a complaint: who complained, if the provider says it. */
  complained?: string[];
}

/**
 * `received` is when it arrived: a return date without a year is relative to it.
 *
 * @public for what fetches mail
 */
export function classify(message: ParsedMessage, received: Date): Verdict {
  const facts = factsOf(message);
  return { ...ruled(facts, received), about: idsAbout(facts) };
}

type Ruled = Omit<Verdict, "about">;

const ruled = (facts: Facts, received: Date): Ruled =>
  sentBack(facts) ??
  complained(facts) ??
  byMachine(facts) ??
  byCalendar(facts) ??
  answeredByMachine(facts, received) ??
  toMany(facts) ??
  askedToStop(facts) ??
  written(facts);

function sentBack(facts: Facts): Ruled | null {
  const found = bounceIn(facts);
  return found === null ? null : { class: "bounce", ...found };
}

function complained(facts: Facts): Ruled | null {
  const found = complaintIn(facts);
  return found === null ? null : { class: "complaint", ...found };
}

/** Receipts, and reports about something else. */
function byMachine(facts: Facts): Ruled | null {
  const rule = isDeliveryReceipt(facts)
    ? "delivery-receipt"
    : facts.parts("message/disposition-notification").length > 0
      ? "read-receipt"
      : isFeedbackReport(facts)
        ? "report"
        : null;
  return rule === null ? null : { class: "auto_reply", confidence: 0.97, rule, is_absent: false };
}

/**
 * Accepting or declining an invitation takes one click and says nothing to the organizer, but text written with it does. An
 * invitation itself is written by a person, although calendars send it.
 */
function byCalendar(facts: Facts): Ruled | null {
  if (facts.calendar === null) return null;
  if (facts.calendar !== "REPLY") return ["REQUEST", "COUNTER", "CANCEL"].includes(facts.calendar) ? invites : null;
  const wrote = facts.header("auto-submitted") === "" && facts.written.split(/\s+/).length >= 3;
  if (wrote) return { class: "human", confidence: 0.7, rule: "calendar-comment" };
  return { class: "auto_reply", confidence: 0.9, rule: "calendar-answer", is_absent: false };
}

const invites: Ruled = { class: "human", confidence: 0.85, rule: "calendar-invitation" };

function answeredByMachine(facts: Facts, received: Date): Ruled | null {
  const found = autoReplyIn(facts);
  if (found === null) return null;
  const returns_at = found.is_absent
    ? returnDate(`${facts.written}\n${facts.subject}`, dayOf(received), isAmerican(facts))
    : null;
  return { class: "auto_reply", ...found, ...(returns_at !== null && { returns_at }) };
}

const dayOf = (at: Date): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO("UTC").toPlainDate();

/** For `8/9` the time zone says which is the month: west of the Atlantic it comes first. */
const isAmerican = ({ header }: Facts): boolean => /[-](?:0[3-9]|10)00|\b[ECMP][SD]T\b/.test(header("date"));

/** Newsletters. A reply through a list, as in a shared mailbox that is one, was written by a person. */
function toMany(facts: Facts): Ruled | null {
  const precedence = facts.header("precedence").toLowerCase();
  const isList = facts.header("list-id") !== "" || facts.header("list-unsubscribe") !== "";
  if (!isList && !["bulk", "junk", "list"].includes(precedence)) return null;
  return isAnswer(facts) ? null : { class: "list", confidence: 0.9, rule: isList ? "list-header" : "precedence" };
}

function askedToStop(facts: Facts): Ruled | null {
  const found = optOutIn(facts);
  return found === null ? null : { class: "opt_out", ...found };
}

function written(facts: Facts): Ruled {
  const isSure = facts.written !== "" && facts.header("list-id") === "";
  return { class: "human", confidence: isSure ? 0.9 : 0.7, rule: facts.header("list-id") === "" ? "written" : "answer-by-list" };
}
