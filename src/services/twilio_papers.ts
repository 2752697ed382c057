// What Twilio wants to see before it rents a number: an address of the account, or a regulatory bundle that it has approved. Both are
// made in its console, because people have to sign there for what they hand in.
import type { Twilio } from "twilio";
import type { Papers, Telephony } from "./telephony.ts";
import type { Ask } from "./twilio_ask.ts";

/** Twilio's codes for a number that is not rented without them. */
export const wantsPapers: ReadonlySet<number | null> = new Set([21615, 21631, 21649]);

/** What is enough for Twilio is found out by handing it in: an address in another country is enough in some. */
export const papersAt = (ask: Ask, country: string, type: Parameters<Telephony["papersFor"]>[1]): Promise<Papers> =>
  ask((client) => papersOf(client, country, type));

async function papersOf(client: Twilio, country: string, type: Parameters<Telephony["papersFor"]>[1]): Promise<Papers> {
  const kind = { isoCountry: country, numberType: type === "tollfree" ? "toll-free" : type };
  const { bundles: bundlesThere, regulations } = client.numbers.v2.regulatoryCompliance;
  const [addresses, bundles, [regulation]] = await Promise.all([
    client.addresses.list({ limit: 100 }),
    bundlesThere.list({ ...kind, limit: 100 }),
    regulations.list({ ...kind, endUserType: "business", limit: 1 }),
  ]);
  const address = addresses.find(({ isoCountry }) => isoCountry === country) ?? addresses[0];
  const bundle = bundles.find(({ status }) => approved.has(status));
  const missing =
    regulation !== undefined && bundle === undefined
      ? missingBundle(bundles, documentsOf(regulation.requirements))
      : regulation === undefined && address === undefined
        ? "is rented only to who has an address there: add one to the organization's account in the console of Twilio, and try again"
        : null;
  return { address_id: address?.sid ?? null, bundle_id: bundle?.sid ?? null, missing };
}

const approved: ReadonlySet<string> = new Set(["twilio-approved", "provisionally-approved"]);

interface Bundle {
  status: string;
  friendlyName: string;
}

function missingBundle(bundles: readonly Bundle[], documents: readonly string[]): string {
  const named = (...states: string[]) => bundles.find(({ status }) => states.includes(status))?.friendlyName;
  const reviewed = named("pending-review", "in-review");
  if (reviewed !== undefined)
    return `is rented once Twilio has approved the regulatory bundle ${reviewed}, which it is reviewing`;
  const draft = named("draft");
  if (draft !== undefined) return `waits for the regulatory bundle ${draft}: complete and submit it in the console of Twilio`;
  const rejected = named("twilio-rejected");
  if (rejected !== undefined)
    return `was not rented, because Twilio rejected the regulatory bundle ${rejected}: correct it in its console`;
  const list = documents.length === 0 ? "" : `, with ${documents.join(", ")}`;
  return `is rented only with a regulatory bundle that Twilio has approved${list}: make one in its console, and try again`;
}

/** The names of the documents, as Twilio writes them: `Proof of Address`. */
function documentsOf(requirements: { supporting_document?: { name?: string }[][] } | null): string[] {
  const names = (requirements?.supporting_document ?? []).flat().flatMap(({ name }) => name ?? []);
  return [...new Set(names)].slice(0, 10);
}
