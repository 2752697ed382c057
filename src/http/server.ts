// The HTTP server: fastify as a router and reader of bodies. Hooks and answers are ours; see `rest.ts` for the life of a request.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Problem, invalid, notFound, statuses } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { parseBody } from "./body.ts";
import { addDocs } from "./docs.ts";
import { addHealth } from "./health.ts";
import { createMetrics } from "./metrics.ts";
import { addDescription } from "./openapi.ts";
import { createRateLimiter } from "./rate_limit.ts";
import { answer, constantHeaders, errorBody, refuse } from "./reply.ts";
import { addOperations, apiPrefix, countRequest, countStranger, refuseStranger, routedMethods } from "./rest.ts";
import { Exchange, type HttpApp, type Service } from "./service.ts";
import { defaultGateLimits, Gate, type GateLimits } from "./shed.ts";

export type { HttpApp } from "./service.ts";
export { drain } from "./shed.ts";

const bodyBytesMax = 1024 * 1024;
const headerBytesMax = 64 * 1024;

/** The whole interface below one server, not yet listening. Other areas add their routes to it. */
export function createServer(app: HttpApp, gateLimits: Partial<GateLimits> = {}): FastifyInstance {
  const server: FastifyInstance = Fastify({
    logger: false,
    genReqId: () => newId("req"),
    requestIdHeader: false,
    trustProxy: app.config.trust_proxy.length > 0 ? [...app.config.trust_proxy] : false,
    bodyLimit: bodyBytesMax,
    // Timers of the server as a whole, looked at every five seconds: a request pays nothing for them.
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: headerBytesMax,
      // node:http would answer these with an empty body; `clientError` and the first hook answer them with ours.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, querystringParser: asItCame, maxParamLength: 128 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void unroutable(service, error, request, reply),
    clientErrorHandler: (error, socket) => answerUnreadable(service, error as ReadError, socket as Socket),
  });
  const service = serviceOf(app, gateLimits);

  server.decorate("service", service);
  server.decorateRequest("exchange", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, readJson);
  // A body of no stated type is taken for JSON; of any other it is refused.
  server.addContentTypeParser("*", { parseAs: "buffer" }, readUntyped);
  server.addHook("onRequest", (request, reply, done) => (request.is404 ? void unknownPath(service, request, reply) : done()));
  server.setErrorHandler((error, request, reply) =>
    refuse(request.exchange ?? new Exchange(service, request, reply, "other"), asProblem(error as FastifyError, request)),
  );
  server.server.on("connection", (socket: Socket) => {
    service.sockets.add(socket.once("close", () => service.sockets.delete(socket)));
  });
  server.addHook("onClose", () => service.gate.stop());

  addOperations(server, service);
  addDescription(server, service);
  addDocs(server, service);
  addHealth(server, service);
  return server;
}
