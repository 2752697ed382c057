// Brevo's API v3. People are created or updated one by one, because only so does it say who is refused and why: at most ten each
// second, its limit for contacts. Who unsubscribed there stays so.
import {
  type Ask,
  askerOf,
  filled,
  type Mailing,
  type MailingLists,
  NotTaken,
  type Platform,
  pageOf,
  part,
  type Recipient,
} from "./mailing.ts";
import { openPace } from "./pace.ts";

export interface BrevoAccount {
  api_key: string;
  base_url?: string;
}

export interface BrevoConfig {
  list_id: string;
}

/** For each key, because the limit is that of an account. */
const pace = openPace(10);

type Given = Pick<Platform, "addresses" | "told">;

export function openBrevo(given: Given, account: BrevoAccount, { list_id }: BrevoConfig): Mailing {
  const ask = asking(given, account);
  return {
    most: 50,
    async push(people) {
      const failures = new Map<string, string>();
      for (const one of people) {
        await pace(account.api_key);
        try {
          await ask({ method: "POST", path: "/v3/contacts", json: contactOf(one, Number(list_id)) });
        } catch (error) {
          if (!(error instanceof NotTaken) || error.kind !== "batch") throw error;
          failures.set(one.email, error.message);
        }
      }
      return { failures };
    },
  };
}

function asking(given: Given, { api_key, base_url = "https://api.brevo.com" }: BrevoAccount): Ask {
  return askerOf({
    ...given,
    name: "Brevo",
    base_url,
    headers: { "api-key": api_key },
    words: (json) => json?.message,
  });
}

/** The most lists and contacts of one page. */
const [listsSize, contactsSize] = [50, 500];

export function brevoLists(given: Given, account: BrevoAccount): MailingLists {
  const ask = asking(given, account);
  return {
    async lists(skip) {
      const { json } = await ask({ method: "GET", path: `/v3/contacts/lists?limit=${listsSize}&offset=${skip}` });
      // Without lists, the member is missing.
      return pageOf(json?.lists ?? [], skip, listsSize, ({ id, name }) => ({ id: String(id), name: String(name) }));
    },
    async members(listId, skip) {
      await pace(account.api_key);
      const path = `/v3/contacts/lists/${part(listId)}/contacts?limit=${contactsSize}&offset=${skip}`;
      const { json } = await ask({ method: "GET", path });
      const page = pageOf(json?.contacts, skip, contactsSize, ({ id, email, emailBlacklisted }) => ({
        external_id: String(id),
        email: emailBlacklisted === true || typeof email !== "string" ? "" : email,
      }));
      return { ...page, found: page.found.filter(({ email }) => email !== "") };
    },
  };
}

const contactOf = ({ email, first_name, last_name }: Recipient, list: number) => ({
  email,
  attributes: filled({ FIRSTNAME: first_name, LASTNAME: last_name }),
  listIds: [list],
  updateEnabled: true,
});
