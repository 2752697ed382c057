// Converts the simple markup of chat messages to rich text: emphasis, code, links, lists. Everything else stays as it is written.
import { fromHtml, type RichText } from "../../values/rich_text.ts";

/** `**Hello** [there](https://a.example)` → both forms of the body. */
export function fromMarkdown(markdown: string): RichText {
  const html: string[] = [];
  let open = "";
  for (const line of escaped(markdown).split(/\r\n?|\n/)) {
    const [, mark, item] = ITEM.exec(line) ?? [];
    const list = mark === undefined ? "" : /\d/.test(mark) ? "ol" : "ul";
    if (list !== open) html.push(open && `</${open}>`, list && `<${list}>`);
    open = list;
    html.push(item === undefined ? `<p>${inline(line)}</p>` : `<li>${inline(item)}</li>`);
  }
  return fromHtml(`${html.join("")}${open && `</${open}>`}`.replaceAll("<p></p>", ""));
}

const ITEM = /^\s*([-*+•]|\d{1,9}[.)])\s+(.*)$/;

/** Markup within a line. Text between backticks stays as it is written. */
const inline = (line: string): string =>
  line
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/.test(part) ? `<code>${part.slice(1, -1)}</code>` : marked(part)))
    .join("");

// The text between two marks has a maximum length, so that a line of nothing but marks takes no longer than others.
const INNER = String.raw`(\S(?:.{0,1000}?\S)?)`;
const MARKS: [RegExp, string][] = [
  [/\[([^\]]{1,1000})\]\((https?:[^\s)]{1,2000})\)/g, '<a href="$2">$1</a>'],
  [new RegExp(String.raw`\*\*${INNER}\*\*|(?<!\w)__${INNER}__(?!\w)`, "g"), "<strong>$1$2</strong>"],
  [new RegExp(String.raw`\*${INNER}\*|(?<!\w)_${INNER}_(?!\w)`, "g"), "<em>$1$2</em>"],
  [new RegExp(String.raw`~~${INNER}~~|(?<!\w)~${INNER}~(?!\w)`, "g"), "<s>$1$2</s>"],
];

const marked = (text: string): string => MARKS.reduce((html, [mark, tag]) => html.replace(mark, tag), text);

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
