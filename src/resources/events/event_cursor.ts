// Where a page of events begins. Pages by date go both ways through what a snapshot saw; behind them lies the feed, which gives what
// that snapshot did not see, in the order it was committed.
import { invalid } from "../../core/errors.ts";
import { cursorOf, decodeCursor } from "../../records/cursor.ts";
import { type ListInput } from "../../records/list_input.ts";

/** What the server saw at one moment: `xmin:xmax:` and the transactions between them that still ran. */
export interface Seen {
  epoch: string;
  snapshot: string;
}

/** Behind an event in the order of the list, or above it, among those that were seen. */
export interface DatePlace {
  values: readonly (string | null)[];
  upwards: boolean;
  seen: Seen;
}

/** Behind a position of the feed: epoch, position, seq. */
export interface FeedPlace {
  after: readonly string[];
  /** Further up there are events that pages by date have shown already: those seen here. */
  seen: Seen | null;
  /** Events up to here, a minute aside, lie behind the place. */
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

/** The feed from a snapshot on. Whatever began before its `xmin` has been seen. */
export const feedFrom = (seen: Seen, now: Date): FeedPlace => ({
  after: [seen.epoch, boundsOf(seen.snapshot)[0]!, "0"],
  seen,
  at: now.toISOString(),
});

/** What was seen, for as long as it may lie behind the place: all of it has a position below the snapshot's `xmax`. */
export function stillSeen(seen: Seen | null, [epoch, position]: readonly string[]): Seen | null {
  if (seen === null || seen.epoch !== epoch) return null;
  return BigInt(position!) >= BigInt(boundsOf(seen.snapshot)[1]!) ? null : seen;
}

const boundsOf = (snapshot: string): string[] => snapshot.split(":");

type Value = string | null | undefined;

const isCount = (value: Value): value is string => typeof value === "string" && /^\d{1,18}$/.test(value);

const isTime = (value: Value): value is string => typeof value === "string" && !Number.isNaN(Date.parse(value));

/** A caller may have changed a cursor: PostgreSQL fails on what is no snapshot. */
function isSnapshot(value: Value): value is string {
  const [, xmin, xmax, between] = /^(\d{1,18}):(\d{1,18}):([\d,]*)$/.exec(value ?? "") ?? [];
  if (xmin === undefined) return false;
  const running = between === "" ? [] : between!.split(",");
  if (![xmin, xmax!, ...running].every(isCount)) return false;
  const [from, to, ...ids] = [xmin, xmax!, ...running].map(BigInt);
  return from! > 0n && from! <= to! && ids.every((id, i) => id >= (ids[i - 1] ?? from!) && id < to!);
}
