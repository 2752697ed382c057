// A page of a few sentences and at most one button.
import type { Content } from "../../core/operation.ts";
import { escapeHtml } from "../../values/html.ts";
import { htmlPage, pageHeaders } from "./html_page.ts";

interface PlainPage {
  title: string;
  words: readonly string[];
  /** `values` are hidden fields of the form. */
  form?: { action: string; button: string; values?: Readonly<Record<string, string>> };
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 36rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; margin: 0 0 1rem; }
button { font: inherit; padding: .6rem 1.25rem; margin: .5rem 0; }
`;

export const plainPageHeaders = pageHeaders(style);

export function plainPage({ title, words, form }: PlainPage): Content {
  const parts = [`<h1 dir="auto">${escapeHtml(title)}</h1>`, ...words.map((one) => `<p dir="auto">${escapeHtml(one)}</p>`)];
  if (form !== undefined) {
    const values = Object.entries(form.values ?? {}).map(
      ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    );
    const button = `<button>${escapeHtml(form.button)}</button>`;
    parts.push(`<form method="post" action="${escapeHtml(form.action)}">${values.join("")}${button}</form>`);
  }
  return htmlPage({ title, style, body: parts.join("\n") });
}
