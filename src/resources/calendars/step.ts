// Decides what a turn does next: pure functions of the stored state and the time.
import type { Question } from "./calendar_event.ts";
import type { Reading, Turn } from "./turn.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Calendars are read about this often. */
const pollMs = 5 * minuteMs;

/** Meetings are known from 30 days ago to 180 days ahead. */
export const pastDays = 30;
export const futureDays = 180;

/** A calendar is listed from the start this often, because the days ahead move on and there are new contacts. */
const listingMs = dayMs;

/** The most events of a listing. A person's calendar has fewer. */
export const eventsMost = 20_000;

export interface ReadStep {
  kind: "read";
  reading: Reading;
  question: Question;
  isListing: boolean;
}

export type Step = { kind: "calendars" } | ReadStep | { kind: "end" };

export function stepOf(turn: Turn, now: Date): Step {
  const { account, round } = turn;
  if (round.calendars_at === null || isOlder(round.calendars_at, dayMs, now)) return { kind: "calendars" };
  const due = dueCalendars(turn, round.began_at ?? now, now)[0];
  return due === undefined ? { kind: "end" } : readStep(readingOf(turn, due), now);

  function dueCalendars({ readings }: Turn, began: Date, at: Date): string[] {
    return account.synced_calendars.map(({ id }) => id).filter((id) => isDue(readings.get(id), began, at));
  }
}

const isOlder = (at: Date, ms: number, now: Date): boolean => now.getTime() - at.getTime() >= ms;

/** A calendar that cannot be read is tried again with the next listing. */
function isDue(reading: Reading | undefined, began: Date, now: Date): boolean {
  if (reading === undefined) return true;
  if (reading.error !== null && reading.read_at !== null && !isOlder(reading.read_at, listingMs, now)) return false;
  return reading.read_at === null || reading.read_at < began || reading.page !== null;
}

const unread = {
  cursor: null,
  page: null,
  listing: 0,
  listed_at: null,
  listed_from: null,
  listed_to: null,
  events: 0,
  read_at: null,
  error: null,
};

const readingOf = ({ readings }: Turn, calendar_id: string): Reading => readings.get(calendar_id) ?? { ...unread, calendar_id };

function readStep(reading: Reading, now: Date): ReadStep {
  const { cursor, page, listed_at, listed_from, listed_to } = reading;
  const isOld = listed_at === null || isOlder(listed_at, listingMs, now);
  if (cursor !== null && (page !== null || !isOld))
    return { kind: "read", reading, question: { cursor, page }, isListing: false };
  if (page !== null) return { kind: "read", reading, question: { page, from: listed_from!, to: listed_to! }, isListing: true };
  return newListing(reading, now);
}

function newListing(reading: Reading, now: Date): ReadStep {
  const [from, to] = [new Date(now.getTime() - pastDays * dayMs), new Date(now.getTime() + futureDays * dayMs)];
  const begun = { listing: reading.listing + 1, listed_at: now, listed_from: from, listed_to: to, events: 0 };
  return {
    kind: "read",
    reading: { ...reading, ...begun, cursor: null, page: null, error: null },
    question: { page: null, from, to },
    isListing: true,
  };
}

/** When the calendars are read next. Jitter spreads the accounts over time. */
export const nextRound = (now: Date, jitter: number): Date => new Date(now.getTime() + pollMs * (0.8 + 0.4 * jitter));

/** After a failure: half a minute, a minute, two and so on, at most an hour, and not before the provider allows it. */
export function afterFailure(failures: number, at: Date | null, now: Date, jitter: number): Date {
  const pause = Math.min(hourMs, (minuteMs / 2) * 2 ** failures) * (0.75 + jitter / 4);
  return new Date(Math.max(now.getTime() + pause, at?.getTime() ?? 0));
}

/** After this long, the account shows the failure. */
export const isLasting = (since: Date, now: Date): boolean => isOlder(since, hourMs, now);
