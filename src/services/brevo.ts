// Brevo's API v3. A batch becomes a process there, which creates or updates contacts and adds them to a list, and ends with reports of
// whom it refused. One person alone is given without a process: then it says at once why it refuses them. Who unsubscribed there stays so.
import { askPublic } from "./ask_public.ts";
import {
  type Ask,
  askerOf,
  type Failures,
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
import { NotPosted } from "./post_public.ts";

export interface BrevoAccount {
  api_key: string;
  base_url?: string;
}

export interface BrevoConfig {
  list_id: string;
}

/** Its limit for contacts, for each key, because it is that of an account. */
const pace = openPace(10);

type Given = Pick<Platform, "addresses" | "told">;

export function openBrevo(given: Given, account: BrevoAccount, { list_id }: BrevoConfig): Mailing {
  const ask = asking(given, account);
  const listIds = [Number(list_id)];
  return {
    most: 500,
    async push(people) {
      await pace(account.api_key);
      const [one, ...others] = people.map(contactOf);
      if (others.length === 0) return { failures: await pushOne(ask, { ...one!, listIds }) };
      const json = { listIds, jsonBody: [one, ...others], updateExistingContacts: true, disableNotification: true };
      const answer = await ask({ method: "POST", path: "/v3/contacts/import", json });
      const id = answer.json?.processId;
      if (typeof id !== "number") throw new NotTaken("later", "Brevo answered without the id of its process");
      return { receipt: String(id) };
    },
    async results(receipt, emails) {
      const { json } = await ask({ method: "GET", path: `/v3/processes/${part(receipt)}` });
      const status: unknown = json?.status;
      if (status === "failed" || status === "cancelled")
        return new Map(emails.map((email) => [email, `Brevo's process ended as ${status}`]));
      return status === "completed" ? refusedAmong(given, json.info?.import?.invalid_emails, emails) : null;
    },
  };
}

async function pushOne(ask: Ask, contact: { email: string; listIds: number[] }): Promise<Failures> {
  try {
    await ask({ method: "POST", path: "/v3/contacts", json: { ...contact, updateEnabled: true } });
    return new Map();
  } catch (error) {
    if (!(error instanceof NotTaken) || error.kind !== "batch") throw error;
    return new Map([[contact.email, error.message]]);
  }
}

/** The report is a CSV file at an address of its own, which needs no key. Its columns are not published, so addresses are looked for in it. */
async function refusedAmong({ addresses }: Given, report: unknown, emails: readonly string[]): Promise<Failures> {
  if (typeof report !== "string" || report === "") return new Map();
  const read = await askPublic(addresses, { method: "GET", url: report }).catch((error) => {
    throw error instanceof NotPosted ? new NotTaken("later", `Brevo's report ${error.message}`) : error;
  });
  if (read.status !== 200)
    throw new NotTaken("later", `Brevo's report was answered with ${read.status}`, { status: read.status });
  const named = new Set(read.text.toLowerCase().split(/[\s,;"']+/));
  return new Map(emails.filter((email) => named.has(email.toLowerCase())).map((email) => [email, "Brevo refused the address"]));
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

const contactOf = ({ email, first_name, last_name }: Recipient) => ({
  email,
  attributes: filled({ FIRSTNAME: first_name, LASTNAME: last_name }),
});
