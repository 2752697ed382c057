/**
 * The HTML of mails and signatures. Mails are laid out by tables, colours and sizes, which rich text does not have. What is dropped
 * is what runs, fetches by itself or paints over the page around it.
 */
import type { Attributes } from "sanitize-html";
import { fromHtml, isImage, isLink, unsubscribeHref, withoutControls } from "./rich_text.ts";
import { sanitized } from "./sanitized.ts";

/** Any HTML → `<body>…</body>` with the tags of mails only. Cleaning it again changes nothing. Never throws. */
export function mailHtml(html: string): string {
  const clean = withoutControls(html);
  const inner = /[<>&]/.test(clean) ? sanitize(clean) : clean;
  return `<body>${inner ?? fromHtml(clean).text}</body>`;
}

/** A signature is HTML or plain text, and nothing says which. */
export const isMarkup = (signature: string): boolean => signature.includes("<");

/** A signature. Plain text stays as it is; of HTML, only harmless parts stay. */
export const cleanSignature = (signature: string): string =>
  isMarkup(signature) ? mailHtml(signature).slice("<body>".length, -"</body>".length) : signature;

/** Its plain text. */
export const mailText = (html: string): string => fromHtml(html).text;

const TAGS = (
  "a b big blockquote br caption center code col colgroup dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre s " +
  "small span strike strong sub sup table tbody td tfoot th thead tr tt u ul"
).split(" ");

/** Dropped with everything inside. */
const SILENT = "script style noscript template title textarea option xmp iframe svg math object".split(" ");

const SIZE = /^\d{1,4}%?$/;
const COLOUR = /^#?\w{1,30}$/;
const WORD = /^[\w-]{1,30}$/;

const EVERYWHERE = new Map([
  ["align", WORD],
  ["dir", /^(?:ltr|rtl|auto)$/i],
  ["lang", WORD],
  ["title", /^[^]{1,500}$/],
]);
const CELL = new Map([
  ["bgcolor", COLOUR],
  ["colspan", SIZE],
  ["height", SIZE],
  ["rowspan", SIZE],
  ["valign", WORD],
  ["width", SIZE],
]);
const ATTRIBUTES = new Map<string, Map<string, RegExp>>([
  ["table", new Map([...CELL, ["border", SIZE], ["cellpadding", SIZE], ["cellspacing", SIZE]])],
  ...["tr", "td", "th", "tbody", "thead", "tfoot"].map((tag) => [tag, CELL] as const),
  ...["col", "colgroup"].map(
    (tag) =>
      [
        tag,
        new Map([
          ["span", SIZE],
          ["width", SIZE],
        ]),
      ] as const,
  ),
  [
    "font",
    new Map([
      ["color", COLOUR],
      ["face", /^[\w ,'-]{1,200}$/],
      ["size", /^[+-]?\d$/],
    ]),
  ],
  [
    "img",
    new Map([
      ["alt", /^[^]+$/],
      ["height", SIZE],
      ["width", SIZE],
    ]),
  ],
  [
    "ol",
    new Map([
      ["start", SIZE],
      ["type", WORD],
    ]),
  ],
]);

/** Nothing that moves, hides or fetches anything. */
const STYLES = new Set(
  (
    "background background-color border border-bottom border-collapse border-color border-left border-radius border-right border-spacing " +
    "border-style border-top border-width color direction font font-family font-size font-style font-variant font-weight height " +
    "letter-spacing line-height list-style-type margin margin-bottom margin-left margin-right margin-top max-width min-width padding " +
    "padding-bottom padding-left padding-right padding-top table-layout text-align text-decoration text-indent text-transform " +
    "vertical-align white-space width word-break word-spacing"
  ).split(" "),
);
/** Colours may be functions. A negative length would move it over something else. */
const VALUE = /^(?!.*(?:^|[\s,])-)(?:[#\w%., '"!+/-]|\b(?:rgba?|hsla?)\([\d.,%/ ]{1,60}\)){1,300}$/i;

function kept(tag: string, given: Attributes): Attributes {
  const found: Attributes = {};
  if (tag === "a" && isLink(given.href ?? "")) found.href = given.href!.trim();
  if (tag === "a" && unsubscribeHref(given.href ?? "") !== null) found.href = unsubscribeHref(given.href!)!;
  if (tag === "img" && isImage(given.src ?? "")) found.src = given.src!.trim();
  for (const [name, value] of Object.entries(given)) {
    const allowed = ATTRIBUTES.get(tag)?.get(name) ?? EVERYWHERE.get(name);
    if (allowed?.test(value.trim())) found[name] = value.trim();
  }
  const style = keptStyle(given.style ?? "");
  if (style !== "") found.style = style;
  return found;
}

function keptStyle(style: string): string {
  const rules = style.split(";").map((rule) => rule.split(/:(.*)/s).map((part) => part.trim()));
  return rules
    .filter(([name = "", value = ""]) => STYLES.has(name.toLowerCase()) && VALUE.test(value))
    .map(([name, value]) => `${name!.toLowerCase()}: ${value}`)
    .join("; ");
}

/** Null for what nests absurdly. */
const sanitize = (html: string): string | null =>
  sanitized(html, {
    allowedTags: TAGS,
    // What is kept is decided by `kept`.
    allowedAttributes: false,
    nonTextTags: SILENT,
    transformTags: { "*": (tagName, attribs) => ({ tagName, attribs: kept(tagName, attribs) }) },
    exclusiveFilter: ({ tag, attribs }) => tag === "img" && attribs.src === undefined,
  });
