// Parts that the events of all providers have: times, texts, and links to online meetings. Values that are not understood are
// left out, and long ones are cut.

import { parseEmail } from "../../values/email.ts";
import { oneLine } from "../../values/one_line.ts";
import { fromHtml, fromText } from "../../values/rich_text.ts";
import { instantIn, isTimeZone, parseDate, parseTimestamp, startOfDay } from "../../values/time.ts";
import { parseUrl } from "../../values/url.ts";
import type { Content, Invited } from "./calendar_event.ts";

/** A day, or a time: with an offset, or as local time in a time zone. */
export interface When {
  date?: string | null;
  dateTime?: string | null;
  timeZone?: string | null;
}

/** The instant. Days, and local times in unknown zones, are read in the owner's time zone. Null when it is not a time. */
export function instantOf({ date, dateTime, timeZone }: When, zone: string): string | null {
  if (typeof date === "string") {
    const day = parseDate(date);
    return day === null ? null : startOfDay(day, zone);
  }
  if (typeof dateTime !== "string") return null;
  if (/(Z|[+-]\d\d:?\d\d)$/i.test(dateTime)) return parseTimestamp(dateTime);
  return instantIn(dateTime, timeZone && isTimeZone(timeZone) ? timeZone : zone);
}

const yearMs = 366 * 86_400_000;
const minuteMs = 60_000;

/** Start and end. An event without a length takes a minute, and none takes longer than a year. Null without a start. */
export function timesOf(start: When, end: When, zone: string): { starts_at: string; ends_at: string } | null {
  const starts_at = instantOf(start, zone);
  if (starts_at === null) return null;
  const began = Date.parse(starts_at);
  const ended = Date.parse(instantOf(end, zone) ?? starts_at);
  const until = ended <= began ? began + minuteMs : Math.min(ended, began + yearMs);
  const last = Date.parse("9999-12-31T23:59:59.999Z");
  return { starts_at, ends_at: new Date(Math.min(until, last)).toISOString() };
}

// --- texts ---

const textMax = 100_000;

const clean = (text: string | null | undefined): string => fromText(text ?? "").text.trim();

export const titleOf = (text: string | null | undefined): string => oneLine(clean(text), 255) || "(No title)";

export const placeOf = (text: string | null | undefined): string | null => oneLine(clean(text), 1000) || null;

/** A description: plain text, or the HTML that some calendars write. */
export function noteOf(text: string | null | undefined): string | null {
  const given = text?.slice(0, textMax) ?? "";
  const plain = /<\/?[a-z][^>]*>/i.test(given) ? fromHtml(given).text.trim() : clean(given);
  return plain.slice(0, textMax) || null;
}

// --- people ---

/** The most attendees that are kept for an event. */
const invitedMax = 500;

export function personOf(email: string | null | undefined, name: string | null | undefined): Pick<Invited, "email" | "name"> {
  return { email: parseEmail(email ?? ""), name: oneLine(clean(name), 255) || null };
}

/** Each address once, at its first place. Entries with neither address nor name are left out. */
export function people(all: readonly Invited[]): Invited[] {
  const known = new Map<string, Invited>();
  for (const one of all) {
    const key = one.email?.toLowerCase() ?? one.name ?? "";
    const before = known.get(key);
    if (before === undefined) known.set(key, one);
    else before.is_organizer ||= one.is_organizer;
  }
  known.delete("");
  return [...known.values()].slice(0, invitedMax);
}

// --- online meetings ---

const linksMax = 50;

/** The providers of online meetings, by host. */
const hosts: readonly [RegExp, string][] = [
  [/(^|\.)meet\.google\.com$/, "google_meet"],
  [/(^|\.)teams\.(microsoft|live)\.com$/, "microsoft_teams"],
  [/(^|\.)(zoom\.us|zoomgov\.com)$/, "zoom"],
  [/(^|\.)webex\.com$/, "webex"],
];

const typeOf = (url: string): string => hosts.find(([host]) => host.test(new URL(url).hostname))?.[1] ?? "other";

/** The explicit links, and links in the texts that lead to a known provider, each once. */
export function conferenceLinks(
  said: readonly (string | null | undefined)[],
  texts: readonly (string | null)[],
): Content["conference_links"] {
  const explicit = said.flatMap((one) => parseUrl(one ?? "") ?? []);
  const written = texts.flatMap((text) => text?.match(/https:\/\/[^\s<>"')\]]+/g) ?? []).flatMap((one) => parseUrl(one) ?? []);
  const known = written.filter((url) => typeOf(url) !== "other");
  return [...new Set([...explicit, ...known])].slice(0, linksMax).map((url) => ({ type: typeOf(url), url }));
}

export const webLink = (text: string | null | undefined): string | null => parseUrl(text ?? "");
