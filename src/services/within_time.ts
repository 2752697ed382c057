// Runs what a stranger may have made slow, such as a regular expression that goes back again and again, for a bounded time. Everything else in
// the process waits meanwhile.
import { createContext, Script } from "node:vm";

export class TookTooLong extends Error {}

const place: { act: (() => void) | null } = createContext({ act: null }) as { act: (() => void) | null };
const script = new Script("act()");

/** What `act` returns. Throws `TookTooLong` where it takes longer; what it had done by then stays. */
export function withinTime<T>(mostMs: number, act: () => T): T {
  const done: T[] = [];
  place.act = () => void done.push(act());
  try {
    script.runInContext(place, { timeout: mostMs });
    return done[0]!;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new TookTooLong();
    throw error;
  } finally {
    place.act = null;
  }
}
