// Fake calendars of Google and Microsoft, with the parts of their APIs that list events and changes since a token. One model
// serves both.
import type { ApiAnswer, ApiRequest, OauthServer } from "./oauth_provider.ts";

export type Said = "accepted" | "declined" | "tentative" | "none";

export interface Guest {
  email: string;
  name?: string;
  said?: Said;
  isRoom?: boolean;
}

/** An event, or an occurrence of a series. */
export interface CalendarEntry {
  id: string;
  uid?: string;
  title?: string | null;
  /** A moment, a day, or local time in `zone`. */
  starts: string;
  ends: string;
  zone?: string;
  guests?: Guest[];
  organizer?: string;
  location?: string;
  description?: string;
  /** The link of an online meeting. */
  video?: string;
  isPrivate?: boolean;
  /** Google: for example a day off or a working location. */
  eventType?: string;
  /** It is listed as cancelled. */
  isCalledOff?: boolean;
  series?: string;
  originally?: string;
  /** In a series: it differs from the series by more than its time. */
  isException?: boolean;
  /** The series itself, which only Microsoft lists. */
  isSeries?: boolean;
}

interface Kept {
  entry: CalendarEntry;
  /** The number of its last change. */
  at: number;
  isGone: boolean;
}

export class FakeCalendar {
  readonly id: string;
  readonly name: string;
  readonly isPrimary: boolean;
  /** The number of events on a page. */
  perPage = 100;
  /** Further events, made only when they are requested. */
  endless: { count: number; make: (i: number) => CalendarEntry } | null = null;
  private readonly kept = new Map<string, Kept>();
  private now = 1;
  private since = 0;

  constructor(id: string, name: string, isPrimary: boolean) {
    Object.assign(this, { id, name, isPrimary });
    this.id = id;
    this.name = name;
    this.isPrimary = isPrimary;
  }

  put(...entries: CalendarEntry[]): void {
    for (const entry of entries) {
      this.kept.delete(entry.id);
      this.kept.set(entry.id, { entry, at: ++this.now, isGone: false });
    }
  }

  change(id: string, change: Partial<CalendarEntry>): void {
    this.put({ ...this.kept.get(id)!.entry, ...change });
  }

  remove(...ids: string[]): void {
    for (const id of ids) Object.assign(this.kept.get(id)!, { at: ++this.now, isGone: true });
  }

  move(id: string, to: FakeCalendar): void {
    const { entry } = this.kept.get(id)!;
    this.remove(id);
    to.put(entry);
  }

  get(id: string): CalendarEntry | null {
    return this.kept.get(id)?.entry ?? null;
  }

  /** Forgets all earlier changes, so that older tokens are invalid. */
  forgetChanges(): void {
    this.since = ++this.now;
  }

  /** A page of all events, or of the changes since a token. */
  page(since: number | null, place: string | null): { items: Kept[]; next: string | null; token: number } | "lost" {
    if (since !== null && since < this.since) return "lost";
    const [token, from] = (place ?? `${this.now}:0`).split(":").map(Number) as [number, number];
    const all = [...this.kept.values()].filter(({ at, isGone }) => (since === null ? !isGone : at > since));
    const count = all.length + (since === null ? (this.endless?.count ?? 0) : 0);
    const until = Math.min(count, from + this.perPage);
    const made = (i: number): Kept => ({ entry: this.endless!.make(i - all.length), at: 0, isGone: false });
    const items = Array.from({ length: until - from }, (_, i) => all[from + i] ?? made(from + i));
    return { items, next: until < count ? `${token}:${until}` : null, token };
  }
}

export interface Calendars {
  /** A person's calendars, the main one first. */
  of(email: string): FakeCalendar[];
  add(email: string, name: string): FakeCalendar;
  /** Responds in place of the APIs when it returns a response. */
  refuses: ((request: ApiRequest) => ApiAnswer | null) | null;
  /** The requests made with a person's token, as method and path. */
  askedBy(email: string): string[];
}

/** Adds calendars to a provider. */
export function withCalendars(provider: OauthServer): Calendars {
  const kept = new Map<string, FakeCalendar[]>();
  const asked: { email: string; what: string }[] = [];
  const calendars: Calendars = {
    of(email) {
      const found = kept.get(email) ?? [new FakeCalendar(`primary of ${email}`.replaceAll(" ", "-"), email, true)];
      kept.set(email, found);
      return found;
    },
    add(email, name) {
      const made = new FakeCalendar(`${name}-of-${email}`, name, false);
      calendars.of(email).push(made);
      return made;
    },
    refuses: null,
    askedBy: (email) => asked.filter((one) => one.email === email).map(({ what }) => what),
  };
  provider.apis.push((request) => {
    asked.push({ email: request.person.email, what: `${request.method} ${request.url.pathname}` });
    return calendars.refuses?.(request) ?? google(calendars, request) ?? microsoft(calendars, request);
  });
  return calendars;
}

const gone: ApiAnswer = { status: 410, body: { error: { code: 410, message: "Sync token is no longer valid." } } };
const notThere: ApiAnswer = { status: 404, body: { error: { code: 404, message: "Not Found" } } };

// --- Google ---

function google(calendars: Calendars, { url, person }: ApiRequest): ApiAnswer | null {
  const own = calendars.of(person.email);
  if (url.pathname === "/calendar/v3/users/me/calendarList")
    return { body: { items: own.map(({ id, name, isPrimary }) => ({ id, summary: name, primary: isPrimary || undefined })) } };
  const [, id] = /^\/calendar\/v3\/calendars\/([^/]+)\/events$/.exec(url.pathname) ?? [];
  if (id === undefined) return null;
  const calendar = own.find((one) => one.id === decodeURIComponent(id));
  return calendar === undefined ? notThere : googleEvents(calendar, url.searchParams, person.email);
}

function googleEvents(calendar: FakeCalendar, query: URLSearchParams, owner: string): ApiAnswer {
  const token = query.get("syncToken");
  if (token !== null && (query.has("timeMin") || query.has("timeMax"))) return { status: 400, body: { error: { code: 400 } } };
  const page = calendar.page(token === null ? null : Number(token), query.get("pageToken"));
  if (page === "lost") return gone;
  const items = page.items.filter(({ entry }) => !entry.isSeries).map((one) => asGoogle(one, owner));
  return { body: { items, ...(page.next === null ? { nextSyncToken: String(page.token) } : { nextPageToken: page.next }) } };
}

const googleAnswers = { accepted: "accepted", declined: "declined", tentative: "tentative", none: "needsAction" };

const googleTime = (at: string, zone?: string) => (at.includes("T") ? { dateTime: at, timeZone: zone } : { date: at });

function asGoogle({ entry, isGone }: Kept, owner: string): object {
  const { id, series, zone, originally = entry.starts } = entry;
  const recurring = series && { recurringEventId: series, originalStartTime: googleTime(originally, zone) };
  if (isGone || entry.isCalledOff) return { id, status: "cancelled", ...recurring };
  return {
    id,
    status: "confirmed",
    htmlLink: `https://calendar.example/event?eid=${id}`,
    summary: entry.title === null ? undefined : (entry.title ?? "Demo"),
    description: entry.description,
    location: entry.location,
    iCalUID: entry.uid ?? `${series ?? id}@google.com`,
    organizer: { email: entry.organizer ?? owner, self: (entry.organizer ?? owner) === owner || undefined },
    start: googleTime(entry.starts, zone),
    end: googleTime(entry.ends, zone),
    ...recurring,
    visibility: entry.isPrivate ? "private" : undefined,
    eventType: entry.eventType ?? "default",
    ...(entry.video && {
      hangoutLink: entry.video,
      conferenceData: {
        entryPoints: [
          { entryPointType: "video", uri: entry.video },
          { entryPointType: "phone", uri: "tel:+1" },
        ],
      },
    }),
    attendees: entry.guests?.map(({ email, name, said = "none", isRoom }) => ({
      email,
      displayName: name,
      responseStatus: googleAnswers[said],
      self: email === owner || undefined,
      organizer: email === entry.organizer || undefined,
      resource: isRoom,
    })),
  };
}

// --- Microsoft ---

function microsoft(calendars: Calendars, request: ApiRequest): ApiAnswer | null {
  const { url, person, body } = request;
  const own = calendars.of(person.email);
  if (url.pathname === "/v1.0/me/calendars")
    return { body: { value: own.map(({ id, name, isPrimary }) => ({ id, name, isDefaultCalendar: isPrimary })) } };
  if (url.pathname === "/v1.0/$batch") return batch(own, JSON.parse(body).requests, person.email);
  const [, id] = /^\/v1\.0\/me\/calendars\/([^/]+)\/calendarView\/delta$/.exec(url.pathname) ?? [];
  if (id === undefined) return null;
  const calendar = own.find((one) => one.id === decodeURIComponent(id));
  return calendar === undefined ? notThere : delta(calendar, url, person.email);
}

function delta(calendar: FakeCalendar, url: URL, owner: string): ApiAnswer {
  const [token, skip] = [url.searchParams.get("$deltatoken"), url.searchParams.get("$skiptoken")];
  const [since, place] = skip === null ? [token, null] : (skip.split("/") as [string, string]);
  const page = calendar.page(since === null || since === "" ? null : Number(since), place);
  if (page === "lost") return gone;
  // Links point to Microsoft's own host, whatever the request's host was.
  const link = (query: string) => `https://graph.microsoft.com${url.pathname}?${query}`;
  const on =
    page.next === null
      ? { "@odata.deltaLink": link(`$deltatoken=${page.token}`) }
      : { "@odata.nextLink": link(`$skiptoken=${since ?? ""}/${page.next}`) };
  return { body: { value: page.items.map((one) => asMicrosoft(one, owner)), ...on } };
}

function batch(own: readonly FakeCalendar[], requests: readonly { id: string; url: string }[], owner: string): ApiAnswer {
  const responses = requests.map(({ id, url }) => {
    const event = decodeURIComponent(url.split("/").at(-1)!);
    const entry = own.flatMap((one) => one.get(event) ?? [])[0];
    return entry === undefined
      ? { id, status: 404 }
      : { id, status: 200, body: asMicrosoft({ entry, at: 0, isGone: false }, owner) };
  });
  return { body: { responses } };
}

const microsoftAnswers = { accepted: "accepted", declined: "declined", tentative: "tentativelyAccepted", none: "notResponded" };

const isDay = ({ starts }: CalendarEntry) => !starts.includes("T");

/** The form for clients that prefer UTC. */
function microsoftTime(at: string, zone?: string) {
  if (!at.includes("T")) return { dateTime: `${at}T00:00:00.0000000`, timeZone: "UTC" };
  if (zone !== undefined) return { dateTime: at, timeZone: zone };
  return { dateTime: `${new Date(at).toISOString().slice(0, 19)}.0000000`, timeZone: "UTC" };
}

function asMicrosoft({ entry, isGone }: Kept, owner: string): object {
  const { id, series, zone } = entry;
  if (isGone) return { "@removed": { reason: "deleted" }, id };
  const times = { start: microsoftTime(entry.starts, zone), end: microsoftTime(entry.ends, zone) };
  if (series && !entry.isException) return { id, type: "occurrence", seriesMasterId: series, ...times };
  const organizer = entry.organizer ?? owner;
  const own = entry.guests?.find(({ email }) => email === owner);
  return {
    id,
    type: entry.isSeries ? "seriesMaster" : series ? "exception" : "singleInstance",
    ...(series && { seriesMasterId: series, originalStart: microsoftOriginal(entry) }),
    ...times,
    subject: entry.title === null ? null : (entry.title ?? "Demo"),
    body: { contentType: "text", content: entry.description ?? "" },
    location: { displayName: entry.location ?? "" },
    isAllDay: isDay(entry),
    isCancelled: entry.isCalledOff ?? false,
    isOrganizer: organizer === owner,
    organizer: { emailAddress: { address: organizer } },
    responseStatus: { response: organizer === owner ? "organizer" : microsoftAnswers[own?.said ?? "none"] },
    iCalUId: entry.uid ?? `uid-of-${series ?? id}`,
    sensitivity: entry.isPrivate ? "private" : "normal",
    webLink: `https://outlook.example/owa/?itemid=${id}`,
    onlineMeeting: entry.video ? { joinUrl: entry.video } : null,
    attendees: (entry.guests ?? []).map(({ email, name, said = "none", isRoom }) => ({
      type: isRoom ? "resource" : "required",
      status: { response: microsoftAnswers[said] },
      emailAddress: { address: email, name },
    })),
  };
}

const microsoftOriginal = ({ originally, starts }: CalendarEntry) => {
  const at = originally ?? starts;
  return at.includes("T") ? new Date(at).toISOString() : `${at}T00:00:00Z`;
};
