// Reads the parts of a workbook by ISO/IEC 29500, an archive of XML files. What it says about its own sizes is not believed.
import { finished } from "node:stream/promises";
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { invalid } from "../../core/errors.ts";

const partsMax = 2000;
/**
 * How much may be read of a workbook: usual sheets are five to twenty times as large as in the archive, and what is made to take
 * all time a thousand times.
 */
const inflatedMax = (bytes: number): number => Math.min(500 * 1024 ** 2, Math.max(32 * 1024 ** 2, 40 * bytes));
/** No text or tag may be longer. */
const betweenTagsMax = 4 * 1024 ** 2;

/** What to do with the pieces of an XML file. Names come without their prefix. */
export interface Handlers {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

export class Workbook {
  private readonly zip: ZipFile;
  private readonly parts: ReadonlyMap<string, Entry>;
  private readonly place: string;
  private left: number;

  private constructor(zip: ZipFile, parts: ReadonlyMap<string, Entry>, place: string, left: number) {
    this.zip = zip;
    this.parts = parts;
    this.place = place;
    this.left = left;
  }

  /** `place` is the field to name in errors. */
  static async open(path: string, bytes: number, place: string): Promise<Workbook> {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(() => damaged(place));
    try {
      const parts = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        parts.set(entry.fileName, entry);
        if (parts.size > partsMax) throw invalid({ [place]: `has more than ${partsMax} parts and is no usual workbook` });
      }
      return new Workbook(zip, parts, place, inflatedMax(bytes));
    } catch (error) {
      zip.close();
      return refusal(error, place);
    }
  }

  has(path: string): boolean {
    return this.parts.has(path);
  }

  /** Reads a part. Gives a turn after each chunk, so that what the handlers have collected can be taken. */
  async *read(path: string, handlers: Handlers): AsyncGenerator<void> {
    const entry = this.parts.get(path);
    if (entry === undefined || entry.isEncrypted()) return damaged(this.place);
    const parser = parserOf(handlers);
    const decoder = new TextDecoder();
    const stream = await this.zip.openReadStreamPromise(entry).catch(() => damaged(this.place));
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.left -= chunk.length;
        if (this.left < 0)
          throw invalid({ [this.place]: "unpacks to too much for a workbook of its size: save its sheet as CSV" });
        parser.write(decoder.decode(chunk, { stream: true }));
        yield;
      }
      parser.close();
    } catch (error) {
      refusal(error, this.place);
    } finally {
      stream.destroy();
      await finished(stream).catch(() => {});
    }
  }

  /** Reads a part to its end. */
  async readAll(path: string, handlers: Handlers): Promise<void> {
    for await (const _ of this.read(path, handlers));
  }

  close(): void {
    this.zip.close();
  }

  refuse(reason: string): never {
    throw invalid({ [this.place]: reason });
  }
}

function parserOf(handlers: Handlers): { write(text: string): void; close(): void } {
  const parser = new SaxesParser();
  let sinceTag = 0;
  parser.on("error", (error) => {
    throw new NotXml(error.message);
  });
  parser.on("opentag", ({ name, attributes }: SaxesTagPlain) => {
    sinceTag = 0;
    handlers.open?.(local(name), attributes);
  });
  parser.on("closetag", ({ name }: SaxesTagPlain) => {
    sinceTag = 0;
    handlers.close?.(local(name));
  });
  parser.on("text", (text) => handlers.text?.(text));
  parser.on("cdata", (text) => handlers.text?.(text));
  return {
    write(text) {
      sinceTag += text.length;
      if (sinceTag > betweenTagsMax) throw new NotXml("a text without an end");
      parser.write(text);
    },
    close: () => void parser.close(),
  };
}

class NotXml extends Error {}

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

/** What the archive, its compression or its XML is refused for means the same to whoever sent it. */
function refusal(error: unknown, place: string): never {
  const isDamage = error instanceof NotXml || /^Z_|ERR_STREAM_PREMATURE/.test(String((error as { code?: string }).code));
  if (isDamage || (error as Error).constructor === Error) return damaged(place);
  throw error;
}

function damaged(place: string): never {
  throw invalid({ [place]: "is a workbook that cannot be read: save it again as .xlsx without a password, or as CSV" });
}
