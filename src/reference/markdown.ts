// Guides as HTML: headings with anchors, links between guides, code in colours. What is HTML in a guide is not shown.
import { Marked, type Tokens } from "marked";
import { escapeHtml } from "../values/html.ts";
import { Html } from "../values/html_template.ts";
import { codeBlock, snippetTabs } from "./code.ts";
import { requestIn, snippetsOf } from "./snippets.ts";

export interface Heading {
  id: string;
  text: string;
  depth: number;
}

export interface Rendered {
  html: Html;
  headings: Heading[];
}

/** Requests become calls of `api`. `linkOf` says where a link to another file leads; null shows its words alone. */
export function renderMarkdown(text: string, api: string, linkOf: (address: string) => string | null): Rendered {
  const headings: Heading[] = [];
  const ids = new Set<string>();
  let before = "";
  let requests = 0;
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: () => "",
      heading({ tokens, depth, text: words }) {
        const plain = plainWords(words);
        const id = idFor(plain, ids);
        if (depth > 1) headings.push({ id, text: plain, depth });
        const anchor = depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain)}">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      // What follows a request at once is its answer, and what follows a program is what it prints.
      code({ text: code, lang = "" }) {
        const label =
          lang === "json" && before === "http" ? "Answer" : lang === "" && programs.has(before) ? "Prints" : undefined;
        before = lang;
        const request = lang === "http" ? requestIn(code) : null;
        if (request !== null) return snippetTabs(`${++requests}`, snippetsOf(request, api)).text;
        return codeBlock(code, lang, label).text;
      },
      paragraph({ tokens }) {
        before = "";
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const to = /^https?:/.test(href) || href.startsWith("#") ? href : linkOf(href);
        return to === null ? words : `<a href="${escapeHtml(to)}">${words}</a>`;
      },
      image: ({ text: words }) => escapeHtml(words),
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map((one) => `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`).join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(token.header, headTag(token))}</tr></thead><tbody>\n${rows}</tbody></table></div>\n`;
      },
    },
  });
  return { html: new Html(marked.parse(text, { async: false })), headings };
}

const programs = new Set(["ts", "py", "js"]);

// An empty head is no head of anything.
const headTag = (token: Tokens.Table): string => (token.header.every((one) => one.text !== "") ? "th" : "td");

const plainWords = (words: string): string => words.replace(/[`*_]/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");

/** As GitHub makes them, so that a link works there and here. */
function idFor(words: string, taken: Set<string>): string {
  const base = words
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s/g, "-");
  let id = base;
  for (let i = 1; taken.has(id); i++) id = `${base}-${i}`;
  taken.add(id);
  return id;
}
