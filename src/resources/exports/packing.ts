// The file of an export may be kept compressed. Whoever downloads it gets what was written, so that is what is measured.
import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";

/** Of a file when it is unpacked. */
export interface Measured {
  size: number;
  /** In hex. */
  sha256: string;
}

export class Measure {
  private readonly hash = createHash("sha256");
  private size = 0;

  async *passed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.size += chunk.length;
      this.hash.update(chunk);
      yield chunk;
    }
  }

  /** Once all has passed. */
  result = (): Measured => ({ size: this.size, sha256: this.hash.digest("hex") });
}

/** The reader receives what fails before it. */
export const gzipped = (chunks: AsyncIterable<Buffer>): Readable => pipeline(Readable.from(chunks), createGzip(), () => {});

export const unpacked = (bytes: Readable): Readable => pipeline(bytes, createGunzip(), () => {});
