// A promise that failed with nobody to hear of it is a defect of ours: nobody knows what it has left undone. It is said and counted,
// and the service begins anew once what runs has finished; to end at once would cut off everyone else's requests.
import type { Logger } from "pino";

/** How many there were since the process began. */
export interface Defects {
  readonly count: number;
}

export function heedDefects(log: Logger, then: () => void): Defects {
  let count = 0;
  process.on("unhandledRejection", (error) => {
    count++;
    log.fatal({ err: error }, "a promise failed that nobody awaited; what runs may finish, then the service starts again");
    then();
  });
  return {
    get count() {
      return count;
    },
  };
}
