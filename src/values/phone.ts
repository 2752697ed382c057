/**
 * Phone numbers: stored as E.164, shown in libphonenumber's international form.
 *
 * The library is loaded with the first number that needs it (25 ms, 6 MB of RSS). Parsing takes about 20 µs and every read shows
 * `phone_formatted`, so results are cached.
 */
import { createRequire } from "node:module";
import type { CountryCode, MetadataJson, PhoneNumber } from "libphonenumber-js/core";
import { LRUCache } from "lru-cache";

export type Phone = Readonly<{ phone: string; phone_formatted: string; country: string | null }>;

/**
 * `"(800) 444-5555", "US"` → `{phone: "+18004445555", phone_formatted: "+1 800-444-5555", country: "US"}`.
 *
 * `country` is the ISO alpha-2 code assumed for numbers without `+`. An extension is kept: `+18004445555x12`. Text that is not a
 * possible number but has at least three digits is kept as it is, with country null. Anything else, and text over 100 characters,
 * is null. Parsing a stored number gives the same number again.
 */
export function parsePhone(raw: string, country: string): Phone | null {
  if (raw.length > MAX_LENGTH) return null;
  const key = country + raw;
  const known = cache.get(key);
  if (known) return known;

  const text = raw.replace(INVISIBLE, "").trim();
  if (CONTROL.test(text) || text === "") return null;
  const phone = asNumber(text, country) ?? asText(text);
  if (phone) cache.set(key, Object.freeze(phone));
  return phone;
}

/** The digits alone, for search: `"+1 800-444-5555"` → `"18004445555"`. */
export function phoneDigits(text: string): string {
  return text.replace(/[^0-9]/g, "");
}

const MAX_LENGTH = 100;
/** The form that libphonenumber reads back after a bare x. */
const MAX_EXTENSION = 9;
/** Address books wrap numbers in marks of writing direction. */
const INVISIBLE = /\p{Cf}/gu;
const CONTROL = /\p{Cc}/u;
const cache = new LRUCache<string, Phone>({ max: 5_000 });

type Library = typeof import("libphonenumber-js/core");
let loaded: { library: Library; plans: MetadataJson } | undefined;

function load(): { library: Library; plans: MetadataJson } {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  loaded = { library: require("libphonenumber-js/core"), plans: require("libphonenumber-js/max/metadata") };
  return loaded;
}

function asNumber(text: string, country: string): Phone | null {
  const { library, plans } = load();
  // Numbers are not extracted from text: "ask for Bob, 800-444-5555" stays whole and keeps its words.
  const options = { defaultCountry: country as CountryCode, extract: false };
  const parsed = library.parsePhoneNumberFromString(text, options, plans);
  if (!parsed?.isPossible() || (parsed.ext && parsed.ext.length > MAX_EXTENSION)) return null;
  // An unassigned number such as +43000000 can lose one more trunk 0 each time it is read.
  if (library.parsePhoneNumberFromString(parsed.number, plans)?.number !== parsed.number) return null;

  return {
    phone: parsed.number + (parsed.ext ? `x${parsed.ext}` : ""),
    phone_formatted: formatInternational(parsed) + (parsed.ext ? ` ext. ${parsed.ext}` : ""),
    country: parsed.country ?? likelyCountry(parsed, country),
  };
}

/** Whether the numbering plan has it among those that bill the caller for a service. */
export function isPremiumRate(phone: string): boolean {
  const { library, plans } = load();
  return library.parsePhoneNumberFromString(phone, plans)?.getType() === "PREMIUM_RATE";
}

function asText(text: string): Phone | null {
  if (phoneDigits(text).length < 3) return null;
  return { phone: text, phone_formatted: text, country: null };
}

/** For unassigned numbers such as +1 555-123-4567: the caller's own country, or else the main one of the calling code. */
function likelyCountry(parsed: PhoneNumber, country: string): string | null {
  const possible: string[] = parsed.getPossibleCountries();
  return possible.includes(country) ? country : (possible[0] ?? null);
}

/** What a numbering plan contains at run time. The library's types leave `formats` out. */
type Format = { pattern(): string; leadingDigitsPatterns(): string[]; internationalFormat(): string };
type Plan = { formats(): Format[] };

/** Google's international form. The library's own turns hyphens into spaces: `+1 800 444 5555`. */
function formatInternational(parsed: PhoneNumber): string {
  const { library, plans } = load();
  const metadata = new library.Metadata(plans);
  metadata.selectNumberingPlan(parsed.countryCallingCode as CountryCode);
  const plan = (metadata as unknown as { numberingPlan: Plan }).numberingPlan;
  const digits = parsed.nationalNumber;
  const format = plan.formats().find((candidate) => {
    const leading = candidate.leadingDigitsPatterns().at(-1);
    return (!leading || digits.search(leading) === 0) && whole(candidate.pattern()).test(digits);
  });

  const national = format ? digits.replace(whole(format.pattern()), format.internationalFormat()) : digits;
  return `+${parsed.countryCallingCode} ${national}`;
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** A stored number in readable form. Text that is not a number stays as it is. */
export const phoneFormatted = (phone: string | null): string | null =>
  phone === null ? null : (parsePhone(phone, "US")?.phone_formatted ?? phone);
