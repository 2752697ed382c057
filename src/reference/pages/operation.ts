// One operation: what it is for, what it takes and answers, and who may call it.
import { type Html, html } from "../../values/html_template.ts";
import { codeBlock, snippetTabs } from "../code.ts";
import { type FilterGroup, filterGroups, type Parameter } from "../filters.ts";
import type { Described, PageModel } from "../model.ts";
import type { Schema } from "../schemas.ts";
import { prose, type Site, to } from "../site.ts";
import { snippetsOf } from "../snippets.ts";
import { fieldList, typeWords } from "./fields.ts";

/** The place of an operation on its page. */
export const anchorOf = (name: string): string => name.slice(name.indexOf(".") + 1).replace(/[^\w-]/g, "-");

export function operationSection(site: Site, model: PageModel, one: Described, anchor: string): Html {
  const { operation, description } = one;
  const { method, path, doc } = operation;
  return html`<section class="operation" id="${anchor}">
<div class="about">
<h3>${prose(firstSentence(doc))} <a class="anchor" href="#${anchor}" aria-label="Link to this operation">#</a></h3>
<p class="line">${methodWord(method)} <code>${path}</code></p>
${restOf(doc) === "" ? null : html`<p>${prose(restOf(doc))}</p>`}
${description.map((text) => html`<p>${prose(text)}</p>`)}
${rules(site, one)}
${parameters("Path", one.path, model)}
${one.body.length === 0 ? null : html`<h4>Body</h4>${fieldList(one.body, model.resolve, { required: operation.verb !== "update" })}`}
${queryParts(one, model)}
${one.headers.length === 0 ? null : html`<details><summary>Headers</summary>${parameters("", one.headers, model)}</details>`}
${answers(site, one)}
${answerFields(one, model)}
</div>
<div class="shown" data-try="${JSON.stringify(tryable(one))}">
${snippetTabs(operation.name, snippetsOf(one.request, site.api))}
${one.response === null ? null : codeBlock(shortened(one.response.body), "json", `Answer ${one.response.status}`)}
</div>
</section>`;
}

/** What stands for an operation in lists. */
export const firstSentence = (doc: string): string => /^.*?(?=\.( |$))/s.exec(doc)?.[0] ?? doc;

const restOf = (doc: string): string => doc.slice(firstSentence(doc).length + 1).trim();

export const methodWord = (method: string): Html => html`<b class="method ${method.toLowerCase()}">${method}</b>`;

function rules(site: Site, { operation, events }: Described): Html {
  const { permission, scope, group, outlasts, mcp } = operation;
  const limit = site.limits?.get(group);
  return html`<dl class="rules">
<dt>Permission</dt><dd>${permission === "member" ? "any member" : html`<a href="${to(site, "permissions/")}#${permission}"><code>${permission}</code></a>`}</dd>
<dt>Scope</dt><dd><a href="${to(site, "permissions/")}#scopes"><code>${scope}</code></a>${outlasts ? ", and no connection by OAuth" : null}</dd>
<dt>Rate group</dt><dd><a href="${to(site, "limits/")}"><code>${group}</code></a>${limit === undefined ? null : ` · ${limit}`}</dd>
<dt>Agents</dt><dd>${mcp ? "by tools too" : "not by tools"}</dd>
${events.length === 0 ? null : html`<dt>Events</dt><dd>${events.map((name) => html`<code>${name}</code> `)}</dd>`}
</dl>`;
}

function parameters(title: string, list: readonly Parameter[], { resolve }: PageModel): Html | null {
  if (list.length === 0) return null;
  return html`${title === "" ? null : html`<h4>${title}</h4>`}<ul class="fields">${list.map(
    ({ name, schema, required, doc }) =>
      html`<li><code class="name">${name}</code> <span class="type">${typeWords(name, schema, resolve)}</span>${required ? html` <span class="must">required</span>` : null}${doc === "" ? null : html`<p>${prose(doc)}</p>`}</li>`,
  )}</ul>`;
}

/** A list has many filters, and shows them in groups. */
function queryParts(one: Described, model: PageModel): Html {
  const { query } = one;
  if (query.length <= 12) return html`${parameters("Query", [...query, ...one.shapes], model)}`;
  const fields: Record<string, Schema> = Object.fromEntries(one.record.map(({ name, schema }) => [name, schema]));
  const groups = filterGroups(query, fields, model.resolve);
  const custom = one.operation.resource?.custom;
  return html`${parameters("Paging and shape", one.shapes, model)}
<h4>Filters</h4>
<p class="soft">Several filters must all hold. <code>__in</code> takes values separated by commas, <code>__isnull</code> <code>true</code> or <code>false</code>.</p>
${groups.map(filterDetails)}
${custom === undefined ? null : html`<details><summary>Custom fields</summary><p><code>custom.cf_…</code> is a custom field, with <code>__in</code>, <code>__gt</code>, <code>__gte</code>, <code>__lt</code>, <code>__lte</code> and <code>__isnull</code> by its type.</p></details>`}`;
}

const filterDetails = ({ title, filters }: FilterGroup): Html =>
  html`<details${title === "Search" ? html` open` : null}><summary>${title} <span class="soft">${filters.length}</span></summary>
<ul class="fields">${filters.map(
    ({ field, names, doc }) =>
      html`<li><code class="name">${field}</code>${names.filter((name) => name !== field).map((name) => html` <code class="also">${name.slice(field.length)}</code>`)}${doc === "" || doc.startsWith("Only records whose `") ? null : html`<p>${prose(doc)}</p>`}</li>`,
  )}</ul></details>`;

function answers(site: Site, { success, errors }: Described): Html {
  return html`<h4>Answers</h4>
<ul class="fields">${success.map(({ status, doc }) => html`<li><code class="name">${status}</code> ${prose(doc)}</li>`)}
<li>${errors.map((status) => html`<a href="${to(site, "errors/")}#${status}"><code>${status}</code></a> `)}<span class="soft">refusals</span></li></ul>`;
}

/** A verb answers the record that the page begins with. */
function answerFields({ operation, record }: Described, { resolve }: PageModel): Html | null {
  if (operation.verb !== null || record.length === 0) return null;
  return html`<details><summary>Fields of the answer</summary>${fieldList(record, resolve)}</details>`;
}

/** What the script needs to try it. */
function tryable({ operation, path, shapes, request }: Described): object {
  const { method, lasts = false } = operation;
  return {
    method,
    path: operation.path,
    places: path.map((one) => one.name),
    query: new URLSearchParams(request.query).toString(),
    body: request.body === undefined ? null : JSON.stringify(request.body, null, 2),
    lasts,
    dry: shapes.some((one) => one.name === "dry_run"),
  };
}

const longest = 6000;

/** Long answers are cut, at the end of a line. */
function shortened(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  if (text.length <= longest) return text;
  return `${text.slice(0, text.lastIndexOf("\n", longest))}\n  …`;
}
