// Turns answers and refusals into bytes. Nothing else does.
import { pipeline, Readable } from "node:stream";
import { scopesUpTo } from "../core/context.ts";
import { type FieldErrors, Problem, statuses } from "../core/errors.ts";
import { LiveBody } from "../services/live_body.ts";
import { bearerChallenge } from "../values/resource_server.ts";
import { acceptedCoding, compress, isCompressible, longBytes } from "./compress.ts";
import { logAnswer } from "./log.ts";
import { ofLength } from "./of_length.ts";
import { type Quota, remaining, resetSeconds } from "./rate_limit.ts";
import type { Exchange } from "./service.ts";

type Headers = Readonly<Record<string, string>>;
const none: Headers = {};

/** The headers of every JSON answer, as names and values in turn: `writeHead` takes them so without making an object. */
export function constantHeaders(baseUrl: string): readonly string[] {
  return [
    "content-security-policy",
    "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options",
    "nosniff",
    ...(baseUrl.startsWith("https:") ? ["strict-transport-security", "max-age=63072000; includeSubDomains"] : []),
  ];
}

const exposed = [
  "etag",
  "idempotency-replayed",
  "location",
  "preference-applied",
  "ratelimit-limit",
  "ratelimit-policy",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "www-authenticate",
  "x-ignored-fields",
  "x-request-id",
].join(", ");

/** Sends an answer. `headers` are added to those that every answer has. */
export function answer(x: Exchange, status: number, body: string | Buffer | Readable, headers: Headers = none): void {
  if (x.answered) return abandon(body);
  if (body instanceof Readable) return answerStream(x, status, body, headers);
  const bytes = Buffer.byteLength(body);
  // ASCII text is sent as latin1: for UTF-8 node allocates three times its length and inspects every character.
  const encoding = bytes === body.length ? "latin1" : "utf8";
  if (bytes < longBytes) return send(x, status, body, bytes, encoding, headers);
  // Long text becomes bytes first: node would concatenate it with the headers as text, which takes a fifth of the time of a list
  // of 100.
  const long = typeof body === "string" ? Buffer.from(body, encoding) : body;
  if (isCompressible(headers)) answerShorter(x, status, long, { ...headers, vary: "accept-encoding" });
  else send(x, status, long, bytes, encoding, headers);
}

/** The client has gone. */
function abandon(body: string | Buffer | Readable): void {
  if (body instanceof Readable) body.destroy();
}

function send(
  x: Exchange,
  status: number,
  body: string | Buffer,
  bytes: number,
  encoding: BufferEncoding,
  headers: Headers,
): void {
  const { reply } = x;
  const { raw } = reply;
  const list = headersOf(x, status, String(bytes), headers);

  reply.hijack();
  // An invalid header is our own defect: it throws before anything is sent.
  if (!raw.destroyed) raw.writeHead(status, list).end(status === 304 ? undefined : body, encoding);
  finish(x, status);
}

/** Sends a long answer compressed if the client accepts it. The bytes then differ, so the tag becomes a weak one. */
function answerShorter(x: Exchange, status: number, body: Buffer, headers: Headers): void {
  const sendAs = (bytes: Buffer, all: Headers) => send(x, status, bytes, bytes.length, "latin1", all);
  const coding = acceptedCoding(x.request.headers["accept-encoding"]);
  if (coding === null) return sendAs(body, headers);

  x.answered = true;
  const { etag } = headers;
  const all = { ...headers, "content-encoding": coding, ...(etag !== undefined && { etag: `W/${etag}` }) };
  compress(body, coding)
    .then((bytes) => sendAs(bytes, all))
    .catch((error) => {
      x.answered = false;
      refuse(x, error);
    });
}

/** Streams an answer. A stream that fails breaks the connection, so that nobody takes a part for the whole. */
function answerStream(x: Exchange, status: number, body: Readable, headers: Headers): void {
  const { reply } = x;
  const { raw } = reply;
  // Its time limit ends here, because the reader decides how long it takes.
  x.answered = true;
  reply.hijack();
  if (raw.destroyed || status === 304 || x.request.method === "HEAD") body.destroy();
  if (raw.destroyed) return finish(x, status);
  const length = headers["content-length"];
  raw.writeHead(status, headersOf(x, status, length ?? null, headers));
  if (body.destroyed) {
    raw.end();
    return finish(x, status);
  }
  if (body instanceof LiveBody) goOn(x, body);
  pipeline(length === undefined ? [body, raw] : [body, ofLength(Number(length)), raw], (error) => {
    // A client always leaves a live stream before its end.
    const hasLeft = body instanceof LiveBody && error?.code === "ERR_STREAM_PREMATURE_CLOSE";
    if (error && !hasLeft)
      x.service.app.log.warn({ request_id: x.request.id, route: x.route, err: error }, "an answer ended half way");
    finish(x, status);
  });
}

/** A live body is cut off when its client has read nothing for this long. It sends something every 15 s. */
const unreadMs = 60_000;

/** A live body gives up its place in the gate, and ends when the service ends. */
function goOn(x: Exchange, body: LiveBody): void {
  const { service, reply } = x;
  service.gate.leave(x);
  service.live.set(body, reply.raw);
  reply.raw.setTimeout(unreadMs, () => reply.raw.destroy());
  reply.raw.once("close", () => service.live.delete(body));
}

/** Frees the place of an answer that was sent, counts it and logs it. For those who write the answer themselves. */
export function finish(x: Exchange, status: number): void {
  x.answered = true;
  x.service.gate.leave(x);
  const ms = performance.now() - x.startedMs;
  x.service.metrics.observe(x.route, status, ms / 1000, x.actor?.organization_id);
  logAnswer(x, status, ms);
}

const listedBefore = new Set(["content-type", "content-length", "cache-control"]);

/** Names and values in turn. Without `bytes` the length is unknown before the end. */
function headersOf(x: Exchange, status: number, bytes: string | null, headers: Headers): string[] {
  const { request, quota } = x;
  const type = headers["content-type"] ?? "application/json; charset=utf-8";
  const list = [...x.headers, "x-request-id", request.id, "cache-control", headers["cache-control"] ?? "no-store"];
  if (status !== 204 && status !== 304) list.push("content-type", type);
  if (status !== 204 && status !== 304 && bytes !== null) list.push("content-length", bytes);
  if (quota !== null) list.push(...quotaHeaders(quota, x.startedMs));
  for (const name in headers) if (!listedBefore.has(name)) list.push(name, headers[name]!);
  // Browsers of any origin may call and read, with the key and without cookies.
  if (request.headers.origin !== undefined && !x.isOwnOnly)
    list.push("access-control-allow-origin", "*", "access-control-expose-headers", exposed);
  if (x.service.gate.draining) list.push("connection", "close");
  return list;
}

/** Names and values in turn. */
export const quotaHeaders = (quota: Quota, now: number): string[] => [
  "ratelimit-limit",
  String(quota.window.limit),
  "ratelimit-remaining",
  String(remaining(quota)),
  "ratelimit-reset",
  String(resetSeconds(quota, now)),
  "ratelimit-policy",
  quota.window.policy,
];

/** Turns anything that was thrown into an answer. All but a `Problem` is a defect: it is logged, and the answer shows nothing of it. */
export function refuse(x: Exchange, error: unknown): void {
  const problem = error instanceof Problem ? error : new Problem(500, statuses[500]!);
  const { status } = problem;
  const facts = { request_id: x.request.id, route: x.route };
  // Under load thousands of requests may be refused in a second, and a stack says nothing about any of them.
  const isShed = status === 503 && problem.cause === undefined;
  if (status >= 500) x.service.app.log.error(isShed ? facts : { ...facts, err: error }, statuses[status]);
  const message = status === 500 ? statuses[500]! : problem.message;
  answer(x, status, errorBody(message, problem.fields, problem.errors), { ...problem.headers, ...stepUp(x, problem) });
}

/** A client with a token learns which scope to ask for. One with a key cannot get another by asking. */
function stepUp({ actor, operation, service }: Exchange, { status }: Problem): Headers {
  if (status !== 403 || operation === null || actor?.oauth === undefined || actor.scopes.has(operation.scope)) return none;
  const { base_url } = service.app.core.settings;
  const scope = scopesUpTo(operation.scope).join(" ");
  return { "www-authenticate": bearerChallenge(base_url, "api", { error: "insufficient_scope", scope }) };
}

export const errorBody = (message: string, fields: FieldErrors = {}, errors?: readonly object[]): string =>
  JSON.stringify({ error: message, "field-errors": fields, errors });

/** For a body that arrives too slowly. */
export const notInTime = "The request did not arrive in time.";

/** 429, with the time to wait in the header and in the body. */
export function refuseTooMany(x: Exchange, quota: Quota): void {
  const now = performance.now();
  const seconds = Math.ceil(Math.max(0, quota.resetsAt - now) / 100) / 10;
  x.quota = quota;
  const wait = { "retry-after": String(resetSeconds(quota, now)) };
  // A person reads it.
  if (x.isOwnOnly) {
    const sentence = `Too many pages were asked for from your address. Please wait ${wait["retry-after"]} seconds, and load this one again.`;
    return answer(x, 429, sentence, { "content-type": "text/plain; charset=utf-8", ...wait });
  }
  answer(x, 429, `{"error":"${statuses[429]}","field-errors":{},"rate_reset":${seconds.toFixed(1)}}`, wait);
}

// Thousands of refusals must cost little: no error object, no stack, no line in the log.
const shedBody = errorBody(statuses[503]!);
const shedHeaders: Headers = { "retry-after": "1" };
export const refuseForNow = (x: Exchange): void => answer(x, 503, shedBody, shedHeaders);

/** Of streams there are as many as may be. Who is refused can ask the list, and try again when others have ended. */
export function refuseStream(x: Exchange): void {
  const { live } = x.service.gate.limits;
  const sentence = `This process has ${live} streams open, and takes no more: come back in a minute, and ask the list meanwhile.`;
  answer(x, 503, errorBody(sentence), { "retry-after": "60" });
}
