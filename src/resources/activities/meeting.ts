// A meeting with people of a lead.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { boolean, choice, integer, json, lookedUp, type Moment, namingPast, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { type Part, searched } from "../../search/searched.ts";
import { emailKey, parseEmail } from "../../values/email.ts";
import { parseUrl } from "../../values/url.ts";
import { takingPart } from "../shared/taking_part.ts";
import { act, kind, leftBehind, textMax, usersDoc } from "./act.ts";
import { outcomeElsewhere } from "./outcomes.ts";

export const meetingStates = ["upcoming", "in-progress", "completed", "canceled", "declined-by-lead", "declined-by-org"] as const;
export type MeetingState = (typeof meetingStates)[number];

/** A meeting may take a year at most. */
export const longest = 366 * 86_400;

/** States that somebody sets. The others follow from the time. */
export const said: readonly MeetingState[] = ["canceled", "declined-by-lead", "declined-by-org"];

export interface Attendee {
  email: string | null;
  contact_id: string | null;
  user_id: string | null;
  name: string | null;
  status: "yes" | "no" | "maybe" | "noreply";
  is_organizer: boolean;
}

const id = z
  .string()
  .max(64)
  .nullish()
  .transform((value) => value ?? null);

const attendee = z
  .object({
    email: z
      .string()
      .nullish()
      .transform((raw, check) => {
        if (raw === null || raw === undefined) return null;
        // Members can be attendees too, and their address may be at localhost.
        const email = parseEmail(raw, { allowLocalhost: true });
        if (email === null) check.addIssue({ code: "custom", message: "is not an e-mail address" });
        return email;
      }),
    contact_id: id,
    user_id: id,
    name: z
      .string()
      .max(255)
      .nullish()
      .transform((value) => value ?? null),
    status: z.enum(["yes", "no", "maybe", "noreply"]).default("noreply"),
    is_organizer: z.boolean().default(false),
  })
  .refine((one) => one.email ?? one.contact_id ?? one.user_id ?? one.name, {
    error: "needs an email, a contact_id, a user_id or a name",
  });

const shownAttendee = z.object({
  email: z.string().nullable(),
  contact_id: z.string().nullable(),
  user_id: z.string().nullable(),
  name: z.string().nullable(),
  status: z.string(),
  is_organizer: z.boolean(),
});

const link = z.object({
  type: z.string().max(50).default("other"),
  url: z.string().transform((raw, check) => {
    const url = parseUrl(raw);
    if (url === null) check.addIssue({ code: "custom", message: "is not a web address" });
    return url as string;
  }),
});

const carried = text({ readOnly: true });

export const meeting = resource({
  ...kind("Meeting", "meeting"),
  moved: ({ outcome_id }, here, there) => ({
    ...leftBehind,
    connected_account_id: null,
    outcome_id: outcomeElsewhere("meeting_outcomes", outcome_id, here, there),
  }),
  doc: "A past or future meeting with people of a lead.",
  search: searched({ words: searchWords }),
  filters: { ...kind("Meeting", "meeting").filters, status: statusFilter(), status__in: statusFilter() },
  sort: { ...kind("Meeting", "meeting").sort, starts_at: true },
  fields: {
    ...act("Meeting"),
    users: texts({ derive: involved, doc: usersDoc }),
    title: text({ required: true }),
    starts_at: timestamp({ required: true }),
    ends_at: timestamp({ filled: true, doc: "By default half an hour after the start." }),
    duration: integer({
      min: 1,
      max: longest,
      filled: true,
      doc: "In seconds. Give it instead of `ends_at`; otherwise it follows from it.",
    }),
    status: choice(meetingStates, {
      filled: true,
      doc: "It follows from the time, unless the meeting was canceled. `canceled` can be set at any time.",
      shown: lookedUp(
        ["status", "starts_at", "ends_at"],
        z.enum(meetingStates),
        (_directory, status: MeetingState, starts_at: string, ends_at: string, { now }: Moment) =>
          stateAt(now, { status, starts_at, ends_at }),
        "It follows from the time, unless the meeting was canceled.",
      ),
    }),
    location: text({ max: 1000 }),
    note: text({ max: textMax, doc: "The text of the invitation." }),
    user_note: text({ max: textMax, doc: "Notes on the meeting." }),
    user_note_html: text({ max: textMax, doc: "The same as rich text, with mentions; wins over `user_note`." }),
    user_note_mentions: texts({
      readOnly: true,
      default: [] as string[],
      names: namingPast("user", "group"),
      doc: "Users and groups that the notes mention.",
    }),
    attendees: json(z.array(attendee).max(500) as unknown as z.ZodType<Attendee[]>, {
      default: [] as Attendee[],
      names: takingPart,
      output: z.array(shownAttendee),
      doc: "The attendees. Members and contacts are found by their e-mail address.",
    }),
    outcome_id: text({ max: 64, doc: "One of `settings.meeting_outcomes` of the organization." }),
    conference_links: json(z.array(link).max(50), {
      default: [] as z.output<typeof link>[],
      doc: "Links to the online meeting.",
    }),
    is_recurring: boolean({ readOnly: true, default: false, doc: "Whether it is one of a series." }),
    calendar_event_link: carried,
    calendar_event_uids: texts({ readOnly: true, default: [] as string[], doc: "The ids that the calendar knows it by." }),
    connected_account_id: carried,
    provider_calendar_id: carried,
    provider_calendar_event_id: carried,
    source: choice(["calendar", "api"], { readOnly: true, default: "api" }),
    summary: text({ readOnly: true, max: textMax }),
    transcripts: json(z.array(z.looseObject({})), {
      readOnly: true,
      onDemand: true,
      default: [] as object[],
      doc: "Only for clients that expect it: always empty here.",
    }),
    integrations: json(z.array(z.looseObject({})), {
      readOnly: true,
      default: [] as object[],
      doc: "Only for clients that expect it: always empty here.",
    }),
    notetaker_id: carried,
  },
});

interface Times {
  status: MeetingState;
  starts_at: string;
  ends_at: string;
}

/** The state of a meeting at an instant: the one that was set, or else the one that follows from the time. */
export function stateAt(now: Date, { status, starts_at, ends_at }: Times): MeetingState {
  if (said.includes(status)) return status;
  const at = now.toISOString();
  return at < starts_at ? "upcoming" : at < ends_at ? "in-progress" : "completed";
}

/** The same for a list, because the stored state is as of the last write. */
function statusFilter(): Filter {
  return {
    doc: "Only meetings in this state now, or in one of several separated by commas.",
    sql(ctx, value, alias) {
      const wanted = readValues(value);
      checkAmong(wanted, meetingStates);
      const t = name(alias);
      const now = sql`${ctx.now.toISOString()}::timestamptz`;
      return sql`case when ${t}.status = any(${[...said]}) then ${t}.status when ${now} < ${t}.starts_at then 'upcoming'
        when ${now} < ${t}.ends_at then 'in-progress' else 'completed' end = any(${wanted})`;
    },
  };
}

function involved(row: { user_id: string | null; attendees: Attendee[] }, _directory: Directory): string[] {
  return [...new Set([row.user_id, ...row.attendees.map((one) => one.user_id)].filter((id) => id !== null))];
}

interface Words {
  title: string;
  location: string | null;
  note: string | null;
  user_note: string | null;
  attendees: Attendee[];
}

function searchWords(row: Words): Part[] {
  const people = row.attendees.flatMap((one) => [{ text: one.name }, { text: one.email && emailKey(one.email) }]);
  return [{ text: row.title }, { text: row.location }, ...people, { text: row.note }, { text: row.user_note }];
}
