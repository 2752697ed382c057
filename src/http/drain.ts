// The end: nobody who asks while the service goes away finds a connection reset.
import net, { type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

export interface DrainLimits {
  /** How long it goes on answering, so that whoever sends requests here learns of it and turns elsewhere. */
  delaySeconds: number;
  /** How long what is under way may take, from the beginning on. */
  graceSeconds: number;
}

/** How long requests are held while the door closes. */
const holdMs = 100;
/** How long a connection made in the last moment may take to bring its request. */
const arriveMs = 400;
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
export async function drain(server: FastifyInstance, { delaySeconds, graceSeconds }: DrainLimits): Promise<void> {
  const { gate, sockets } = server.service;
  const cutOffAt = performance.now() + graceSeconds * 1000;
  gate.draining = true;
  await sleep(Math.min(delaySeconds, graceSeconds) * 1000);

  await closeDoor(server);
  await sleep(arriveMs);
  while (sockets.size > 0) {
    if (performance.now() < cutOffAt) endIdle(sockets);
    else for (const socket of sockets) socket.destroy();
    await sleep(50);
  }
  await server.close();
}

/**
 * Connections that were made and not yet taken are reset when the door closes. So for a moment requests are held: who waits for an
 * answer makes no new connection, and the others find us with nothing to do but take theirs.
 */
async function closeDoor(server: FastifyInstance): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.service.held = promise;
  await sleep(holdMs);
  // Right after all that have come were taken.
  await new Promise((taken) => setImmediate(taken));
  // The server of HTTP would destroy idle connections with it, and a request on its way there with them.
  net.Server.prototype.close.call(server.server);
  // With several workers the door is shared: until the others have closed it too.
  await sleep(holdMs);
  server.service.held = null;
  resolve();
}

/** Ends connections that carry no request: half first, because a request that comes after the whole end is answered by a reset. */
function endIdle(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) {
    const carries = (socket as { _httpMessage?: object | null })._httpMessage;
    if (carries || socket.writableEnded) continue;
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}
