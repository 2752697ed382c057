// The server as one process sees it: its own server, or one that it joined and may have to take over.

import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { provide } from "./binaries.ts";
import { choosePort, prepareCluster } from "./cluster.ts";
import { EmbeddedError } from "./errors.ts";
import { hold, type Lock, share } from "./lock.ts";
import type { Place } from "./place.ts";
import { endOrphan, launch, liveServer, type Server, StartFailure } from "./server.ts";

export interface Session {
  place: Place;
  settings: Record<string, string> | undefined;
  port: number;
  /** Held while we own the server. */
  claim: Lock | undefined;
  /** Shared with others while we use a server that we joined. */
  guest: Lock | undefined;
  server: Server | undefined;
}

/** Starts the server if the claim is free, else joins the server of the claim's holder. */
export async function enter(place: Place, settings: Record<string, string> | undefined, waitForClaim: number): Promise<Session> {
  const none = { claim: undefined, guest: undefined, server: undefined };
  for (const since = performance.now(); performance.now() - since < 60_000; await sleep(50)) {
    const claim = hold(claimFile(place));
    if (claim) return own({ ...none, place, settings, port: 0, claim });

    const running = liveServer(place.directory);
    if (!running?.ready || performance.now() - since < waitForClaim) continue;
    const guest = share(guestFile(place));
    if (guest) return { ...none, place, settings, port: running.port, guest };
  }
  throw new EmbeddedError(`Another process prepares the database in ${place.dataDir} and does not finish.`);
}

/** Resolves when the server is down, or when `stopping` says to stop watching it. */
export async function down(session: Session, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  if (session.server) {
    const stopped = once(stopping, "abort").catch(() => {});
    await Promise.race([session.server.exited, stopped]);
    return;
  }
  while (!stopping.aborted && !takeOver(session)) {
    await sleep(250, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}

/** Starts the server of a session again, on the same address. */
export async function revive(session: Session): Promise<void> {
  await endOrphan(session.place.directory);
  await start(session, provide(session.place));
}

/** Stops the server if it is ours, after waiting up to `waitForGuests` for those who joined it. */
export async function leave(session: Session, waitForGuests: number): Promise<void> {
  session.guest?.release();
  if (!session.claim) return;

  let alone = hold(guestFile(session.place));
  for (const since = performance.now(); !alone && performance.now() - since < waitForGuests; await sleep(50)) {
    alone = hold(guestFile(session.place));
  }
  await session.server?.stop();
  session.claim.release();
  alone?.release();
}

async function own(session: Session): Promise<Session> {
  try {
    const bin = provide(session.place);
    await endOrphan(session.place.directory);
    await prepareCluster(session.place, bin);
    await start(session, bin);
    return session;
  } catch (error) {
    session.claim?.release();
    throw error;
  }
}

async function start(session: Session, bin: string): Promise<void> {
  for (const since = performance.now(); ; await sleep(200)) {
    const port = session.port || (await choosePort(session.place));
    try {
      session.server = await launch(session.place, bin, port, session.settings);
      session.port = port;
      return;
    } catch (error) {
      const passing = error instanceof StartFailure && error.passing;
      if (!passing || performance.now() - since > 30_000) throw error;
    }
  }
}

/** Becomes the owner when the process whose server we joined is gone. */
function takeOver(session: Session): boolean {
  session.claim ??= hold(claimFile(session.place));
  if (!session.claim) return false;
  session.guest?.release();
  session.guest = undefined;
  return true;
}

const claimFile = (place: Place) => join(place.home, "postgres.claim");
const guestFile = (place: Place) => join(place.home, "postgres.guests");
