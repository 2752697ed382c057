// Sends members' mail by their own SMTP servers, and tells what became of it.
import type { Readable } from "node:stream";
import { mailPorts, type PublicAddresses } from "./public_address.ts";
import { extensionsOf, NotPublic, poolFor, type SmtpServer } from "./smtp_connections.ts";
import { needsUtf8, utf8Words, withAsciiDomain } from "./smtp_letters.ts";

/** A mail to be sent. */
export interface Letter {
  /** The envelope sender, which receives bounces. */
  from: string;
  to: readonly string[];
  message_id: string;
  /** The approximate size in bytes. */
  size: number;
  /** Its text. Called when the server is ready for it, and again for another attempt. `utf8`: its headers may have any letters. */
  read(utf8: boolean): Readable;
}

/** The server accepted the mail for all of `to` except `refused`. */
export interface Receipt {
  reply: string;
  refused: Refused[];
}

/** A server's reply with its code, which is null for a failure without a reply. */
export interface Said {
  code: number | null;
  words: string;
}

/** A recipient that the server refused, for now (4xx) or for good (5xx). */
export interface Refused extends Said {
  email: string;
}

/**
 * The problems up to `login` concern the server and the account. Those from `sender` on concern this mail. `letter`: its text
 * could not be read to the end.
 */
export const smtpProblems = ["address", "connect", "tls", "login", "sender", "recipients", "message", "letter"] as const;
export type SmtpProblem = (typeof smtpProblems)[number];

/** The server certainly does not have the mail. */
export class NotHanded extends Error {
  readonly problem: SmtpProblem;
  readonly said: Said;
  readonly refused: Refused[];

  constructor(problem: SmtpProblem, said: Said, refused: Refused[] = []) {
    super(said.words);
    this.problem = problem;
    this.said = said;
    this.refused = refused;
  }
}

/** The whole mail was sent, but the server did not confirm it. */
export class PerhapsHanded extends Error {}

/**
 * Sends a mail. Throws `NotHanded` or `PerhapsHanded`, also when `signal` is aborted. Recipients whose address the server cannot
 * take are refused, and the others get it.
 */
export async function handOver(
  addresses: PublicAddresses,
  server: SmtpServer,
  letter: Letter,
  signal: AbortSignal,
): Promise<Receipt> {
  const reached = addresses.alsoAt(mailPorts);
  const utf8 = [letter.from, ...letter.to].some(needsUtf8) && (await offersUtf8(reached, server));
  const no: Said = { code: 553, words: utf8Words };
  if (!utf8 && needsUtf8(letter.from)) throw new NotHanded("sender", no);
  const untaken = utf8 ? [] : letter.to.filter(needsUtf8).map((email) => ({ email, ...no }));
  const to = utf8 ? letter.to : letter.to.filter((one) => !needsUtf8(one));
  if (to.length === 0) throw new NotHanded("recipients", no, untaken);

  const pool = await poolFor(reached, server);
  const sending = new Sending({ ...letter, to }, utf8);
  return new Promise((resolve, reject) => {
    pool.send({ data: { signal }, message: sending } as never, (error, info) => {
      if (error !== null) return reject(failureOf(error as SmtpError, sending, untaken));
      resolve({ reply: cleaned(info!.response ?? ""), refused: [...untaken, ...sending.refused(info!.rejectedErrors)] });
    });
  });
}

async function offersUtf8(addresses: PublicAddresses, server: SmtpServer): Promise<boolean> {
  try {
    return (await extensionsOf(addresses, server)).includes("SMTPUTF8");
  } catch (error) {
    throw new NotHanded(problemOf(error as SmtpError), saidBy(error as SmtpError));
  }
}

/** The mail in the form that the pool expects. */
class Sending {
  private readonly letter: Letter;
  private readonly utf8: boolean;
  private text: Readable | null = null;
  /** The recipients as they were written, by the form that the server hears. */
  private readonly written: ReadonlyMap<string, string>;

  constructor(letter: Letter, utf8: boolean) {
    this.letter = letter;
    this.utf8 = utf8;
    this.written = new Map(letter.to.map((one) => [withAsciiDomain(one), one]));
  }

  getEnvelope = () => ({ from: withAsciiDomain(this.letter.from), to: [...this.written.keys()], size: this.letter.size });
  messageId = (): string => this.letter.message_id;
  getHeader = (): string => this.letter.message_id;

  createReadStream(): Readable {
    if (this.isAllRead) throw new Error("A mail that may have been handed over is not handed over again.");
    this.text = this.letter.read(this.utf8);
    return this.text;
  }

  refused(errors: readonly SmtpError[] = []): Refused[] {
    return errors.map((one) => ({ email: this.written.get(one.recipient ?? "") ?? "", ...saidBy(one) }));
  }

  /** When true, the end of the mail may have reached the server. */
  get isAllRead(): boolean {
    return this.text?.readableEnded === true;
  }
}

// --- failures ---

interface SmtpError extends Error {
  code?: string;
  originalCode?: string;
  command?: string;
  responseCode?: number;
  response?: string;
  recipient?: string;
  rejectedErrors?: SmtpError[];
}

function failureOf(error: SmtpError, sending: Sending, untaken: readonly Refused[]): NotHanded | PerhapsHanded {
  const said = saidBy(error);
  if (said.code === null && sending.isAllRead) return new PerhapsHanded(said.words);
  return new NotHanded(problemOf(error), said, [...untaken, ...sending.refused(error.rejectedErrors)]);
}

function problemOf(error: SmtpError): SmtpProblem {
  const { code = "", command = "", originalCode = code, responseCode } = error;
  if (error instanceof NotPublic || /^(EDNS|ENOTFOUND|EAI_)/.test(originalCode) || error.constructor.name === "NotFetched")
    return "address";
  if (code === "EAUTH" || code === "ENOAUTH") return "login";
  if (code === "ETLS" || /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|EPROTO/.test(originalCode)) return "tls";
  if (code === "ESTREAM") return "letter";
  if (responseCode === 421) return "connect";
  if (code === "EMESSAGE") return "message";
  if (code === "EENVELOPE") return command === "MAIL FROM" ? "sender" : command === "RCPT TO" ? "recipients" : "message";
  return "connect";
}

const saidBy = ({ responseCode, response, message, originalCode }: SmtpError): Said => ({
  code: responseCode ?? null,
  words: cleaned(response ?? originalCode ?? message),
});

/** A server's reply becomes part of a record. */
const cleaned = (words: string): string =>
  words
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();
