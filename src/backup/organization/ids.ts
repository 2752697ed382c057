// Changes ids in the rows of an archive, wherever they stand: in columns, in JSON, in text. A person has the id that the same e-mail address
// has here. With new ids, every other one is computed from the old one, so that what points at a record still does, whatever order the
// rows come in and however many there are.
import { createHash } from "node:crypto";
import type { Chunks } from "../archive.ts";

/** Prefix, underscore, 26 digits. The last character ends the id. */
const ids = /([a-z]+)_([0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9A-Za-z])/g;

/** What these name is not in an archive: people and the organization are given, the others belong to a server. */
const outside: ReadonlySet<string> = new Set(["user", "orga", "acct", "client", "grant", "req", "backup"]);

export interface IdChange {
  /** People, and the organization. */
  given: ReadonlyMap<string, string>;
  /** Null: the other ids stay. */
  salt: string | null;
}

export function changed(id: string, { given, salt }: IdChange): string {
  const [, prefix, digits] = /^([a-z]+)_(.{26})$/.exec(id) ?? [];
  return (
    given.get(id) ?? (salt === null || prefix === undefined || outside.has(prefix) ? id : `${prefix}_${anew(digits!, salt)}`)
  );
}

/** The same moment and order, and other random digits. */
function anew(digits: string, salt: string): string {
  const hash = createHash("sha256").update(`${salt} ${digits}`).digest();
  return digits.slice(0, timeDigits) + Array.from(hash.subarray(0, 26 - timeDigits), (byte) => alphabet[byte & 31]).join("");
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** The milliseconds, the version, and the count within the millisecond. */
const timeDigits = 14;

/** The rows of a table with their ids changed. A row is changed as a whole, so that no id is cut in two. */
export async function* withIds(chunks: Chunks, change: IdChange): AsyncGenerator<Uint8Array> {
  const known = new Map<string, string>();
  const replace = (text: string) =>
    text.replace(ids, (id) => {
      const other = known.get(id) ?? changed(id, change);
      if (known.size > 10_000) known.clear();
      known.set(id, other);
      return other;
    });
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      yield bytesOf(replace(textOf([...rest, chunk.subarray(0, end)])));
      rest = [];
    }
    if (end < chunk.byteLength) rest.push(Buffer.from(chunk.subarray(end)));
  }
  if (rest.length > 0) yield bytesOf(replace(textOf(rest)));
}

const newline = 0x0a;
// Every byte is a character, so that nothing but ids is touched.
const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString("latin1");
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
