// The cursors of the list of events. Pages by date go in both directions through the events of one snapshot. After them comes the
// feed, with the events that the snapshot did not contain, in the order of their commits.
import { invalid } from "../../core/errors.ts";
import { cursorOf, decodeCursor } from "../../records/cursor.ts";
import { type ListInput } from "../../records/list_input.ts";

/** What the server saw at one moment: `xmin:xmax:` and the transactions between them that were still running. */
export interface Seen {
  epoch: string;
  snapshot: string;
}

/** After an event in the order of the list, or before it when reading upwards, within a snapshot. */
export interface DatePlace {
  values: readonly (string | null)[];
  upwards: boolean;
  seen: Seen;
}

/** After a position of the feed: epoch, position, seq. */
export interface FeedPlace {
  after: readonly string[];
  /** The feed may still contain events that pages by date have shown: those of this snapshot. */
  seen: Seen | null;
  /** Events up to this time, give or take a minute, are before this place. */
  at: string;
}

type Given = Pick<ListInput, "fingerprint" | "order">;

const marked = (input: Given, mark: string) => () => input.fingerprint() + mark;
const marks = { down: "", up: "<", feed: "+" };

export const dateCursor = (input: Given, { values, upwards, seen }: DatePlace): string =>
  cursorOf({ fingerprint: marked(input, upwards ? marks.up : marks.down) }, [seen.epoch, seen.snapshot, ...values]);

export const feedCursor = (input: Given, { after, seen, at }: FeedPlace): string =>
  cursorOf({ fingerprint: marked(input, marks.feed) }, [at, seen?.snapshot ?? null, ...after]);

export function readPlace(cursor: string, input: Given): { date: DatePlace } | { feed: FeedPlace } {
  const values = (mark: string, width: number) => decodeCursor(cursor, marked(input, mark)(), width);
  for (const mark of [marks.down, marks.up]) {
    const [epoch, snapshot, ...keys] = values(mark, 2 + input.order.length) ?? [];
    if (isCount(epoch) && isSnapshot(snapshot))
      return { date: { values: keys, upwards: mark === marks.up, seen: { epoch, snapshot } } };
  }
  const [at, snapshot, ...after] = values(marks.feed, 5) ?? [];
  if (after.length > 0 && after.every(isCount) && isTime(at) && (snapshot === null || isSnapshot(snapshot)))
    return { feed: { after, seen: snapshot === null ? null : { epoch: after[0]!, snapshot }, at } };
  throw invalid({ _cursor: "is not a cursor of this list with these filters and this order" });
}

/** The feed from a snapshot on. Every transaction older than its `xmin` is in the snapshot. */
export const feedFrom = (seen: Seen, now: Date): FeedPlace => ({
  after: [seen.epoch, boundsOf(seen.snapshot)[0]!, "0"],
  seen,
  at: now.toISOString(),
});

/** The snapshot, as long as some of its events may come after this place. All their positions are below the snapshot's `xmax`. */
export function stillSeen(seen: Seen | null, [epoch, position]: readonly string[]): Seen | null {
  if (seen === null || seen.epoch !== epoch) return null;
  return BigInt(position!) >= BigInt(boundsOf(seen.snapshot)[1]!) ? null : seen;
}

/** Whether one place of the feed is before another. */
export function isBefore(one: readonly string[], other: readonly string[]): boolean {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at >= 0 && BigInt(one[at]!) < BigInt(other[at]!);
}

const boundsOf = (snapshot: string): string[] => snapshot.split(":");

type Value = string | null | undefined;

const isCount = (value: Value): value is string => typeof value === "string" && /^\d{1,18}$/.test(value);

const isTime = (value: Value): value is string => typeof value === "string" && !Number.isNaN(Date.parse(value));

/** A caller may have changed a cursor, and PostgreSQL fails on an invalid snapshot. */
function isSnapshot(value: Value): value is string {
  const [, xmin, xmax, between] = /^(\d{1,18}):(\d{1,18}):([\d,]*)$/.exec(value ?? "") ?? [];
  if (xmin === undefined) return false;
  const running = between === "" ? [] : between!.split(",");
  if (![xmin, xmax!, ...running].every(isCount)) return false;
  const [from, to, ...ids] = [xmin, xmax!, ...running].map(BigInt);
  return from! > 0n && from! <= to! && ids.every((id, i) => id >= (ids[i - 1] ?? from!) && id < to!);
}
