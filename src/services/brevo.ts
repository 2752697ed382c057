// Brevo's API v3. People are created or updated one by one, because only so does it say who is refused and why: at most ten each
// second, its limit for contacts. Who unsubscribed there stays so.
import { askerOf, filled, type Mailing, NotTaken, type Platform, type Recipient } from "./mailing.ts";
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

export function openBrevo(
  given: Pick<Platform, "addresses" | "told">,
  { api_key, base_url = "https://api.brevo.com" }: BrevoAccount,
  { list_id }: BrevoConfig,
): Mailing {
  const ask = askerOf({
    ...given,
    name: "Brevo",
    base_url,
    headers: { "api-key": api_key },
    words: (json) => json?.message,
  });
  return {
    most: 50,
    async push(people) {
      const failures = new Map<string, string>();
      for (const one of people) {
        await pace(api_key);
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

const contactOf = ({ email, first_name, last_name }: Recipient, list: number) => ({
  email,
  attributes: filled({ FIRSTNAME: first_name, LASTNAME: last_name }),
  listIds: [list],
  updateEnabled: true,
});
