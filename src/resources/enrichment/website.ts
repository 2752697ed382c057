// Reads the home page of a company and takes from it what belongs on a lead. Only public addresses are reached, nothing that is packed is
// unpacked, and of a long page only the beginning is read.
import { type Fetched, fetchPublic, NotFetched } from "../../services/fetch_public.ts";
import { pieces } from "../../services/pieces.ts";
import type { PublicAddresses } from "../../services/public_address.ts";
import { parseCountry } from "../../values/country.ts";
import { parsePhone } from "../../values/phone.ts";
import { domainOf } from "./company_domain.ts";
import { type Fact, type Found, factsOf, given } from "./found.ts";
import { type Page, readPage } from "./read_page.ts";

export interface Website {
  /** Where it is, after redirects. */
  url: string;
  page: Page;
}

const pageMost = 1024 * 1024;
/** For one address. There are at most two. */
const wholeMs = 8_000;

/** The page at the first of these addresses that has one; null if none has. `away` says why one may have it another time. */
export async function readWebsite(
  addresses: PublicAddresses,
  urls: readonly string[],
): Promise<{ website: Website | null; away: string | null }> {
  let away: string | null = null;
  for (const url of urls) {
    try {
      const website = await fetchPublic(addresses, url, pageOf, null, { wholeMs });
      if (website !== null) return { website, away: null };
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
      if (error.isPassing) away ??= `${new URL(url).host} could not be read (${error.message}): ask again later`;
    }
  }
  return { website: null, away };
}

async function pageOf({ url, contentType, contentEncoding, body }: Fetched): Promise<Website | null> {
  const isPacked = contentEncoding !== null && contentEncoding !== "identity";
  if (isPacked || !/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "text/html")) return null;
  const bytes = await beginningOf(body);
  return { url: url.href, page: readPage(textOf(bytes, contentType), url) };
}

async function beginningOf(body: Fetched["body"]): Promise<Buffer> {
  const kept: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of pieces(body)) {
      kept.push(Buffer.from(piece));
      length += piece.length;
      if (length >= pageMost) break;
    }
  } catch (cause) {
    throw new NotFetched("ended half way", { cause, isPassing: true });
  }
  return Buffer.concat(kept).subarray(0, pageMost);
}

/** By the charset of the header, or else of the page itself, or else UTF-8. */
function textOf(bytes: Buffer, contentType: string | null): string {
  const charset = /charset\s*=\s*["']?([\w:.-]+)/i;
  const [, label = "utf-8"] = charset.exec(contentType ?? "") ?? charset.exec(bytes.toString("latin1", 0, 1_024)) ?? [];
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

// --- what it says ---

/** How sure it is who a company is, by where its name stands. */
const bySchema = 0.9;
const bySiteName = 0.8;
const byTitle = 0.7;
const byWholeTitle = 0.3;
const byLinks = 0.7;

/** For a lead. With `domain`, its web address was not known and follows from an e-mail address. */
export function foundOn({ url, page }: Website, domain: string | null): Found {
  const country = page.address?.country === undefined ? null : parseCountry(page.address.country);
  const phone = phoneOf(page.phone, country);
  const name = nameOf(page, domainOf(url) ?? "");
  const address = page.address === null ? null : { ...page.address, country };
  const facts: Fact[] = [
    ...(name === null ? [] : [name]),
    ...factsOf("email", bySiteName, { url: domain === null ? null : new URL(url).origin }),
    ...factsOf("website", byLinks, {
      description: page.description,
      phones: phone === null ? null : [{ phone, type: "office" }],
    }),
    ...factsOf("website", bySchema, { addresses: address === null ? null : [{ label: "business", ...address }] }),
  ];
  const organization = given<string | number>({
    name: name !== null && name.confidence > byWholeTitle ? (name.value as string) : null,
    domain: domainOf(url),
    description: page.description,
    logo_url: page.logo_url,
    linkedin_url: page.linkedin_url,
    twitter_url: page.twitter_url,
    facebook_url: page.facebook_url,
    phone,
    address: page.address === null ? null : Object.values(page.address).join(", "),
    founded_year: page.founded_year,
    employee_count: page.employee_count,
  });
  return { facts, result: { organization } };
}

/** A number without a country is one of the country in the company's address. Without that, nobody knows whose it is. */
function phoneOf(raw: string | null, country: string | null): string | null {
  if (raw === null || (country === null && !/^\s*(\+|00)/.test(raw))) return null;
  const parsed = parsePhone(raw.replace(/^\s*00/, "+"), country ?? "US");
  return parsed?.country == null ? null : parsed.phone;
}

function nameOf({ name, site_name, title }: Page, domain: string): Fact | null {
  const [value, confidence] =
    name !== null
      ? [name, bySchema]
      : site_name !== null
        ? [site_name, bySiteName]
        : title === null
          ? [null, 0]
          : nameInTitle(title, domain);
  return value === null ? null : { field: "name", value, source: "website", confidence };
}

/** `"Home | Acme Rockets"` at `acme-rockets.io` → `"Acme Rockets"`: the part that the domain is named after. */
function nameInTitle(title: string, domain: string): [string, number] {
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const label = letters(domain.split(".")[0]!);
  const parts = title.split(/\s+[|–—·•:-]\s+|:\s+/).map((part) => part.trim());
  const named = parts.find((part) => {
    const own = letters(part);
    return own.length >= 2 && label.length >= 2 && (own === label || (own.length >= 4 && label.startsWith(own)));
  });
  return named === undefined ? [title, byWholeTitle] : [named, byTitle];
}
