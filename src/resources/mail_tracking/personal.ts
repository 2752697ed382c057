// The body of a mail for one recipient: unsubscribe tags become their link, and with tracking, links lead through the service and
// a pixel reports opens. Pure functions on the stored body.
import { escapeHtml, unescapeHtml } from "../../values/html.ts";
import type { Urls } from "./urls.ts";

/** `{% unsubscribe %}`, `{{ unsubscribe_link }}`. Values cannot contain them: see `services/liquid.ts`. */
const tag = /\{%-?\s*unsubscribe\s*-?%\}/g;
const link = /\{\{-?\s*unsubscribe_link\s*-?\}\}/g;

export const hasTags = (body: string | null): boolean => body !== null && (body.search(tag) >= 0 || body.search(link) >= 0);

const label = "Unsubscribe";

/** For whoever sends it: their own copy unsubscribes nobody. */
export const withoutLink = (body: string): string => body.replace(tag, label).replace(link, "#");

/** A body without a tag gets the link at its end. */
export function htmlWithLink(html: string, { unsubscribe }: Urls): string {
  const anchor = `<a href="${escapeHtml(unsubscribe)}">${label}</a>`;
  if (!hasTags(html)) return atEnd(html, `<p>${anchor}</p>`);
  return html.replace(tag, () => anchor).replace(link, () => escapeHtml(unsubscribe));
}

export function textWithLink(text: string, { unsubscribe }: Urls): string {
  const line = `${label}: ${unsubscribe}`;
  if (!hasTags(text)) return `${text}\n\n${line}\n`;
  return text.replace(tag, () => line).replace(link, () => unsubscribe);
}

export const htmlWithPixel = (html: string, { pixel }: Urls): string =>
  atEnd(html, `<img src="${escapeHtml(pixel)}" width="1" height="1" alt="" />`);

function atEnd(html: string, more: string): string {
  const end = html.lastIndexOf("</body>");
  return end < 0 ? html + more : html.slice(0, end) + more + html.slice(end);
}

// --- links ---

/** The new target of a link. Null when it stays as it is. */
export type Leads = (url: string) => string | null;

const inHtml = /(<a\s(?:[^<>]*\s)?href=")([^"<>]*)(")/gi;
const inText = /https?:\/\/[^\s<>"']+/gi;
/** Nothing longer is a URL, and searching for its end could take long. */
const urlMax = 2048;
/** These characters end the sentence, not the URL. */
const closing = /[.,;:!?)\]}]+$/;

export const htmlThrough = (html: string, leads: Leads): string =>
  html.replace(inHtml, (whole, before: string, href: string, after: string) => {
    const to = leads(unescapeHtml(href).trim());
    return to === null ? whole : `${before}${escapeHtml(to)}${after}`;
  });

export const textThrough = (text: string, leads: Leads): string =>
  text.replace(inText, (whole) => {
    if (whole.length > urlMax) return whole;
    const url = whole.replace(closing, "");
    return (leads(url) ?? url) + whole.slice(url.length);
  });
