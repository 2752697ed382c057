// Customer.io's Track API. A batch identifies people by their addresses (at most 500 KB in one request), and then adds those it took to
// a manual segment.
import { askerOf, basic, filled, type Mailing, type Platform, part } from "./mailing.ts";

export interface CustomerioAccount {
  site_id: string;
  api_key: string;
  region?: "us" | "eu";
  base_url?: string;
}

export interface CustomerioConfig {
  segment: string;
}

export function openCustomerio(
  given: Pick<Platform, "addresses" | "told">,
  { site_id, api_key, region, base_url }: CustomerioAccount,
  { segment }: CustomerioConfig,
): Mailing {
  const ask = askerOf({
    ...given,
    name: "Customer.io",
    base_url: base_url ?? `https://track${region === "eu" ? "-eu" : ""}.customer.io`,
    headers: { authorization: basic(site_id, api_key) },
    words: (json) => json?.meta?.error ?? json?.errors?.[0]?.message,
  });
  return {
    most: 500,
    async push(people) {
      const batch = people.map(({ email, first_name, last_name, title, company }) => ({
        type: "person",
        action: "identify",
        identifiers: { email },
        attributes: filled({ first_name, last_name, title, company }),
      }));
      const { json } = await ask({ method: "POST", path: "/api/v2/batch", json: { batch } });
      // With 207 some were refused, each named by its place in the batch.
      const errors = (json?.errors ?? []) as { batch_index: number; reason?: string; message?: string }[];
      const failures = new Map(
        errors.flatMap(({ batch_index, reason, message }) => {
          const email = people[batch_index]?.email;
          return email === undefined ? [] : [[email, message ?? reason ?? "was refused"] as const];
        }),
      );
      const ids = people.map(({ email }) => email).filter((email) => !failures.has(email));
      const path = `/api/v1/segments/${part(segment)}/add_customers?id_type=email`;
      if (ids.length > 0) await ask({ method: "POST", path, json: { ids } });
      return { failures };
    },
  };
}
