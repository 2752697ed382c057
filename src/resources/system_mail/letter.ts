// The content of system mail, as text and as HTML: no images, nothing from other servers, every text escaped.
import type { Mail } from "../../services/mail.ts";
import { isRightToLeft } from "../../values/bidi.ts";
import { escapeHtml } from "../../values/html.ts";

export interface Letter {
  subject: string;
  /** In the order of the text. */
  parts: readonly Part[];
}

export type Part =
  | { words: string; small?: true }
  | { aside: string; link: string; href: string }
  | { heading: string }
  | { button: string; href: string }
  | { items: readonly Item[] };

export interface Item {
  title: string;
  note: string | null;
  href: string | null;
}

/** A mail that is ready to be sent. */
export interface SystemMail {
  organization_id: string;
  id: string;
  kind: "invitation" | "digest" | "password" | "signed_quote";
  /** The member it is for; empty for a customer. */
  user_id: string;
  membership_id: string | null;
  quote_id: string | null;
  sealed_token: string | null;
  created_by: string | null;
  tries: number;
  date_created: Date;
}

/** The mail for a job: `later` when this is not a good hour for it, null when there is no reason left to send it. */
export type Composed = ReadyMail | "later" | null;

export interface ReadyMail extends Pick<Mail, "headers" | "sender" | "replyTo" | "attachments"> {
  to: string;
  letter: Letter;
}

// --- text ---

export const textOf = ({ parts }: Letter): string => `${parts.map(showAsText).join("\n\n")}\n`;

function showAsText(part: Part): string {
  if ("words" in part) return part.words;
  if ("heading" in part) return part.heading;
  if ("button" in part) return `${part.button}:\n${part.href}`;
  if ("aside" in part) return `${part.aside} ${part.link}:\n${part.href}`;
  return part.items.map(itemAsText).join("\n");
}

const itemAsText = ({ title, note, href }: Item): string =>
  [`- ${title}`, ...(note === null ? [] : [`  ${note}`]), ...(href === null ? [] : [`  ${href}`])].join("\n");

// --- HTML ---

// The mail program's own colors apply, light or dark. Only buttons have their own.
const style = `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:24px 16px;font:16px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif}
main{display:block;max-width:560px;margin:0 auto;overflow-wrap:anywhere;word-break:break-word}`;

const block = "margin:0 0 16px";
const small = "font-size:13px;opacity:.75";
const pressed = "display:inline-block;padding:10px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none";

export const htmlOf = (letter: Letter): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(letter.subject)}</title>
<style>${style}</style>
</head>
<body>
<main>
${letter.parts.map(showAsHtml).join("\n")}
</main>
</body>
</html>
`;

function showAsHtml(part: Part): string {
  if ("words" in part) return words(part.words, part.small ? `${block};${small}` : block);
  if ("aside" in part) return `<p style="${block};${small}">${escapeHtml(part.aside)} ${link(part.href, part.link, "")}</p>`;
  if ("heading" in part)
    return `<h2 dir="${directionOf(part.heading)}" style="margin:24px 0 8px;font-size:16px;line-height:1.3">${escapeHtml(part.heading)}</h2>`;
  if ("button" in part) return `<p style="${block}">${link(part.href, part.button, pressed)}</p>`;
  return part.items.map(itemAsHtml).join("\n");
}

function itemAsHtml({ title, note, href }: Item): string {
  const about =
    note === null ? "" : `<br><span dir="${directionOf(note)}" style="font-size:14px;opacity:.75">${escapeHtml(note)}</span>`;
  const shown = href === null ? escapeHtml(title) : link(href, title, "");
  return `<p style="margin:0 0 12px;padding-inline-start:12px;border-inline-start:3px solid #8886" dir="${directionOf(title)}">${shown}${about}</p>`;
}

const words = (text: string, css: string): string => `<p dir="${directionOf(text)}" style="${css}">${escapeHtml(text)}</p>`;

/** That of the sentence: `dir="auto"` would take that of a name at its beginning, even of one that is `isolated`. */
const directionOf = (text: string): "rtl" | "ltr" => (isRightToLeft(text) ? "rtl" : "ltr");

const link = (href: string, text: string, css: string): string =>
  `<a href="${escapeHtml(href)}"${css === "" ? "" : ` style="${css}"`}>${escapeHtml(text)}</a>`;
