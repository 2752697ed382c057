// Does long work in short turns, so that other requests of this process are served in between.
import { setImmediate as turn } from "node:timers/promises";

/** How many records are handled in one turn, and by one statement: a few milliseconds of work. */
export const batch = 100;

/** Handles a long list piece by piece. Other requests have their turn between two pieces. */
export async function inTurns<T>(list: readonly T[], act: (piece: readonly T[]) => void, atOnce = batch): Promise<void> {
  for (let from = 0; from < list.length; from += atOnce) {
    if (from > 0) await turn();
    act(list.slice(from, from + atOnce));
  }
}
