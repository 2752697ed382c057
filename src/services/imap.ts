// Reads mailboxes by IMAP, on servers that members named. Only public addresses are reached, as in `fetch_public.ts`, and every
// visit has a time limit. Errors are in words for people and reveal nothing about the operator's own network.
import type {
  FetchMessageObject,
  FetchQueryObject,
  ImapFlow,
  ImapFlowError,
  ImapFlowOptions,
  MailboxObject,
  SearchObject,
} from "imapflow";
import { hostInUrl } from "../values/host.ts";
import { NotFetched, publicLookup } from "./fetch_public.ts";
import { openPace } from "./pace.ts";
import { mailPorts, type PublicAddresses } from "./public_address.ts";

/** An IMAP server and the login for a mailbox. */
export interface MailboxLogin {
  host: string;
  port: number;
  /** When false, encryption is used if the server offers it, without checking its certificate. */
  use_ssl: boolean;
  username: string;
  password?: string;
  /** Used in place of a password, by XOAUTH2. */
  access_token?: string;
}

export const mailboxProblems = ["login", "address", "connect", "tls", "timeout", "server"] as const;
export type MailboxProblem = (typeof mailboxProblems)[number];

/** The server was not reached, or refused a command. The message is for people. */
export class MailboxError extends Error {
  readonly problem: MailboxProblem;

  constructor(problem: MailboxProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** An open mailbox. Its functions throw `MailboxError` when the server refuses. */
export interface Mailbox {
  /** The folder for sent mail: the one that the server marks so, or else one with such a name in one of many languages. */
  sentFolder(): Promise<string | null>;
  /** Creates one, as mail programs do, and answers its path. */
  makeSentFolder(): Promise<string>;
  /** Opens a folder. The functions below work on the open folder. Reading changes nothing there. */
  open(path: string): Promise<MailboxObject>;
  /** The UIDs in the open folder above the given one, in ascending order. */
  above(uid: number): Promise<number[]>;
  /** The UIDs of messages that arrived on the day of this moment or later, by the server's clock. */
  since(moment: Date): Promise<number[]>;
  /** Sizes and arrival dates. */
  list(uids: readonly number[]): Promise<FetchMessageObject[]>;
  /** Messages one by one, as they arrive. Ask for nothing else until the iteration ends. Removed messages are left out. */
  fetch(uids: readonly number[], query: FetchQueryObject): AsyncIterable<FetchMessageObject>;
  /** The UIDs of messages in the open folder with this `Message-ID`. */
  withMessageId(messageId: string): Promise<number[]>;
  /** Adds a message to a folder, marked as read. */
  append(path: string, raw: Uint8Array, date: Date): Promise<void>;
}

/** How long a visit may take. */
export interface Patience {
  /** Shorter than a worker's claim on a job. */
  limitMs: number;
  /** Called each time the limit has passed and bytes still arrive. If it fails, the visit ends. */
  goOn?: () => Promise<void>;
  /** Called with each answer that is waited for. */
  wait?: <A>(answer: Promise<A>) => Promise<A>;
}

const visitMs = 25_000;
/** A slower connection, in bytes per second, counts as dead. */
const slowestLine = 2000;
const longestVisitMs = 10 * 60_000;
/** Ports where encryption starts by STARTTLS. */
const plainPort = 143;
const connectMs = 8_000;
const silenceMs = 15_000;

/** Opens a mailbox, runs `work`, and closes it. A visit that takes too long is aborted. */
export async function inMailbox<T>(
  addresses: PublicAddresses,
  login: MailboxLogin,
  work: (mailbox: Mailbox) => Promise<T>,
  patience: Patience = { limitMs: visitMs },
): Promise<T> {
  const client = await clientFor(addresses, login);
  const limit = limitedTo(patience, client);
  const ask = <A>(answer: Promise<A>): Promise<A> =>
    (patience.wait?.(answer) ?? answer).catch((error) => {
      throw limit.isOver() ? tooSlow() : problemOf(error);
    });
  try {
    await ask(client.connect());
    return await work(mailboxOf(client, ask));
  } finally {
    limit.end();
    client.close();
  }
}

/** Closes the connection after the limit. A slow connection gets more time while enough bytes arrive. */
function limitedTo({ limitMs, goOn }: Patience, client: ImapFlow): { isOver(): boolean; end(): void } {
  const ends = performance.now() + longestVisitMs;
  let isOver = false;
  let had = 0;
  const close = () => {
    isOver = true;
    client.close();
  };
  const look = () => {
    const { received } = client.stats();
    const isFlowing = received - had >= (slowestLine * limitMs) / 1000 && performance.now() < ends;
    had = received;
    if (goOn === undefined || !isFlowing) return close();
    timer = setTimeout(look, limitMs);
    goOn().catch(close);
  };
  let timer = setTimeout(look, limitMs);
  return { isOver: () => isOver, end: () => clearTimeout(timer) };
}

/** The most connections per second that one process makes to one server. */
const pace = openPace(20);

/** A client that is not connected yet. The library is loaded with the first mailbox, because most processes never open one. */
export async function clientFor(
  addresses: PublicAddresses,
  login: MailboxLogin,
  options: Partial<ImapFlowOptions> = {},
): Promise<ImapFlow> {
  const { host, port, use_ssl, username: user, password: pass, access_token: accessToken } = login;
  const allowed = addresses.alsoAt(mailPorts);
  if (!allowed.allowsHost(`http://${hostInUrl(host)}:${port}/`)) throw notPublic();
  const { ImapFlow: Client } = await import("imapflow");
  await pace(`${host}:${port}`);
  const startsPlain = !use_ssl || port === plainPort;
  const client = new Client({
    host,
    port,
    secure: !startsPlain,
    ...(use_ssl && startsPlain && { doSTARTTLS: true }),
    auth: accessToken === undefined ? { user, pass } : { user, accessToken },
    tls: { lookup: publicLookup(allowed, port), rejectUnauthorized: use_ssl } as object,
    clientInfo: { name: "Headwater", version: "", vendor: "", "support-url": "" },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    maxLineLength: 1024 * 1024,
    maxLiteralSize: 48 * 1024 * 1024,
    maxResponseSize: 50 * 1024 * 1024,
    ...options,
  });
  // A command in progress receives the error. A connection that breaks between commands is noticed by the next command.
  client.on("error", () => {});
  return client;
}

/** Days begin in the server's time zone. */
const dayMs = 86_400_000;

function mailboxOf(client: ImapFlow, ask: <A>(answer: Promise<A>) => Promise<A>): Mailbox {
  const search = async (query: SearchObject): Promise<number[]> => {
    const found = await ask(client.search(query, { uid: true }));
    return (found || []).sort((one, other) => one - other);
  };
  return {
    async sentFolder() {
      const folders = await ask(client.list());
      return folders.find(({ specialUse }) => specialUse === "\\Sent")?.path ?? null;
    },
    makeSentFolder: async () => (await ask(client.mailboxCreate("Sent"))).path,
    open: (path) => ask(client.mailboxOpen(path, { readOnly: true })),
    // `9:*` includes the last message even when its UID is below 9.
    above: async (uid) => (await search({ uid: `${uid + 1}:*` })).filter((one) => one > uid),
    since: (moment) => search({ since: new Date(moment.getTime() - dayMs) }),
    list: (uids) => ask(client.fetchAll(uids.join(), { size: true, internalDate: true }, { uid: true })),
    async *fetch(uids, query) {
      const coming = client.fetch(uids.join(), query, { uid: true });
      for (;;) {
        const { done, value } = await ask(coming.next());
        if (done) return;
        yield value;
      }
    },
    withMessageId: (messageId) => search({ header: { "message-id": messageId } }),
    async append(path, raw, date) {
      // A folder that is open for reading only would take the flag away.
      if (client.mailbox) await ask(client.mailboxClose());
      await ask(client.append(path, Buffer.from(raw), ["\\Seen"], date));
    },
  };
}

// --- what goes wrong ---

const notPublic = () => new MailboxError("address", "The server has no public address.");
const tooSlow = () => new MailboxError("timeout", "The server took too long to answer.");

/** Temporary failures: the codes of RFC 5530, and phrases of large providers. */
const passing = /^(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|THROTTLED|OVERQUOTA)$/;
const soundsPassing = /too many|try again|temporar|unavailable|internal error|rate limit/i;

export function problemOf(error: ImapFlowError): MailboxError {
  if (error.authenticationFailed) return loginProblem(error);
  const code = error.code ?? "";
  if (error instanceof NotFetched || code.startsWith("EAI_") || code === "ENOTFOUND") return notPublic();
  if (error.tlsFailed || /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code))
    return new MailboxError("tls", `The server offers no valid encryption${code && `: ${code}`}.`, error);
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return new MailboxError("connect", `The server could not be reached: ${code}.`, error);
  if (/TIMEOUT|ETIMEDOUT/i.test(code)) return tooSlow();
  const said = saidBy(error);
  if (said !== "") return new MailboxError("server", `The server refused: ${said}`, error);
  return new MailboxError("connect", "The connection to the server broke off.", error);
}

function loginProblem(error: ImapFlowError): MailboxError {
  const said = saidBy(error);
  if (passing.test(error.serverResponseCode ?? "") || soundsPassing.test(said))
    return new MailboxError("server", `The server temporarily refuses logins: ${said}`, error);
  return new MailboxError("login", `The server refused the user name or the password${said && `: ${said}`}`, error);
}

/** The server's own words, which are not trusted: one line, cut to a limit. */
function saidBy({ responseText, response }: ImapFlowError): string {
  const said = responseText ?? (typeof response === "string" ? response : "");
  return said
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();
}
