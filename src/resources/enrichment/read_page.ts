// What a company's web page says of the company. The page is a stranger's: whatever it holds becomes plain text of a limited length, or
// an address of the web, and no more than a part of it is looked at.
import { Parser } from "htmlparser2";
import { parseUrl } from "../../values/url.ts";
import { plain } from "./found.ts";
import { companyIn, type Described } from "./json_ld.ts";

export interface Page extends Omit<Described, "same_as"> {
  /** What the page calls its site, and its title. */
  site_name: string | null;
  title: string | null;
  linkedin_url: string | null;
  twitter_url: string | null;
  facebook_url: string | null;
}

const titleMost = 1_000;
const scriptMost = 256 * 1024;
const scriptsMost = 10;
const linksMost = 1_000;
const phonesMost = 10;
/**
 * Where so many elements are open, reading ends. The parser takes longer with each of them: 18 s for 2 MB of `<div>`, and 20 ms with
 * this.
 */
const depthMost = 250;
const pieceLength = 16 * 1024;

const socialHosts = [
  ["linkedin_url", /(^|\.)linkedin\.com$/, /^\/(company|school|showcase)\/./],
  ["twitter_url", /(^|\.)(twitter|x)\.com$/, /^\/(?!(share|intent|home|search)\b)\w/],
  ["facebook_url", /(^|\.)facebook\.com$/, /^\/(?!(share|sharer|dialog|tr)\b)[\w.]/],
] as const;

/** What is gathered while the page is read. */
interface Gathered {
  metas: Map<string, string>;
  title: string;
  icon: string | null;
  links: string[];
  phones: string[];
  scripts: string[];
}

export function readPage(html: string, url: URL): Page {
  const { metas, title, icon, links, phones, scripts } = gather(html);
  const absolute = (given: string | null | undefined) => webAddress(given, url);
  const { same_as, ...company } = companyIn(scripts, url);
  const social = socialOf([...same_as, ...links], url);
  return {
    ...company,
    site_name: plain(metas.get("og:site_name")),
    title: plain(title),
    description: company.description ?? plain(metas.get("description") ?? metas.get("og:description"), 1_000),
    logo_url: absolute(company.logo_url) ?? absolute(metas.get("og:logo")) ?? absolute(icon),
    phone: company.phone ?? plain(phones[0], 50),
    ...social,
  };
}

function gather(html: string): Gathered {
  const found: Gathered = { metas: new Map(), title: "", icon: null, links: [], phones: [], scripts: [] };
  let reading: "title" | "json" | null = null;
  let hasTitle = false;
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      reading = null;
      depth++;
      if (name === "title" && !hasTitle) reading = "title";
      else if (name === "meta") noteMeta(found, attributes);
      else if (name === "link" && /\bapple-touch-icon\b/i.test(attributes.rel ?? "")) found.icon ??= attributes.href ?? null;
      else if (name === "a" && attributes.href !== undefined) noteLink(found, attributes.href);
      else if (name === "script" && attributes.type?.trim().toLowerCase() === "application/ld+json") {
        if (found.scripts.length < scriptsMost) reading = found.scripts.push("") > 0 ? "json" : null;
      }
    },
    ontext(text) {
      if (reading === "title" && found.title.length < titleMost) found.title += text;
      else if (reading === "json" && found.scripts.at(-1)!.length < scriptMost)
        found.scripts[found.scripts.length - 1] = found.scripts.at(-1)! + text;
    },
    onclosetag(name) {
      depth--;
      if (name === "title") hasTitle = true;
      reading = null;
    },
  });
  for (let at = 0; at < html.length && depth < depthMost; at += pieceLength) parser.write(html.slice(at, at + pieceLength));
  parser.end();
  return found;
}

function noteMeta({ metas }: Gathered, { name, property, content }: Record<string, string>): void {
  const key = (property ?? name ?? "").toLowerCase();
  if (content !== undefined && !metas.has(key) && metas.size < 200) metas.set(key, content);
}

function noteLink({ links, phones }: Gathered, href: string): void {
  if (/^tel:/i.test(href) && phones.length < phonesMost) phones.push(decoded(href.slice(4)));
  else if (/^https?:/i.test(href) && links.length < linksMost) links.push(href);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The first address of each network that is a company's own. */
function socialOf(links: readonly string[], site: URL): Pick<Page, "linkedin_url" | "twitter_url" | "facebook_url"> {
  const urls = links.map((link) => URL.parse(link)).filter((url) => url !== null && url.hostname !== site.hostname) as URL[];
  const [linkedin_url, twitter_url, facebook_url] = socialHosts.map(([, host, path]) => {
    const found = urls.find((url) => host.test(url.hostname) && path.test(url.pathname));
    return webAddress(found?.href, site);
  });
  return { linkedin_url: linkedin_url!, twitter_url: twitter_url!, facebook_url: facebook_url! };
}

function webAddress(given: string | null | undefined, base: URL): string | null {
  const url = given == null || given.length > 2_048 ? null : URL.parse(given, base.href);
  return url === null ? null : parseUrl(url.href);
}
