// Microsoft 365 and Outlook.com: calendars and `calendarView/delta` of Microsoft Graph. A series is returned once with its
// content, and most occurrences only with their times. Changes are requested with the `deltaLink` of the last page.
import { z } from "zod";
import type { OauthProvider } from "../../services/oauth_providers.ts";
import { type Asking, AskLater, askApi, CursorLost, NotReadable, type Request } from "./ask.ts";
import type { Answer, Calendar, CalendarApi, Change, Content, Invited, Page, Question } from "./calendar_event.ts";
import { seriesUid } from "./global_object_id.ts";
import { conferenceLinks, instantOf, noteOf, people, personOf, placeOf, timesOf, titleOf, webLink } from "./parts.ts";

/** Small pages, because texts may be long and Graph does not limit them. */
const perPage = 50;
/** The most requests in one Graph batch. */
const perBatch = 20;

// Requests ids that stay when an event is moved, and times in UTC instead of Microsoft's own names of time zones.
const prefer = `odata.maxpagesize=${perPage}, IdType="ImmutableId", outlook.timezone="UTC", outlook.body-content-type="text"`;

export function microsoftCalendars(asking: Asking, { calendarUrl }: OauthProvider): CalendarApi {
  const ask = (request: Request) => askApi(asking, { ...request, headers: { prefer } });
  return {
    async calendars() {
      const { value = [] } = await ask({ url: `${calendarUrl}/calendars?$top=100&$select=id,name,isDefaultCalendar` });
      return (value as unknown[]).flatMap(calendarOf);
    },

    async read(calendarId, question, zone) {
      const said = await ask({ url: urlOf(calendarUrl, calendarId, question) }).catch((error) => {
        if (error instanceof NotReadable && "cursor" in question) throw new CursorLost(error.message);
        throw error;
      });
      const items = (said.value ?? []).flatMap((one: unknown) => item.safeParse(one).data ?? []) as Item[];
      const masters = await mastersOf(ask, calendarUrl, items);
      const changes = items.flatMap((one) => changeOf(one, masters, zone));
      return { changes, page: said["@odata.nextLink"] ?? null, cursor: said["@odata.deltaLink"] ?? null } satisfies Page;
    },
  };
}

function urlOf(calendarUrl: string, calendarId: string, question: Question): string {
  const link = question.page ?? ("cursor" in question ? question.cursor : null);
  if (link !== null) return here(calendarUrl, link);
  const { from, to } = question as { from: Date; to: Date };
  const range = new URLSearchParams({ startDateTime: from.toISOString(), endDateTime: to.toISOString() });
  return `${calendarUrl}/calendars/${encodeURIComponent(calendarId)}/calendarView/delta?${range}`;
}

/** Moves a link from Graph to the host that we use. So a token is never sent to another host, whatever the response contains. */
function here(calendarUrl: string, link: string): string {
  const given = URL.parse(link, calendarUrl);
  if (given === null) throw new CursorLost("the link to changes is not valid");
  return `${new URL(calendarUrl).origin}${given.pathname}${given.search}`;
}

// --- calendars ---

/** The id must fit into an index. */
const id = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

const entry = z.object({
  id,
  name: z.string().nullish(),
  isDefaultCalendar: z.boolean().nullish(),
});

function calendarOf(given: unknown): Calendar[] {
  const { data } = entry.safeParse(given);
  return data === undefined ? [] : [{ id: data.id, name: titleOf(data.name), is_primary: data.isDefaultCalendar === true }];
}

// --- events ---

const when = z.object({ dateTime: z.string().nullish(), timeZone: z.string().nullish() });
const address = z.object({ name: z.string().nullish(), address: z.string().nullish() });
const response = z.object({ response: z.string().nullish() });

const item = z.object({
  id,
  "@removed": z.unknown().optional(),
  type: z.string().nullish(),
  subject: z.string().nullish(),
  body: z.object({ content: z.string().nullish() }).nullish(),
  start: when.nullish(),
  end: when.nullish(),
  originalStart: z.string().nullish(),
  isAllDay: z.boolean().nullish(),
  isCancelled: z.boolean().nullish(),
  isOrganizer: z.boolean().nullish(),
  responseStatus: response.nullish(),
  organizer: z.object({ emailAddress: address.nullish() }).nullish(),
  attendees: z
    .array(z.object({ type: z.string().nullish(), status: response.nullish(), emailAddress: address.nullish() }))
    .nullish(),
  location: z.object({ displayName: z.string().nullish() }).nullish(),
  onlineMeeting: z.object({ joinUrl: z.string().nullish() }).nullish(),
  onlineMeetingUrl: z.string().nullish(),
  webLink: z.string().nullish(),
  iCalUId: z.string().max(1024).nullish(),
  seriesMasterId: z.string().nullish(),
  sensitivity: z.string().nullish(),
});

type Item = z.output<typeof item>;

/** An occurrence with nothing but its times. */
const isBare = ({ type, subject }: Item): boolean => type === "occurrence" && (subject === undefined || subject === null);

function changeOf(given: Item, masters: ReadonlyMap<string, Item>, zone: string): Change[] {
  const { id, seriesMasterId = null } = given;
  if (given["@removed"] !== undefined || given.isCancelled) return [{ kind: "gone", id }];
  if (given.type === "seriesMaster") return [{ kind: "series", id, ...contentOf(given) }];
  const about = isBare(given) ? masters.get(seriesMasterId ?? "") : given;
  const times = given.start && given.end ? timesOf(dayOr(given, given.start), dayOr(given, given.end), zone) : null;
  if (about === undefined || about.isCancelled || times === null) return [{ kind: "gone", id }];

  return [
    {
      ...contentOf(about),
      kind: "event",
      id,
      series_id: seriesMasterId,
      occurrence: seriesMasterId === null ? "" : occurrenceOf(given, times.starts_at),
      is_exception: given.type === "exception",
      ...times,
    },
  ];
}

/** A day is the same in every time zone. A time is an instant. An occurrence that was not moved has no original time. */
function occurrenceOf({ originalStart, start, isAllDay }: Item, starts_at: string): string {
  if (isAllDay) return (originalStart ?? start?.dateTime ?? starts_at).slice(0, 10);
  return instantOf({ dateTime: originalStart }, "UTC") ?? starts_at;
}

/** A whole-day event lasts from midnight to midnight, whatever time zone it names. */
const dayOr = ({ isAllDay }: Item, at: { dateTime?: string | null; timeZone?: string | null }) =>
  isAllDay ? { date: at.dateTime?.slice(0, 10) } : at;

function contentOf(given: Item): Content {
  const [location, note] = [placeOf(given.location?.displayName), noteOf(given.body?.content)];
  return {
    uid: given.iCalUId ? seriesUid(given.iCalUId) : (given.seriesMasterId ?? given.id),
    title: titleOf(given.subject),
    location,
    note,
    link: webLink(given.webLink),
    conference_links: conferenceLinks([given.onlineMeeting?.joinUrl, given.onlineMeetingUrl], [location, note]),
    invited: invitedOf(given),
    is_organizer: given.isOrganizer === true,
    own_answer: given.responseStatus ? answerOf(given.responseStatus.response) : null,
    is_private: given.sensitivity === "private" || given.sensitivity === "confidential" || given.sensitivity === "personal",
  };
}

function invitedOf({ attendees, organizer }: Item): Invited[] {
  const guests = (attendees ?? []).filter(({ type }) => type !== "resource");
  const asked = guests.map(({ emailAddress, status }) => ({
    ...personOf(emailAddress?.address, emailAddress?.name),
    status: answerOf(status?.response),
    is_organizer: status?.response === "organizer",
  }));
  const calling = organizer?.emailAddress;
  const organizers = calling ? [{ ...personOf(calling.address, calling.name), status: "yes" as const, is_organizer: true }] : [];
  return people([...asked, ...organizers]);
}

const answers: ReadonlyMap<string, Answer> = new Map([
  ["accepted", "yes"],
  ["organizer", "yes"],
  ["declined", "no"],
  ["tentativelyAccepted", "maybe"],
]);

const answerOf = (status: string | null | undefined): Answer => answers.get(status ?? "") ?? "noreply";

// --- series ---

/** The series of occurrences that have only their times: those on the page, and the others by request. */
async function mastersOf(
  ask: (request: Request) => Promise<any>,
  calendarUrl: string,
  items: readonly Item[],
): Promise<Map<string, Item>> {
  const known = new Map(items.filter(({ type }) => type === "seriesMaster").map((one) => [one.id, one]));
  const bare = items.filter(isBare).flatMap(({ seriesMasterId }) => seriesMasterId ?? []);
  const missing = [...new Set(bare)].filter((id) => !known.has(id));
  for (let i = 0; i < missing.length; i += perBatch)
    for (const one of await askBatch(ask, calendarUrl, missing.slice(i, i + perBatch))) known.set(one.id, one);
  return known;
}

async function askBatch(ask: (request: Request) => Promise<any>, calendarUrl: string, ids: readonly string[]): Promise<Item[]> {
  const { origin, pathname } = new URL(calendarUrl);
  const [version] = pathname.split("/me");
  const requests = ids.map((id, i) => ({
    id: String(i),
    method: "GET",
    url: `/me/events/${encodeURIComponent(id)}`,
    headers: { Prefer: prefer },
  }));
  const { responses = [] } = await ask({ url: `${origin}${version}/$batch`, json: { requests } });
  const answers = responses as { status: number; body?: unknown }[];
  const failed = answers.find(({ status }) => status !== 200 && status !== 404);
  if (failed !== undefined) throw new AskLater(`Microsoft returned ${failed.status} to a request for a series`);
  return answers.flatMap(({ body }) => item.safeParse(body).data ?? []);
}
