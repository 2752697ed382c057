// SendGrid's Marketing Campaigns. A batch becomes a job there, which creates or updates contacts and adds them to lists.
import {
  type Ask,
  askerOf,
  type Failures,
  filled,
  type Mailing,
  NotTaken,
  type Platform,
  part,
  type Recipient,
} from "./mailing.ts";

export interface SendgridAccount {
  api_key: string;
  base_url?: string;
}

export interface SendgridConfig {
  /** Separated by commas. */
  list_ids: string;
}

const contacts = "/v3/marketing/contacts";

export function openSendgrid(
  given: Pick<Platform, "addresses" | "told">,
  { api_key, base_url = "https://api.sendgrid.com" }: SendgridAccount,
  { list_ids }: SendgridConfig,
): Mailing {
  const lists = list_ids.split(",").map((one) => one.trim());
  const ask = askerOf({
    ...given,
    name: "SendGrid",
    base_url,
    headers: { authorization: `Bearer ${api_key}` },
    words: (json) => json?.errors?.[0]?.message,
  });
  return {
    most: 500,
    async push(people) {
      const { json } = await ask({
        method: "PUT",
        path: contacts,
        json: { list_ids: lists, contacts: people.map(contactOf) },
      });
      if (typeof json?.job_id !== "string") throw new NotTaken("later", "SendGrid answered without the id of its job");
      return { receipt: json.job_id };
    },
    async results(receipt, emails) {
      const { json } = await ask({ method: "GET", path: `${contacts}/imports/${part(receipt)}` });
      if (json?.status === "completed") return new Map();
      if (json?.status === "failed") return new Map(emails.map((one) => [one, "SendGrid could not do its job"]));
      return json?.status === "errored" ? missingAmong(ask, emails) : null;
    },
  };
}

const contactOf = ({ email, first_name, last_name }: Recipient) => ({ email, ...filled({ first_name, last_name }) });

/** The most addresses of one search. */
const searchedMost = 100;

/** Its file of errors is for people to read. Who was refused is not there. */
async function missingAmong(ask: Ask, emails: readonly string[]): Promise<Failures> {
  const failures = new Map<string, string>();
  for (let i = 0; i < emails.length; i += searchedMost) {
    const some = emails.slice(i, i + searchedMost);
    const found = await searched(ask, some);
    for (const email of some) if (!found.has(email.toLowerCase())) failures.set(email, "SendGrid refused the contact");
  }
  return failures;
}

async function searched(ask: Ask, emails: readonly string[]): Promise<Set<string>> {
  try {
    const { json } = await ask({ method: "POST", path: `${contacts}/search/emails`, json: { emails } });
    const results = Object.entries((json?.result ?? {}) as Record<string, { contact?: object }>);
    return new Set(results.filter(([, one]) => one.contact !== undefined).map(([email]) => email.toLowerCase()));
  } catch (error) {
    // Nobody was found.
    if (error instanceof NotTaken && error.kind === "refused" && error.status === 404) return new Set();
    throw error;
  }
}
