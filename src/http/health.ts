// For operators: whether the process lives, whether it can take requests, and its metrics.
import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem, statuses, unavailable } from "../core/errors.ts";
import type { HttpApp } from "./http_app.ts";
import { addPage } from "./pages.ts";
import { answer, refuse } from "./reply.ts";
import type { Service } from "./service.ts";

const readyWithinMs = 500;

export function addHealth(server: FastifyInstance, service: Service): void {
  const { app, gate, metrics } = service;
  const isReady = sharedCheck(app);

  addPage(server, service, {
    path: "/healthz",
    name: "healthz",
    group: null,
    show: (x) => answer(x, 200, '{"status":"ok"}'),
  });
  addPage(server, service, {
    path: "/readyz",
    name: "readyz",
    group: null,
    async show(x) {
      const ready = gate.draining ? null : await isReady();
      if (ready !== null) answer(x, 200, JSON.stringify(ready));
      else answer(x, 503, notReadyBody, unavailable().headers);
    },
  });
  addPage(server, service, {
    path: "/metrics",
    name: "metrics",
    group: null,
    async show(x) {
      if (mayReadMetrics(x.request, app.config.metrics_token))
        answer(x, 200, await metrics.text(), { "content-type": metrics.contentType });
      else refuse(x, new Problem(401, statuses[401]!, {}, { "www-authenticate": 'Bearer realm="metrics"' }));
    },
  });
}

interface Ready {
  status: "ready";
  /** See `headwater doctor --at`. */
  database: string | undefined;
}

const notReadyBody = JSON.stringify({ error: statuses[503], "field-errors": {} });

/** Checks database and migrations within a time limit. Requests that come while a check runs share its answer. */
function sharedCheck(app: HttpApp): () => Promise<Ready | null> {
  let running: Promise<Ready | null> | null = null;
  return () => (running ??= check(app).finally(() => (running = null)));
}

async function check({ core, ready, database }: HttpApp): Promise<Ready | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, readyWithinMs, null);
  });
  const all = Promise.all([core.db.ping(readyWithinMs), ready(), database?.()]).then(
    ([, isMigrated, name]): Ready | null => (isMigrated ? { status: "ready", database: name } : null),
    () => null,
  );
  return Promise.race([all, late]).finally(() => clearTimeout(timer));
}

/** Only this machine, or a request with the token. A proxy on this machine does not count: it speaks for someone else. */
function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  const { authorization, forwarded } = request.headers;
  if (token !== null && authorization !== undefined && isSame(authorization, `Bearer ${token}`)) return true;
  const isForwarded = forwarded !== undefined || request.headers["x-forwarded-for"] !== undefined;
  return !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(request.raw.socket.remoteAddress ?? "");
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
