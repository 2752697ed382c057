// Dates of things that have happened. Callers may set them, so that history can be imported, but never to a time in the future.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { timestamp } from "../../core/field.ts";
import { dayIn, todayIn } from "../../values/time.ts";

/** Of records that may be older than their row here. Ids and events are of the day they come in. */
export const dateCreated = timestamp({
  filled: true,
  createOnly: true,
  resolve: pastMoment,
  doc: "When it was created; may lie in the past, to bring in history.",
});

/** Clocks that differ by less are right. */
const tolerance = 60_000;
const earliest = "1900-01-01";

export async function pastMoment(moment: string, { now }: Ctx): Promise<string> {
  if (Date.parse(moment) > now.getTime() + tolerance) throw invalid({ "": "must not be in the future" });
  return notAbsurd(moment);
}

/** A day that has begun somewhere on earth. */
export async function pastDay(day: string, { now }: Ctx): Promise<string> {
  if (day > todayIn(now, "+14:00")) throw invalid({ "": "must not be in the future" });
  return notAbsurd(day);
}

function notAbsurd(date: string): string {
  if (date < earliest) throw invalid({ "": `must not be before ${earliest}` });
  return date;
}

const ends = ["date_won", "date_lost", "date_completed"] as const;

/**
 * Nothing ends before it begins. Where a new record does not say when it was created, it may all the same come in with the date of its
 * end: that is older than its row here.
 */
export function refuseEndBeforeCreated(
  given: { date_created?: string } & { [end in (typeof ends)[number]]?: string | null },
): void {
  const { date_created } = given;
  if (date_created === undefined) return;
  // A day is compared with the first that it is anywhere on earth.
  const day = dayIn(date_created, "-12:00").toString();
  const early = ends.filter((key) => given[key] && given[key] < (given[key].length === day.length ? day : date_created));
  if (early.length > 0) throw invalid(Object.fromEntries(early.map((key) => [key, `lies before date_created, ${date_created}`])));
}

interface State {
  was: boolean;
  is: boolean;
  /** What the date goes with, in words. */
  called: string;
  /** The date as it stands. */
  before: string | null | undefined;
}

/**
 * The date that a state leaves: as it is said, else `otherwise`. It can be corrected while the state lasts, and goes with it. Whoever
 * sends back what was read and changes the state means the state.
 */
export function dateOfState<K extends string>(
  key: K,
  said: string | null | undefined,
  { was, is, called, before }: State,
  otherwise: string,
): { [key in K]?: string | null } {
  if (!is && said && said !== before) throw invalid({ [key]: `only goes with ${called}` });
  if (is && was && said === null && before) throw invalid({ [key]: `must not be null with ${called}` });
  const date = !is ? null : was ? (said ?? before) : (said ?? otherwise);
  return { [key]: date } as { [key in K]?: string | null };
}
