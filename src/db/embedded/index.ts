// The PostgreSQL that comes with Headwater. It starts and stops with Headwater.
//
// Exactly one process owns the server of a data directory; a lock of the operating system says which. The owner runs the server
// as its child. All other processes join it. When the owner ends, the first one that gets the lock takes over, on the same
// address.

import { setTimeout as sleep } from "node:timers/promises";
import { urlOf } from "./cluster.ts";
import { locate } from "./place.ts";
import { down, enter, leave, revive, type Session } from "./session.ts";

export { EmbeddedError } from "./errors.ts";
export { lockDataDir } from "./lock.ts";

export interface EmbeddedOptions {
  dataDir: string;
  /** Takes lines for the operator: the server went down, came back, was taken over. */
  log?: (line: string) => void;
  /** Called when the server went down by itself and is being started again. */
  onDown?: () => void;
  /** Further settings of PostgreSQL, as in `postgresql.conf`. */
  settings?: Record<string, string>;
}

export interface Embedded {
  /** `postgres://…`, the same for as long as this process lives. */
  url: string;
  /** Where the data lies. */
  directory: string;
  /** The private folder above DATA_DIR because of which it lies elsewhere. */
  barrier: string | undefined;
  /** Another process owned the server when we came. */
  joined: boolean;
  stop(): Promise<void>;
}

/** Starts the PostgreSQL of a data directory for a service, or joins the one that runs. */
export function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  // A command that holds the claim is usually done in a moment. Then the service can own the server.
  return open(options, { waitForClaim: 5000, waitForGuests: 0 });
}

/** Joins the running PostgreSQL of a data directory, or starts it for as long as a command runs. */
export function joinOrStart(dataDir: string, log?: (line: string) => void): Promise<Embedded> {
  return open({ dataDir, log }, { waitForClaim: 0, waitForGuests: 10_000 });
}

interface Manners {
  /** How long to wait for the claim before joining its holder's server. */
  waitForClaim: number;
  /** How long to wait at the end for those who joined our server. */
  waitForGuests: number;
}

async function open(options: EmbeddedOptions, manners: Manners): Promise<Embedded> {
  const place = locate(options.dataDir);
  const session = await enter(place, options.settings, manners.waitForClaim);
  const joined = session.server === undefined;

  const stopping = new AbortController();
  const kept = keepUp(session, options, stopping.signal);
  kept.catch(() => {}); // `stop` reports it: watching a folder that was deleted must not end the process
  const stop = async () => {
    stopping.abort();
    await kept;
    await leave(session, manners.waitForGuests);
  };
  return { url: urlOf(place, session.port), directory: place.directory, barrier: place.barrier, joined, stop };
}

/** Brings the server back whenever it goes down, with growing pauses while it does not stay up. */
async function keepUp(session: Session, options: EmbeddedOptions, stopping: AbortSignal): Promise<void> {
  const { log = () => {}, onDown = () => {} } = options;
  for (let pause = FIRST_PAUSE, since = performance.now(); ; ) {
    await down(session, stopping);
    if (stopping.aborted) return;

    onDown();
    log("PostgreSQL went down; starting it again.");
    pause = performance.now() - since > STEADY ? FIRST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    since = performance.now();
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await revive(session).then(
      () => log("PostgreSQL is back."),
      (error) => log(String(error.message)),
    );
  }
}

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 10_000;
const STEADY = 60_000;
