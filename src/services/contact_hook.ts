// A receiver of contacts that a user names: it gets each batch as JSON. A batch that comes again has the same `webhook-id`.
import { askerOf, type Mailing, type Platform } from "./mailing.ts";

export function openContactHook(given: Pick<Platform, "addresses">, { url }: { url: string }, exportId: string): Mailing {
  const ask = askerOf({
    ...given,
    name: URL.parse(url)!.host,
    base_url: "",
    headers: {},
    told: async () => {},
    words: (json) => json?.error ?? json?.message,
    readsJson: false,
  });
  return {
    most: 500,
    async push(contacts, key) {
      const json = { mailing_export_id: exportId, contacts };
      await ask({ method: "POST", path: url, headers: { "webhook-id": key }, json });
      return { failures: new Map() };
    },
  };
}
