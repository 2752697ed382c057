// Meetings that come from external calendars. What the calendar says follows the calendar; what people add here is kept.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row, Values } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { type Attendee, type MeetingState, meeting, said, stateAt } from "./meeting.ts";
import { settled } from "./meeting_states.ts";
import { tellAttendees } from "./notices.ts";

type Meeting = Row<typeof meeting>;

/** What a calendar says about a meeting, with the people it names. */
export interface CalendarMeeting {
  title: string;
  starts_at: string;
  ends_at: string;
  location: string | null;
  note: string | null;
  attendees: Attendee[];
  conference_links: { type: string; url: string }[];
  is_recurring: boolean;
  calendar_event_link: string | null;
  calendar_event_uids: string[];
  connected_account_id: string;
  provider_calendar_id: string;
  provider_calendar_event_id: string;
}

/** A state that the calendar sets, beside those that follow from the time. */
export type Said = Extract<MeetingState, "canceled" | "declined-by-lead" | "declined-by-org"> | null;

export interface Placed {
  lead_id: string;
  contact_id: string;
  user_id: string;
}

/**
 * Creates a meeting. Attendees are notified only when it `isNews`, and not when the event was in the calendar before it was
 * connected.
 */
export function addMeeting(ctx: Ctx, given: CalendarMeeting, placed: Placed, isNews: boolean): { row: Meeting; said: Said } {
  const state = saidOf(given.attendees);
  const row = store.insert(ctx, meeting, {
    ...given,
    ...placed,
    duration: durationOf(given),
    status: stateAt(ctx.now, { status: state ?? "upcoming", ...given }),
    source: "calendar",
    activity_at: given.starts_at,
  });
  if (row.status === "upcoming") emit(ctx, meeting, { action: "scheduled", after: row });
  if (row.status === "upcoming" && isNews)
    tellAttendees(
      ctx,
      row,
      given.attendees.map(({ user_id }) => user_id),
    );
  return { row, said: state };
}

/**
 * Updates the meeting to what the calendar says now. A meeting that somebody canceled here stays canceled. `before` is what the
 * calendar had said.
 */
export function followMeeting(
  ctx: Ctx,
  stored: Meeting,
  given: Partial<CalendarMeeting>,
  before: Said,
): { row: Meeting; said: Said } {
  const present = settled(ctx, stored);
  const times = { starts_at: given.starts_at ?? present.starts_at, ends_at: given.ends_at ?? present.ends_at };
  const state = saidOf(given.attendees ?? present.attendees);
  const row = store.update(ctx, meeting, present, {
    ...given,
    ...times,
    duration: durationOf(times),
    status: statusOf(ctx, present, times, state, before),
    activity_at: present.activity_at === present.starts_at ? times.starts_at : present.activity_at,
  });
  return { row, said: state };
}

/** The meeting is no longer in any calendar: it is canceled, unless it is over. */
export function callOffMeeting(ctx: Ctx, stored: Meeting): Said {
  const present = settled(ctx, stored);
  if (present.status === "completed") return null;
  if (present.status !== "canceled") {
    const after = store.update(ctx, meeting, present, { status: "canceled" });
    emit(ctx, meeting, { action: "canceled", after });
  }
  return "canceled";
}

/** True when everybody on one side has declined. */
function saidOf(attendees: readonly Attendee[]): Said {
  const haveDeclined = (those: readonly Attendee[]) => those.length > 0 && those.every(({ status }) => status === "no");
  if (haveDeclined(attendees.filter(({ contact_id }) => contact_id !== null))) return "declined-by-lead";
  return haveDeclined(attendees.filter(({ user_id }) => user_id !== null)) ? "declined-by-org" : null;
}

function statusOf(ctx: Ctx, present: Meeting, times: Times, state: Said, before: Said): MeetingState {
  const isByHand = said.includes(present.status) && present.status !== before;
  if (isByHand) return present.status;
  return state ?? stateAt(ctx.now, { status: "upcoming", ...times });
}

type Times = Pick<CalendarMeeting, "starts_at" | "ends_at">;

const durationOf = ({ starts_at, ends_at }: Times): number =>
  Math.max(1, Math.round((Date.parse(ends_at) - Date.parse(starts_at)) / 1000));

// --- changes that are refused here ---

const followed = ["title", "starts_at", "ends_at", "duration", "location", "note", "attendees", "conference_links"] as const;

/** Refuses changes that the calendar would overwrite. When the calendar is no longer followed, everything can be changed. */
export async function checkCalendars(ctx: Ctx, before: Meeting, patch: Patch<typeof meeting>): Promise<void> {
  if (before.source !== "calendar") return;
  const values: Values<typeof meeting> = patch;
  const changed = followed.filter((key) => values[key] !== undefined && !same(values[key], before[key]));
  if (changed.length === 0 || !(await isFollowed(ctx, before.id))) return;
  throw invalid(Object.fromEntries(changed.map((key) => [key, "comes from a calendar: change it there"])));
}

async function isFollowed(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await query(ctx, {
    name: "calendar_meeting.followed",
    text: `select from calendar_meeting m join calendar_copy c on c.organization_id = $1 and c.uid = m.uid and c.occurrence = m.occurrence
           where m.organization_id = $1 and m.activity_id = $2 limit 1`,
    values: [ctx.organization_id, id],
  });
  return rows.length > 0;
}
