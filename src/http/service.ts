// What the parts of the HTTP layer share: the service, and one request with its answer.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../core/context.ts";
import type { Operation } from "../core/operation.ts";
import type { Asker } from "../db/database.ts";
import type { LiveBody } from "../services/live_body.ts";
import type { HttpApp } from "./http_app.ts";
import type { Metrics } from "./metrics.ts";
import type { Quota, RateLimiter } from "./rate_limit.ts";
import type { Gate } from "./shed.ts";

export interface Service {
  app: HttpApp;
  /** Null when rate limits are off. */
  limiter: RateLimiter | null;
  gate: Gate<Exchange>;
  metrics: Metrics;
  /** Names and values in turn, the same on every JSON answer. */
  headers: readonly string[];
  /** Open connections. */
  sockets: Set<Socket>;
  /** Answers that go on for minutes, and the responses that send them. */
  live: Map<LiveBody, ServerResponse>;
  /** Connections that carry an upload, and how long one may take: at the 30 s of other requests 20 MB would need 6 Mbit/s. */
  uploading: Set<Socket>;
  uploadMs: number;
  /** What new requests wait for; null for nothing. See `drain.ts`. */
  held: Promise<void> | null;
}

/** One request and its answer. For the database it is who waits. */
export class Exchange implements Asker {
  readonly service: Service;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly startedMs = performance.now();
  /** For logs and metrics: the operation's name, or the path if there is no operation. */
  route: string;
  operation: Operation | null = null;
  actor: Actor | null = null;
  quota: Quota | null = null;
  /** Its place in the gate. */
  place: "outside" | "light" | "heavy" | "aside" = "outside";
  isHeavy = false;
  hasBegun = false;
  private leaving: (() => void)[] | null = null;
  enteredAt = 0;
  /** Its index among the requests at work. */
  index = 0;
  answered = false;
  /** Pages of other sites may not read the answer. */
  isOwnOnly = false;
  /** The first headers of its answer. */
  headers: readonly string[];

  constructor(service: Service, request: FastifyRequest, reply: FastifyReply, route: string) {
    this.service = service;
    this.request = request;
    this.reply = reply;
    this.route = route;
    this.headers = service.headers;
  }

  // A streamed answer counts until its end.
  get hasLeft(): boolean {
    const { raw } = this.reply;
    return raw.destroyed || raw.writableEnded;
  }

  // One listener for all: the connection was closed, or an answer was sent, perhaps because the time was up.
  onLeave(act: () => void): () => void {
    if (this.leaving === null) {
      this.leaving = [];
      this.reply.raw.once("close", () => this.leaving!.splice(0).forEach((leave) => leave()));
    }
    const { leaving } = this;
    leaving.push(act);
    return () => {
      const at = leaving.indexOf(act);
      if (at >= 0) leaving.splice(at, 1);
    };
  }

  get patienceMs(): number {
    return this.service.gate.limits.budgetMs;
  }

  stepAside(): void {
    this.service.gate.stepAside(this);
  }

  stepOut(): void {
    this.service.gate.stepOut(this);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that are not operations. */
    exchange: Exchange | null;
  }
  interface FastifyInstance {
    service: Service;
  }
}
