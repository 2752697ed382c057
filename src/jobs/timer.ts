// Work that the service repeats. However many workers run, one of them does it each time.
import type { Core } from "../core/core.ts";

export interface Timer {
  name: string;
  /** One sentence for operators. */
  doc: string;
  everySeconds: number;
  /** Does what is due by the clock of `core`. The rest is done the next time. */
  run(core: Core): Promise<void>;
}
