// Klaviyo's API. A batch becomes a job there, which creates or updates profiles and adds them to a list. It says nothing about consent,
// which stays as it is.
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

export interface KlaviyoAccount {
  api_key: string;
  base_url?: string;
}

export interface KlaviyoConfig {
  list_id: string;
}

/** The version of its API that this speaks. */
const revision = "2025-01-15";
const jobs = "/api/profile-bulk-import-jobs";

export function openKlaviyo(
  given: Pick<Platform, "addresses" | "told">,
  { api_key, base_url = "https://a.klaviyo.com" }: KlaviyoAccount,
  { list_id }: KlaviyoConfig,
): Mailing {
  const ask = askerOf({
    ...given,
    name: "Klaviyo",
    base_url,
    headers: { authorization: `Klaviyo-API-Key ${api_key}`, revision, accept: "application/vnd.api+json" },
    words: (json) => json?.errors?.[0]?.detail,
  });
  return {
    most: 500,
    async push(people) {
      const { json } = await ask({
        method: "POST",
        path: jobs,
        headers: { "content-type": "application/vnd.api+json" },
        json: jobOf(people, list_id),
      });
      const id = json?.data?.id;
      if (typeof id !== "string") throw new NotTaken("later", "Klaviyo answered without the id of its job");
      return { receipt: id };
    },
    async results(receipt, emails) {
      const path = `${jobs}/${part(receipt)}`;
      const { json } = await ask({ method: "GET", path });
      const { status, failed_count } = json?.data?.attributes ?? {};
      if (status === "cancelled") return new Map(emails.map((one) => [one, "Klaviyo cancelled its job"]));
      if (status !== "complete") return null;
      return failed_count > 0 ? failuresOf(ask, `${path}/import-errors`) : new Map();
    },
  };
}

const jobOf = (people: readonly Recipient[], listId: string) => ({
  data: {
    type: "profile-bulk-import-job",
    attributes: {
      profiles: {
        data: people.map(({ email, first_name, last_name, title, company }) => ({
          type: "profile",
          attributes: { email, ...filled({ first_name, last_name, title, organization: company }) },
        })),
      },
    },
    relationships: { lists: { data: [{ type: "list", id: listId }] } },
  },
});

/** The most pages of errors, of which each has up to 100. */
const pagesMost = 20;

async function failuresOf(ask: Ask, path: string): Promise<Failures> {
  const failures = new Map<string, string>();
  let query: string | null = "?page[size]=100";
  for (let page = 0; query !== null && page < pagesMost; page++) {
    const { json }: { json: any } = await ask({ method: "GET", path: path + query });
    for (const { attributes } of json?.data ?? []) {
      const email = attributes?.original_payload?.email ?? attributes?.original_payload?.attributes?.email;
      if (typeof email === "string") failures.set(email, String(attributes.detail ?? attributes.title ?? "was refused"));
    }
    query = URL.parse(String(json?.links?.next ?? ""))?.search ?? null;
  }
  return failures;
}
