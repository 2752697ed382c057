// Recognizes bounces: delivery reports (RFC 3464), and the texts of servers that do not send reports.
import { parseEmail } from "../../values/email.ts";
import { type FailureKind, failureKind, saysWhy } from "./failure_kind.ts";
import { headersIn } from "./header_lines.ts";
import type { Facts } from "./parsed.ts";

export interface Failure {
  /** The failed recipient, in lower case, if the report names it. */
  address: string;
  /** Such as `5.1.1` (RFC 3463). Null when there is none. */
  status: string | null;
  kind: FailureKind;
  /** The server's own words, for people. */
  reason: string | null;
}

export interface Bounce {
  rule: string;
  confidence: number;
  failed: Failure[];
}

/** Null for mail that is not a bounce, and for a report of success. */
export const bounceIn = (facts: Facts): Bounce | null =>
  reported(facts) ?? failedRecipients(facts) ?? byQmail(facts) ?? inWords(facts);

/** The report says that a message was delivered, or passed on to a server that sends no reports. */
export function isDeliveryReceipt(facts: Facts): boolean {
  const recipients = recipientsIn(facts);
  return recipients.length > 0 && recipients.every((one) => /^(?:delivered|relayed|expanded)/i.test(one.get("action") ?? ""));
}

// --- reports ---

const recipientsIn = (facts: Facts): ReadonlyMap<string, string>[] =>
  facts
    .parts("message/delivery-status", "message/global-delivery-status")
    .flatMap(headersIn)
    .filter((block) => block.has("final-recipient") || block.has("original-recipient"));

function reported(facts: Facts): Bounce | null {
  const failed = recipientsIn(facts).flatMap(failureOf);
  if (failed.length === 0) return null;
  const isDelayed = failed.every(({ kind }) => kind === "delayed");
  return { rule: isDelayed ? "delivery-delayed" : "delivery-status", confidence: 0.99, failed };
}

function failureOf(block: ReadonlyMap<string, string>): Failure[] {
  const action = block.get("action")?.toLowerCase() ?? "failed";
  if (action !== "failed" && action !== "delayed") return [];
  // The original recipient, if the server knows it: behind an alias there may be another address.
  const [address] = [block.get("original-recipient"), block.get("final-recipient")].map(addressIn).filter((one) => one !== null);
  if (address === undefined) return [];
  const said = block.get("diagnostic-code")?.replace(/^[\w-]+\s*;\s*/, "") ?? "";
  const { status, kind } = failureKind(block.get("status") ?? "", said);
  return [{ address, status, kind: action === "delayed" ? "delayed" : kind, reason: shortened(said) }];
}

/** `rfc822; <Ann@Example.com>` → `ann@example.com`. */
function addressIn(value: string | undefined): string | null {
  const bare = value
    ?.replace(/^[\w-]+\s*;/, "")
    .replace(/[<>"]/g, "")
    .trim();
  return bare === undefined ? null : (parseEmail(bare)?.toLowerCase() ?? null);
}

const shortened = (said: string): string | null => said.replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed() || null;

// --- Exim ---

/** Exim names them in a header, and gives the reason in the text, below each address. */
function failedRecipients(facts: Facts): Bounce | null {
  const named = facts.header("x-failed-recipients");
  if (named === "") return /^warning: message \S+ delayed/i.test(facts.subject) ? delayedBy(facts) : null;
  const addresses = named
    .split(",")
    .slice(0, 100)
    .flatMap((one) => addressIn(one) ?? []);
  const failed = addresses.map((address) => failureBelow(address, paragraphOf(facts.text, address)));
  return { rule: "x-failed-recipients", confidence: 0.97, failed };
}

function delayedBy(facts: Facts): Bounce {
  const failed = addressesIn(facts.text).map((address) => ({ address, status: null, kind: "delayed" as const, reason: null }));
  return { rule: "delivery-delayed", confidence: 0.9, failed };
}

function failureBelow(address: string, said: string): Failure {
  return { address, ...failureKind("", said), reason: shortened(said) };
}

/** The text below an address, up to the next empty line. If it is named more than once, the place with a reason. */
function paragraphOf(text: string, address: string): string {
  const small = text.toLowerCase();
  const found: string[] = [];
  for (let at = small.indexOf(address); at >= 0 && found.length < 5; at = small.indexOf(address, at + address.length)) {
    const behind = text.slice(at + address.length, at + address.length + 2000).replace(/^[>:]+/, "");
    found.push(behind.split(/\r?\n[ \t]*\r?\n/)[0]!);
  }
  return found.find(saysWhy) ?? found[0] ?? "";
}

// --- qmail ---

/** https://cr.yp.to/proto/qsbmf.txt: paragraphs that start with the address, up to one that says what follows. */
function byQmail(facts: Facts): Bounce | null {
  if (!/^Hi\. (?:This is|The) /.test(facts.text.trimStart().slice(0, 200))) return null;
  const paragraphs = facts.text.split(/\r?\n[ \t]*\r?\n/).slice(1, 200);
  const failed: Failure[] = [];
  for (const paragraph of paragraphs) {
    if (/^\s*-/.test(paragraph)) break;
    const found = /^\s*<([^<>\s]{3,254})>:([^]*)$/.exec(paragraph);
    const address = found === null ? null : addressIn(found[1]);
    if (address !== null) failed.push(failureBelow(address, found![2]!.trim()));
  }
  return { rule: "qmail", confidence: 0.95, failed };
}

// --- other servers ---

const daemon =
  /^(?:mailer-daemon|mail-daemon|mailerdaemon|postmaster|mmdf|mail\.?delivery(?:\.?system)?|bounces?)(?:[+-][^@]*)?@/i;
const returnedSubject =
  /undeliver(?:able|ed)|undelivered mail|returned mail|returned to sender|delivery (?:has )?(?:failed|failure)|delivery (?:status )?notification \(failure\)|failure notice|mail delivery failed|mail (?:system )?error|could not be delivered|message not delivered|unzustellbar|zustellung fehlgeschlagen|nicht zugestellt|non remis|échec de (?:la )?remise|no se (?:ha podido|puede|pudo) entregar|no entregado|mancato recapito|impossibile recapitare|não entregue|falha na entrega|onbestelbaar|niet bezorgd|olevererbart|kan inte levereras|kunne ikke leveres|niedostarczalne|nie dostarczono|nedoručitelné|не доставлено|недоставленное|配信不能|配信できません|退信|无法投递/iu;
const gaveUp =
  /(?:still trying|will (?:continue|keep) (?:to try|trying|attempts)|delivery (?:is|has been) delayed|do not need to resend)/i;

/** It comes from a mail system and says that it is a bounce. Anybody could write one of the two. */
function inWords(facts: Facts): Bounce | null {
  const isFromServer = daemon.test(facts.from) || (facts.header("return-path") === "<>" && !facts.header("in-reply-to"));
  const says = returnedSubject.test(facts.subject);
  if (!isFromServer || !says) return null;
  const isDelayed = gaveUp.test(facts.text) && !/\b[45]\.\d{1,3}\.\d{1,3}\b/.test(facts.text);
  const failed = addressesIn(facts.text).map((address) => failureBelow(address, paragraphOf(facts.text, address)));
  if (isDelayed) return { rule: "delivery-delayed", confidence: 0.7, failed: failed.map((one) => ({ ...one, kind: "delayed" })) };
  return { rule: "bounce-words", confidence: 0.8, failed };
}

/** Addresses on a line of their own, or at its beginning, above the copy of the message. */
function addressesIn(text: string): string[] {
  const above = text
    .slice(0, 10_000)
    .split(/^.{0,20}(?:original message|copy of the message|message headers|reporting-mta)/im)[0]!;
  const lines = above.split(/\r?\n/).slice(0, 200);
  const found = lines.flatMap((line) => {
    const first = /^\s*(?:to:\s*)?(?:smtp:)?<?([^\s<>:,;]{1,64}@[^\s<>:,;]{3,190})>?/i.exec(line.slice(0, 300));
    return first === null ? [] : (addressIn(first[1]) ?? []);
  });
  return [...new Set(found)].slice(0, 100);
}
