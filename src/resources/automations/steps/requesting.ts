// Asks another service over HTTP: `http.request`. It reaches public addresses only, and no redirect is followed. The request has the id
// of the step run as `webhook-id`, the same at every repetition, so that the receiver detects one.
import type { Ctx } from "../../../core/context.ts";
import { askPublic, jsonOf } from "../../../services/ask_public.ts";
import { type Chain, chainHeader, signedChain } from "../../../services/chain.ts";
import { NotPosted } from "../../../services/post_public.ts";
import { isObject } from "../config.ts";
import { harmless, openHeaders } from "../header_secrets.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome, Outside, Receipt } from "./step.ts";

type Config = Record<string, any>;

export const requestLacks = ({ auth_credential }: Config): string | null =>
  auth_credential == null ? null : "sends no stored credentials: they are for the services they were made for, so name a header";

interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The statuses that are no failure. Null for those from 200 to 299. */
  expected: number[] | null;
  /** Names of the output, and where in the body their values are. */
  map: Record<string, unknown>;
  timeout_s: number;
}

/** The first half: what will be asked. */
export async function requestOf({ ctx, config, written, run }: Call): Promise<Outcome> {
  const { method, url, expect_status, response_map, timeout_s } = config;
  const { addresses } = ctx.settings;
  if (!addresses.allowsHost(url)) throw new StepFailure("url_not_allowed", "rejected", `url ${addresses.words}`);
  if (URL.parse(url)!.username !== "") throw refused("url has a password in it: send it in a header");
  const body = method === "GET" || config.body == null ? undefined : bodyText(config.body);
  const type: Record<string, string> =
    body === undefined || typeof config.body === "string" ? {} : { "content-type": "application/json" };
  const headers = await openHeaders(ctx, run.automation_id, written.url, config.headers ?? {});
  const ask: Request = {
    method,
    url,
    headers: { "user-agent": "Headwater", ...type, ...headersOf(headers), [chainHeader]: chainOfRun(ctx, run) },
    body,
    expected: expect_status ?? null,
    map: response_map ?? {},
    timeout_s: timeout_s ?? 15,
  };
  return { ask };
}

/** What our own interface recognizes a loop by. */
function chainOfRun(ctx: Ctx, { causation }: Call["run"]): string {
  const { depth = 1, path = [] } = causation as Partial<Chain>;
  return signedChain(ctx.settings.secrets, ctx.organization_id, { depth, path }, ctx.now);
}

const refused = (words: string) => new StepFailure("config_invalid", "config", words);

const bodyMost = 256 * 1024;

function bodyText(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (Buffer.byteLength(text) > bodyMost) throw refused("body is longer than 256 KB");
  return text;
}

// --- headers ---

/** What the connection says itself, and what identifies our request. */
const ours =
  /^(host|connection|content-length|transfer-encoding|upgrade|keep-alive|expect|te|trailer|proxy-.*|webhook-.*|x-headwater-.*)$/;

function headersOf(given: Config): Record<string, string> {
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const key = name.toLowerCase();
      if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(key)) throw refused(`headers.${name} is not the name of a header`);
      if (ours.test(key)) throw refused(`headers.${name} cannot be set`);
      if (!["string", "number", "boolean"].includes(typeof value) || !/^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(String(value)))
        throw refused(`headers.${name} has a value that a header cannot have`);
      return [key, String(value)];
    }),
  );
}

/** As step runs show it. Who reads a run need not know what the automation proves itself with. */
export function shownRequest(config: Config): object {
  if (!isObject(config.headers)) return config;
  const headers = Object.entries(config.headers).map(([name, value]) => [name, harmless.test(name) ? value : "***"]);
  return { ...config, headers: Object.fromEntries(headers) };
}

// --- the exchange ---

/** So much of an answer is kept. */
const answerMost = 64 * 1024;

export const http: Outside = {
  async perform({ settings, clock }, request: Request, key, mostMs): Promise<Receipt> {
    const { method, url, headers, body, timeout_s } = request;
    const limits = { wholeMs: Math.min(timeout_s * 1000, mostMs), bytes: answerMost, cuts: true };
    try {
      const asking = {
        method,
        url,
        isTheirs: true,
        headers: { ...headers, "webhook-id": key },
        ...(body !== undefined && { body }),
      };
      const { status, retryAfter, text, isCut } = await askPublic(settings.addresses, asking, limits);
      return { status, retry_after: retryAfter, text, is_cut: isCut, at: clock().getTime() };
    } catch (error) {
      if (!(error instanceof NotPosted)) throw error;
      return { status: null, problem: error.problem, message: error.message };
    }
  },
  outcome(receipt, request: Request, ports) {
    const { status, message } = receipt;
    if (status === null) return new StepFailure("not_answered", "transient", `the other service ${String(message)}`);
    const isFine = request.expected === null ? status >= 200 && status < 300 : request.expected.includes(status);
    if (isFine) return { output: outputOf(receipt, request) };
    const words = `the other service answered ${status}: ${withoutAddress(String(receipt.text), request).slice(0, 200)}`;
    if (status === 429 || status === 503)
      return new StepFailure(`http_${status}`, status === 429 ? "rate_limited" : "transient", words, afterMs(receipt));
    if (status >= 500 || status === 408) return new StepFailure(`http_${status}`, "transient", words);
    if (ports.http_error != null) return { port: "http_error", output: outputOf(receipt, request) };
    return new StepFailure(`http_${status}`, "rejected", words);
  },
};

/** More members read why a step failed than know whom it asked, and an answer may repeat that: `Cannot POST /…`. */
function withoutAddress(text: string, { url }: Request): string {
  const { host, pathname, search, searchParams } = URL.parse(url)!;
  const parts = [url, host, pathname + search, pathname, decoded(pathname), ...searchParams.values()].filter(
    (part) => part.length > 3,
  );
  return parts.reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Seconds, or a date, which counts from the moment of the answer. */
function afterMs({ retry_after, at }: Receipt): number {
  if (typeof retry_after !== "string") return 0;
  const ms = /^\d+$/.test(retry_after) ? Number(retry_after) * 1000 : Date.parse(retry_after) - Number(at);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

// --- the output ---

function outputOf({ status, text, is_cut }: Receipt, { map }: Request): object {
  const body = readable(String(text));
  const mapped = Object.fromEntries(Object.entries(map).map(([name, path]) => [name, at(body, String(path))]));
  const output = { ...mapped, status, body, is_cut };
  const isLong = Buffer.byteLength(JSON.stringify(output)) > answerMost;
  return isLong ? { ...output, body: null, is_cut: true } : output;
}

/** JSON where it is JSON that the database stores, else text. */
function readable(text: string): unknown {
  const clean = text.replaceAll("\0", "");
  const parsed = jsonOf({ text: clean });
  const isStorable = parsed !== null && !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(parsed));
  return isStorable ? parsed : clean;
}

/** A path such as `data.0.id`. */
function at(body: unknown, path: string): unknown {
  let value = body;
  for (const word of path.replace(/^body\./, "").split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, word)) return null;
    value = (value as Record<string, unknown>)[word];
  }
  return value;
}
