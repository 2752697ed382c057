// Pages beside the operations: the API description, its page, and health. They need no key.
import type { FastifyInstance } from "fastify";
import type { OpenGroup } from "../core/operation.ts";
import { answer, refuse } from "./reply.ts";
import { allowed, countStranger, methodNotAllowed, optionsHeaders, routedMethods } from "./rest.ts";
import { Exchange, type Service } from "./service.ts";

export interface Page {
  path: string;
  /** For logs and metrics. */
  name: string;
  /** Null for health: machines ask for it, and a rate limit must never refuse them. */
  group: OpenGroup | null;
  show(x: Exchange): void | Promise<void>;
}

const allow = allowed(["GET"]);

export function addPage(server: FastifyInstance, service: Service, page: Page): void {
  server.route({
    method: routedMethods,
    url: page.path,
    onRequest: (request, reply) => show(new Exchange(service, request, reply, page.name), page),
    // The answer was sent before the body was read.
    handler: () => {},
  });
}

async function show(x: Exchange, page: Page): Promise<void> {
  const { method } = x.request;
  if (method === "OPTIONS") return answer(x, 204, "", optionsHeaders(allow));
  if (page.group !== null) countStranger(x, page.group);
  if (x.answered) return;
  try {
    if (method === "GET" || method === "HEAD") await page.show(x);
    else refuse(x, methodNotAllowed(allow));
  } catch (error) {
    refuse(x, error);
  }
}
