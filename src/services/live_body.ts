// A response body without a fixed end, such as a stream of events.
import { Readable } from "node:stream";

/** A body that stays open for minutes. Each chunk is sent at once, and the sender ends the body. */
export class LiveBody extends Readable {
  /** True when no more will be written. Unsent chunks may still be on their way. */
  hasEnded = false;
  private called: (() => void)[] = [];

  tell(piece: string | Buffer): void {
    if (!this.hasEnded && !this.destroyed) this.push(piece);
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.push(null);
    this.call();
  }

  /** Waits until nearly everything written is sent, or the reader has gone. */
  async sent(): Promise<void> {
    const isFull = () => this.readableLength > this.readableHighWaterMark && !this.hasEnded && !this.destroyed;
    while (isFull()) await new Promise<void>((resolve) => this.called.push(resolve));
  }

  override _read(): void {
    this.call();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.hasEnded = true;
    this.call();
    done(error);
  }

  private call(): void {
    for (const resolve of this.called.splice(0)) resolve();
  }
}
