// A received message, parsed. Whatever the message contains, the result is limited: no header, address or body is longer than an
// e-mail may have, and everything is plain text.
import { createHash } from "node:crypto";
import type { Address, Email } from "postal-mime";
import { mailHtml, mailText } from "../../values/mail_html.ts";
import { oneLine } from "../../values/one_line.ts";
import { fromText } from "../../values/rich_text.ts";
import { withPlaces } from "../activities/arrived_parts.ts";
import { subjectMax } from "../activities/email.ts";
import { asPerson, type Person } from "../activities/recipients.ts";
import { byRule, type Classification } from "../mail_class/classification.ts";
import { classify } from "../mail_class/classify.ts";
import { loopMark } from "../mail_class/loop_mark.ts";

export interface ArrivedMail {
  /** Its identity everywhere: its Message-ID, or a hash of its content when it has none. */
  identity: string;
  message_id: string | null;
  /** The same in each copy of it, and another one in another message with its `Message-ID`. */
  fingerprint: string;
  in_reply_to: string | null;
  /** The ids of the messages it continues, the oldest first. */
  references: string[];
  from: Person | null;
  sender: Person[];
  reply_to: Person[];
  to: Person[];
  cc: Person[];
  bcc: Person[];
  subject: string;
  /** When it was sent, or when it arrived if the header has no plausible date. */
  sent_at: string;
  arrived_at: string;
  /** Cleaned, both forms of it. Null when there is none. */
  body: { text: string | null; html: string | null };
  parts: ArrivedPart[];
  /** The topmost `Authentication-Results`, which the last server on the way wrote. */
  authentication: string;
  /** The topmost `Return-Path`, which the last server on the way wrote: `<>` for reports. "" where it does not show one. */
  return_path: string;
  /** The marks of those who passed it on by themselves. */
  loops: string[];
  /** The class of the message. */
  classification: Classification;
}

/** A part that is not shown as text. */
export interface ArrivedPart {
  filename: string | null;
  mime: string;
  /** The name under which the body shows it, without angle brackets. */
  content_id: string | null;
  /** It is shown only in the body. */
  inline_only: boolean;
  bytes: Uint8Array;
}

const peopleMax = 500;
const referencesMax = 100;
/** As long as servers take a header: a sender may make one long, and what is cut away says where it comes from. */
const authenticationMax = 100_000;
const loopsMax = 50;

export function arrivedMail(email: Email, arrivedAt: Date): ArrivedMail {
  const header = (key: string) => email.headers.find((one) => one.key === key)?.value ?? "";
  const [message_id = null] = idsIn(header("message-id"));
  const in_reply_to = idsIn(header("in-reply-to"));
  const mail = {
    message_id,
    in_reply_to: in_reply_to[0] ?? null,
    references: [...new Set([...idsIn(header("references")), ...in_reply_to])].slice(-referencesMax),
    from:
      peopleIn([email.from ?? email.sender, ...(email.replyTo ?? []), { address: header("return-path"), name: "" }])[0] ?? null,
    sender: peopleIn([email.sender ?? email.from]),
    reply_to: peopleIn(email.replyTo),
    to: peopleIn(email.to),
    cc: peopleIn(email.cc),
    bcc: peopleIn(email.bcc),
    subject: oneLine(email.subject ?? "", subjectMax).toWellFormed(),
    sent_at: sentAt(email.date, arrivedAt).toISOString(),
    arrived_at: arrivedAt.toISOString(),
    body: bodyOf(email),
    parts: email.attachments.map(partOf),
    authentication: header("authentication-results").slice(0, authenticationMax),
    return_path: header("return-path").slice(0, 500).trim(),
    loops: email.headers.flatMap(({ key, value }) => (key === loopMark ? [value.trim().slice(0, 200)] : [])).slice(0, loopsMax),
    classification: byRule(classify(email, arrivedAt)),
  };
  return { ...mail, identity: message_id ?? hashOf(email), fingerprint: fingerprintOf(email) };
}

/** `<a@b> (x) <c@d>` → both, with their angle brackets. */
const idsIn = (value: string): string[] => [...value.matchAll(/<[^<>\s\p{C}]{3,500}>/gu)].map(([id]) => id);

/** Groups are replaced by their members. Invalid addresses are left out. */
function peopleIn(list: readonly (Address | undefined)[] = []): Person[] {
  const mailboxes = list.flatMap((one) => (one === undefined ? [] : (one.group ?? [one])));
  return mailboxes.slice(0, peopleMax).flatMap(({ address = "", name }) => {
    const found = asPerson(address);
    return found === null ? [] : [{ email: found.email, name: oneLine(name).toWellFormed() || null }];
  });
}

/** `"Ann Lee" <ann@example.com>`. */
export const written = ({ email, name }: Person): string =>
  name === null ? email : `"${name.replace(/["\\]/g, "")}" <${email}>`;

const weekMs = 7 * 86_400_000;

/** Senders' clocks may be wrong, even on purpose. */
function sentAt(date: string | undefined, arrivedAt: Date): Date {
  const said = Date.parse(date ?? "");
  return said <= arrivedAt.getTime() && said > arrivedAt.getTime() - weekMs ? new Date(said) : arrivedAt;
}

function partOf({ filename, mimeType, contentId, disposition, related, content }: Email["attachments"][number]): ArrivedPart {
  const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);
  const content_id = contentId?.replace(/[<>\s\p{C}]/gu, "").slice(0, 255) || null;
  return { filename, mime: mimeType, content_id, inline_only: related === true && disposition !== "attachment", bytes };
}

/** A list of recipients marks the subject, changes the text and even the sender, and leaves the date. */
function fingerprintOf({ date, subject = "" }: Email): string {
  const says = JSON.stringify([
    Date.parse(date ?? "") || null,
    subject
      .replace(/\[[^\]]*\]|\s+/g, " ")
      .trim()
      .toLowerCase(),
  ]);
  return createHash("sha256").update(says).digest("base64url");
}

/** The same in each mailbox with the message, whatever way it came. */
function hashOf({ from, to, cc, date, subject, text, html }: Email): string {
  const says = JSON.stringify([from, to, cc, date, subject, text, html]);
  return `sha256:${createHash("sha256").update(says).digest("base64url")}`;
}

// --- the body ---

const bodyMax = 500_000;

function bodyOf({ text, html }: Email): ArrivedMail["body"] {
  const plain = text === undefined ? null : fromText(text.slice(0, bodyMax));
  if (html === undefined) return { text: plain?.text ?? null, html: plain?.html ?? null };
  const clean = mailHtml(withPlaces(html.slice(0, bodyMax)));
  const said = plain?.text ?? mailText(clean);
  return { text: said.slice(0, bodyMax), html: clean.length <= bodyMax ? clean : fromText(said.slice(0, bodyMax)).html };
}
