/**
 * Rich text: the restricted XHTML fragment `<body>…</body>` of notes, comments and summaries.
 *
 * There are two passes. sanitize-html reads whatever a browser would read and drops all but a few tags. The fragment is then
 * rebuilt from its tidy output, so that tags nest correctly and cleaning it again changes nothing. A note of 500 characters takes
 * 0.1 ms.
 */
import { sanitized } from "./sanitized.ts";

export type RichText = { html: string; text: string; mentions: string[] };

/**
 * Any HTML → the stored fragment, its plain text, and the user and group ids mentioned in it, each once.
 *
 * Scripts and styles are dropped with their content. Other unknown tags are dropped, but their text stays. Links may use http,
 * https, mailto and tel, or be the unsubscribe link, which is different for each recipient of a mail. Never throws.
 * `fromHtml(x.html)` gives `x` again.
 */
export function fromHtml(html: string): RichText {
  const clean = withoutControls(html);
  const tidy = /[<>&]/.test(clean) ? sanitize(clean) : clean;
  const builder = new Builder();
  for (const [, closing, tag, attributes = "", chunk = ""] of tidy.matchAll(TOKEN)) {
    if (!tag) builder.addText(withoutControls(chunk));
    else if (closing) builder.close(tag);
    else builder.open(tag, attributes);
  }

  const fragment = builder.finish();
  return { html: fragment, text: textOf(fragment), mentions: [...builder.mentions] };
}

/**
 * Plain text → the fragment: escaped, with a `<br />` for each line break. `text` is returned with `\n` line ends and without
 * control characters.
 */
export function fromText(text: string): { html: string; text: string } {
  const clean = withoutControls(text);
  return { html: `<body>${escapeText(clean).replaceAll("\n", "<br />")}</body>`, text: clean };
}

/** The text of a finished fragment, with the address of each link behind its words: for readers who see nothing else. */
export const textWithAddresses = (fragment: string): string =>
  textOf(
    fragment.replace(ANCHOR, (_, href: string, label: string) => {
      const address = href.replace(/^(?:mailto|tel):/i, "");
      const seen = textOf(label);
      if (seen.includes(unescapeText(address)) || `https://${seen}` === href || `http://${seen}` === href) return label;
      return seen.trim() === "" ? address : `${label} (${address})`;
    }),
  );
/** Links hold no links. */
const ANCHOR = /<a href="([^"]*)">([^]*?)<\/a>/g;

/** An address that a link may lead to. */
export const isLink = (href: string): boolean => LINK.test(href.trim());
/** An address that a picture may come from. */
export const isImage = (src: string): boolean => IMAGE.test(src.trim());
/** The unsubscribe link in the one way that it is written. */
export const unsubscribeHref = (href: string): string | null => (UNSUBSCRIBE.test(href.trim()) ? "{{ unsubscribe_link }}" : null);

const INLINE = words("em strong b i u s span code a");
const BLOCK = words("h1 p ul ol li");
const VOID = words("img hr br");
/** These tags are dropped, but their edges were line ends: `<div>a</div><div>b</div>` must not become "ab". */
const LINE = words("div h2 h3 h4 h5 h6 blockquote pre section article tr td th");
/** Dropped with everything inside. */
const SILENT = words("script style noscript template title textarea option xmp iframe svg");

/** Deeper nesting is flattened: nobody reads it, and some readers recurse. */
const MAX_DEPTH = 32;
const TOKEN = /<(\/?)([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g;
const ATTRIBUTE = /([a-z-]+)="([^"]*)"/g;
const MENTIONED = /^(?:user|group)_\w{1,100}$/;
const LINK = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;
/** The unsubscribe link is different for each recipient. Editors write the braces unchanged into the address. */
const UNSUBSCRIBE = /^(?:\{\{|%7B%7B)(?:\s|%20)*unsubscribe_link(?:\s|%20)*(?:\}\}|%7D%7D)$/i;
/** Elsewhere, or a part of the e-mail itself. */
const IMAGE = /^(?:https?:\/\/|cid:)\S+$/i;
const STYLE = /^(?:color|background-color|font-size|font-style|font-weight|text-decoration)\s*:\s*[#\w%., ()-]{1,60}$/i;

/** Writes the fragment. Attribute values and text arrive escaped and are passed on unchanged. */
class Builder {
  readonly mentions = new Set<string>();
  private html = "";
  private readonly stack: string[] = [];
  /** True while nothing visible stands on the current line. */
  private fresh = true;
  /** A dropped tag ended the line: a `<br />` is due before the next content. */
  private owesBreak = false;

  open(tag: string, attributes: string): void {
    if (LINE.includes(tag)) this.owesBreak = true;
    else if (VOID.includes(tag)) this.addVoid(tag, this.keepAttributes(tag, attributes));
    else this.addOpening(tag, attributes);
  }

  close(tag: string): void {
    if (LINE.includes(tag)) this.owesBreak = true;
    const position = this.stack.lastIndexOf(tag);
    if (position >= 0) this.closeDownTo(position);
  }

  addText(chunk: string): void {
    if (chunk.trim() !== "") this.startContent();
    this.html += chunk;
  }

  finish(): string {
    this.closeDownTo(0);
    return `<body>${this.html}</body>`;
  }

  private addOpening(tag: string, attributes: string): void {
    this.closeForbidden(tag);
    if (this.stack.length >= MAX_DEPTH) return;
    this.stack.push(tag);
    this.html += `<${tag}${this.keepAttributes(tag, attributes)}>`;
    if (BLOCK.includes(tag)) this.startLine();
  }

  private addVoid(tag: string, attributes: string): void {
    if (tag === "img" && !attributes.includes(' src="')) return;
    if (tag === "hr") this.closeForbidden(tag);
    else this.startContent();
    this.html += `<${tag}${attributes} />`;
    if (tag !== "img") this.startLine();
  }

  /** A heading or paragraph contains no block, a link no link, and a list item no item without a list between. */
  private closeForbidden(tag: string): void {
    if (tag === "a") this.close("a");
    if (tag !== "hr" && !BLOCK.includes(tag)) return;
    const paragraph = this.stack.findIndex((open) => open === "p" || open === "h1");
    if (paragraph >= 0) this.closeDownTo(paragraph);
    const item = this.stack.lastIndexOf("li");
    const list = Math.max(this.stack.lastIndexOf("ul"), this.stack.lastIndexOf("ol"));
    if (tag === "li" && item > list) this.closeDownTo(item);
  }

  private closeDownTo(position: number): void {
    for (const tag of this.stack.splice(position).reverse()) {
      this.html += `</${tag}>`;
      if (BLOCK.includes(tag)) this.startLine();
    }
  }

  private startLine(): void {
    this.fresh = true;
    this.owesBreak = false;
  }

  private startContent(): void {
    if (this.owesBreak && !this.fresh) this.html += "<br />";
    this.fresh = this.owesBreak = false;
  }

  private keepAttributes(tag: string, source: string): string {
    const given = new Map([...source.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]) => [name, value.trim()]));
    const id = given.get("data-id") ?? "";
    if (tag === "span" && given.get("data-type") === "mention" && MENTIONED.test(id)) {
      this.mentions.add(id);
      return ` data-type="mention" data-id="${id}" data-label="${given.get("data-label") ?? ""}" class="mention"`;
    }

    return allowedAttributes(tag, given)
      .map(([name, value]) => ` ${name}="${value}"`)
      .join("");
  }
}

function allowedAttributes(tag: string, given: Map<string, string>): [string, string][] {
  const kept: [string, string][] = [];
  const keep = (name: string, allowed: RegExp) => {
    const value = given.get(name);
    if (value !== undefined && allowed.test(value)) kept.push([name, value]);
  };
  if (tag === "a") keep("href", LINK);
  const unsubscribe = unsubscribeHref(given.get("href") ?? "");
  if (tag === "a" && unsubscribe !== null) kept.push(["href", unsubscribe]);
  if (tag === "img") {
    keep("src", IMAGE);
    keep("alt", /^[^]+$/);
    keep("width", /^\d{1,4}$/);
    keep("height", /^\d{1,4}$/);
  }
  const style = tag === "span" ? keepStyle(given.get("style") ?? "") : "";
  if (style) kept.push(["style", style]);
  return kept;
}

/** Allows colours and weights, but no positions and no URLs: a note must not paint over the page that shows it. */
function keepStyle(style: string): string {
  const rules = style.split(";").map((rule) => rule.trim());
  return rules.filter((rule) => STYLE.test(rule) && !/url|expression/i.test(rule)).join("; ");
}

/** The text of a finished fragment: one line for each block and `<br />`, without any other tags. */
function textOf(html: string): string {
  let text = "";
  let fresh = true;
  let due = "";
  for (const [, , tag, , chunk = ""] of html.matchAll(TOKEN)) {
    if (tag === "br") [text, fresh, due] = [`${text}\n`, true, ""];
    else if (tag === "hr" || (tag && BLOCK.includes(tag))) due = fresh ? "" : "\n";
    if (tag) continue;

    const { lead, visible, trail } = unwrap(chunk);
    if (lead && !fresh) due ||= " ";
    if (visible === "") continue;
    text += due + plain(unescapeText(visible));
    fresh = false;
    due = trail ? " " : "";
  }
  return text;
}

/** A line break in the source shows as a space. One at the edges (`lead`, `trail`) shows only between words. */
function unwrap(chunk: string): { lead: boolean; visible: string; trail: boolean } {
  const lines = chunk.split("\n");
  const last = lines.length - 1;
  if (last === 0) return { lead: false, visible: chunk, trail: false };

  const trimmed = lines.map((line, i) => (i === 0 ? line.trimEnd() : i === last ? line.trimStart() : line.trim()));
  const visible = trimmed.filter((line) => line !== "").join(" ");
  return { lead: trimmed[0] === "", visible, trail: trimmed[last] === "" };
}

/** Tidy HTML of the listed tags only: every tag closed, every attribute quoted, all text escaped. */
function sanitize(html: string): string {
  const tidy = sanitized(html, {
    allowedTags: [...INLINE, ...BLOCK, ...VOID, ...LINE],
    allowedAttributes: {
      a: ["href"],
      img: ["src", "alt", "width", "height"],
      span: ["style", "data-type", "data-id", "data-label"],
    },
    nonTextTags: SILENT,
  });
  return tidy ?? escapeText(html.replace(/<[^<>]*>/g, ""));
}

/** Removes what XML cannot hold: control characters and lone surrogates. Line ends become `\n`. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}
const CONTROLS = /[^\t\n\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** Editors write every second space as a no-break space, which nobody searches for. */
function plain(text: string): string {
  return text.replaceAll("\u00A0", " ");
}

function words(list: string): string[] {
  return list.split(" ");
}
