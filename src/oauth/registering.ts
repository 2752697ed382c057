// Clients register themselves without asking anybody, so there is an end to how many there may be, and how fast. It is one limit for
// all: hosts of agents share addresses.
import { countClients } from "../auth/unscoped_oauth.ts";
import type { Core } from "../core/core.ts";

const inMinute = 60;
const clientsMost = 50_000;

/** A function that counts a registration and returns the seconds to wait, 0 when it may go on. */
export function registrationsOf(core: Core): () => Promise<number> {
  let begun = 0;
  let count = 0;
  return async () => {
    const now = core.clock().getTime();
    if (now - begun >= 60_000) {
      begun = now;
      count = 0;
    }
    if (++count > inMinute) return Math.max(1, Math.ceil((begun + 60_000 - now) / 1000));
    return (await countClients(core.db)) >= clientsMost ? 3600 : 0;
  };
}
