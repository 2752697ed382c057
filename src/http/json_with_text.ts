// Finds the text of one member of a JSON object while the object arrives. The text may have any length and is passed on in
// pieces, so memory stays small. This reader only knows where texts and levels begin and end. JSON.parse checks the rest: it gets
// the object with an empty text in that place.
import { invalid } from "../core/errors.ts";
import { notJson } from "./body.ts";

const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);
const colon = 0x3a;
const comma = 0x2c;
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);

export class JsonWithText {
  /** The member was found and its value was a text. */
  found = false;
  private readonly name: string;
  private readonly restMax: number;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private depth = 0;
  private place: "outside" | "text" | "wanted" = "outside";
  /** The last key on the first level, as it stands between its quotes; null when the next text is not its value. */
  private key: Buffer[] | null = null;
  private readingKey = false;
  private expectsKey = false;
  private expectsValue = false;
  private escaped = false;
  /** The beginning of an escape that is not complete yet: `\`, `\u00`. */
  private held = "";

  constructor(name: string, restMax: number) {
    this.name = name;
    this.restMax = restMax;
  }

  /** The pieces of the text in this chunk, unescaped. */
  *write(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    while (from < chunk.length) {
      if (this.place === "wanted") {
        const end = this.endOfText(chunk, from);
        const piece = this.unescaped(chunk.subarray(from, end));
        if (piece.length > 0) yield piece;
        from = end;
        if (end < chunk.length) this.leaveWanted();
      } else {
        const end = this.place === "text" ? this.readText(chunk, from) : this.readOutside(chunk, from);
        this.keep(chunk.subarray(from, end));
        from = end;
      }
    }
  }

  /** Everything else, as one piece of JSON. */
  rest(): Buffer {
    if (this.place === "wanted") throw notJson();
    return Buffer.concat(this.kept);
  }

  private keep(bytes: Buffer): void {
    this.keptBytes += bytes.length;
    if (this.keptBytes > this.restMax)
      throw invalid({}, `The request body must be ${this.restMax} bytes or fewer without ${this.name}.`);
    // A copy: a view would keep the whole chunk alive.
    if (bytes.length > 0) this.kept.push(Buffer.from(bytes));
  }

  /** Reads up to and including the quote that begins a text, or to the end. */
  private readOutside(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === quote) {
        this.beginText();
        return i + 1;
      }
      if (opening.has(byte)) {
        this.depth++;
        this.expectsKey = this.depth === 1;
      } else if (closing.has(byte)) this.depth--;
      else if (byte === comma && this.depth === 1) this.expectsKey = true;
      if (byte === colon && this.depth === 1) this.expectsValue = true;
      else if (!blanks.has(byte)) this.expectsValue = false;
    }
    return chunk.length;
  }

  private beginText(): void {
    const wanted = this.expectsValue && this.depth === 1 && this.isWanted();
    if (wanted && this.found) throw invalid({ [this.name]: "is given twice" });
    this.place = wanted ? "wanted" : "text";
    this.found ||= wanted;
    this.readingKey = this.depth === 1 && this.expectsKey;
    if (this.readingKey) this.key = [];
    this.expectsKey = false;
    this.expectsValue = false;
  }

  private isWanted(): boolean {
    if (this.key === null) return false;
    const text = Buffer.concat(this.key).toString("utf8");
    if (!text.includes("\\")) return text === this.name;
    try {
      return JSON.parse(`"${text}"`) === this.name;
    } catch {
      return false;
    }
  }

  /** Reads up to and including the quote that ends a text, or to the end. */
  private readText(chunk: Buffer, from: number): number {
    const end = this.endOfText(chunk, from);
    if (this.readingKey) this.key!.push(Buffer.from(chunk.subarray(from, end)));
    if (end === chunk.length) return end;
    this.place = "outside";
    this.readingKey = false;
    return end + 1;
  }

  /** The position of the quote that ends the text, or the chunk's length. An escaped quote does not end it. */
  private endOfText(chunk: Buffer, from: number): number {
    let i = from;
    let end = -1;
    while (i < chunk.length) {
      if (this.escaped) {
        this.escaped = false;
        i++;
        continue;
      }
      // Searched once, unless the quote turns out to be escaped.
      if (end < i) end = indexOrEnd(chunk, quote, i);
      const escape = chunk.subarray(i, end).indexOf(backslash);
      if (escape < 0) return end;
      this.escaped = true;
      i += escape + 1;
    }
    return chunk.length;
  }

  /** Leaves an empty text in the rest in place of the text. Its first quote is there already. */
  private leaveWanted(): void {
    if (this.held !== "") throw notJson();
    this.place = "text";
  }

  /** Base64 in JSON has few escapes: some writers use `\/`, others `\u002b` or line breaks. */
  private unescaped(piece: Buffer): Buffer {
    if (this.held === "" && !piece.includes(backslash)) return piece;
    const text = this.held + piece.toString("latin1");
    const cut = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text)?.index ?? text.length;
    // Two backslashes are an escaped backslash, and not the beginning of another escape.
    const before = /\\*$/.exec(text.slice(0, cut))![0].length;
    const end = before % 2 === 0 ? cut : text.length;
    this.held = text.slice(end);
    return Buffer.from(text.slice(0, end).replace(/\\(u[0-9a-fA-F]{4}|.|$)/gs, (_, escape: string) => decodedEscape(escape)));
  }
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

const simple: Record<string, string> = { "/": "/", n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", '"': '"', "\\": "\\" };

function decodedEscape(escape: string): string {
  if (escape.length === 5) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  const letter = simple[escape];
  if (letter === undefined) throw notJson();
  return letter;
}
