// An answer quotes our mail with the links of the one it was sent to. Whoever of the team reads it there would be counted as that
// person, and might unsubscribe them. So these links do not get into a received mail, nor into messages, templates, notes and comments
// that are written here: pixels and unsubscribe links go, and a link that leads through the service leads to its target itself.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { escapeHtml, unescapeHtml } from "../../values/html.ts";
import { ourLinkIn } from "./our_links.ts";
import { targetsOf } from "./tracked_links.ts";
import { ownLinks } from "./urls.ts";

export interface Body {
  text: string | null;
  html: string | null;
}

/** The same body without them. One query, and only where the body has such a link. */
export async function withoutOurLinks(ctx: Ctx, { text, html }: Body): Promise<Body> {
  const { base_url } = ctx.settings;
  const hashes: string[] = [];
  const note: Leads = (url) => {
    const found = ourLinkIn(base_url, url);
    if (found === null) return undefined;
    hashes.push(found.hash);
    return null;
  };
  textWithout(base_url, text ?? "", note);
  textWithout(base_url, unescapeHtml(html ?? ""), note);
  if (hashes.length === 0) return { text, html };

  const targets = await targetsOf(ctx, hashes);
  const leads: Leads = (url) => {
    const found = ourLinkIn(base_url, url);
    return found === null ? undefined : (targets.get(found.hash) ?? null);
  };
  return { text: text && textWithout(base_url, text, leads), html: html && htmlWithout(base_url, html, leads) };
}

/**
 * The same for texts that have no other form: somebody may pass on the links of a mail that was sent to another person. What a record has
 * already is written back as it is. Refuses what is too long once its links are the addresses that they lead to.
 */
export async function textsWithoutOurLinks<T extends object>(
  ctx: Ctx,
  given: T,
  fields: readonly (keyof T & string)[],
  most: number,
  before: Partial<T> = {},
): Promise<T> {
  const passedOn = { ...given };
  for (const field of fields) {
    const raw = given[field];
    if (typeof raw !== "string" || raw === before[field]) continue;
    const { text } = await withoutOurLinks(ctx, { text: raw, html: null });
    if (text !== raw && text!.length > most)
      throw invalid({ [field]: `must be ${most} characters or fewer, with the addresses that its links lead to` });
    passedOn[field] = text as typeof raw;
  }
  return passedOn;
}

/** The target of a link of ours: null where it must not lead anywhere. Undefined for other links. */
type Leads = (url: string) => string | null | undefined;

const address = /https?:\/[^\s<>"]+/gi;
/** What follows an address in a sentence, or between tags. */
const trailing = /(?:&(?:gt|lt|quot|#39);|[.,;:!?)\]'])+$/;

/** In HTML too: `escape` is for what stands between tags. */
function textWithout(baseUrl: string, text: string, leads: Leads, escape = asIs): string {
  const plain = new RegExp(`^${ownLinks(baseUrl).source}`, "i");
  const without = (whole: string): string => {
    const [ours] = plain.exec(whole) ?? [];
    // Signs that follow a plain link are the sentence's.
    if (ours !== undefined) return escape.out(leads(ours) ?? "") + whole.slice(ours.length).replace(address, without);
    const end = trailing.exec(whole)?.[0] ?? "";
    const to = leads(escape.in(whole.slice(0, whole.length - end.length)));
    return to === undefined ? whole : escape.out(to ?? "") + end;
  };
  return text.replace(address, without);
}

const asIs = { in: (text: string): string => text, out: (text: string): string => text };
const asHtml = { in: unescapeHtml, out: escapeHtml };

const image = /<img\b[^<>]*\bsrc="([^"<>]*)"[^<>]*>/g;
/** Links hold no links. */
const anchor = /(<a\b[^<>]*\bhref=")([^"<>]*)("[^<>]*>)([^]*?)<\/a>/g;

/** Of a cleaned fragment, whose attributes are all quoted. */
function htmlWithout(baseUrl: string, html: string, leads: Leads): string {
  const withoutPixels = html.replace(image, (whole, src: string) => (leads(unescapeHtml(src)) === undefined ? whole : ""));
  const withoutLinks = withoutPixels.replace(anchor, (whole, before: string, href: string, after: string, label: string) => {
    const to = leads(unescapeHtml(href));
    if (to === undefined) return whole;
    return to === null ? label : `${before}${escapeHtml(to)}${after}${label}</a>`;
  });
  // An address that is also written out, as programs do that show links beside their words.
  return textWithout(baseUrl, withoutLinks, leads, asHtml);
}
