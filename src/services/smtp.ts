// Sends members' mail by their own SMTP servers. Members choose the server, so only public addresses are reached: all addresses
// that DNS returns and the connected address are checked. Connections are kept for a moment, because mail comes in bursts.
import { createHash } from "node:crypto";
import net from "node:net";
import type { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import type SMTPPool from "nodemailer/lib/smtp-pool";
import { publicLookup } from "./fetch_public.ts";
import { mailPorts, type PublicAddresses } from "./public_address.ts";

export interface SmtpServer {
  host: string;
  port: number;
  /** When false, encryption is used if the server offers it, without checking its certificate. */
  use_ssl: boolean;
  username: string | null;
  /** One of the two is set when there is a user name. */
  password?: string | null;
  access_token?: string | null;
}

/** A mail to be sent. */
export interface Letter {
  /** The envelope sender, which receives bounces. */
  from: string;
  to: readonly string[];
  message_id: string;
  /** The approximate size in bytes. */
  size: number;
  /** Its text. Called when the server is ready for it, and again for another attempt. */
  read(): Readable;
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

/** Sends a mail. Throws `NotHanded` or `PerhapsHanded`, also when `signal` is aborted. */
export async function handOver(
  addresses: PublicAddresses,
  server: SmtpServer,
  letter: Letter,
  signal: AbortSignal,
): Promise<Receipt> {
  const pool = await poolFor(addresses.alsoAt(mailPorts), server);
  const sending = new Sending(letter);
  return new Promise((resolve, reject) => {
    pool.send({ data: { signal }, message: sending } as never, (error, info) => {
      if (error === null) resolve({ reply: cleaned(info!.response ?? ""), refused: (info!.rejectedErrors ?? []).map(refusedBy) });
      else reject(failureOf(error as SmtpError, sending));
    });
  });
}

/** The mail in the form that the pool expects. */
class Sending {
  private readonly letter: Letter;
  private text: Readable | null = null;

  constructor(letter: Letter) {
    this.letter = letter;
  }

  getEnvelope = () => ({ from: this.letter.from, to: [...this.letter.to], size: this.letter.size });
  messageId = (): string => this.letter.message_id;
  getHeader = (): string => this.letter.message_id;

  createReadStream(): Readable {
    if (this.isAllRead) throw new Error("A mail that may have been handed over is not handed over again.");
    this.text = this.letter.read();
    return this.text;
  }

  /** When true, the end of the mail may have reached the server. */
  get isAllRead(): boolean {
    return this.text?.readableEnded === true;
  }
}

// --- connections ---

/** The most connections for one mailbox. Servers treat more as an attack. */
const connectionsMost = 3;
const connectMs = 10_000;
/** A server may scan a mail for a long time before it confirms it. */
const silenceMs = 120_000;
const idleMs = 10_000;

const mailboxesMost = 1000;

const pools = new WeakMap<PublicAddresses, LRUCache<string, SMTPPool>>();

/** One pool for each server and login. */
async function poolFor(addresses: PublicAddresses, server: SmtpServer): Promise<SMTPPool> {
  const { default: Pool } = await import("nodemailer/lib/smtp-pool");
  let kept = pools.get(addresses);
  if (kept === undefined) {
    kept = new LRUCache({ max: mailboxesMost, dispose: (pool) => pool.close() });
    pools.set(addresses, kept);
  }
  const key = createHash("sha256").update(JSON.stringify(server)).digest("base64");
  let pool = kept.get(key);
  if (pool === undefined) kept.set(key, (pool = new Pool(optionsFor(addresses, server))));
  return pool;
}

/** Ports where encryption starts by STARTTLS. */
const plainPorts = [25, 587, 2525];

function optionsFor(addresses: PublicAddresses, server: SmtpServer): ConstructorParameters<typeof SMTPPool>[0] {
  const { host, port, use_ssl } = server;
  const fromTheStart = use_ssl && !plainPorts.includes(port);
  return {
    host,
    port,
    secure: fromTheStart,
    requireTLS: use_ssl && !fromTheStart,
    opportunisticTLS: !use_ssl,
    tls: { rejectUnauthorized: use_ssl },
    ...(server.username !== null && { auth: loginOf(server) }),
    maxConnections: connectionsMost,
    // A kept connection may have closed in the meantime. In that case the mail has not been started, so one retry is safe.
    maxRequeues: 1,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    idleTimeout: idleMs,
    getSocket: (_options, done) => connect(addresses, server, done),
  };
}

const loginOf = ({ username, password, access_token }: SmtpServer) =>
  access_token
    ? { type: "OAUTH2" as const, user: username!, accessToken: access_token }
    : { user: username!, pass: password ?? "" };

type Connected = (error: Error | null, options?: { connection: net.Socket }) => void;

/** Connects, and checks the remote address before anything is sent. */
function connect(addresses: PublicAddresses, { host, port }: SmtpServer, done: Connected): void {
  if (!addresses.allowsHost(`http://${net.isIPv6(host) ? `[${host}]` : host}:${port}/`)) return done(new NotPublic());
  const socket = net.connect({ host, port, lookup: publicLookup(addresses, port), timeout: connectMs });
  const fail = (error: Error) => {
    socket.destroy();
    done(error);
  };
  const late = () => fail(new Error("The server did not answer in time"));
  socket.once("error", fail).once("timeout", late);
  socket.once("connect", () => {
    socket.off("error", fail).off("timeout", late).setTimeout(0);
    if (!addresses.allows(socket.remoteAddress ?? "", port)) return fail(new NotPublic());
    // A kept connection must not keep the process alive.
    socket.unref();
    done(null, { connection: socket });
  });
}

class NotPublic extends Error {}

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

function failureOf(error: SmtpError, sending: Sending): NotHanded | PerhapsHanded {
  const said = saidBy(error);
  if (said.code === null && sending.isAllRead) return new PerhapsHanded(said.words);
  return new NotHanded(problemOf(error), said, error.rejectedErrors?.map(refusedBy));
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

const refusedBy = (error: SmtpError): Refused => ({ email: error.recipient ?? "", ...saidBy(error) });

/** A server's reply becomes part of a record. */
const cleaned = (words: string): string =>
  words
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();
