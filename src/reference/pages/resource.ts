// The page of a resource: its fields, states and events, and everything that can be done with it.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Operation } from "../../core/operation.ts";
import type { Resource } from "../../core/resource.ts";
import { objectTypesOf } from "../../records/object_types.ts";
import { eventCatalog } from "../../resources/events/event_names.ts";
import { type Html, html } from "../../values/html_template.ts";
import { type PageOfResources, pageOfResource } from "../areas.ts";
import { codeBlock } from "../code.ts";
import { type Described, modelOf, type PageModel } from "../model.ts";
import { isNullable, type Member, membersOf, plain, type Schema } from "../schemas.ts";
import { prose, type Shown, type Site, to } from "../site.ts";
import { fieldList } from "./fields.ts";
import { linkTo } from "./link.ts";
import { anchorOf, firstSentence, methodWord, operationSection } from "./operation.ts";

export const operationsOf = ({ registry }: Site, page: PageOfResources): Operation[] =>
  page.parts.flatMap((part) => registry.operations.filter(({ name }) => name.startsWith(`${part}.`)));

export async function resourcePage(site: Site, page: PageOfResources): Promise<Shown> {
  const operations = operationsOf(site, page);
  const model = await modelOf(operations);
  const anchors = anchorsOf(operations, page);
  const resources = [...new Set(operations.flatMap(({ resource }) => resource ?? []))];
  const main = resources.find(({ name }) => name === page.name);
  await nextTurn();
  const objects = resources.flatMap((one) => objectSection(site, model, one, resources.length > 1) ?? []);
  const sections: Html[] = [];
  for (const [i, one] of model.described.entries()) {
    await nextTurn();
    sections.push(operationSection(site, model, one, anchors[i]!));
  }

  const body = html`<h1>${page.title}</h1>
<p class="lead">${main === undefined ? null : prose(main.doc)}</p>
<ul class="operations">${operations.map(
    (one, i) =>
      html`<li><a href="#${anchors[i]!}">${methodWord(one.method)} <code>${one.path}</code> <span>${firstSentence(one.doc)}</span></a></li>`,
  )}</ul>
${objects}
<h2 id="operations">Operations</h2>
${sections}`;
  return { title: page.title, body };
}

/** Of two operations with one anchor the later has the name of its part too. */
export function anchorsOf(operations: readonly Operation[], page: PageOfResources): string[] {
  return operations.map(({ name }) => (name.startsWith(`${page.parts[0]}.`) ? anchorOf(name) : name.replace(".", "-")));
}

function objectSection(site: Site, model: PageModel, resource: Resource, several: boolean): Html | null {
  const mine = model.described.filter((one) => one.operation.resource === resource);
  const fields = fieldsOf(mine, resource, model);
  if (fields.length === 0) return null;
  const sample = recordIn(mine);
  const note = (name: string) => noteOf(site, fields.find((one) => one.name === name)!, resource);
  return html`<section class="operation" id="object-${resource.name}">
<div class="about">
<h2>The ${resource.name.replaceAll("_", " ")}</h2>
${several ? html`<p>${prose(resource.doc)}</p>` : null}
<p class="soft">Ids begin with <code>${resource.prefix}_</code>. ${writersOf(site, mine)}</p>
${statesOf(fields, model)}
${eventsOf(site, resource)}
<h3>Fields</h3>
${fieldList(fields, model.resolve, { note, example: (name) => exampleOf(name, sample, fields) })}
</div>
<div class="shown">${sample === null ? null : codeBlock(JSON.stringify(sample, null, 2), "json", "Example")}</div>
</section>`;
}

/** A record of the resource, as a live service answered it. */
function recordIn(mine: readonly Described[]): Schema | null {
  for (const wanted of ["get", "create", "update", "list"] as const) {
    const body = mine.find(({ operation }) => operation.verb === wanted)?.response?.body as Schema | undefined;
    const record = wanted === "list" ? body?.data?.[0] : body;
    if (record !== undefined) return record;
  }
  return null;
}

const longestExample = 100;

/** Ids, yes and no, and what is inside of objects say nothing that the type does not say. */
function exampleOf(name: string, sample: Schema | null, fields: readonly ShownField[]): string | null {
  if (/(^|_)ids?$/.test(name)) return null;
  const value = sample?.[name] ?? fields.find((one) => one.name === name)?.schema.examples?.[0];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" && value.length <= longestExample ? value : null;
}

interface ShownField extends Member {
  isShown: boolean;
  writable: "write" | "create" | "read";
}

/** The fields of answers, and those that only bodies have. */
function fieldsOf(mine: readonly Described[], resource: Resource, { resolve }: PageModel): ShownField[] {
  const reading = mine.find(({ operation: { verb } }) => verb !== null && verb !== "delete");
  const bodyOf = (verb: string) => mine.find(({ operation }) => operation.verb === verb)?.body ?? [];
  const created = new Map(bodyOf("create").map((one) => [one.name, one]));
  const updated = new Map(bodyOf("update").map((one) => [one.name, one]));
  const shown = resource.kinds === undefined ? (reading?.record ?? []) : [];
  const writable = (name: string) => (updated.has(name) ? "write" : created.has(name) ? "create" : "read");
  const further = [...created.values(), ...updated.values()].filter((one) => !shown.some(({ name }) => name === one.name));
  const all = new Map([...shown, ...further].map((one) => [one.name, one]));
  return [...all.values()].map((one) => ({
    ...one,
    doc: one.doc || created.get(one.name)?.doc || "",
    schema: plainer(one.schema, created.get(one.name)?.schema, resolve),
    isShown: shown.some(({ name }) => name === one.name),
    writable: writable(one.name),
  }));
}

/** What a body takes is often said more exactly than what an answer has. */
const plainer = (shown: any, given: any, resolve: PageModel["resolve"]) =>
  given !== undefined &&
  membersOf(shown, resolve).length === 0 &&
  isNullable(resolve(shown)) === isNullable(resolve(given)) &&
  plain(shown, resolve).enum === undefined
    ? { ...given, description: shown.description ?? given.description }
    : shown;

function noteOf(site: Site, { name, writable, isShown }: ShownField, resource: Resource): Html {
  const spec = resource.fields[name];
  const target = spec?.source === "column" ? spec.ref?.to : undefined;
  const word = { write: "writable", create: "set at creation", read: "read only" }[writable];
  const link = target === undefined || pageOfResource(target) === undefined ? null : html` ${linkTo(site, target)}`;
  return html` <span class="mode ${writable}">${word}</span>${isShown ? null : html` <span class="mode">not shown</span>`}${onDemand(resource, name)}${link}`;
}

function onDemand(resource: Resource, name: string): Html | null {
  const spec = resource.shown.find(([key]) => key === name)?.[1];
  const asked = spec !== undefined && (spec.source === "related" ? !spec.always : "onDemand" in spec && spec.onDemand === true);
  return asked ? html` <span class="mode">only when named in <code>_fields</code></span>` : null;
}

function writersOf(site: Site, mine: readonly Described[]): Html {
  const words: Record<string, string> = { create: "created", update: "changed", delete: "deleted" };
  const said = mine.flatMap(({ operation: { verb, permission } }) =>
    verb !== null && words[verb] ? [{ word: words[verb]!, permission }] : [],
  );
  if (said.length === 0) return html`It is only read by these operations.`;
  const by = new Map<string, string[]>();
  for (const { word, permission } of said) by.set(permission, [...(by.get(permission) ?? []), word]);
  return html`${[...by].map(
    ([permission, done]) =>
      html`It is ${done.join(" and ")} ${permission === "member" ? "by any member" : html`with <a href="${to(site, "permissions/")}#${permission}"><code>${permission}</code></a>`}. `,
  )}`;
}

function statesOf(fields: readonly ShownField[], { resolve }: PageModel): Html | null {
  const states = fields.filter(
    ({ name, schema }) => /(^|_)(status|state)$/.test(name) && plain(schema, resolve).enum !== undefined,
  );
  if (states.length === 0) return null;
  return html`<h3>States</h3>${states.map(
    ({ name, schema, doc }) =>
      html`<p><code class="name">${name}</code>${doc === "" ? null : html` ${prose(doc)}`}</p><p class="choices">${(plain(schema, resolve).enum as unknown[]).map((value) => html`<code>${String(value)}</code>`)}</p>`,
  )}`;
}

function eventsOf(site: Site, resource: Resource): Html {
  const types = objectTypesOf(resource);
  if (types.length === 0) return html``;
  return html`<h3>Events</h3><p class="choices">${types.flatMap((type) => (eventCatalog.get(type) ?? []).map((action) => html`<a href="${to(site, "events/")}#${type}"><code>${type}.${action}</code></a>`))}</p>`;
}
