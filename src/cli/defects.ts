// Handles promises that fail without a handler. Such a failure is a defect of ours, and may have left work undone. It is logged
// and counted, and the service restarts after running requests have finished. An immediate exit would break everyone else's
// requests.
import type { Logger } from "pino";

/** The pause before a restart. */
export const restartPauseMs = 1000;

/** The number of defects since the process started. */
export interface Defects {
  readonly count: number;
}

export function heedDefects(log: Logger, then: () => void): Defects {
  let count = 0;
  process.on("unhandledRejection", (error) => {
    count++;
    log.fatal({ err: error }, "unhandled rejection: running work may finish, then the service restarts");
    then();
  });
  return {
    get count() {
      return count;
    },
  };
}
