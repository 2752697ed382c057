// Reads forms with files (RFC 7578), one part after the other and each part in pieces. Nothing is read before it is wanted, so a
// fast sender waits for the disk. The parsers on npm push their data, and buffer or lose what is not read in time.
import { invalid, type Problem } from "../core/errors.ts";
import { readDisposition } from "../values/content_disposition.ts";

export interface Part {
  name: string;
  /** Null for a plain field. */
  filename: string | null;
  type: string | null;
  /** Read it before asking for the next part, and each piece before the next piece. */
  content: AsyncGenerator<Buffer>;
}

const headersMax = 16 * 1024;

/** The boundary of `multipart/form-data; boundary=…`, or null. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/** The parts in their order. Throws for a form that is cut off or malformed. */
export async function* readParts(chunks: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const source = new Source(chunks, `\r\n--${boundary}`);
  try {
    for await (const _ of source.untilDelimiter()) {
      // Text before the first part is ignored.
    }
    while (await source.atPart()) {
      const part = { ...readHeaders(await source.headers()), content: source.untilDelimiter() };
      yield part;
      for await (const _ of part.content) {
        // Skips what the caller did not read.
      }
    }
  } finally {
    await source.leave();
  }
}

class Source {
  /** Bytes that were read and not yet passed on. The form begins as if there were a line before it. */
  private held: Buffer = Buffer.from("\r\n");
  private room: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly delimiter: Buffer;

  constructor(chunks: AsyncIterable<Buffer>, delimiter: string) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.delimiter = Buffer.from(delimiter);
  }

  /** The content up to the delimiter, which is skipped. */
  async *untilDelimiter(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.held.indexOf(this.delimiter);
      if (at >= 0) {
        const last = this.held.subarray(0, at);
        this.held = this.held.subarray(at + this.delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end may be the beginning of a delimiter.
      const sure = Math.max(0, this.held.length - this.delimiter.length + 1);
      const piece = this.held.subarray(0, sure);
      this.held = this.held.subarray(sure);
      if (piece.length > 0) yield piece;
      await this.readOn();
    }
  }

  /** False after the last part. */
  async atPart(): Promise<boolean> {
    while (this.held.length < 2) await this.readOn();
    if (this.held.toString("latin1", 0, 2) === "--") return false;
    const line = await this.upTo("\r\n", 128);
    if (/[^ \t]/.test(line)) throw unreadableForm();
    return true;
  }

  /** The header lines up to the empty line. */
  async headers(): Promise<string> {
    return this.held.toString("latin1", 0, 2) === "\r\n" ? this.upTo("\r\n", 2) : this.upTo("\r\n\r\n", headersMax);
  }

  /** Nothing more is wanted. */
  async leave(): Promise<void> {
    await this.chunks.return?.();
  }

  private async upTo(end: string, max: number): Promise<string> {
    for (;;) {
      const at = this.held.indexOf(end);
      if (at > max || (at < 0 && this.held.length > max + end.length)) throw unreadableForm();
      if (at >= 0) {
        const text = this.held.toString("utf8", 0, at);
        this.held = this.held.subarray(at + end.length);
        return text;
      }
      await this.readOn();
    }
  }

  /** Appends one chunk to what is held, in one buffer that is reused. */
  private async readOn(): Promise<void> {
    const { value, done } = await this.chunks.next();
    if (done === true) throw unreadableForm();
    const left = this.held;
    const size = left.length + value.length;
    const room = this.room.length < size ? Buffer.allocUnsafeSlow(size) : this.room;
    left.copy(room);
    value.copy(room, left.length);
    this.room = room;
    this.held = room.subarray(0, size);
  }
}

function readHeaders(text: string): Pick<Part, "name" | "filename" | "type"> {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(text)?.[1];
  if (disposition === undefined) throw unreadableForm();
  const { name, filename } = readDisposition(disposition);
  if (name === null) throw unreadableForm();

  return { name, filename, type: /^content-type:\s*([^\s;]+)/im.exec(text)?.[1] ?? null };
}

export const unreadableForm = (): Problem =>
  invalid({}, "The form could not be read; send multipart/form-data with a part named file.");
