// Google Calendar: `calendarList` and `events.list` of its API, version 3. Recurring events are expanded into single ones.
// Changes are requested with the `syncToken` of the last page.
import { z } from "zod";
import type { OauthProvider } from "../../services/oauth_providers.ts";
import { type Asking, askApi, CursorLost, NotReadable } from "./ask.ts";
import type { Answer, Calendar, CalendarApi, Change, Invited, Page, Question } from "./calendar_event.ts";
import { conferenceLinks, instantOf, noteOf, people, personOf, placeOf, timesOf, titleOf, type When, webLink } from "./parts.ts";

const perPage = 200;

export const googleCalendars = (asking: Asking, { calendarUrl }: OauthProvider): CalendarApi => ({
  async calendars() {
    const query = new URLSearchParams({ maxResults: "250", minAccessRole: "reader" });
    const { items = [] } = await askApi(asking, { url: `${calendarUrl}/users/me/calendarList?${query}` });
    return (items as unknown[]).flatMap(calendarOf);
  },

  async read(calendarId, question, zone) {
    const url = `${calendarUrl}/calendars/${encodeURIComponent(calendarId)}/events?${queryOf(question)}`;
    const said = await askApi(asking, { url }).catch((error) => {
      // A token that Google cannot read is treated like an expired one.
      if (error instanceof NotReadable && "cursor" in question) throw new CursorLost(error.message);
      throw error;
    });
    const changes = (said.items ?? []).flatMap((item: unknown) => changeOf(item, zone));
    return { changes, page: said.nextPageToken ?? null, cursor: said.nextSyncToken ?? null } satisfies Page;
  },
});

const fields =
  "nextPageToken,nextSyncToken,items(id,status,htmlLink,summary,description,location,organizer(email,displayName,self),start,end," +
  "recurringEventId,originalStartTime,visibility,iCalUID,eventType,hangoutLink,conferenceData/entryPoints(entryPointType,uri)," +
  "attendees(email,displayName,organizer,self,resource,responseStatus))";

function queryOf(question: Question): URLSearchParams {
  const query = new URLSearchParams({ singleEvents: "true", maxResults: String(perPage), fields });
  if ("cursor" in question) query.set("syncToken", question.cursor);
  else {
    query.set("timeMin", question.from.toISOString());
    query.set("timeMax", question.to.toISOString());
  }
  if (question.page !== null) query.set("pageToken", question.page);
  return query;
}

// --- calendars ---

/** The id must fit into an index. */
const id = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

const entry = z.object({
  id,
  summary: z.string().nullish(),
  summaryOverride: z.string().nullish(),
  primary: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
});

function calendarOf(given: unknown): Calendar[] {
  const { data } = entry.safeParse(given);
  if (data === undefined || data.deleted) return [];
  return [{ id: data.id, name: titleOf(data.summaryOverride ?? data.summary), is_primary: data.primary === true }];
}

// --- events ---

const when = z.object({ date: z.string().nullish(), dateTime: z.string().nullish(), timeZone: z.string().nullish() });
const person = z.object({ email: z.string().nullish(), displayName: z.string().nullish(), self: z.boolean().nullish() });

const item = z.object({
  id,
  status: z.string().nullish(),
  htmlLink: z.string().nullish(),
  summary: z.string().nullish(),
  description: z.string().nullish(),
  location: z.string().nullish(),
  organizer: person.nullish(),
  start: when.nullish(),
  end: when.nullish(),
  recurringEventId: z.string().nullish(),
  originalStartTime: when.nullish(),
  visibility: z.string().nullish(),
  iCalUID: z.string().max(1024).nullish(),
  eventType: z.string().nullish(),
  hangoutLink: z.string().nullish(),
  conferenceData: z
    .object({ entryPoints: z.array(z.object({ entryPointType: z.string().nullish(), uri: z.string().nullish() })).nullish() })
    .nullish(),
  attendees: z
    .array(
      person.extend({
        organizer: z.boolean().nullish(),
        resource: z.boolean().nullish(),
        responseStatus: z.string().nullish(),
      }),
    )
    .nullish(),
});

type Item = z.output<typeof item>;

/** Days off, working locations and birthdays are calendar events too, but no meetings. */
const meetings: ReadonlySet<string> = new Set(["default", "fromGmail"]);

function changeOf(given: unknown, zone: string): Change[] {
  const { data } = item.safeParse(given);
  if (data === undefined) return [];
  const isMeeting = meetings.has(data.eventType ?? "default");
  const times = data.start && data.end ? timesOf(data.start, data.end, zone) : null;
  if (data.status === "cancelled" || !isMeeting || times === null) return [{ kind: "gone", id: data.id }];

  const [location, note] = [placeOf(data.location), noteOf(data.description)];
  const entries = (data.conferenceData?.entryPoints ?? []).filter(({ entryPointType }) => entryPointType === "video");
  const own = data.attendees?.find(({ self }) => self);
  return [
    {
      kind: "event",
      id: data.id,
      series_id: data.recurringEventId ?? null,
      occurrence: data.recurringEventId ? occurrenceOf(data.originalStartTime ?? data.start!, zone) : "",
      is_exception: false,
      ...times,
      uid: data.iCalUID ?? data.recurringEventId ?? data.id,
      title: titleOf(data.summary),
      location,
      note,
      link: webLink(data.htmlLink),
      conference_links: conferenceLinks([data.hangoutLink, ...entries.map(({ uri }) => uri)], [location, note]),
      invited: invitedOf(data),
      is_organizer: data.organizer?.self === true,
      own_answer: own === undefined ? null : answerOf(own.responseStatus),
      is_private: data.visibility === "private" || data.visibility === "confidential",
    },
  ];
}

/** A day is the same in every time zone. A time is an instant. */
const occurrenceOf = (at: When, zone: string): string => at.date ?? instantOf(at, zone) ?? "";

/** Rooms are invited to meetings too, and calendars appear as the organizers of their events. */
const isCalendar = (email: string | null | undefined): boolean => /@(group|resource)\.calendar\.google\.com$/i.test(email ?? "");

function invitedOf({ attendees, organizer }: Item): Invited[] {
  const guests = (attendees ?? []).filter(({ email, resource }) => !resource && !isCalendar(email));
  const asked = guests.map((one) => ({
    ...personOf(one.email, one.displayName),
    status: answerOf(one.responseStatus),
    is_organizer: one.organizer === true,
  }));
  const calling =
    organizer && !isCalendar(organizer.email)
      ? [{ ...personOf(organizer.email, organizer.displayName), status: "yes" as const, is_organizer: true }]
      : [];
  return people([...asked, ...calling]);
}

const answers: ReadonlyMap<string, Answer> = new Map([
  ["accepted", "yes"],
  ["declined", "no"],
  ["tentative", "maybe"],
]);

const answerOf = (status: string | null | undefined): Answer => answers.get(status ?? "") ?? "noreply";
