// Something a worker keeps open while it runs, such as connections that report news. It only wakes jobs: without it nothing is
// lost, only noticed later.
import type { Core } from "../core/core.ts";

export interface Watch {
  name: string;
  /** Starts at once and returns. Failures are reported. */
  open(core: Core, onError: (error: Error) => void): Watching;
}

export interface Watching {
  /** Ends all connections, and leaves our share to other workers. */
  close(): Promise<void>;
}
