// What the service needs from any mailing platform. Each call is a few exchanges with the platform, outside of any transaction.
// `mailchimp.ts`, `brevo.ts` and others are the implementations.
import { oneLine } from "../values/one_line.ts";
import { type Asking, askPublic, jsonOf } from "./ask_public.ts";
import { NotPosted } from "./post_public.ts";
import type { PublicAddresses } from "./public_address.ts";

/** Somebody as a platform gets to know them. */
export interface Recipient {
  contact_id: string;
  lead_id: string;
  email: string;
  first_name: string;
  last_name: string;
  title: string | null;
  company: string | null;
}

/** A platform, with the credentials of one organization and the settings of one export. */
export interface Mailing {
  /** The most people of one batch. */
  most: number;
  /**
   * Gives a batch to the platform: who is there already is updated, so that the same batch may come again. `key` is the same then.
   * Throws `NotTaken`.
   */
  push(people: readonly Recipient[], key: string): Promise<Pushed>;
  /** What became of a batch that the platform took to work on it later; null while it does. Throws `NotTaken`. */
  results?(receipt: string, emails: readonly string[]): Promise<Failures | null>;
}

/** The lists of a platform, page by page. Throws `NotTaken`. */
export interface MailingLists {
  lists(skip: number): Promise<Page<RemoteList>>;
  /** Who is on a list and wants its mailings. */
  members(listId: string, skip: number): Promise<Page<Member>>;
}

export interface RemoteList {
  id: string;
  name: string;
}

export interface Member {
  external_id: string;
  email: string;
}

export interface Page<T> {
  found: T[];
  /** Where the next page begins; null at the end. */
  next: number | null;
}

/** By address, why the platform does not want somebody. */
export type Failures = ReadonlyMap<string, string>;

export type Pushed = { failures: Failures } | { receipt: string };

/**
 * Nobody of the batch was taken, or nobody knows.
 * - `later`: the platform is away, or asks to wait. The same batch may come again.
 * - `batch`: the platform refuses the batch, for somebody in it.
 * - `refused`: the platform refuses everything: the credentials or a setting are wrong.
 */
export class NotTaken extends Error {
  readonly kind: "later" | "batch" | "refused";
  /** The platform's `Retry-After`. */
  readonly retryAfter: string | null;
  /** The status of the response; null when there was none. */
  readonly status: number | null;

  constructor(
    kind: NotTaken["kind"],
    message: string,
    { retryAfter = null, status = null }: Partial<Pick<NotTaken, "retryAfter" | "status">> = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.status = status;
  }
}

/** Asks a platform. */
export type Ask = (asking: Omit<Asking, "url" | "body"> & { path: string; json?: unknown }) => Promise<Replied>;

export interface Replied {
  status: number;
  /** The parsed body; null where there is none. */
  json: any;
}

export interface Platform {
  addresses: PublicAddresses;
  /** As people know it. */
  name: string;
  base_url: string;
  headers: Record<string, string>;
  /** Hears whether it takes the credentials: null, or why not. */
  told(problem: string | null): Promise<void>;
  /** The platform's own words in the body of a refusal. */
  words(json: any): unknown;
  /** False for a receiver whose success needs no body. */
  readsJson?: boolean;
}

/** Every 2xx is returned, and everything else thrown as `NotTaken`. */
export function askerOf({ addresses, name, base_url, headers, told, words, readsJson = true }: Platform): Ask {
  const url = base_url.replace(/\/+$/, "");
  return async ({ path, json, headers: more, ...asking }) => {
    const answer = await askPublic(addresses, {
      ...asking,
      url: url + path,
      headers: { accept: "application/json", "user-agent": "Headwater", ...headers, ...jsonHeaders(json), ...more },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    }).catch((error) => {
      throw error instanceof NotPosted ? new NotTaken("later", `${name} ${error.message}`) : error;
    });
    const { status } = answer;
    const body = jsonOf(answer);
    if (status >= 200 && status < 300) {
      await told(null);
      if (readsJson && body === null && answer.text !== "")
        throw new NotTaken("later", `${name} answered something else than JSON`);
      return { status, json: body };
    }
    const problem = `${name} answered ${status}${said(words(body))}`;
    if (status === 401 || status === 403) await told(problem);
    throw new NotTaken(kindOf(status), problem, { retryAfter: answer.retryAfter, status });
  };
}

const jsonHeaders = (json: unknown): Record<string, string> => (json === undefined ? {} : { "content-type": "application/json" });

const said = (words: unknown): string => (typeof words === "string" && words !== "" ? `: ${oneLine(words, 300)}` : "");

function kindOf(status: number): NotTaken["kind"] {
  if (status === 408 || status === 429 || status >= 500) return "later";
  return status === 400 || status === 413 || status === 422 ? "batch" : "refused";
}

/** A page of a response with this list of things. What is not in the published form counts as no answer. */
export function pageOf<T>(list: unknown, skip: number, size: number, read: (one: any) => T): Page<T> {
  if (!Array.isArray(list)) throw new NotTaken("later", "The platform answered something else than a list");
  return { found: list.map(read), next: list.length < size ? null : skip + size };
}

/** A part of a path that a user wrote. */
export const part = (text: string): string => encodeURIComponent(text);

export const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Without members that are empty, so that a platform keeps what it knows. */
export const filled = (fields: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== ""));
