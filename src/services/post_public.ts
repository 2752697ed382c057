// Posts to addresses that users chose, over connections that are kept for reuse. Only public addresses are reached, as in
// `fetch_public.ts`: the URL, all addresses that DNS returns and the connected address are checked. Redirects are not followed.
// This uses undici, which pools connections and lets us check the address of each.
import { Agent, buildConnector, type Dispatcher } from "undici";
import { NotFetched, publicLookup } from "./fetch_public.ts";
import type { PublicAddresses } from "./public_address.ts";

export const postProblems = ["address", "connect", "tls", "timeout", "reset"] as const;
export type PostProblem = (typeof postProblems)[number];

/** The request got no complete response. */
export class NotPosted extends Error {
  readonly problem: PostProblem;
  /** False when the receiver certainly got nothing, because there was no connection. */
  readonly mayBeHeard: boolean;

  constructor(problem: PostProblem, message: string, mayBeHeard = problem === "timeout" || problem === "reset") {
    super(message);
    this.problem = problem;
    this.mayBeHeard = mayBeHeard;
  }
}

export interface Posted {
  status: number;
  retryAfter: string | null;
  /** The beginning of the response body. */
  body: string;
}

export interface Posting {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** False accepts any certificate. The address is checked all the same. */
  verifySsl: boolean;
  /** Aborts the exchange, which then counts as timed out. */
  signal?: AbortSignal;
}

const connectMs = 5_000;

/** Time limits of one exchange. */
export interface Limits {
  /** From the start to the status line of the response. */
  answerMs: number;
  /** The body is kept only for people to look at, so the wait for it is short, and at most `bodyRead` bytes are read. */
  bodyMs: number;
}

const usual: Limits = { answerMs: 15_000, bodyMs: 1_000 };
const bodyRead = 64 * 1024;
const bodyKept = 4 * 1024;

/** Sends a POST and returns the status, whatever it is. Throws `NotPosted` when there is no response. */
export function postPublic(addresses: PublicAddresses, posting: Posting, limits = usual): Promise<Posted> {
  const url = new URL(posting.url);
  if (!addresses.allowsHost(posting.url)) return Promise.reject(new NotPosted("address", notPublic));
  const agent = agentFor(addresses, posting.verifySsl);
  return new Promise((resolve, reject) => {
    const { headers, body, signal } = posting;
    if (signal?.aborted) return reject(late);
    const exchange = new Exchange(resolve, reject, limits, signal);
    agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method: "POST", headers, body }, exchange);
  });
}

const notPublic = "has no public address";

// --- connections ---

const agents = new WeakMap<PublicAddresses, Map<boolean, Agent>>();

/**
 * One agent for each way of checking certificates. It keeps its connections for as long as the process uses these address rules.
 */
export function agentFor(addresses: PublicAddresses, verifySsl: boolean): Agent {
  let kept = agents.get(addresses);
  if (kept === undefined) agents.set(addresses, (kept = new Map()));
  let agent = kept.get(verifySsl);
  if (agent === undefined) {
    const connect = connectorFor(addresses, verifySsl);
    // The caller limits how many requests run at once. A limit for each host here would let one slow receiver hold up others on
    // the same host.
    kept.set(
      verifySsl,
      (agent = new Agent({ connect, pipelining: 1, headersTimeout: usual.answerMs, bodyTimeout: usual.answerMs })),
    );
  }
  return agent;
}

function connectorFor(addresses: PublicAddresses, verifySsl: boolean): buildConnector.connector {
  const byPort = new Map<number, buildConnector.connector>();
  return (options, done) => {
    const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
    let connect = byPort.get(port);
    if (connect === undefined) {
      const lookup = publicLookup(addresses, port);
      byPort.set(port, (connect = buildConnector({ lookup, timeout: connectMs, rejectUnauthorized: verifySsl })));
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      if (addresses.allows(socket.remoteAddress ?? "", port)) return done(null, socket);
      socket.destroy();
      done(new NotFetched("not public"), null);
    });
  };
}

// --- one request and its answer ---

class Exchange implements Dispatcher.DispatchHandler {
  private readonly resolve: (posted: Posted) => void;
  private readonly reject: (error: NotPosted) => void;
  private readonly limits: Limits;
  private readonly signal: AbortSignal | undefined;
  private controller: Dispatcher.DispatchController | null = null;
  private timer: NodeJS.Timeout;
  private status = 0;
  private retryAfter: string | null = null;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private isOver = false;

  constructor(resolve: (posted: Posted) => void, reject: (error: NotPosted) => void, limits: Limits, signal?: AbortSignal) {
    this.resolve = resolve;
    this.reject = reject;
    this.limits = limits;
    this.signal = signal;
    this.timer = setTimeout(this.giveUp, limits.answerMs);
    signal?.addEventListener("abort", this.giveUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(late);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.retryAfter = [headers["retry-after"] ?? null].flat()[0]!;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.answered(), this.limits.bodyMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.length < bodyKept) this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length > bodyRead) this.answered();
  }

  onResponseEnd(): void {
    this.answered({ hasEnded: true });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A status counts as a response, even when the rest is lost.
    if (this.status !== 0) this.answered({ hasEnded: true });
    else this.fail(problemOf(error));
  }

  private giveUp = (): void => {
    if (this.status !== 0) return this.answered();
    this.fail(late);
    this.controller?.abort(late);
  };

  private answered({ hasEnded = false } = {}): void {
    if (!this.end()) return;
    // NUL cannot be stored as text in the database.
    const body = Buffer.concat(this.chunks).subarray(0, bodyKept).toString("utf8").replaceAll("\0", "");
    this.resolve({ status: this.status, retryAfter: this.retryAfter, body });
    if (!hasEnded) this.controller?.abort(late);
  }

  private fail(error: NotPosted): void {
    if (this.end()) this.reject(error);
  }

  private end(): boolean {
    if (this.isOver) return false;
    clearTimeout(this.timer);
    this.signal?.removeEventListener("abort", this.giveUp);
    return (this.isOver = true);
  }
}

const late = new NotPosted("timeout", "did not answer in time");

/** What the person who chose the address learns about a failure: nothing about the operator's own network. */
export function problemOf(error: Error & { code?: string }): NotPosted {
  if (error instanceof NotPosted) return error;
  const code = error.code ?? "";
  if (error instanceof NotFetched || code.startsWith("EAI_") || code === "ENOTFOUND") return new NotPosted("address", notPublic);
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new NotPosted("timeout", "could not be reached in time", false);
  if (/TIMEOUT/.test(code)) return late;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code)) return new NotPosted("tls", `has no valid certificate: ${code}`);
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return new NotPosted("connect", `could not be reached: ${code}`);
  return new NotPosted("reset", "closed the connection without a response");
}
