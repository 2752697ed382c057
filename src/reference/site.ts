// What all pages of the reference know, and the frame that they are shown in.
import type { Registry } from "../core/registry.ts";
import { type Html, html } from "../values/html_template.ts";
import { areas } from "./areas.ts";
import { guideGroups } from "./guides.ts";

export interface Site {
  /** The path that the service lives below, without a slash at its end. */
  root: string;
  /** The address of the interface: `https://crm.example.com/api/v1`. */
  api: string;
  version: string;
  registry: Registry;
  /** The requests of each group in a window: `200 in 10 seconds`. Null when there are no limits. */
  limits: ReadonlyMap<string, string> | null;
  /** A part of the addresses of files, which changes with them. */
  stamp: string;
}

export interface Shown {
  title: string;
  body: Html;
  /** What else the page has, beside its text. */
  contents?: readonly { id: string; text: string }[];
}

/** Where a page is. */
export const to = ({ root }: Pick<Site, "root">, path: string): string => `${root}/docs/${path}`;

export const catalogPages: readonly [string, string][] = [
  ["automations/triggers/", "Triggers"],
  ["automations/conditions/", "Conditions"],
  ["automations/steps/", "Steps"],
];

export const tablePages: readonly [string, string][] = [
  ["events/", "Event types"],
  ["errors/", "Errors"],
  ["permissions/", "Permissions and scopes"],
  ["limits/", "Rate limits"],
];

export function framed(site: Site, path: string, { title, body, contents = [] }: Shown): string {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Headwater</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${to(site, "icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to(site, `style.css?${site.stamp}`)}">
<script type="module" src="${to(site, `script.js?${site.stamp}`)}"></script>
</head>
<body data-root="${site.root}" data-index="${to(site, `search.json?${site.stamp}`)}">
<a class="skip" href="#text">Skip to the text</a>
<header>
<button class="menu" type="button" popovertarget="navigation">Menu</button>
<a class="brand" href="${to(site, "")}"><svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b57a4"/><path d="M9 7v18M23 7v18M9 16c3.5-3.6 7 3.6 14 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>Headwater <span>API ${site.version}</span></a>
<search hidden><input type="search" placeholder="Search" aria-label="Search the reference" autocomplete="off" spellcheck="false"></search>
</header>
<div class="columns">
${navigation(site, path)}
<main id="text"${contents.length > 0 ? html` class="with-contents"` : null}>
${contents.length > 0 ? html`<aside class="contents" aria-label="On this page"><p>On this page</p><ul>${contents.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></aside>` : null}
<article>
${body}
</article>
</main>
</div>
</body>
</html>
`;
  return text.text;
}

function navigation(site: Site, here: string): Html {
  const item = (path: string, words: string) =>
    html`<li><a href="${to(site, path)}"${path === here ? html` aria-current="page"` : null}>${words}</a></li>`;
  const part = (title: string, items: readonly [string, string][]) =>
    html`<details${items.some(([path]) => path === here) ? html` open` : null}><summary>${title}</summary><ul>${items.map(([path, words]) => item(path, words))}</ul></details>`;

  return html`<nav id="navigation" popover aria-label="Reference">
<ul>${item("", "Start")}</ul>
<h2>Guides</h2>
${guideGroups.map(({ title, guides }) =>
  part(
    title,
    guides.map((one) => [`guides/${one.name}/`, one.title]),
  ),
)}
<h2>Reference</h2>
${areas.map(({ title, pages }) =>
  part(
    title,
    pages.map((one) => [`resources/${one.name}/`, one.title]),
  ),
)}
${part("Catalogs of automations", catalogPages)}
<h2>Tables</h2>
<ul>${tablePages.map(([path, words]) => item(path, words))}</ul>
</nav>`;
}

/** Text of a definition: words between backticks are code. */
export const prose = (text: string): Html =>
  html`${text
    .split(/`([^`]+)`/)
    .map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
    .reduce((all, one) => html`${all}${one}`, html``)}`;
