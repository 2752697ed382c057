// The HTTP server. Fastify routes requests and reads their bodies; hooks and answers are our own. See `rest.ts` for the life of a
// request.
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { invalid, notFound, Problem } from "../core/errors.ts";
import { newId } from "../values/id.ts";
import { parseBody } from "./body.ts";
import { addDocs } from "./docs.ts";
import { addDraining } from "./drain.ts";
import { addHealth } from "./health.ts";
import type { HttpApp } from "./http_app.ts";
import { addLlmsText } from "./llms.ts";
import { addAgents } from "./mcp.ts";
import { createMetrics } from "./metrics.ts";
import { addDescription } from "./openapi.ts";
import { addPublicRoutes } from "./public.ts";
import { createRateLimiter } from "./rate_limit.ts";
import { constantHeaders, errorBody, notInTime, refuse, refuseForNow } from "./reply.ts";
import { addOperations, apiPrefix, countRequest, countStranger, refuseStranger, routedMethods } from "./rest.ts";
import { Exchange, type Service } from "./service.ts";
import { defaultGateLimits, Gate, type GateLimits } from "./shed.ts";

export { drain } from "./drain.ts";
export type { HttpApp } from "./http_app.ts";

const bodyBytesMax = 1024 * 1024;
const headerBytesMax = 64 * 1024;

/** The whole interface as one server that does not listen yet. Other areas add their routes to it. */
export function createServer(app: HttpApp, gateLimits: Partial<GateLimits> = {}): FastifyInstance {
  const server: FastifyInstance = Fastify({
    logger: false,
    genReqId: () => newId("req"),
    requestIdHeader: false,
    trustProxy: app.config.trust_proxy.length > 0 ? [...app.config.trust_proxy] : false,
    bodyLimit: bodyBytesMax,
    // Node checks these limits for all connections every two seconds, so they cost a request nothing.
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: headerBytesMax,
      // node:http would answer a missing host with an empty body; `clientError` and the first hook answer it with ours.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, querystringParser: asItCame, maxParamLength: 128 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // An address that cannot be decoded, or one with a part that is too long for an id.
    frameworkErrors: (error, request, reply) =>
      void unknownPath(service, request, reply, error.code === "FST_ERR_BAD_URL" ? badPath() : notFound()),
    clientErrorHandler: (error, socket) => answerUnreadable(service, error as ReadError, socket as Socket),
  });
  const service = serviceOf(app, gateLimits);

  server.decorate("service", service);
  server.decorateRequest("exchange", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, readJson);
  // A body without a type is read as JSON; one of another type is refused.
  server.addContentTypeParser("*", { parseAs: "buffer" }, readUntyped);
  addDraining(server, service);
  server.addHook("onRequest", (request, reply, done) => {
    if (request.is404) void unknownPath(service, request, reply, notFound());
    else if (request.headers.host === undefined && request.raw.httpVersion === "1.1")
      refuse(new Exchange(service, request, reply, "unreadable"), invalid({ Host: "is required" }));
    else if (request.headers.expect === "")
      refuse(new Exchange(service, request, reply, "unreadable"), invalid({ Expect: "may only be 100-continue" }));
    else done();
  });
  // For routes of other areas that answer by `reply.send`.
  server.addHook("onSend", (request, reply, _payload, done) => {
    for (let i = 0; i < service.headers.length; i += 2) reply.header(service.headers[i]!, service.headers[i + 1]);
    reply.header("x-request-id", request.id);
    if (service.gate.draining) reply.header("connection", "close");
    done();
  });
  server.setErrorHandler((error, request, reply) =>
    refuse(request.exchange ?? new Exchange(service, request, reply, "other"), asProblem(error as FastifyError, request)),
  );
  server.server.on("connection", (socket: Socket) => {
    service.sockets.add(socket.once("close", () => service.sockets.delete(socket)));
  });
  // node:http would answer 417 with an empty body.
  server.server.on("checkExpectation", (message, response) => {
    message.headers.expect = "";
    server.routing(message, response);
  });
  server.addHook("onClose", () => service.gate.stop());

  addOperations(server, service);
  addDescription(server, service);
  addDocs(server, service);
  addLlmsText(server, service);
  addHealth(server, service);
  addAgents(server, service);
  addPublicRoutes(server, service, app.publicRoutes);
  return server;
}

// The query is parsed when its request is served: a caller without access learns nothing about it, and a request without one is
// free.
const asItCame = (query: string) => query as unknown as Record<string, unknown>;

function serviceOf(app: HttpApp, gateLimits: Partial<GateLimits>): Service {
  const gate = new Gate<Exchange>({ ...defaultGateLimits, ...gateLimits }, refuseForNow);
  const live: Service["live"] = new Map();
  return {
    app,
    gate,
    limiter: app.config.rate_limits && createRateLimiter(app.config.rate_limits, app.config.web_concurrency),
    metrics: createMetrics(app, gate, live),
    headers: constantHeaders(app.config.base_url),
    sockets: new Set(),
    live,
    uploading: new Set(),
    uploadMs: 600_000,
    held: null,
  };
}

// --- bodies ---

type Parsed = (error: Error | null, body?: unknown) => void;

function readJson(request: FastifyRequest, bytes: Buffer, done: Parsed): void {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    return done(invalid({ "Content-Encoding": "is not supported; send the body uncompressed" }));
  try {
    done(null, parseBody(bytes));
  } catch (error) {
    done(error as Error);
  }
}

// A body without a type is read as JSON. One of another type is refused, unless it is empty.
function readUntyped(request: FastifyRequest, bytes: Buffer, done: Parsed): void {
  if (request.headers["content-type"] === undefined || bytes.length === 0) readJson(request, bytes, done);
  else done(notJson());
}

const notJson = () => invalid({}, "Request body must be JSON.");
const badPath = () => invalid({ path: "must be percent-encoded UTF-8" });

/** Fastify's own refusals in our words. What is wrong with the request is a 400, whatever status HTTP has for it. */
function asProblem(error: FastifyError, request: FastifyRequest): unknown {
  if (error instanceof Problem) return error;
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return notJson();
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return invalid({}, `The request body must be ${request.routeOptions.bodyLimit} bytes or fewer.`);
  const isTheirs = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
  return isTheirs ? invalid({}, "The request could not be read.") : error;
}

// --- what reaches no route ---

/** Below the interface a caller must have a key before it learns that a path does not exist. */
async function unknownPath(service: Service, request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<void> {
  // Fastify does not route methods that no operation uses. Where PATCH finds a path, they get the same 405.
  if (request.is404 && !routedMethods.includes(request.method)) {
    request.raw.method = "PATCH";
    return request.server.routing(request.raw, reply.raw);
  }
  const x = new Exchange(service, request, reply, "unknown");
  try {
    if (isOfInterface(request.url)) countRequest(x, await service.app.authenticate(request.headers.authorization), "read");
    else countStranger(x);
    if (!x.answered) refuse(x, problem);
  } catch (error) {
    refuseStranger(x, error);
  }
}

// The address may be absolute, as proxies send it.
const isOfInterface = (url: string): boolean => {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`) || path.startsWith(`${apiPrefix}?`);
};

type ReadError = Error & { code?: string };

/** Answers bytes that node:http could not read as a request. */
function answerUnreadable(service: Service, error: ReadError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  // Node reports this once for each request. An upload has a longer time limit of its own.
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && service.uploading.has(socket)) return;
  // An answer is on its way already: a second one would be read as a part of it.
  if ((socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent) return void socket.destroy();

  const body = errorBody(unreadable[error.code ?? ""] ?? "The request is not valid HTTP.");
  const headers = [...service.headers, "x-request-id", newId("req"), "content-type", "application/json; charset=utf-8"];
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Closing at once would reset the connection before a client that is still sending has read the answer.
  setTimeout(() => socket.destroy(), 1000).unref();
}

const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: `The address and the headers must be ${headerBytesMax} bytes or fewer together.`,
  ERR_HTTP_REQUEST_TIMEOUT: notInTime,
};
