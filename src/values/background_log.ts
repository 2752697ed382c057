// What background work tells the log of a worker: a line for each job and for each delivery, with the id of the request that caused it.
// Where nobody keeps a log, nothing is told.
import { AsyncLocalStorage } from "node:async_hooks";

type Write = (facts: Record<string, unknown>, message: string) => void;

/** One for the process, as for traces. */
let write: Write | null = null;

export const logBackgroundBy = (one: Write | null): void => void (write = one);

const causes = new AsyncLocalStorage<string | null>();

/** Does what a request caused. Its id is known to all that follows from it, however deep. */
export const causedBy = <T>(requestId: string | null, act: () => T): T => causes.run(requestId, act);

/** The id of the request that caused what is done now, or null. */
export const causeOf = (): string | null => causes.getStore() ?? null;

/** Writes a line. `request_id` among the facts wins over that of the job. */
export function tellLog(facts: Record<string, unknown>, message: string): void {
  if (write === null) return;
  const cause = causeOf();
  write({ ...(cause !== null && { request_id: cause }), ...facts }, message);
}
