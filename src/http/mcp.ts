// The address of agents, `/mcp/`: Streamable HTTP without sessions. Each request is authenticated, counted, admitted and logged as one
// of REST is; what the messages mean is known in `src/mcp/`.
import { Readable } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Actor, type Scope, scopes, scopesUpTo } from "../core/context.ts";
import { invalid, Problem } from "../core/errors.ts";
import { type Agents, openAgents } from "../mcp/agents.ts";
import type { Caller } from "../mcp/caller.ts";
import { type Toolset, toolsets } from "../mcp/toolsets.ts";
import { notAmong } from "../values/reasons.ts";
import { bearerChallenge } from "../values/resource_server.ts";
import { parseBody } from "./body.ts";
import { answer, refuse, refuseForNow } from "./reply.ts";
import { changeSetName, offsetMinutes } from "./request_headers.ts";
import { allowed, countRequest, methodNotAllowed, optionsHeaders, refuseStranger, routedMethods } from "./rest.ts";
import { Exchange, type Service } from "./service.ts";

const path = "/mcp";
const allow = allowed(["POST"]);

export function addAgents(server: FastifyInstance, service: Service): void {
  const { core, version } = service.app;
  const report = (error: unknown) => service.app.log.error({ err: error }, "the log of agents' calls");
  const agents = openAgents({ core, version, extend: service.app.extendAgents, report });
  server.addHook("onClose", () => agents.close());
  server.register(async (scope) => {
    // The body is read here, because what is wrong with it has an answer of the protocol.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes));
    scope.setErrorHandler((error: FastifyError, request) => {
      if (request.exchange === null) throw error;
      const isLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
      refuse(request.exchange, isLarge ? invalid({}, "The request body must be 1048576 bytes or fewer.") : error);
    });
    scope.route({
      method: routedMethods,
      url: path,
      onRequest: (request, reply, done) => arrive(service, request, reply, done),
      handler: (request) => void serve(agents, request.exchange!),
    });
  });
}

/** Before the body is read: checks the origin, and authenticates. */
function arrive(service: Service, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const x = new Exchange(service, request, reply, "mcp");
  request.exchange = x;
  if (service.gate.overloaded) return refuseForNow(x);
  if (!isOwnOrigin(x)) return refuse(x, new Problem(403, "Pages of this origin may not talk to agents' tools."));
  if (request.method === "OPTIONS") return answer(x, 204, "", optionsHeaders(allow));
  void (async () => service.app.authenticate(credentialsOf(request), "mcp"))()
    .then((actor) => {
      x.actor = actor;
      if (request.method === "POST") done();
      else refuse(x, methodNotAllowed(allow));
    })
    .catch((error) => refuseStranger(x, challenged(x, error)));
}

/** Some hosts of agents can set only a header of their own choice. */
function credentialsOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["x-api-key"];
  return headers.authorization ?? (key === undefined ? undefined : `Bearer ${String(key)}`);
}

/** A page that a browser shows may ask only if it is of this service or of the machine itself: a foreign name may point here. */
function isOwnOrigin({ request, service }: Exchange): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === new URL(service.app.core.settings.base_url).hostname || loopback.has(hostname);
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The 401 of this address says where a client learns how to get a token. */
function challenged({ service, request }: Exchange, error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 401) return error;
  const wrong = credentialsOf(request) === undefined ? undefined : "invalid_token";
  const challenge = bearerChallenge(service.app.core.settings.base_url, "mcp", { error: wrong, scope: "read write_safe" });
  return new Problem(401, error.message, {}, { "www-authenticate": challenge });
}

/** For a token that was granted too little: a client asks the person for the scopes that this names, and tries again. */
function tooLittle({ service }: Exchange, needed: Scope): Problem {
  const scope = scopesUpTo(needed).join(" ");
  const challenge = bearerChallenge(service.app.core.settings.base_url, "mcp", { error: "insufficient_scope", scope });
  return new Problem(
    403,
    `This connection may not do that: it needs the scope ${needed}.`,
    {},
    { "www-authenticate": challenge },
  );
}

/** After the body was read: counts the call behind the message, waits for a place, answers. Never rejects. */
async function serve(agents: Agents, x: Exchange): Promise<void> {
  const { gate } = x.service;
  try {
    const granted = x.actor!;
    const actor = withScope(granted, x.request.headers["service-scope"]);
    const message = readMessage(x);
    if (message === null) return;
    const meant = agents.lookAt(message);
    x.route = meant.route;
    countRequest(x, actor, meant.group);
    if (x.answered) return;
    if (actor.oauth !== undefined && !granted.scopes.has(meant.scope)) return refuse(x, tooLittle(x, meant.scope));
    x.isHeavy = meant.group !== "read" && meant.group !== "write";
    const place = gate.enter(x);
    if (place !== true && !(await place)) return refuseForNow(x);

    const caller = callerOf(x, actor);
    const plain = agents.answerPlainly(x.request.headers, message, caller);
    if (plain !== null) answer(x, 200, await plain);
    else await send(x, await agents.answer(webRequest(x), message, caller));
  } catch (error) {
    refuse(x, error);
  }
}

const callerOf = (x: Exchange, actor: Actor): Caller => ({
  actor,
  requestId: x.request.id,
  offsetMinutes: offsetMinutes(x.request.headers["x-tz-offset"]),
  hasOffset: x.request.headers["x-tz-offset"] !== undefined,
  asker: x,
  changeSet: changeSetName(x.request.headers["x-change-set"]),
  toolsets: toolsetsOf(x.request),
  workspaces: () => x.service.app.workspacesOf(credentialsOf(x.request)!),
});

/** `Service-Scope` lowers what the credential may do. Without it a key may only read. */
function withScope(actor: Actor, header: string | string[] | undefined): Actor {
  if (header === undefined && actor.oauth !== undefined) return actor;
  const most = (header ?? "read") as Scope;
  if (!scopes.includes(most)) throw invalid({ "Service-Scope": notAmong(header, scopes) });
  return { ...actor, granted: actor.scopes, scopes: new Set(scopesUpTo(most).filter((scope) => actor.scopes.has(scope))) };
}

/** The sets of tools that `Service-Toolsets`, or `?toolsets=` where a host can set no header, chooses. */
function toolsetsOf({ headers, url }: FastifyRequest): ReadonlySet<Toolset> | null {
  const named = headers["service-toolsets"] ?? new URLSearchParams(url.split("?")[1] ?? "").get("toolsets");
  if (named === null || named === "") return null;
  const chosen = String(named)
    .split(",")
    .map((one) => one.trim().toLowerCase());
  const unknown = chosen.find((one) => !toolsets.includes(one as Toolset));
  if (unknown !== undefined) throw invalid({ "Service-Toolsets": notAmong(unknown, toolsets) });
  return new Set(chosen as Toolset[]);
}

/** The message of the body, or null after an answer in the words of the protocol. */
function readMessage(x: Exchange): Record<string, unknown> | null {
  const bytes = x.request.body;
  try {
    return parseBody(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), notAMessage);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    const { message, fields } = error;
    const told = { code: -32700, message, data: { error: message, "field-errors": fields } };
    answer(x, 400, JSON.stringify({ jsonrpc: "2.0", id: null, error: told }));
    return null;
  }
}

const notAMessage = (): Problem => invalid({}, "The body must be one JSON-RPC message, an object: batches are not taken.");

/** The request as the SDK takes it. It reads the headers; the body is handed over parsed. */
function webRequest({ request, service }: Exchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (passed.test(name) && value !== undefined) headers.set(name, String(value));
  return new Request(`${service.app.core.settings.base_url}${path}`, { method: "POST", headers });
}

const passed = /^(accept|content-type|mcp-.*|last-event-id)$/;

async function send(x: Exchange, response: Response): Promise<void> {
  const { status, body, headers } = response;
  const type = headers.get("content-type");
  const shown: Record<string, string> = type === null ? {} : { "content-type": type };
  if (body !== null && type?.startsWith("text/event-stream")) answer(x, status, Readable.fromWeb(body as any), shown);
  else answer(x, status, await response.text(), shown);
}
