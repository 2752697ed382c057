// What the parts of the HTTP layer share: the service, and one request with its answer.
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../core/context.ts";
import type { Operation } from "../core/operation.ts";
import type { Asker } from "../db/database.ts";
import type { HttpApp } from "./http_app.ts";
import type { Metrics } from "./metrics.ts";
import type { Quota, RateLimiter } from "./rate_limit.ts";
import type { Gate } from "./shed.ts";

export interface Service {
  app: HttpApp;
  /** Null: off. */
  limiter: RateLimiter | null;
  gate: Gate<Exchange>;
  metrics: Metrics;
  /** Names and values in turn, the same on every JSON answer. */
  headers: readonly string[];
  /** Open connections. */
  sockets: Set<Socket>;
  /** Those of them on which an upload comes in, and how long it may take: at the 30 s of other requests 20 MB would need 6 Mbit/s. */
  uploading: Set<Socket>;
  uploadMs: number;
  /** What requests that come now wait for; null: nothing. See `drain.ts`. */
  held: Promise<void> | null;
}

/** One request and its answer. For the database it is who asks. */
export class Exchange implements Asker {
  readonly service: Service;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly startedMs = performance.now();
  /** For logs and metrics: the operation's name, or the path's where there is none. */
  route: string;
  operation: Operation | null = null;
  actor: Actor | null = null;
  quota: Quota | null = null;
  /** Where it stands in the gate. */
  place: "outside" | "light" | "heavy" | "aside" = "outside";
  isHeavy = false;
  hasBegun = false;
  private leaving: (() => void)[] | null = null;
  enteredAt = 0;
  /** Among those at work. */
  index = 0;
  answered = false;
  /** The headers its answer begins with. */
  headers: readonly string[];

  constructor(service: Service, request: FastifyRequest, reply: FastifyReply, route: string) {
    this.service = service;
    this.request = request;
    this.reply = reply;
    this.route = route;
    this.headers = service.headers;
  }

  // An answer that is a stream is at work until its end.
  get hasLeft(): boolean {
    const { raw } = this.reply;
    return raw.destroyed || raw.writableEnded;
  }

  // One listener for all: the connection is closed, or the answer was sent, be it that it takes too long.
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
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that are not the interface's own. */
    exchange: Exchange | null;
  }
  interface FastifyInstance {
    service: Service;
  }
}
