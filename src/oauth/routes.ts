// Puts OAuth into the server: the engine's endpoints, our consent page, and the documents by which clients find their way in.
import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Core } from "../core/core.ts";
import { isOver, resetSeconds } from "../http/rate_limit.ts";
import { answer, finish, quotaHeaders, refuse } from "../http/reply.ts";
import { allowed, countStranger, methodNotAllowed, optionsHeaders } from "../http/rest.ts";
import { Exchange, type Service } from "../http/service.ts";
import { type ConsentRequest, consent } from "./consent_page.ts";
import { consentPath, type Engine, openEngine, paths } from "./engine.ts";
import { addMetadata } from "./metadata.ts";
import { registrationsOf } from "./registering.ts";
import { BadRegistration, readChange, readRegistration } from "./registration.ts";
import { inOurWords, ReadAgain } from "./requests.ts";

const bodyBytesMax = 16 * 1024;
const methods = ["GET", "POST", "OPTIONS", "HEAD", "PUT", "DELETE", "PATCH"];

export function addOauth(server: FastifyInstance, core: Core): void {
  const { service } = server;
  const engine = openEngine(core);
  const mayRegister = registrationsOf(core);
  addMetadata(server, core);
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: bodyBytesMax }, (_request, bytes, done) => done(null, bytes));
    scope.setErrorHandler((_error, request) => {
      if (request.exchange !== null)
        refuseOauth(request.exchange, 400, "invalid_request", `the body must be ${bodyBytesMax} bytes or fewer`);
    });
    for (const path of [...Object.values(paths), `${paths.authorization}:uid`, `${paths.registration}:id`])
      route(scope, service, path, (x) => serveEndpoint(x, engine, path, mayRegister));
    route(scope, service, `${consentPath}:uid`, (x) => serveConsent(x, core, engine));
  });
}

function route(scope: FastifyInstance, service: Service, url: string, serve: (x: Exchange) => Promise<void>): void {
  scope.route({
    method: methods,
    url,
    bodyLimit: bodyBytesMax,
    onRequest(request: FastifyRequest, reply: FastifyReply, done: () => void) {
      request.exchange = new Exchange(service, request, reply, url);
      done();
    },
    handler: (request) => void serve(request.exchange!).catch((error) => refuse(request.exchange!, error)),
  });
}

// --- the engine's endpoints ---

async function serveEndpoint(x: Exchange, engine: Engine, path: string, mayRegister: () => Promise<number>): Promise<void> {
  const { request } = x;
  const allow = allowed(methodsOf(request, path));
  if (request.method === "OPTIONS") return answer(x, 204, "", optionsHeaders(allow));
  if (!allow.split(", ").includes(request.method)) return refuse(x, methodNotAllowed(allow));
  const text = bodyOf(request).toString("utf8");
  if (!isWithinLimit(x, path, text)) return;
  try {
    const seen = await asSeen(x, path, text, mayRegister);
    if (seen !== null) await hand(x, engine, seen);
  } catch (error) {
    if (!(error instanceof BadRegistration)) throw error;
    refuseOauth(x, 400, error.error, error.message);
  }
}

function methodsOf({ params }: FastifyRequest, path: string): string[] {
  if (path.startsWith(paths.authorization)) return ["GET", "POST"];
  return "id" in (params as object) ? ["GET", "PUT", "DELETE"] : ["POST"];
}

/** The request as the engine gets it, or null when it was refused. */
async function asSeen(x: Exchange, path: string, text: string, mayRegister: () => Promise<number>): Promise<ReadAgain | null> {
  const { request, service } = x;
  const { base_url } = service.app.core.settings;
  const query = request.url.split("?")[1] ?? "";
  const asks = path === paths.authorization;
  const { uid, id } = request.params as { uid?: string; id?: string };
  if (id !== undefined) {
    const change = request.method === "PUT" ? JSON.stringify(readChange(text)) : "";
    return new ReadAgain(request.raw, `${paths.registration}${encodeURIComponent(id)}`, base_url, Buffer.from(change));
  }
  const own = uid === undefined ? path : `${paths.authorization}${uid}`;
  if (path === paths.registration) {
    const registration = readRegistration(text);
    const wait = await mayRegister();
    if (wait > 0) {
      refuseOauth(x, 429, "temporarily_unavailable", "too many clients register at once", { "retry-after": String(wait) });
      return null;
    }
    return new ReadAgain(request.raw, own.slice(0, -1), base_url, Buffer.from(JSON.stringify(registration)));
  }
  // A browser may also ask by a form; the engine reads the address only.
  if (asks && request.method === "POST")
    return new ReadAgain(request.raw, `${own}?${inOurWords(text, base_url, true)}`, base_url, Buffer.alloc(0), "GET");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
  const body = request.method === "POST" && isForm ? inOurWords(text, base_url, false).toString() : text;
  const search = asks && request.method === "GET" ? inOurWords(query, base_url, true).toString() : query;
  return new ReadAgain(request.raw, search === "" ? own : `${own}?${search}`, base_url, Buffer.from(body));
}

/** Gives the request to the engine, which answers it. */
function hand(x: Exchange, engine: Engine, seen: ReadAgain): Promise<void> {
  const { reply, service } = x;
  const { raw } = reply;
  reply.hijack();
  const headers = [...service.headers, ...(x.quota === null ? [] : quotaHeaders(x.quota, x.startedMs))];
  for (let i = 0; i < headers.length; i += 2) raw.setHeader(headers[i]!, headers[i + 1]!);
  raw.setHeader("x-request-id", x.request.id);
  if (x.request.headers.origin !== undefined) raw.setHeader("access-control-allow-origin", "*");
  return new Promise((done) => {
    raw.once("close", () => {
      finish(x, raw.statusCode);
      done();
    });
    engine
      .callback()(seen as never, raw as never)
      .catch((error: unknown) => raw.destroy(error as Error));
  });
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/**
 * A client is counted by its id and a browser by its address: hosts of agents send the requests of many clients from the same few
 * addresses.
 */
function isWithinLimit(x: Exchange, path: string, text: string): boolean {
  if (path.startsWith(paths.authorization)) {
    countStranger(x, "oauth");
    return !x.answered;
  }
  const id = new URLSearchParams(text).get("client_id") ?? x.request.headers.authorization ?? x.request.ip;
  const quota = x.service.limiter?.takeOpen("oauth", `client ${id.slice(0, 200)}`, x.startedMs);
  if (quota === undefined) return true;
  x.quota = quota;
  if (!isOver(quota)) return true;
  const seconds = resetSeconds(quota, performance.now());
  refuseOauth(x, 429, "temporarily_unavailable", "too many requests", { "retry-after": String(seconds) });
  return false;
}

/** A refusal in the form of RFC 6749, with the key that all our refusals have. */
function refuseOauth(
  x: Exchange,
  status: number,
  error: string,
  error_description: string,
  headers: Record<string, string> = {},
): void {
  answer(x, status, JSON.stringify({ error, error_description, "field-errors": {} }), {
    "cache-control": "no-store",
    ...headers,
  });
}

// --- the consent page ---

async function serveConsent(x: Exchange, core: Core, engine: Engine): Promise<void> {
  const { request, reply } = x;
  x.isOwnOnly = true;
  countStranger(x, "sign_in");
  if (x.answered) return;
  const given: ConsentRequest = {
    core,
    engine,
    uid: (request.params as { uid: string }).uid,
    raw: new ReadAgain(request.raw, request.url, core.settings.base_url, Buffer.alloc(0)),
    response: reply.raw as ServerResponse,
    ip: request.ip,
    fields: request.method === "POST" ? Object.fromEntries(new URLSearchParams(bodyOf(request).toString("utf8"))) : null,
  };
  const { status, content } = await consent(given);
  x.headers = x.headers.filter((_, i, all) => !(all[i - (i % 2)]! in content.headers));
  answer(x, status, content.body, { "content-type": content.type, ...content.headers });
}
