// Makes a result as small as an agent can read: fewer rows of its longest lists, and less of its longest texts. What stays is whole.
// What does not stay is counted in `left_out`, with what to ask for to go on.
import { bytesOf, resultBytesMax, type ToolResult } from "./result.ts";

/** How the rest of a result is asked for. Null where it cannot be. */
export interface Onward {
  rows(shown: number): string | null;
  text(shown: number): string | null;
}

export const nothingOnward: Onward = { rows: () => null, text: () => null };

/** Room for what is said about what is left out. */
const reserve = 4096;
/** The text is for those who do not read the structure. It gets so much where both are long. */
const textShare = 16 * 1024;
/** A member of a record may have so much at least; where that is too much, members are left out. */
const memberLeast = 300;
const leftOutMost = 20;

type Values = Record<string, unknown>;

export function fitted(result: ToolResult, onward: Onward): ToolResult {
  if (bytesOf(result) <= resultBytesMax) return result;
  const text = firstLines(result.text, Math.max(textShare, resultBytesMax - reserve - sizeOf(result.structured)));
  const fit = new Fit(onward);
  const structured = fit.members(result.structured, resultBytesMax - reserve - sizeOf(text), "");
  return { structured: fit.left.size === 0 ? structured : { ...structured, left_out: Object.fromEntries(fit.left) }, text };
}

export const sizeOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));

/** As much of a value as so many bytes hold. */
export const beginningOf = (value: unknown, bytes: number): unknown => new Fit(nothingOnward).part(value, bytes, "");

class Fit {
  readonly left = new Map<string, string>();
  private readonly onward: Onward;

  constructor(onward: Onward) {
    this.onward = onward;
  }

  part(value: unknown, bytes: number, at: string): unknown {
    if (sizeOf(value) <= bytes) return value;
    if (typeof value === "string") return this.text(value, bytes);
    if (Array.isArray(value)) return this.rows(value, bytes, at);
    return typeof value === "object" && value !== null ? this.members(value as Values, bytes, at) : value;
  }

  private text(value: string, bytes: number): string {
    let most = Math.max(0, bytes - 80);
    while (most > 0 && sizeOf(value.slice(0, most)) > bytes - 80) most = Math.floor(most * 0.9);
    return cutText(value, most, this.onward);
  }

  private rows(rows: readonly unknown[], bytes: number, at: string): unknown[] {
    const kept: unknown[] = [];
    let rest = bytes - 2;
    for (const row of rows) {
      const size = sizeOf(row) + 1;
      if (size > rest) break;
      rest -= size;
      kept.push(row);
    }
    // One row alone may be too long.
    if (kept.length === 0) kept.push(this.part(rows[0], rest, `${at}.0`));
    if (kept.length < rows.length) this.leave(at, rows.length - kept.length, kept.length);
    return kept;
  }

  /** What is short stays as it is, and the long members share the rest. */
  members(object: Values, bytes: number, at: string): Values {
    const sizes = Object.entries(object).map(([key, value]) => ({ key, named: sizeOf(key) + 2, size: sizeOf(value) }));
    const shares = new Map<string, number>();
    let rest = sizes.reduce((left, { named }) => left - named, bytes - 2);
    let others = sizes.length;
    for (const { key, size } of sizes.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      const share = isWhole(key) ? size : Math.min(size, Math.floor(rest / others));
      if (share < size && share < memberLeast) return this.firstMembers(object, bytes, at);
      shares.set(key, share);
      rest -= share;
      others--;
    }
    const made = Object.entries(object).map(
      ([key, value]) => [key, this.part(value, shares.get(key)!, joined(at, key))] as const,
    );
    return this.withoutCursor(Object.fromEntries(made), at);
  }

  private firstMembers(object: Values, bytes: number, at: string): Values {
    const kept: Values = {};
    let rest = bytes - 2;
    for (const [key, value] of Object.entries(object)) {
      const size = sizeOf(key) + sizeOf(value) + 2;
      if (size > rest) continue;
      rest -= size;
      kept[key] = value;
    }
    this.left.set(at === "" ? "result" : at, `${Object.keys(object).length - Object.keys(kept).length} more members`);
    return kept;
  }

  /** The cursor of a page goes on after all of its rows. Where some are left out, it would pass over them. */
  private withoutCursor(object: Values, at: string): Values {
    if (!("has_more" in object) || !this.left.has(joined(at, "data"))) return object;
    return { ...Object.fromEntries(Object.entries(object).filter(([key]) => !isWhole(key))), has_more: true };
  }

  private leave(at: string, count: number, shown: number): void {
    if (this.left.size >= leftOutMost) return;
    const how = /\.\d+\b/.test(at) ? null : this.onward.rows(shown);
    this.left.set(at, how === null ? `${count} more` : `${count} more: ${how}`);
  }
}

/** A cursor that is cut leads nowhere. */
const isWhole = (key: string): boolean => key.includes("cursor");

const rankOf = ({ key, size }: { key: string; size: number }): number => (isWhole(key) ? -1 : size);

const joined = (at: string, key: string): string => (at === "" ? key : `${at}.${key}`);

/** The beginning of a text, which says how much there is after it and how that is read. Characters stay whole. */
export function cutText(value: string, most: number, onward: Onward): string {
  const end = isHighSurrogate(value.charCodeAt(most - 1)) ? most - 1 : most;
  const how = onward.text(end);
  return `${value.slice(0, end).toWellFormed()}…(+${value.length - end} chars${how === null ? "" : `: ${how}`})`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Whole lines, and the last one, which may be the mark that ends what others wrote. */
function firstLines(text: string, bytes: number): string {
  if (sizeOf(text) <= bytes) return text;
  const lines = text.split("\n");
  const last = lines.pop()!;
  let rest = bytes - 100 - Math.min(sizeOf(last), 200);
  const fit = lines.findIndex((line) => {
    rest -= sizeOf(line);
    return rest < 0;
  });
  const kept = lines.slice(0, fit < 0 ? lines.length : fit);
  const end = last.startsWith("</data ") ? last : cutText(last, 100, nothingOnward);
  return [...kept, `…(+${lines.length - kept.length} lines)`, end].join("\n");
}
