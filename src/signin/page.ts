// How the pages of the service look that ask a person for something: sign-in, consent, the account. They are read with phones and
// on desks, by day and by night, with and without a screen, and need no script.
import { createHash } from "node:crypto";
import { Content } from "../core/operation.ts";
import { htmlPage } from "../resources/shared/html_page.ts";
import { escapeHtml } from "../values/html.ts";
import type { Html } from "../values/html_template.ts";

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --ink: light-dark(#16202c, #e8edf2); --soft: light-dark(#51606f, #a3b1bf); --ground: light-dark(#f3f5f7, #10161c);
  --card: light-dark(#fff, #1a222b); --line: light-dark(#8593a1, #5f6f7e); --blue: light-dark(#0b57a4, #7db8f5);
  --on-blue: light-dark(#fff, #0c1a28); --red: light-dark(#a4161a, #ff9b9b); --green: light-dark(#1a6b34, #8fdca6); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 30rem; margin: clamp(0rem, 6vh, 4rem) auto; padding: 2rem 1.5rem; background: var(--card); border-radius: .75rem; }
main:has(.wide) { max-width: 46rem; }
@media (max-width: 32rem) { main { margin: 0; border-radius: 0; min-height: 100vh; } }
.brand { font-weight: 600; color: var(--soft); margin: 0 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem; }
p { margin: 0 0 1rem; }
.soft { color: var(--soft); }
.wrong { color: var(--red); font-weight: 600; }
.done { color: var(--green); font-weight: 600; }
a { color: var(--blue); }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
.hint { color: var(--soft); font-size: .9375rem; margin: .25rem 0 0; }
form + .hint { margin-top: 1rem; }
input:not([type=radio], [type=checkbox], [type=hidden]), select { display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .375rem; }
fieldset { border: 1px solid var(--line); border-radius: .375rem; margin: 1.25rem 0; padding: .5rem 1rem 1rem; }
legend { font-weight: 600; padding: 0 .375rem; }
fieldset label { font-weight: 400; display: flex; gap: .75rem; align-items: baseline; margin: .5rem 0 0; min-height: 1.5rem; }
input[type=radio], input[type=checkbox] { width: 1.125rem; height: 1.125rem; flex: none; accent-color: var(--blue); }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--blue); border-radius: .375rem;
  background: var(--card); color: var(--blue); cursor: pointer; }
button.main { background: var(--blue); color: var(--on-blue); }
:is(a, button, input, select):focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.list { list-style: none; margin: 0; padding: 0; }
.list > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0;
  border-top: 1px solid color-mix(in srgb, var(--line) 40%, transparent); }
.list > li > :first-child { flex: 1 1 14rem; min-width: 0; }
.list form { margin: 0; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; }
.list .row input { width: 12rem; flex: 1; }
.wrong:empty { display: none; }
code { font-family: ui-monospace, monospace; }
.picture { max-width: 14rem; background: #fff; padding: .5rem; border-radius: .375rem; margin: 0 0 1rem; }
.picture svg { display: block; }
.codes { columns: 2; list-style: none; padding: 0; }
`;

interface Page {
  title: string;
  body: Html;
  /** Further places that the forms of this page may lead to, such as the client that a person goes back to. */
  formsLeadTo?: string;
  /** The text of the page's only script. */
  script?: string;
}

/** A page with its policy: nothing from elsewhere, no script but the one it names, and no other page may show it in a frame. */
export function page({ title, body, formsLeadTo = "", script }: Page): Content {
  const text = `<p class="brand">Headwater</p>\n<h1 dir="auto">${escapeHtml(title)}</h1>\n${body.text}`;
  const {
    type,
    body: whole,
    headers,
  } = htmlPage({
    title: `${title} · Headwater`,
    style,
    body: text + (script === undefined ? "" : `<script>${script}</script>`),
  });
  const policy = headers["content-security-policy"]!.replace("form-action 'self'", `form-action 'self' ${formsLeadTo}`.trim());
  const scripts = script === undefined ? "" : `; script-src 'sha256-${sha256(script)}'`;
  return new Content(type, whole, { ...headers, "content-security-policy": policy + scripts, "x-frame-options": "DENY" });
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
