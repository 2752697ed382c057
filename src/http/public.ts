// Paths without a key, because their address is the secret: shared files and quotes. See `records/public_route.ts`.
import { gunzipSync } from "node:zlib";
import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { invalid, Problem, statuses } from "../core/errors.ts";
import type { OpenGroup } from "../core/operation.ts";
import type { PublicRequest, PublicRoute } from "../records/public_route.ts";
import { isStorable, parseStranger, storable, unstorable } from "./body.ts";
import { parseQuery } from "./query.ts";
import { isOver, resetSeconds } from "./rate_limit.ts";
import { answer, refuse } from "./reply.ts";
import { allowed, countStranger, methodNotAllowed, optionsHeaders, refuseKnownStranger, routedMethods } from "./rest.ts";
import { Exchange, type Service } from "./service.ts";

const formBytesMax = 64 * 1024;
const rawBytesMax = 256 * 1024;

export function addPublicRoutes(server: FastifyInstance, service: Service, routes: readonly PublicRoute[]): void {
  // A scope of its own, so that forms, and only forms, are read here and nowhere else.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: formBytesMax },
      (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(text as string))),
    );
    scope.addContentTypeParser("multipart/form-data", { parseAs: "buffer", bodyLimit: formBytesMax }, readMultipart);
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) =>
      bytes.length === 0
        ? done(null, {})
        : done(invalid({}, "The body must be a form: application/x-www-form-urlencoded or multipart/form-data.")),
    );
    for (const route of routes) if (!route.raw) addPublicRoute(scope, service, route);
  });
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes));
    scope.setErrorHandler((error: FastifyError, request) => {
      if (error.code !== "FST_ERR_CTP_BODY_TOO_LARGE" || request.exchange === null) throw error;
      refuse(request.exchange, tooLarge());
    });
    for (const route of routes) if (route.raw) addPublicRoute(scope, service, route);
  });
}

/** Mail programs send the one field of `List-Unsubscribe-Post` in this form too. Files are no fields. */
async function readMultipart(request: FastifyRequest, bytes: string | Buffer): Promise<Record<string, string>> {
  try {
    const type = request.headers["content-type"]!;
    const form = await new Response(new Uint8Array(bytes as Buffer), { headers: { "content-type": type } }).formData();
    return Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    throw invalid({}, "The body is no form: send it as application/x-www-form-urlencoded.");
  }
}

function addPublicRoute(server: FastifyInstance, service: Service, route: PublicRoute): void {
  const allow = allowed(route.methods);
  server.route({
    method: routedMethods,
    url: route.path.replace(/\{([^}]+)\}/g, ":$1"),
    bodyLimit: route.raw ? rawBytesMax : formBytesMax,
    onRequest(request, reply, done) {
      const x = new Exchange(service, request, reply, route.name);
      request.exchange = x;
      x.isOwnOnly = route.group === "sign_in";
      if (request.method === "OPTIONS") return answer(x, 204, "", optionsHeaders(allow));
      if (route.signed) refuseKnownStranger(x, route.group);
      else if (!route.raw) countStranger(x, route.group);
      if (x.answered) return;
      const meant = request.method === "HEAD" ? "GET" : request.method;
      if (!(route.methods as readonly string[]).includes(meant)) return refuse(x, methodNotAllowed(allow));
      done();
    },
    handler: (request) => void show(request.exchange!, route),
  });
}

/** A page's own headers replace those of every answer: if both stated a policy, both would apply. */
async function show(x: Exchange, route: PublicRoute): Promise<void> {
  try {
    const { status, content } = await route.run(x.service.app.core, readPublicRequest(x, route));
    if ((route.signed && status === 403) || ((route.signed || route.raw) && status === 404)) countStranger(x, route.group);
    if (x.answered) return;
    x.headers = x.headers.filter((_, i, all) => !(all[i - (i % 2)]! in content.headers));
    answer(x, status, content.body, { "content-type": content.type, ...content.headers });
  } catch (error) {
    refuse(x, error);
  }
}

/** The form of a signed route is as it was signed: the route itself takes out what cannot be stored. */
function readPublicRequest(x: Exchange, { signed, raw, group }: PublicRoute): PublicRequest {
  const { request } = x;
  const params = request.params as Record<string, string>;
  const form = raw ? {} : ((request.body ?? {}) as Record<string, string>);
  const bytes = raw && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  for (const [name, value] of Object.entries({ ...params, ...(!signed && form) }))
    if (!isStorable(value)) throw invalid({ [name]: unstorable });
  return {
    method: request.method === "POST" ? "POST" : "GET",
    isHead: request.method === "HEAD",
    ip: request.ip,
    params,
    query: parseQuery(request.query as string),
    form,
    bytes,
    parsed: () => readRaw(request, bytes),
    take: (holder) => countHolder(x, group, holder),
    requestId: request.id,
    headers: request.headers,
  };
}

/** A form, or else JSON. */
function readRaw({ headers }: FastifyRequest, sent: Buffer): Record<string, unknown> {
  const bytes = unzipped(sent, headers["content-encoding"]);
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) return parseStranger(bytes, notObject);
  const form = [...new URLSearchParams(bytes.toString("utf8"))].map(([name, value]) => [storable(name), storable(value)]);
  if (form.some(([name]) => name === "__proto__")) throw invalid({ ["__proto__"]: "is not allowed" });
  return Object.fromEntries(form);
}

const notObject = (): Problem => invalid({}, "The body must be a JSON object.");
const tooLarge = (): Problem => invalid({}, `The body must be ${rawBytesMax} bytes or fewer.`);

/** It is unpacked only when its signature, which is of what was sent, is right. */
function unzipped(sent: Buffer, encoding = "identity"): Buffer {
  if (/^identity$/i.test(encoding)) return sent;
  if (!/^(x-)?gzip$/i.test(encoding)) throw invalid({}, "The body must be uncompressed, or gzip.");
  try {
    return gunzipSync(sent, { maxOutputLength: rawBytesMax });
  } catch (error) {
    throw (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : invalid({}, "The body is not gzip.");
  }
}

function countHolder(x: Exchange, group: OpenGroup, holder: string): void {
  const quota = x.service.limiter?.takeOpen(group, holder, x.startedMs);
  if (quota === undefined) return;
  x.quota = quota;
  if (isOver(quota))
    throw new Problem(429, statuses[429]!, {}, { "retry-after": String(resetSeconds(quota, performance.now())) });
}
