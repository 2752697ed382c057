// Blocks of code, and one block in several languages.
import { type Html, html } from "../values/html_template.ts";
import { highlighted } from "./highlight.ts";
import type { Snippet } from "./snippets.ts";

const names: Record<string, string> = {
  sh: "Shell",
  http: "Request",
  json: "JSON",
  js: "JavaScript",
  mjs: "JavaScript",
  ts: "TypeScript",
  py: "Python",
  python: "Python",
};

export const codeBlock = (text: string, language: string, label = names[language] ?? "Text"): Html =>
  html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></figure>`;

/** The same request in several languages. Tabs are radio buttons, so that they work without a script. */
export const snippetTabs = (id: string, snippets: readonly Snippet[]): Html =>
  html`<fieldset class="code tabs"><legend>Request</legend>
${snippets.map(
  ({ language, label }, i) =>
    html`<label><input type="radio" name="language-${id}" value="${language}"${i === 0 ? html` checked` : null}>${label}</label>`,
)}
${snippets.map(
  ({ language, label, text }) =>
    html`<pre tabindex="0" class="in-${language}" aria-label="${label}"><code>${highlighted(text, language)}</code></pre>`,
)}
</fieldset>`;
