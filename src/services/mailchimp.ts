// Mailchimp's Marketing API 3.0. People are added to an audience in batches of at most 500. Who is in it already keeps their status and
// their fields, so that nobody who unsubscribed there is subscribed again; they only get the tags.
import {
  type Ask,
  askerOf,
  basic,
  filled,
  type Mailing,
  type MailingLists,
  NotTaken,
  type Platform,
  pageOf,
  part,
  type Recipient,
} from "./mailing.ts";

export interface MailchimpAccount {
  api_key: string;
  /** The data centre, such as `us21`; by default the end of the key. */
  server_prefix?: string;
  base_url?: string;
}

export interface MailchimpConfig {
  list_id: string;
  /** Separated by commas. */
  tags?: string;
  double_opt_in?: boolean;
}

type Given = Pick<Platform, "addresses" | "told">;

export function openMailchimp(
  given: Given,
  account: MailchimpAccount,
  { list_id, tags = "", double_opt_in = false }: MailchimpConfig,
): Mailing {
  const ask = asking(given, account);
  const names = [...new Set(tags.split(",").map((one) => one.trim()))].filter((one) => one !== "");
  const list = `/3.0/lists/${part(list_id)}`;
  const status = double_opt_in ? "pending" : "subscribed";
  return {
    most: 500,
    async push(people) {
      const members = people.map((one) => memberOf(one, status, names));
      const { json } = await ask({ method: "POST", path: list, json: { members, update_existing: false } });
      if (!Array.isArray(json?.errors)) throw new NotTaken("later", "Mailchimp answered without saying what became of the batch");
      const errors = (json.errors as BatchError[]).map((one) => ({ ...one, email: addressIn(one, people) }));
      const there = errors.filter((one) => one.error_code === "ERROR_CONTACT_EXISTS").flatMap(({ email }) => email ?? []);
      if (there.length > 0) for (const name of names) await tag(ask, list, name, there);
      const others = errors.filter((one) => one.error_code !== "ERROR_CONTACT_EXISTS");
      return { failures: new Map(others.flatMap(({ email, error }) => (email === null ? [] : [[email, error] as const]))) };
    },
  };
}

function asking(given: Given, { api_key, server_prefix, base_url }: MailchimpAccount): Ask {
  const centre = server_prefix ?? /-([a-z]{2,4}\d{1,3})$/.exec(api_key)?.[1];
  return askerOf({
    ...given,
    name: "Mailchimp",
    base_url: base_url ?? `https://${centre ?? "us1"}.api.mailchimp.com`,
    headers: { authorization: basic("headwater", api_key) },
    words: (json) => json?.detail ?? json?.title,
  });
}

/** The most lists and members of one page. */
const pageSize = 1000;

export function mailchimpLists(given: Given, account: MailchimpAccount): MailingLists {
  const ask = asking(given, account);
  const paged = (skip: number) => `count=${pageSize}&offset=${skip}`;
  return {
    async lists(skip) {
      const { json } = await ask({ method: "GET", path: `/3.0/lists?fields=lists.id,lists.name&${paged(skip)}` });
      return pageOf(json?.lists, skip, pageSize, ({ id, name }) => ({ id: String(id), name: String(name) }));
    },
    async members(listId, skip) {
      const path = `/3.0/lists/${part(listId)}/members?status=subscribed&fields=members.id,members.email_address&${paged(skip)}`;
      const { json } = await ask({ method: "GET", path });
      return pageOf(json?.members, skip, pageSize, ({ id, email_address }) => ({
        external_id: String(id),
        email: String(email_address),
      }));
    },
  };
}

interface BatchError {
  email_address: string;
  error: string;
  error_code: string;
}

const memberOf = ({ email, first_name, last_name }: Recipient, status: string, tags: readonly string[]) => ({
  email_address: email,
  status,
  merge_fields: filled({ FNAME: first_name, LNAME: last_name }),
  ...(tags.length > 0 && { tags }),
});

const addressIn = ({ email_address }: BatchError, people: readonly Recipient[]): string | null =>
  people.find(({ email }) => email.toLowerCase() === email_address.toLowerCase())?.email ?? null;

/** A tag is a static segment. */
async function tag(ask: Ask, list: string, name: string, emails: readonly string[]): Promise<void> {
  const { json } = await ask({ method: "GET", path: `${list}/tag-search?name=${part(name)}` });
  const found = (json?.tags as { id: number; name: string }[] | undefined)?.find((one) => one.name === name);
  if (found === undefined) await ask({ method: "POST", path: `${list}/segments`, json: { name, static_segment: emails } });
  else await ask({ method: "POST", path: `${list}/segments/${found.id}`, json: { members_to_add: emails } });
}
