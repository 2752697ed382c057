// Files calendar changes: events with known people become meetings, and meetings follow their events. All in one transaction,
// with a handful of statements for any number of events. Nothing is filed twice: an event is identified by its calendar and id,
// and a meeting by its identity in all calendars.
import { createHash } from "node:crypto";
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { addMeeting, type CalendarMeeting, followMeeting } from "../activities/calendar_meetings.ts";
import { type Attendee, meeting } from "../activities/meeting.ts";
import { stopForMeeting } from "../activities/meeting_verbs.ts";
import type { Reachable } from "../activities/placing.ts";
import type { Change, Content, Occurring } from "./calendar_event.ts";
import {
  type Copy,
  countSeries,
  type Identity,
  keyOf,
  lockIdentities,
  markGone,
  type OtherCopy,
  otherCopies,
  type Place,
  readCopies,
  writeCopies,
  writeIdentities,
} from "./copies.ts";
import { attendeesOf, type People, readPeople } from "./people.ts";

type Meeting = Row<typeof meeting>;

/** The calendar that changes come from. */
export interface Source extends Place {
  user_id: string;
  email: string | null;
  /** The owner attends all events of the main calendar, even those that do not name them. */
  is_primary: boolean;
  listing: number;
  from: Date;
  to: Date;
  /** False for a listing, whose events were in the calendar before. */
  is_news: boolean;
}

/** The most occurrences of one series that are filed. */
const occurrencesMost = 400;

export async function fileChanges(ctx: Ctx, source: Source, changes: readonly Change[]): Promise<void> {
  // If a page has an event twice, the last one counts.
  const latest = [...new Map(changes.map((one) => [one.id, one])).values()];
  const copies = await copiesBehind(ctx, source, latest);
  const events = occurringOf(latest, copies).map((event) => asKnown(event, copies));
  const people = await readPeople(ctx, source, events);
  const wanted = await wantedOf(ctx, source, events, copies, people);

  const identities = await lockIdentities(ctx, wanted);
  const others = await otherCopies(ctx, source, wanted);
  const meetings = await lockMeetings(ctx, [...identities.values()]);
  const filing: Filing = { ctx, source, people, others, meetings };
  const known = new Set(meetings.keys());
  const filed = wanted.filter((event) => fileEvent(filing, event, identities.get(keyOf(event))!));
  const booked = [...meetings.values()].filter((one) => !known.has(one.id) && one.status === "upcoming");
  for (const one of booked) if (source.is_news) await stopForMeeting(ctx, one);

  writeIdentities(ctx, [...identities.values()]);
  writeCopies(
    ctx,
    source,
    source,
    filed.map((event) => ({ ...event, event_id: event.id })),
  );
  const kept = new Set(filed.map(({ id }) => id));
  const told = [...latest, ...events].map(({ id }) => id);
  markGone(
    ctx,
    source,
    [...new Set(told)].filter((id) => copies.has(id) && !kept.has(id)),
  );
}

async function copiesBehind(ctx: Ctx, source: Source, changes: readonly Change[]): Promise<Map<string, Copy>> {
  const series = changes.filter(({ kind }) => kind === "series").map(({ id }) => id);
  const copies = await readCopies(
    ctx,
    source,
    changes.map(({ id }) => id),
    series,
  );
  return new Map(copies.map((one) => [one.event_id, one]));
}

/** The events of a page. If a series changed as a whole, this includes those of its occurrences that do not override it. */
function occurringOf(changes: readonly Change[], copies: ReadonlyMap<string, Copy>): Occurring[] {
  const told = new Set(changes.map(({ id }) => id));
  return changes.flatMap((change): Occurring[] => {
    if (change.kind === "event") return [change];
    if (change.kind === "gone") return [];
    const silent = [...copies.values()].filter(
      (one) => one.series_id === change.id && !one.is_exception && !told.has(one.event_id),
    );
    return silent.map((one) => ({ ...change, ...one, kind: "event", id: one.event_id }));
  });
}

/** A known event keeps its identity. In a new one, values that are too long for an index are replaced by their hash. */
function asKnown(event: Occurring, copies: ReadonlyMap<string, Copy>): Occurring {
  const copy = copies.get(event.id);
  if (copy !== undefined) return { ...event, uid: copy.uid, occurrence: copy.occurrence };
  const isLong = event.uid.length > 255;
  return isLong ? { ...event, uid: createHash("sha256").update(event.uid).digest("hex") } : event;
}

/** The events that are or become meetings: with known people, in the followed period, and not hidden by their owner. */
async function wantedOf(
  ctx: Ctx,
  source: Source,
  events: readonly Occurring[],
  copies: ReadonlyMap<string, Copy>,
  people: People,
): Promise<Occurring[]> {
  const isNear = ({ starts_at, ends_at }: Occurring) => new Date(ends_at) >= source.from && new Date(starts_at) < source.to;
  const isNew = (event: Occurring) => isNear(event) && !event.is_private && people.contactsOf(event.invited).length > 0;
  const fit = events.filter((event) => copies.has(event.id) || isNew(event));
  const counts = await countSeries(ctx, source, [...new Set(fit.flatMap(({ series_id }) => series_id ?? []))]);
  return fit.filter(({ id, series_id }) => {
    if (series_id === null || copies.has(id)) return true;
    const count = counts.get(series_id) ?? 0;
    counts.set(series_id, count + 1);
    return count < occurrencesMost;
  });
}

async function lockMeetings(ctx: Ctx, identities: readonly Identity[]): Promise<Map<string, Meeting>> {
  const ids = identities.flatMap(({ activity_id }) => activity_id ?? []);
  const rows = ids.length === 0 ? [] : await lockToChange(ctx, meeting, sql`t._type = 'Meeting' and t.id = any(${ids})`);
  return new Map(rows.map((row) => [row.id, row]));
}

// --- one event ---

interface Filing {
  ctx: Ctx;
  source: Source;
  people: People;
  others: ReadonlyMap<string, readonly OtherCopy[]>;
  /** The meetings by id, as they are now. */
  meetings: Map<string, Meeting>;
}

/** Files an event, and updates its identity. False when the event is not or no longer relevant. */
function fileEvent(filing: Filing, event: Occurring, identity: Identity): boolean {
  const { source, people, meetings } = filing;
  const others = filing.others.get(keyOf(event)) ?? [];
  if (identity.activity_id === null) {
    const contacts = people.contactsOf(event.invited);
    if (contacts.length === 0 || event.is_private) return false;
    takeLead(identity, source, event);
    create(filing, event, identity, contacts);
    return true;
  }

  const stored = meetings.get(identity.activity_id);
  // Somebody deleted the meeting here.
  if (stored === undefined) return false;
  const contacts = people.contactsOf(event.invited, stored.lead_id);
  const leads = isLeading(identity, source, event) || !isLed(identity, others) || (event.is_organizer && !identity.is_organizer);
  if (leads && contacts.length === 0 && !event.is_private) return false;
  if (leads && event.is_private && others.length > 0) handOver(identity, others[0]!);
  else if (leads) takeLead(identity, source, event);
  const values = isLeading(identity, source, event)
    ? withMissing(valuesOf(filing, event, contacts, stored.lead_id), stored, others)
    : { attendees: withOwner(source, event, stored.attendees) };
  const { row, said } = followMeeting(filing.ctx, stored, values, identity.said);
  identity.said = said;
  meetings.set(row.id, row);
  return true;
}

const isLeading = (identity: Identity, { account_id, calendar_id }: Place, { id }: Occurring): boolean =>
  identity.account_id === account_id && identity.calendar_id === calendar_id && identity.event_id === id;

/** True when another calendar gives the content. A calendar that is no longer followed does not count. */
const isLed = (identity: Identity, others: readonly OtherCopy[]): boolean =>
  others.some(
    (one) =>
      one.account_id === identity.account_id && one.calendar_id === identity.calendar_id && one.event_id === identity.event_id,
  );

function takeLead(identity: Identity, { account_id, calendar_id }: Place, { id, is_organizer }: Occurring): void {
  Object.assign(identity, { account_id, calendar_id, event_id: id, is_organizer });
}

/** The owner now hides the event, so another copy gives the content. */
function handOver(identity: Identity, { account_id, calendar_id, event_id }: OtherCopy): void {
  Object.assign(identity, { account_id, calendar_id, event_id, is_organizer: false });
}

function create(filing: Filing, event: Occurring, identity: Identity, contacts: readonly Reachable[]): void {
  const { ctx, source, meetings } = filing;
  const [{ id: contact_id, lead_id }] = contacts as [Reachable];
  const values = valuesOf(filing, event, contacts, lead_id);
  const { row, said } = addMeeting(ctx, values, { lead_id, contact_id, user_id: source.user_id }, source.is_news);
  Object.assign(identity, { activity_id: row.id, said });
  meetings.set(row.id, row);
}

function valuesOf(filing: Filing, event: Occurring, contacts: readonly Reachable[], leadId: string): CalendarMeeting {
  const { ctx, source, people } = filing;
  const { starts_at, ends_at, uid, id } = event;
  const { title, location, note, link, conference_links } = event.is_private ? hidden : event;
  return {
    title,
    starts_at,
    ends_at,
    location,
    note,
    attendees: withOwner(source, event, attendeesOf(ctx, event, people, contacts, leadId)),
    conference_links,
    is_recurring: event.series_id !== null,
    calendar_event_link: link,
    calendar_event_uids: [uid],
    connected_account_id: source.account_id,
    provider_calendar_id: source.calendar_id,
    provider_calendar_event_id: id,
  };
}

/** What is shown of a meeting whose owner now hides it. */
const hidden: Pick<Content, "title" | "location" | "note" | "link" | "conference_links"> = {
  title: "Busy",
  location: null,
  note: null,
  link: null,
  conference_links: [],
};

// --- attendees ---

/**
 * The attendees, with the calendar's owner matched to their user. In their main calendar the owner is added if the event does not
 * name them.
 */
function withOwner({ user_id, email, is_primary }: Source, event: Occurring, attendees: readonly Attendee[]): Attendee[] {
  const isOwner = (one: Attendee) =>
    one.user_id === user_id || (email !== null && one.email?.toLowerCase() === email.toLowerCase());
  const answer = event.own_answer;
  const owned = attendees.map((one) =>
    isOwner(one) ? { ...one, user_id, contact_id: null, status: answer ?? one.status } : one,
  );
  if (!is_primary || attendees.some(isOwner)) return owned;
  const owner = { email, user_id, contact_id: null, name: null, status: answer ?? "yes", is_organizer: event.is_organizer };
  return [...owned, owner];
}

/** Members with the event in their calendar attend it, even if this copy does not name them. */
function withMissing(values: CalendarMeeting, stored: Meeting, others: readonly OtherCopy[]): CalendarMeeting {
  const elsewhere = new Set(others.map(({ user_id }) => user_id));
  const isMissing = ({ user_id }: Attendee) =>
    user_id !== null && elsewhere.has(user_id) && !values.attendees.some((one) => one.user_id === user_id);
  return { ...values, attendees: [...values.attendees, ...stored.attendees.filter(isMissing)] };
}
