// Does long work in short turns, so that other requests of this process are served in between.
import { setImmediate as turn } from "node:timers/promises";

/** So many records are dealt with in one turn, and by one statement: a few milliseconds of work. */
export const batch = 100;

/** Does something with a long list, a piece after the other; between two pieces others have their turn. */
export async function inTurns<T>(list: readonly T[], act: (piece: readonly T[]) => void): Promise<void> {
  for (let from = 0; from < list.length; from += batch) {
    if (from > 0) await turn();
    act(list.slice(from, from + batch));
  }
}
