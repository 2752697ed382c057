// Dates of past events. Callers may set them, so that history can be imported, but never to a time in the future.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { timestamp } from "../../core/field.ts";
import { dayIn, todayIn } from "../../values/time.ts";

/** For records that may be older than their row here. Ids and events have the date of the import. */
export const dateCreated = timestamp({
  filled: true,
  createOnly: true,
  resolve: pastMoment,
  doc: "When it was created. It may be in the past, for imported history.",
});

/** The allowed difference between clocks. */
const tolerance = 60_000;
const earliest = "1900-01-01";

export async function pastMoment(moment: string, ctx: Ctx): Promise<string> {
  return refuseLaterMoment(moment, ctx);
}

export function refuseLaterMoment(moment: string, { now }: Ctx): string {
  if (Date.parse(moment) > now.getTime() + tolerance) throw invalid({ "": "must not be in the future" });
  return notAbsurd(moment);
}

export async function pastDay(day: string, ctx: Ctx): Promise<string> {
  return refuseLaterDay(day, ctx);
}

/** A day that has started somewhere on earth. */
export function refuseLaterDay(day: string, { now }: Ctx): string {
  if (day > todayIn(now, "+14:00")) throw invalid({ "": "must not be in the future" });
  return notAbsurd(day);
}

function notAbsurd(date: string): string {
  if (date < earliest) throw invalid({ "": `must not be before ${earliest}` });
  return date;
}

const ends = ["date_won", "date_lost", "date_completed"] as const;

/**
 * Nothing ends before it starts. A new record without a date of creation may still have an earlier end date: it is older than its
 * row here.
 */
export function refuseEndBeforeCreated(
  given: { date_created?: string } & { [end in (typeof ends)[number]]?: string | null },
): void {
  const { date_created } = given;
  if (date_created === undefined) return;
  // A day is compared with the earliest date it could be anywhere on earth.
  const day = dayIn(date_created, "-12:00").toString();
  const early = ends.filter((key) => given[key] && given[key] < (given[key].length === day.length ? day : date_created));
  if (early.length > 0) throw invalid(Object.fromEntries(early.map((key) => [key, `is before date_created, ${date_created}`])));
}

interface State {
  was: boolean;
  is: boolean;
  /** The state that the date belongs to, in words. */
  called: string;
  /** The stored date. */
  before: string | null | undefined;
}

/**
 * The date that belongs to a state: the given one, or else `otherwise`. It can be corrected while the state lasts, and is removed
 * with it. If a request changes the state and sends the stored date back, the state decides.
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
