// Reading a stream a piece at a time, with the sender waiting while a piece is worked on.
import type { Readable } from "node:stream";

/**
 * What comes, as it comes. Each piece is whoever reads it only until the next is asked for: then its memory is given back at once,
 * because of twenty uploads the collector would let some hundred megabytes pile up. Leaving the loop early leaves the stream open.
 */
export async function* pieces(stream: Readable): AsyncGenerator<Buffer> {
  let piece: Buffer | null = null;
  let failure: Error | null = null;
  let ended = stream.readableEnded;
  let wake = () => {};
  // The next piece is in this turn's event or in a later one; a paused stream has no more than one under way.
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
    // Whatever fails from here on is nobody's concern any more; the listener that says so stays.
    stream.pause();
  }
}

/** Only memory of its own: pieces of a larger one share theirs. */
function giveBack(piece: Buffer): void {
  if (piece.byteLength === piece.buffer.byteLength) (piece.buffer as ArrayBuffer).transfer(0);
}
