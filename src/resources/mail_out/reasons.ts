// Why a mail was not sent, in words that say what to do.
import type { NotHanded, Refused, Said } from "../../services/smtp.ts";
import type { Attachment } from "../activities/attachments.ts";
import type { Reason } from "../activities/leaving.ts";
import type { SuppressionReason } from "../contacts/unsubscribed_email.ts";
import type { Account } from "./sending.ts";

/** It cannot be sent as it is, and a retry would not help. */
export class CannotLeave extends Error {
  readonly reason: Reason;

  constructor(error_class: string, error_message: string) {
    super(error_message);
    this.reason = { error_class, error_message };
  }
}

const reason = (error_class: string, words: string): Reason => ({
  error_class,
  error_message: words.slice(0, 2000).toWellFormed(),
});

// --- what a server says ---

/** The problem is the mailbox, and not this mail. */
export const isOfMailbox = ({ problem, said }: NotHanded): boolean => ofMailbox.has(problem) || isTooMuch(said);

const ofMailbox: ReadonlySet<NotHanded["problem"]> = new Set(["address", "connect", "tls", "login"]);

/** Failures that may pass by themselves, without any action. */
export const mayPass = ({ problem, said }: NotHanded): boolean => problem === "connect" || isTooMuch(said);

/** A retry will not help. */
export const isFinal = (failure: NotHanded): boolean => !isOfMailbox(failure) && isForGood(failure.said);

export const isForGood = ({ code }: Said): boolean => (code ?? 0) >= 500;

/** The same code may mean that a mailbox has sent too much, or that a mail is bad. Providers distinguish them by words. */
const isTooMuch = ({ words }: Said): boolean =>
  /\b[45]\.4\.5\b|sending (limit|quota)|too many (messages|e?mails)|rate limit|throttl/i.test(words);
const isOutOfSpace = ({ words }: Said): boolean =>
  /\b[45]\.(2\.2|3\.1)\b|storage|disk|over ?quota|mailbox( is)? full/i.test(words);

/** What a failure means. `host` is the mail server. */
export function failed(failure: NotHanded, host: string): Reason {
  const { problem, said } = failure;
  if (problem === "recipients") return refused(failure.refused);
  // The provider refuses a token: its mail server was not asked.
  if (problem === "login" && said.code === null) return reason(problem, said.words);
  const sentence = isTooMuch(said)
    ? `The mail server ${host} takes no more mail of this mailbox for now`
    : isOutOfSpace(said)
      ? `The mail server ${host} has no space left for it`
      : sentences[problem](host);
  const again = isFinal(failure) ? "" : ". It is tried again";
  return reason(problem, `${sentence}${problem === "address" ? "" : inBrackets(said)}${again}`);
}

const sentences: Record<Exclude<NotHanded["problem"], "recipients">, (host: string) => string> = {
  address: (host) => `The mail server ${host} has no public address: correct it in the connected account`,
  connect: (host) => `The mail server ${host} cannot be reached`,
  tls: (host) =>
    `The mail server ${host} offers no encryption that holds: look at host, port and use_ssl of the connected account`,
  login: (host) => `The mail server ${host} does not take the login: give the password again, or connect the account again`,
  sender: (host) => `The mail server ${host} takes no mail from this sender`,
  message: (host) => `The mail server ${host} does not take this mail`,
  letter: () => "What is attached could not be read",
};

/** The failed recipients, with the server's words about each. */
export const refused = (those: readonly Refused[]): Reason =>
  reason("recipients", `Not sent to ${those.map((one) => `${one.email}${inBrackets(one)}`).join(", ")}`);

const inBrackets = ({ words }: Said): string => (words === "" ? "" : ` (${words})`);

// --- what the service itself finds ---

export const perhapsSent = (to: readonly string[]): Reason =>
  reason(
    "unknown",
    `It may have been sent to ${to.join(", ")}: the connection ended before the mail server said so. Look whether it arrived before you send it again`,
  );

export const attachmentClass = "attachment";

const nameOf = ({ filename, url }: Attachment): string => filename ?? url ?? "a file";

/** What is attached by an address elsewhere. The words do not say why, so that nobody explores the operator's own network. */
export const notFetched = (attached: Attachment, isPassing: boolean): Reason =>
  reason(
    attachmentClass,
    `What is attached as ${nameOf(attached)} cannot be fetched from its address: ${
      isPassing ? "it is tried again" : "attach it as a stored file, and put the e-mail into the outbox again"
    }`,
  );

export const tooMuchAttached = (attached: Attachment): Reason =>
  reason(
    attachmentClass,
    `With what is attached as ${nameOf(attached)} the e-mail has more than 25 MB attached: write the link into the text instead`,
  );

export const crashed = reason("crashed", "Several workers ended while they sent it: put it into the outbox again to send it");

export const waitsForMailbox = ({ email, latest_smtp_error }: Account): Reason =>
  reason(
    "mailbox",
    `It waits for the mailbox ${email}, which does not work at the moment: ${latest_smtp_error ?? "it is tried again"}`,
  );

export const overCapClass = "daily_cap";

export const overCap = ({ email }: Account, until: string): Reason =>
  reason(overCapClass, `The mailbox ${email} has sent as much as it may on a day: this mail waits until ${until}`);

const whys: Record<SuppressionReason, string> = {
  bounced: "mail to it came back before",
  complained: "its owner complained about mail of this organization",
  unsubscribed: "its owner wants no such mail",
};

export const suppressed = (to: readonly string[], why: SuppressionReason): Reason =>
  reason("suppressed", `Not sent to ${to.join(", ")}: ${whys[why]}`);
