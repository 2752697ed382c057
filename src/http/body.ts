// Reads JSON bodies. The result is bounded in depth, size and names, and holds no text or number that could not be stored.
import { isUtf8 } from "node:buffer";
import { type FieldErrors, invalid, type Problem } from "../core/errors.ts";
import { isExact, notExact } from "../values/number.ts";

const depthMax = 32;
const nodesMax = 10_000;
const keyMax = 256;

export const notJson = (): Problem => invalid({}, "The request contains invalid JSON.");

/** JSON, but a list or a single value. */
const noObject = (): Problem => invalid({ body: 'must be a JSON object, such as {"name": "Acme"}' }, notJson().message);

/** An empty body is `{}`: actions need none. `notObject` refuses JSON that is no object. */
export const parseBody = (bytes: Buffer, notObject: () => Problem = noObject): Record<string, unknown> =>
  objectIn(bytes, (text) => JSON.parse(text), notObject);

/** The same of what another service sends, who will not send it otherwise: what cannot be stored as it is, is kept as well as possible. */
export const parseStranger = (bytes: Buffer, notObject: () => Problem): Record<string, unknown> =>
  objectIn(bytes, (text) => JSON.parse(text, keptOf as (key: string, value: unknown) => unknown), notObject);

/** A number that would not be the same is kept as the text that was sent. */
function keptOf(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value === "number") return isExact(value) ? value : source;
  return typeof value === "string" ? storable(value) : value;
}

function objectIn(bytes: Buffer, read: (text: string) => unknown, notObject: () => Problem): Record<string, unknown> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw notJson();
  if (bytes.length > 2 * nodesMax && marksIn(bytes) > 2 * nodesMax) throw tooManyValues();
  const text = bytes.toString("utf8");
  const body = parsed(text, read);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw notObject();

  new Check(text).object(body as Record<string, unknown>, "", 1);
  return body as Record<string, unknown>;
}

// JSON.parse takes 30 to 80 ms for a megabyte of short names; counting the marks around values takes 2. There are at most two
// marks for each value, so a body that passes here may still have too many values.
function marksIn(bytes: Buffer): number {
  let marks = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfText(bytes, i + 1);
    else if (byte === comma || byte === bracket || byte === brace) marks++;
  }
  return marks;
}

const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((mark) => mark.charCodeAt(0));

function endOfText(bytes: Buffer, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return bytes.length;
}

const tooManyValues = (): Problem => refusal("body", `must have ${nodesMax} values or fewer`);

function parsed(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch {
    throw notJson();
  }
}

// JSON.parse accepts any depth, but later code recurses.
class Check {
  private nodes = 0;
  /** Only an escape can produce a NUL or half of a surrogate pair, because the bytes are valid UTF-8. */
  private readonly mayBeUnstorable: boolean;

  constructor(text: string) {
    this.mayBeUnstorable = /\\u(?:0000|d[89a-f])/i.test(text);
  }

  object(value: Record<string, unknown>, place: string, depth: number): void {
    for (const key of Object.keys(value)) {
      const here = place === "" ? key : `${place}.${key}`;
      this.key(key, value[key], here);
      this.value(value[key], here, depth + 1);
    }
  }

  private value(value: unknown, place: string, depth: number): void {
    if (++this.nodes > nodesMax) throw tooManyValues();
    if (typeof value === "string") {
      if (this.mayBeUnstorable && !isStorable(value)) throw refusal(place, unstorable);
    } else if (typeof value === "number") {
      if (!isExact(value)) throw refusal(place, notExact);
    } else if (typeof value === "object" && value !== null) {
      if (depth > depthMax) throw refusal("body", `must be nested ${depthMax} levels deep or less`);
      if (Array.isArray(value)) for (let i = 0; i < value.length; i++) this.value(value[i], `${place}.${i}`, depth + 1);
      else this.object(value as Record<string, unknown>, place, depth);
    }
  }

  private key(key: string, value: unknown, place: string): void {
    if (key.length > keyMax) throw refusal(`${key.slice(0, 32)}…`, `must have a name of ${keyMax} characters or fewer`);
    if (key === "__proto__" || (key === "constructor" && hasPrototype(value))) throw refusal(place, "is not allowed");
    if (this.mayBeUnstorable && !isStorable(key)) throw refusal("body", unstorable);
  }
}

export const unstorable = "must not contain NUL or half of a surrogate pair";

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The same text with what it cannot store marked as lost. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

const hasPrototype = (value: unknown) => typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");

// A place may be named `__proto__`, which `{[place]: …}` makes a key like any other.
const refusal = (place: string, reason: string): Problem => invalid({ [place]: reason } satisfies FieldErrors);
