// A service whose operator allows addresses of this machine, for tests that send to their own servers.
import { after, beforeEach } from "node:test";
import { type Service, startService } from "./service.ts";

let shared: Promise<Service> | null = null;

after(async () => (await shared)?.close());
beforeEach(async () => {
  if (shared !== null) (await shared).clock.now = null;
});

/** One for all tests of a process. */
export function outboundService(): Promise<Service> {
  shared ??= startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  return shared;
}
