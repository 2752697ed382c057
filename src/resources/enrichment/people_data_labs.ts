// Asks People Data Labs for what the other sources did not find, and puts its answer in our words.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { PeopleDataLabsAccount, Query } from "../../services/people_data_labs.ts";
import { parseCountry, timeZonesOf } from "../../values/country.ts";
import { noteAnswer, openedValues, storedFor } from "../accounts/open_credentials.ts";
import type { contact } from "../contacts/contact.ts";
import type { lead } from "../leads/lead.ts";
import { domainOf } from "./company_domain.ts";
import { type Found, factsOf, given, plain } from "./found.ts";

export const service = "peopledatalabs";

export interface Connected {
  account: PeopleDataLabsAccount;
  /** Tells admins whether the stored credentials work. */
  note(problem: string | null): Promise<void>;
}

/** By the organization's credentials, or else by those of the operator. Null when there are none. */
export async function connectedAccount(ctx: Ctx): Promise<Connected | null> {
  const stored = await storedFor(ctx, service);
  if (stored === null) {
    const account = ctx.settings.people_data_labs;
    return account === null ? null : { account, note: async () => {} };
  }
  const { api_key, base_url } = openedValues(ctx, stored) as { api_key: string; base_url?: string };
  return { account: { api_key, base_url: base_url ?? null }, note: (problem) => noteAnswer(ctx, stored, problem) };
}

// --- what is asked ---

/** Null when too little is known of the company. */
export function companyQuery(row: Row<typeof lead>, website: string | null): Query | null {
  const [address] = row.addresses;
  const place = address === undefined ? {} : { locality: address.city, region: address.state, country: address.country };
  const query = given({ website: website === null ? null : domainOf(website), name: row.name });
  return Object.keys(query).length === 0 ? null : { ...query, ...given(place) };
}

/** A person is known by an address, a number or a profile, or by a name together with a company. */
export function personQuery(row: Row<typeof contact>, company: { name: string | null; domain: string | null }): Query | null {
  const profile = row.urls.find(({ url }) => /(^|\.)linkedin\.com$/.test(URL.parse(url)?.hostname ?? ""))?.url;
  const emails = row.emails.slice(0, 5).map(({ email }) => email);
  const phones = row.phones.filter(({ phone }) => phone.startsWith("+")).slice(0, 5);
  const query: Query = {
    ...(emails.length > 0 && { email: emails }),
    ...(phones.length > 0 && { phone: phones.map(({ phone }) => phone.replace(/x\d+$/, "")) }),
    ...given({ profile, name: row.name, company: company.domain ?? company.name }),
  };
  const isKnown = query.email !== undefined || query.phone !== undefined || query.profile !== undefined;
  return isKnown || (query.name !== undefined && query.company !== undefined) ? query : null;
}

// --- what is answered ---

type Json = Record<string, unknown>;

export interface Match {
  data: Json;
  likelihood: number;
}

const sure = ({ likelihood }: Match): number => Math.min(1, Math.max(0, likelihood / 10));

/** Values that the account's plan does not include come as `true`, and are no text. */
export function foundCompany(match: Match): Found {
  const { data } = match;
  const location = (data.location ?? {}) as Json;
  const country = parseCountry(plain(location.country) ?? "");
  const address = given({
    address_1: plain(location.street_address),
    address_2: plain(location.address_line_2),
    city: plain(location.locality),
    state: plain(location.region),
    zipcode: plain(location.postal_code),
    country,
  });
  const name = plain(data.display_name) ?? plain(data.name);
  const industry = plain(data.industry);
  const description = plain(data.summary, 1_000);
  const website = plain(data.website, 2_048);
  const facts = factsOf(service, sure(match), {
    name,
    url: website,
    industry,
    description,
    addresses: Object.keys(address).length === 0 ? null : [{ label: "business", ...address }],
  });
  const organization = given<string | number>({
    name,
    domain: website === null ? null : domainOf(withScheme(website)),
    description,
    industry,
    linkedin_url: profileOf(data.linkedin_url),
    twitter_url: profileOf(data.twitter_url),
    facebook_url: profileOf(data.facebook_url),
    address: Object.values(address).join(", ") || null,
    employee_count: count(data.employee_count),
    founded_year: count(data.founded),
  });
  return { facts, result: { organization } };
}

export function foundPerson(match: Match): Found {
  const { data } = match;
  const [name, title, linkedin_url] = [plain(data.full_name), plain(data.job_title), profileOf(data.linkedin_url)];
  const [email, phone] = [plain(data.work_email), plain(data.mobile_phone, 50)];
  const country = parseCountry(plain(data.location_country) ?? "");
  const facts = factsOf(service, sure(match), {
    name,
    title,
    emails: email === null ? null : [{ email, type: "work" }],
    phones: phone === null ? null : [{ phone, type: "mobile" }],
    urls: linkedin_url === null ? null : [{ url: linkedin_url, type: "linkedin" }],
    timezone: onlyOf(country === null ? [] : timeZonesOf(country, plain(data.location_region))),
  });
  const person = given({
    name,
    title,
    headline: plain(data.headline),
    seniority: plain([data.job_title_levels].flat()[0]),
    linkedin_url,
    location: plain(data.location_name),
    country,
  });
  const website = plain(data.job_company_website, 2_048);
  const organization = given<string | number>({
    name: plain(data.job_company_name),
    domain: website === null ? null : domainOf(withScheme(website)),
    industry: plain(data.job_company_industry),
    linkedin_url: profileOf(data.job_company_linkedin_url),
  });
  return { facts, result: { person, organization } };
}

const onlyOf = (values: readonly string[]): string | null => (values.length === 1 ? values[0]! : null);

const withScheme = (address: string): string => (/^https?:\/\//i.test(address) ? address : `https://${address}`);

/** Profiles come without a scheme: `linkedin.com/in/ada`. */
function profileOf(value: unknown): string | null {
  const address = plain(value, 2_048);
  return address === null ? null : (URL.parse(withScheme(address))?.href ?? null);
}

const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
