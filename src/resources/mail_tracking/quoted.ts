// An answer quotes our mail with the links of the one it was sent to. Whoever of the team reads it there would be counted as that
// person, and might unsubscribe them. So these links do not get into a received mail: pixels and unsubscribe links go, and a link that
// leads through the service leads to its target itself.
import type { Ctx } from "../../core/context.ts";
import { escapeHtml, unescapeHtml } from "../../values/html.ts";
import { targetsOf } from "./tracked_links.ts";
import { ownLinks } from "./urls.ts";

export interface Body {
  text: string | null;
  html: string | null;
}

/** The same body without them. One query, and only where the body has such a link. */
export async function withoutOurLinks(ctx: Ctx, { text, html }: Body): Promise<Body> {
  const own = ownLinks(ctx.settings.base_url);
  const hashes = [text, html].flatMap((one) => [...(one ?? "").matchAll(own)]).map(([, , hash]) => hash ?? "");
  if (hashes.length === 0) return { text, html };
  const targets = await targetsOf(ctx, hashes);
  // The target of a link of ours: null where it must not lead anywhere.
  const leads = (url: string): string | null => {
    const [, , hash] = [...url.matchAll(own)][0]!;
    return targets.get(hash ?? "") ?? null;
  };
  return { text: text && text.replace(own, (url) => leads(url) ?? ""), html: html && htmlWithout(html, own, leads) };
}

const image = /<img\b[^<>]*\bsrc="([^"<>]*)"[^<>]*>/g;
/** Links hold no links. */
const anchor = /(<a\b[^<>]*\bhref=")([^"<>]*)("[^<>]*>)([^]*?)<\/a>/g;

/** Of a cleaned fragment, whose attributes are all quoted. */
function htmlWithout(html: string, own: RegExp, leads: (url: string) => string | null): string {
  const isOwn = (url: string) => url.search(own) === 0;
  const withoutPixels = html.replace(image, (whole, src: string) => (isOwn(unescapeHtml(src)) ? "" : whole));
  const withoutLinks = withoutPixels.replace(anchor, (whole, before: string, href: string, after: string, label: string) => {
    if (!isOwn(unescapeHtml(href))) return whole;
    const to = leads(unescapeHtml(href));
    return to === null ? label : `${before}${escapeHtml(to)}${after}${label}</a>`;
  });
  // An address that is also written out, as programs do that show links beside their words.
  return withoutLinks.replace(own, (url) => escapeHtml(leads(url) ?? ""));
}
