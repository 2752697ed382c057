// Ends the service without resetting a connection that carries a request.
import net, { type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

export interface DrainLimits {
  /** How long it goes on answering, so that load balancers notice and send requests elsewhere. */
  delaySeconds: number;
  /** How long requests under way may take, counted from the beginning. */
  graceSeconds: number;
  /** Waits until no other process listens on the port. */
  othersClosed?: () => Promise<void>;
}

/** How long no connection may have come before the port is closed, and how often that is tried. */
const quietMs = 100;
const quietTries = 10;
/** How long a new connection may take to bring its request. */
const arriveMs = 1000;
/** How long a connection that we have ended waits for the other side to end it too. */
const lingerMs = 1000;

/** What a request meets when the service is about to end. */
export function addDraining(server: FastifyInstance, service: Service): void {
  server.addHook("onRequest", (request, reply, done) => {
    if (!service.gate.draining) return done();
    // The request crossed our end of the connection. It cannot be answered, so nothing is done, and the client may ask elsewhere.
    if (request.raw.socket.writableEnded) reply.hijack();
    else if (service.held === null) done();
    else void service.held.then(() => done());
  });
}

/**
 * Ends the service gently. First `/readyz` says 503 and every answer closes its connection, while new connections are still
 * accepted. Then the port is closed, idle connections end, and requests under way finish.
 */
export async function drain(server: FastifyInstance, { delaySeconds, graceSeconds, othersClosed }: DrainLimits): Promise<void> {
  const { gate, sockets } = server.service;
  const cutOffAt = performance.now() + graceSeconds * 1000;
  gate.draining = true;
  await sleep(Math.min(delaySeconds, graceSeconds) * 1000);

  await closeDoor(server, othersClosed);
  const arrivedAt = performance.now() + arriveMs;
  while (sockets.size > 0) {
    const now = performance.now();
    endLive(server.service);
    for (const socket of sockets) {
      if (now > cutOffAt) socket.destroy();
      else if (isIdle(socket) && (socket.bytesRead > 0 || now > arrivedAt)) end(socket);
    }
    await sleep(50);
  }
  await server.close();
}

/**
 * Closes the port. That resets connections that were made and not yet accepted, so requests are held for a moment before: a client
 * that waits for an answer makes no new connection, and when no more come the port can be closed. Held requests are answered after
 * that, because a client that has its answer comes again.
 */
async function closeDoor({ server, service }: FastifyInstance, othersClosed?: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.held = promise;
  let came = true;
  server.on("connection", () => (came = true));
  for (let tries = 0; came && tries < quietTries; tries++) {
    came = false;
    await sleep(quietMs);
    // After all connections that came meanwhile, however late this timer fires.
    await new Promise((taken) => setImmediate(taken));
  }
  // http.Server.close would destroy idle connections too, and with them a request that is on its way.
  net.Server.prototype.close.call(server);
  await othersClosed?.();
  service.held = null;
  resolve();
}

/** Ends streams as if they were complete, so that their clients connect again elsewhere. A client that does not read is cut off. */
function endLive({ live }: Service): void {
  for (const [body, raw] of live) {
    if (!body.hasEnded) setTimeout(() => live.has(body) && raw.destroy(), lingerMs).unref();
    body.end();
  }
}

/** True for a connection without a request. A request that has not arrived completely does not count. */
const isIdle = (socket: Socket): boolean => !(socket as { _httpMessage?: object | null })._httpMessage && !socket.writableEnded;

/** Ends our half first. If both were closed at once, a request that is on its way would be answered by a reset. */
function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
