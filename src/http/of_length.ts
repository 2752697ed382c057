// A streamed answer of a length that was told before it.
import { Transform } from "node:stream";

/**
 * Passes on this many bytes, and ends with the last one. A file says only when it is read once more that it has ended. By then a client
 * that counts may have closed the connection, and it would look as if it had left before the end.
 */
export function ofLength(bytes: number): Transform {
  let missing = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const piece = chunk.subarray(0, missing);
      missing -= piece.length;
      if (piece.length > 0) this.push(piece);
      if (missing === 0) this.push(null);
      done();
    },
    flush: (done) => done(missing === 0 ? null : new Error(`${missing} of ${bytes} bytes of the body are missing`)),
  });
}
