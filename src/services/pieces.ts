// Reads a stream chunk by chunk. The sender waits while a chunk is processed.
import type { Readable } from "node:stream";

/**
 * The chunks of a stream. Each chunk is valid only until the next one is requested: its memory is then released at once.
 * Otherwise the garbage collector would let some hundred megabytes pile up with twenty uploads. Leaving the loop early leaves the
 * stream open.
 */
export async function* pieces(stream: Readable): AsyncGenerator<Buffer> {
  let piece: Buffer | null = null;
  let failure: Error | null = null;
  let ended = stream.readableEnded;
  let wake = () => {};
  // The next chunk comes in this turn's event or in a later one. A paused stream has at most one in flight.
  const onData = (chunk: Buffer) => {
    piece = chunk;
    stream.pause();
    wake();
  };
  const onEnd = () => {
    ended = true;
    wake();
  };
  const onError = (error: Error) => {
    failure = error;
    wake();
  };
  const onClose = () => {
    if (!ended) failure ??= Object.assign(new Error("the stream ended half way"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
    wake();
  };
  stream.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  try {
    for (;;) {
      if (failure !== null) throw failure;
      if (piece !== null) {
        const given: Buffer = piece;
        piece = null;
        yield given;
        giveBack(given);
      } else if (ended) return;
      else if (stream.destroyed) onClose();
      else {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        stream.resume();
        await woken;
      }
    }
  } finally {
    stream.off("data", onData).off("end", onEnd).off("close", onClose);
    // The listener stays, so that later errors are ignored and do not end the process.
    stream.pause();
  }
}

/** Releases only memory that the chunk owns. Chunks of a larger buffer share theirs. */
function giveBack(piece: Buffer): void {
  if (piece.byteLength === piece.buffer.byteLength) (piece.buffer as ArrayBuffer).transfer(0);
}
