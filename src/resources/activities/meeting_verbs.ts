// The verbs of meetings: they set when a meeting ends, who attends, and its status.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { user } from "../organization/organization.ts";
import { endWays } from "../sequences/stops.ts";
import { bothForms } from "./both_forms.ts";
import { checkCalendars } from "./calendar_meetings.ts";
import { type Attendee, longest, type MeetingState, meeting, stateAt } from "./meeting.ts";
import { settled } from "./meeting_states.ts";
import { newOnes, tellAttendees, tellMentioned } from "./notices.ts";
import { checkOutcome, outcomesOf } from "./outcomes.ts";
import { type Contact, checkPlace, place } from "./placing.ts";
import { memberWith } from "./recipients.ts";

type Meeting = Row<typeof meeting>;

export async function createMeeting(ctx: Ctx, given: Create<typeof meeting>): Promise<Meeting> {
  const times = timesOf(given);
  checkOutcome(outcomesOf(ctx, "meeting_outcomes"), given.outcome_id);
  const contacts = await contactsAmong(ctx, given.attendees ?? []);
  const { placed } = await place(ctx, given, { contacts });

  const row = store.insert(ctx, meeting, {
    ...given,
    ...placed,
    ...times,
    ...(await notes(ctx, given)),
    status: stateOf(ctx, given.status, times),
    attendees: resolved(ctx, given.attendees ?? [], contacts, placed.lead_id),
    activity_at: given.activity_at ?? times.starts_at,
  });
  const isCanceled = row.status === "canceled";
  emit(ctx, meeting, { action: isCanceled ? "canceled" : "scheduled", after: row });
  if (!isCanceled) tellAttendees(ctx, row, usersAmong(row));
  if (!isCanceled) await stopForMeeting(ctx, row);
  tellMentioned(ctx, "meeting", row, row.user_note_mentions, row.user_note);
  return row;
}

export async function updateMeeting(ctx: Ctx, stored: Meeting, patch: Patch<typeof meeting>): Promise<Meeting> {
  const before = settled(ctx, stored);
  await checkCalendars(ctx, before, patch);
  const times = timesOf(patch, before);
  if (patch.outcome_id !== before.outcome_id) checkOutcome(outcomesOf(ctx, "meeting_outcomes"), patch.outcome_id);
  await checkPlace(ctx, before, patch);
  const contacts = await contactsAmong(ctx, patch.attendees ?? []);

  const after = store.update(ctx, meeting, before, {
    ...patch,
    ...times,
    ...(await notes(ctx, patch, before)),
    status: nextState(ctx, before, patch.status, times),
    attendees: patch.attendees === undefined ? before.attendees : resolved(ctx, patch.attendees, contacts, before.lead_id),
    activity_at: patch.activity_at ?? (before.activity_at === before.starts_at ? times.starts_at : before.activity_at),
  });
  if (after.status === "canceled" && before.status !== "canceled") emit(ctx, meeting, { action: "canceled", after });
  if (after.status === "upcoming") tellAttendees(ctx, after, newOnes(usersAmong(before), usersAmong(after)));
  tellMentioned(ctx, "meeting", after, newOnes(before.user_note_mentions, after.user_note_mentions), after.user_note);
  return after;
}

/** Whoever has a meeting needs no more mail that asks for one. */
export async function stopForMeeting(ctx: Ctx, { contact_id, attendees, starts_at }: Meeting): Promise<void> {
  const addresses = attendees.flatMap(({ email }) => email ?? []);
  const ids = new Set([contact_id ?? [], attendees.flatMap((one) => one.contact_id ?? [])].flat());
  await endWays(ctx, { addresses, at: starts_at }, "met");
  for (const id of [...ids].sort()) await endWays(ctx, { addresses: [], contact_id: id, at: starts_at }, "met");
}

const usersAmong = ({ attendees }: Meeting): string[] => attendees.flatMap((one) => one.user_id ?? []);

// --- when ---

interface Times {
  starts_at: string;
  ends_at: string;
  duration: number;
}

const halfAnHour = 1800;

/** The end counts if given, or else the duration. A meeting that is moved keeps its length. */
function timesOf(given: Partial<Times>, before?: Times): Times {
  const changed = (field: keyof Times) => given[field] !== undefined && given[field] !== before?.[field];
  const starts_at = given.starts_at ?? before!.starts_at;
  const byEnd = given.ends_at !== undefined && (changed("ends_at") || given.duration === undefined);
  const ends_at = byEnd ? given.ends_at! : plusSeconds(starts_at, given.duration ?? before?.duration ?? halfAnHour);
  if (ends_at <= starts_at) throw invalid({ ends_at: "must be after starts_at" });

  const duration = Math.round((Date.parse(ends_at) - Date.parse(starts_at)) / 1000);
  if (duration > longest) throw invalid({ ends_at: "must be within a year of starts_at" });
  if (byEnd && changed("duration") && given.duration !== duration)
    throw invalid({ duration: "must agree with starts_at and ends_at" });
  return { starts_at, ends_at, duration };
}

function plusSeconds(moment: string, seconds: number): string {
  return new Date(Math.min(Date.parse(moment) + seconds * 1000, lastMoment)).toISOString();
}

const lastMoment = Date.parse("9999-12-31T23:59:59.999Z");

// --- status ---

/** A caller cannot set the states that follow from the time. */
function stateOf(ctx: Ctx, given: MeetingState | undefined, times: Times): MeetingState {
  const state = stateAt(ctx.now, { status: given ?? "upcoming", ...times });
  if (given !== undefined && given !== state) throw invalid({ status: `is ${state} at this time; it can only be canceled` });
  return state;
}

function nextState(ctx: Ctx, before: Meeting, given: MeetingState | undefined, times: Times): MeetingState {
  if (given === "canceled") return given;
  if (given !== undefined && given !== before.status)
    throw invalid({ status: "can only be set to canceled: the other states follow from the times" });
  return stateAt(ctx.now, { status: before.status, ...times });
}

// --- who ---

async function contactsAmong(ctx: Ctx, attendees: readonly Attendee[]): Promise<Contact[]> {
  const ids = attendees.flatMap((one) => one.contact_id ?? []);
  const emails = attendees.flatMap((one) => (one.email === null || one.contact_id !== null ? [] : emailKey(one.email)));
  if (ids.length + emails.length === 0) return [];
  const found = await findRecords(
    ctx,
    contact,
    [sql`(t.id = any(${ids}) or t.email_keys && ${emails}::text[])`],
    sql`order by t.date_updated desc, t.id desc limit 1000`,
  );
  // In the given order. If no lead is given, the meeting belongs to the lead of the first attendee who has one.
  return attendees.flatMap((one) => found.filter((person) => isThat(person, one)));
}

const isThat = (person: Contact, { contact_id, email }: Attendee): boolean =>
  contact_id === null ? email !== null && person.email_keys.includes(emailKey(email)) : person.id === contact_id;

/**
 * Attendees with their member or contact. Whoever sees the meeting sees its lead and not always the leads of others, so a contact is found
 * by an address only at this lead. One of another lead is named by its id alone, where the writer names it.
 */
function resolved(ctx: Ctx, attendees: readonly Attendee[], contacts: readonly Contact[], lead_id: string): Attendee[] {
  return attendees.map((one, i) => {
    const people = contacts.filter((person) => isThat(person, one));
    const person = people.find((each) => each.lead_id === lead_id);
    if (one.contact_id !== null && people.length === 0) throw invalid({ [`attendees.${i}.contact_id`]: "does not exist" });
    const user_id = one.user_id ?? (one.email === null ? null : (memberWith(ctx.directory, one.email) ?? null));
    const member = ctx.directory.get(user, user_id);
    if (user_id !== null && member === undefined) throw invalid({ [`attendees.${i}.user_id`]: "does not exist" });
    return {
      ...one,
      user_id,
      contact_id: one.contact_id ?? person?.id ?? null,
      email: one.email ?? member?.email ?? person?.emails[0]?.email ?? null,
      name: one.name ?? member?.name ?? person?.name ?? null,
    };
  });
}

// --- notes ---

type Notes = Partial<Pick<Meeting, "user_note" | "user_note_html" | "user_note_mentions">>;

async function notes(ctx: Ctx, given: Notes, before: Notes = {}): Promise<Notes> {
  const forms = await bothForms(
    ctx,
    { text: given.user_note, html: given.user_note_html },
    { text: before.user_note, html: before.user_note_html },
  );
  return forms ? { user_note: forms.text, user_note_html: forms.html, user_note_mentions: forms.mentions } : {};
}
