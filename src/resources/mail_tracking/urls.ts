// The URLs in a mail for one recipient.
import { escapePattern } from "../../values/escape_pattern.ts";

export interface Urls {
  unsubscribe: string;
  pixel: string;
  /** The URL of a link, by the hash of its target. */
  click(hash: string): string;
}

export const urlsOf = (baseUrl: string, secret: string): Urls => ({
  unsubscribe: `${baseUrl}/u/${secret}/`,
  pixel: `${baseUrl}/o/${secret}.gif`,
  click: (hash) => `${baseUrl}/c/${secret}/${hash}/`,
});

/** Finds them in a text, with the path and the hash. */
export const ownLinks = (baseUrl: string): RegExp =>
  new RegExp(`${escapePattern(baseUrl)}/(u|o|c)/[\\w-]{20,100}(?:/([\\w-]{1,100}))?(?:/|\\.gif)?`, "g");

/** True for a link that was made here, which must not be replaced twice. */
export const isOwn = (baseUrl: string, url: string): boolean =>
  ["u", "o", "c"].some((path) => url.startsWith(`${baseUrl}/${path}/`));
