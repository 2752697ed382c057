// Ends the service without resetting a connection on which a request was sent.
import net, { type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

export interface DrainLimits {
  /** How long it goes on answering, so that whoever sends requests here learns of it and turns elsewhere. */
  delaySeconds: number;
  /** How long what is under way may take, from the beginning on. */
  graceSeconds: number;
  /** Waits until nobody listens on the port any more, where others do as well. */
  othersClosed?: () => Promise<void>;
}

/** How long nobody may have come for the door to be closed, and how often that is tried. */
const quietMs = 100;
const quietTries = 10;
/** How long a connection made in the last moment may take to bring its request. */
const arriveMs = 1000;
/** How long a connection we have ended waits for the other side to end it too. */
const lingerMs = 1000;

/** What a request meets when the service is about to go. */
export function addDraining(server: FastifyInstance, service: Service): void {
  server.addHook("onRequest", (request, reply, done) => {
    if (!service.gate.draining) return done();
    // It crossed our end of the connection: its answer could not leave, so nothing is done, and the client is free to ask elsewhere.
    if (request.raw.socket.writableEnded) reply.hijack();
    else if (service.held === null) done();
    else void service.held.then(() => done());
  });
}

/**
 * Ends the service gently. First `/readyz` says 503 and every answer closes its connection, while new ones are still taken; then the
 * door closes, connections that nobody uses end, and what is under way finishes.
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
    for (const socket of sockets) {
      if (now > cutOffAt) socket.destroy();
      else if (isIdle(socket) && (socket.bytesRead > 0 || now > arrivedAt)) end(socket);
    }
    await sleep(50);
  }
  await server.close();
}

/**
 * Connections that were made and not yet taken are reset when the door closes. So requests are held for a moment: who waits for an
 * answer makes no new connection, and when none comes any more the door can be closed. Who never waits must come at that very instant.
 * They are answered when it is closed for good: who is answered before comes again.
 */
async function closeDoor({ server, service }: FastifyInstance, othersClosed?: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.held = promise;
  let came = true;
  server.on("connection", () => (came = true));
  for (let tries = 0; came && tries < quietTries; tries++) {
    came = false;
    await sleep(quietMs);
    // Behind all that came meanwhile, however late we wake up.
    await new Promise((taken) => setImmediate(taken));
  }
  // The server of HTTP would destroy idle connections with it, and a request on its way there with them.
  net.Server.prototype.close.call(server);
  await othersClosed?.();
  service.held = null;
  resolve();
}

/** Carries no request; one that has not come whole is none yet. */
const isIdle = (socket: Socket): boolean => !(socket as { _httpMessage?: object | null })._httpMessage && !socket.writableEnded;

/** Half first: a request that comes after the whole end is answered by a reset. */
function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
