// Makes routes of operations. A path is registered once for all methods. So a literal path takes precedence over `{id}` for every
// method, and a method that the path does not offer is a 405 before any id is looked up.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Actor, credentialOf } from "../core/context.ts";
import { invalid, notFound, Problem, statuses, suspended } from "../core/errors.ts";
import type { Given, Method, OpenGroup, Operation, RateGroup, Upload } from "../core/operation.ts";
import { type Call, checkAllowed, perform } from "../core/perform.ts";
import { aroundWrite } from "../records/around_write.ts";
import { dryRun, readDryRun } from "../records/dry_run.ts";
import { chainHeader, chainMeta, readChain } from "../services/chain.ts";
import { networkOf } from "../values/network.ts";
import { isRecorded, traced, type Work } from "../values/traced.ts";
import { isStorable, unstorable } from "./body.ts";
import { longBytes } from "./compress.ts";
import { parseQuery, withParams } from "./query.ts";
import { isOver } from "./rate_limit.ts";
import { answer, notInTime, refuse, refuseForNow, refuseStream, refuseTooMany } from "./reply.ts";
import {
  changeSetName,
  idempotencyKey,
  ifMatchVersions,
  isStrict,
  namesEtag,
  offsetMinutes,
  overriddenMethod,
} from "./request_headers.ts";
import { Exchange, type Service } from "./service.ts";
import { isHeavy } from "./shed.ts";
import { readUpload, type TakenBody } from "./upload.ts";

export const apiPrefix = "/api/v1";
export const routedMethods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/** What one path offers. */
interface Route {
  path: string;
  operations: Partial<Record<Method, Operation>>;
  allow: string;
}

export function addOperations(server: FastifyInstance, service: Service): void {
  for (const route of routesOf(service.app.operations)) {
    server.route({
      method: routedMethods,
      url: apiPrefix + route.path.replace(/\{([^}]+)\}/g, ":$1"),
      onRequest: (request, reply, done) => arrive(service, route, request, reply, done),
      handler: (request) => void serve(request.exchange!),
    });
  }
}

function routesOf(operations: readonly Operation[]): Iterable<Route> {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    let route = routes.get(operation.path);
    if (route === undefined) routes.set(operation.path, (route = { path: operation.path, operations: {}, allow: "" }));
    route.operations[operation.method] = operation;
    route.allow = allowed(Object.keys(route.operations));
  }
  return routes.values();
}

/** The value of `Allow`: HEAD comes with GET, OPTIONS with all. */
export const allowed = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");

/** Before the body is read: authenticates, finds the operation and counts the request. Synchronous for a known key. */
function arrive(service: Service, route: Route, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const x = new Exchange(service, request, reply, route.path);
  request.exchange = x;
  if (request.method === "OPTIONS") return preflight(x, route.allow);
  if (service.gate.overloaded) return refuseForNow(x);
  try {
    const actor = service.app.authenticate(request.headers.authorization);
    if (actor instanceof Promise) actor.then((found) => admit(x, route, found, done)).catch((error) => refuseStranger(x, error));
    else admit(x, route, actor, done);
  } catch (error) {
    refuseStranger(x, error);
  }
}

function admit(x: Exchange, route: Route, actor: Actor, done: () => void): void {
  const operation = operationOf(route, x.request);
  countRequest(x, actor, operation instanceof Problem ? "read" : operation.group);
  if (x.answered) return;
  if (operation instanceof Problem) return refuse(x, operation);
  x.operation = operation;
  x.route = operation.name;
  if (operation.upload !== undefined) void serveUpload(x, actor, operation);
  else done();
}

/** Reads the body with its file here, as a stream, and only from a caller who may send it. It enters the gate once the file has come. */
async function serveUpload(x: Exchange, actor: Actor, operation: Operation): Promise<void> {
  let taken: TakenBody | null = null;
  try {
    checkAllowed(actor, operation);
    taken = await arrivedInTime(x, () => readUpload(x.request, x.service.app.core.settings.storage, operation.upload!));
    x.request.body = taken.body;
    await serve(x, taken.upload ?? undefined);
  } catch (error) {
    // The rest of the body is discarded, so that the client reads the refusal.
    x.request.raw.resume();
    // A client that left reads no answer. The log shows a 400, because it is not our failure.
    const { destroyed, complete } = x.request.raw;
    refuse(x, destroyed && !complete ? invalid({}, "The upload ended before it was complete.") : error);
  } finally {
    await taken?.upload?.received.drop();
  }
}

/** Refuses a body that arrives too slowly, and closes the connection, which ends the reading. */
async function arrivedInTime<T>(x: Exchange, read: () => Promise<T>): Promise<T> {
  const { uploading, uploadMs } = x.service;
  const { socket } = x.request.raw;
  const late = setTimeout(() => refuse(x, new Problem(400, notInTime, {}, { connection: "close" })), uploadMs);
  uploading.add(socket);
  try {
    return await read();
  } finally {
    uploading.delete(socket);
    clearTimeout(late);
  }
}

function operationOf(route: Route, { method, headers }: FastifyRequest): Operation | Problem {
  const meant = method === "POST" ? overriddenMethod(headers["x-http-method-override"]) : method === "HEAD" ? "GET" : method;
  if (meant === null) return invalid({ "x-http-method-override": "must be GET, PUT or DELETE" });
  return route.operations[meant as Method] ?? methodNotAllowed(route.allow);
}

export const methodNotAllowed = (allow: string): Problem => new Problem(405, statuses[405]!, {}, { allow });

/** Counts a request of a known caller, and refuses it if it is over the limit, or its organization is suspended. */
export function countRequest(x: Exchange, actor: Actor, group: RateGroup): void {
  x.actor = actor;
  const { limiter } = x.service;
  const isSuspended = actor.limit_percent === 0;
  if (limiter !== null) {
    // What a suspended organization is refused counts too, by the usual limits.
    const percent = isSuspended ? undefined : actor.limit_percent;
    const quota = limiter.take(group, credentialOf(actor), actor.organization_id, x.startedMs, percent);
    if (isOver(quota)) return refuseTooMany(x, quota);
    x.quota = quota;
  }
  if (isSuspended) refuse(x, suspended());
}

/** Counts a request without a valid key by its address, and refuses it if it is over the limit. */
export function countStranger(x: Exchange, group: OpenGroup = "auth"): void {
  const { limiter } = x.service;
  if (limiter === null) return;
  const quota = limiter.takeOpen(group, networkOf(x.request.ip), x.startedMs);
  if (isOver(quota)) refuseTooMany(x, quota);
  else x.quota = quota;
}

/** Refuses an address that has been refused too often, without counting. */
export function refuseKnownStranger(x: Exchange, group: OpenGroup): void {
  lookAtStranger(x, group);
  if (x.quota !== null && isOver(x.quota)) refuseTooMany(x, x.quota);
}

function lookAtStranger(x: Exchange, group: OpenGroup): void {
  x.quota = x.service.limiter?.lookAtOpen(group, networkOf(x.request.ip), x.startedMs) ?? null;
}

/** Refuses a request. One without a valid key is counted by its address. */
export function refuseStranger(x: Exchange, error: unknown): void {
  if (x.actor === null && error instanceof Problem && error.status === 401) countStranger(x);
  refuse(x, error);
}

// A preflight carries no key. It shows the quota of its address and uses none of it.
function preflight(x: Exchange, allow: string): void {
  lookAtStranger(x, "auth");
  answer(x, 204, "", optionsHeaders(allow));
}

export const optionsHeaders = (allow: string): Record<string, string> => ({
  allow,
  "access-control-allow-methods": allow,
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, prefer, service-scope, service-toolsets, x-api-key, x-change-set, x-http-method-override, x-tz-offset",
  "access-control-max-age": "86400",
});

/** After the body was read: waits for a place, performs, answers. Never rejects. */
const serve = (x: Exchange, upload?: Upload): Promise<void> =>
  isRecorded() ? traced(requestWork(x), () => serveUntraced(x, upload)) : serveUntraced(x, upload);

const requestWork = ({ request, route, actor }: Exchange): Work => ({
  name: `${request.method} ${route}`,
  kind: "server",
  attributes: {
    "http.request.method": request.method,
    "http.route": route,
    "headwater.request_id": request.id,
    ...(actor && { "headwater.organization_id": actor.organization_id }),
  },
  caller: request.headers.traceparent as string | undefined,
});

async function serveUntraced(x: Exchange, upload?: Upload): Promise<void> {
  const { gate, app, live } = x.service;
  try {
    const { call, isDry } = callOf(x, upload);
    x.isHeavy = isHeavy(call.operation, call.given.query);
    if (call.operation.lasts && live.size >= gate.limits.live) return refuseStream(x);
    const place = gate.enter(x);
    if (place !== true && !(await place)) return refuseForNow(x);

    const { status, headers, body } = await (isDry ? dryRun : perform)(app.core, call);
    if (call.given.strict) headers["preference-applied"] = "handling=strict";
    if (call.request.method === "GET" && headers.etag !== undefined && typeof body === "string")
      answerEntity(x, status, body, headers);
    else answer(x, status, body, headers);
  } catch (error) {
    refuse(x, error);
  }
}

/** Answers a single record, or 304 if the caller has it already. */
function answerEntity(x: Exchange, status: number, body: string, headers: Record<string, string>): void {
  headers["cache-control"] = "private, no-cache";
  if (body.length >= longBytes) headers.vary = "accept-encoding";
  const known = x.request.headers["if-none-match"];
  if (known !== undefined && namesEtag(known, headers.etag!)) answer(x, 304, "", headers);
  else answer(x, status, body, headers);
}

function callOf(x: Exchange, upload?: Upload): { call: Call; isDry: boolean } {
  const { request } = x;
  const { headers } = request;
  const operation = x.operation!;
  const { method } = operation;
  const writes = method === "POST" || method === "PUT";
  const key = writes ? idempotencyKey(headers["idempotency-key"]) : null;
  const strict = isStrict(headers.prefer);
  const { given, isDry, isTried } = readDryRun(operation, { ...givenOf(request, method, strict), ...(upload && { upload }) });
  const call: Call = {
    operation,
    actor: x.actor!,
    given,
    request: {
      id: request.id,
      method,
      path: pathOf(request.url),
      offsetMinutes: offsetMinutes(headers["x-tz-offset"]),
      hasOffset: headers["x-tz-offset"] !== undefined,
      ifMatch: method === "PUT" || method === "DELETE" ? ifMatchVersions(headers["if-match"]) : null,
      ...(method === "GET" && headers.range !== undefined ? { range: rangeAsked(headers) } : {}),
      ...(operation.lasts && { lastEventId: headers["last-event-id"] as string | undefined }),
      accept: { type: headers.accept, encoding: headers["accept-encoding"] as string | undefined },
      strict,
    },
    asker: x,
    ...(operation.lasts && { authenticate: () => x.service.app.authenticate(headers.authorization) }),
    ...ledTo(x, headers[chainHeader]),
    ...aroundWrite(operation, isTried ? null : key, changeSetName(headers["x-change-set"])),
  };
  return { call, isDry };
}

/** Events of a request that an automation led to say so. */
function ledTo({ actor, service }: Exchange, header: unknown): Pick<Call, "meta"> {
  if (header === undefined) return {};
  const { settings, clock } = service.app.core;
  const chain = readChain(settings.secrets, actor!.organization_id, header, clock());
  return chain === null ? {} : { meta: chainMeta(chain) };
}

const rangeAsked = ({ range, "if-range": ifRange }: FastifyRequest["headers"]) => ({
  range: range!,
  ifRange: typeof ifRange === "string" ? ifRange : null,
});

const noBody: Readonly<Record<string, unknown>> = Object.freeze({});

function givenOf(request: FastifyRequest, method: Method, strict: boolean): Given {
  const params = paramsOf(request);
  const query = parseQuery(request.query as string);
  const body = (request.body ?? noBody) as Record<string, unknown>;
  const mayCarryParams = method === "PUT" || (request.method === "POST" && method !== "POST");
  if (!mayCarryParams || !Object.hasOwn(body, "_params")) return { params, query, body, strict };

  const { _params, ...rest } = body;
  return { params, query: withParams(query, _params), body: rest, strict };
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  const params = request.params as Record<string, string>;
  for (const name in params) {
    if (params[name] === "") throw notFound();
    if (!isStorable(params[name]!)) throw new Problem(400, statuses[400]!, { [name]: unstorable });
  }
  return params;
}

/** The path without its query, and always with a slash at the end, so that both forms are one route. */
function pathOf(url: string): string {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith("/") ? path : `${path}/`;
}
