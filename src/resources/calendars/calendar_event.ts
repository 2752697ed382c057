// Calendar events in one form for all providers. Code that reads a calendar makes these, and code that files meetings knows
// nothing else.

export type Answer = "yes" | "no" | "maybe" | "noreply";

/** A person who is invited to an event. */
export interface Invited {
  email: string | null;
  name: string | null;
  status: Answer;
  is_organizer: boolean;
}

/** The content of an event, which all occurrences of a series share unless they override it. */
export interface Content {
  /** The same in every calendar with the event (RFC 5545 `UID`). Occurrences have the UID of their series. */
  uid: string;
  title: string;
  location: string | null;
  note: string | null;
  /** Its page in the provider's own calendar. */
  link: string | null;
  conference_links: { type: string; url: string }[];
  invited: Invited[];
  /** The answer of the calendar's owner, who may be the organizer or invited. */
  is_organizer: boolean;
  own_answer: Answer | null;
  /** The owner hides the content from everybody else. */
  is_private: boolean;
}

/** One event at one time: a single event, or an occurrence of a series. */
export interface Occurring extends Content {
  kind: "event";
  /** The provider's id of this occurrence. */
  id: string;
  series_id: string | null;
  /** When the occurrence was originally to start, which stays the same when it is moved. Empty for a single event. */
  occurrence: string;
  /** It differs from its series. */
  is_exception: boolean;
  starts_at: string;
  ends_at: string;
}

/** The event is no longer in the calendar: it was deleted, canceled or moved to another calendar. */
export interface Gone {
  kind: "gone";
  id: string;
}

/** A series as a whole: the content of those occurrences that do not override it. */
export interface Series extends Content {
  kind: "series";
  id: string;
}

export type Change = Occurring | Gone | Series;

/** A page of events. */
export interface Page {
  changes: Change[];
  /** The link to the next page. Null on the last one. */
  page: string | null;
  /** On the last page: the cursor for later changes. Null when there is none. */
  cursor: string | null;
}

/** One of the calendars of an account. */
export interface Calendar {
  id: string;
  name: string;
  is_primary: boolean;
}

/** A request for events: all between two moments, or the changes since a cursor. It starts at the first page or at `page`. */
export type Question = { page: string | null } & ({ from: Date; to: Date } | { cursor: string });

/** The calendar API of a provider. */
export interface CalendarApi {
  calendars(): Promise<Calendar[]>;
  /** Throws `CursorLost` when the cursor is too old. `zone` is the owner's time zone, for whole-day events. */
  read(calendarId: string, question: Question, zone: string): Promise<Page>;
}
