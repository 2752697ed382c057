// The first page: what this is, a first call, and where to go on.
import { html } from "../../values/html_template.ts";
import { areas } from "../areas.ts";
import { codeBlock, snippetTabs } from "../code.ts";
import { guideGroups } from "../guides.ts";
import { catalogPages, type Shown, type Site, tablePages, to } from "../site.ts";
import { snippetsOf } from "../snippets.ts";

export function startPage(site: Site): Shown {
  const count = site.registry.operations.length;
  const first = { method: "GET", path: "/me/", query: {}, body: undefined, lasts: false };
  const second = {
    method: "POST",
    path: "/lead/",
    query: {},
    body: { name: "Bluth Company", contacts: [{ name: "Gob Bluth", emails: [{ email: "gob@bluth.example" }] }] },
    lasts: false,
  };
  const answer = {
    id: "lead_01kjp6w3mze8p9x2c4v7b5n1qd",
    display_name: "Bluth Company",
    status_label: "Potential",
    contacts: [{ name: "Gob Bluth" }],
  };
  const body = html`<section class="operation first">
<div class="about">
<h1>Headwater API</h1>
<p class="lead">A sales CRM that other software and agents run on: leads, contacts, deals, tasks, mail and calls, with their whole history. ${count} operations speak JSON over HTTP, and agents use the same ones as tools.</p>
<p>Requests go to <code>${site.api}</code> with an API key. Every change is an event, which webhooks and streams deliver. Refusals say what to do.</p>
<p><a class="button" href="${to(site, "guides/first-call/")}">Your first call</a> <a class="button plain" href="${to(site, "guides/keys/")}">Get a key</a></p>
<ul class="facts">
<li><b>Lists</b> return <code>data</code> and <code>has_more</code>. <a href="${to(site, "guides/lists/")}">Paging</a>, <a href="${to(site, "guides/filters/")}">filters and search</a></li>
<li><b>Updates</b> change only the fields they name; <code>null</code> clears.</li>
<li><b>Retries</b> are safe with an <code>Idempotency-Key</code>. <a href="${to(site, "guides/retries/")}">Retries and concurrency</a></li>
<li><b>Trying</b> costs nothing: <code>dry_run=true</code> checks a write and undoes it. <a href="${to(site, "guides/undo/")}">Trying and undoing</a></li>
<li><b>Programs</b> read <a href="${site.root}/api/v1/openapi.json">the description</a>, language models <a href="${site.root}/llms.txt">llms.txt</a>.</li>
</ul>
</div>
<div class="shown">${snippetTabs("me", snippetsOf(first, site.api))}${snippetTabs("lead", snippetsOf(second, site.api))}${codeBlock(JSON.stringify(answer, null, 2), "json", "Answer 201, in part")}</div>
</section>
<h2 id="guides">Guides</h2>
<div class="cards">${guideGroups.map(
    ({ title, guides }) =>
      html`<section><h3>${title}</h3><ul>${guides.map((one) => html`<li><a href="${to(site, `guides/${one.name}/`)}">${one.title}</a></li>`)}</ul></section>`,
  )}</div>
<h2 id="resources">Resources</h2>
<div class="cards">${areas.map(
    ({ title, pages }) =>
      html`<section><h3>${title}</h3><ul>${pages.map((one) => html`<li><a href="${to(site, `resources/${one.name}/`)}">${one.title}</a></li>`)}</ul></section>`,
  )}</div>
<h2 id="tables">Catalogs and tables</h2>
<div class="cards"><section><h3>Automations</h3><ul>${catalogPages.map(([path, title]) => html`<li><a href="${to(site, path)}">${title}</a></li>`)}</ul></section>
<section><h3>Tables</h3><ul>${tablePages.map(([path, title]) => html`<li><a href="${to(site, path)}">${title}</a></li>`)}</ul></section></div>`;
  return { title: "API reference", body };
}
