// How many deliveries of a turn are sent at once, and whether more are started. A receiver that is back gets few at first, and
// with each success one more at once, because the whole backlog would bring it down again.
import { concurrencyMost, stumblingAfter } from "./schedule.ts";
import type { Delivery } from "./turn.ts";

export class Pace {
  private readonly mayBegin: () => boolean;
  private readonly places = Array.from({ length: concurrencyMost }, () => Promise.withResolvers<void>());
  private concurrency: number;
  private failedInRow = 0;
  private isAskedToWait = false;

  constructor(concurrency: number, mayBegin: () => boolean) {
    this.mayBegin = mayBegin;
    this.concurrency = Math.max(1, concurrency);
  }

  /** Runs `work` in each slot once it is open. It ends when there is nothing more to start, in all slots. */
  async run(work: () => Promise<void>): Promise<void> {
    this.open(this.concurrency);
    await Promise.all(
      this.places.map(async (place) => {
        await place.promise;
        await work();
        this.open(concurrencyMost);
      }),
    );
  }

  goesOn(): boolean {
    return this.failedInRow < stumblingAfter && !this.isAskedToWait && this.mayBegin();
  }

  /** Records the result of a delivery. */
  note({ status, wait_until }: Delivery): void {
    if (status === "succeeded") {
      this.failedInRow = 0;
      this.open(++this.concurrency);
    } else {
      this.failedInRow++;
      this.isAskedToWait ||= wait_until !== null;
    }
  }

  private open(count: number): void {
    for (const place of this.places.slice(0, count)) place.resolve();
  }
}
