// The catalogs of automations: every trigger, condition and step, with what its config takes.
import { type Shown as ShownType, shownConditions, shownSteps, shownTriggers } from "../../resources/automations/catalogs.ts";
import { type Html, html } from "../../values/html_template.ts";
import { membersOf } from "../schemas.ts";
import { prose, type Shown, type Site, to } from "../site.ts";
import { fieldList } from "./fields.ts";

const effects: Record<string, string> = {
  none: "has no effect",
  internal: "takes effect once",
  keyed: "may be sent twice, and the receiver can tell",
  at_most_once: "is sent at most once",
  destructive: "cannot be undone",
};

const catalogs = {
  triggers: { title: "Triggers", doc: "What starts an automation. One of them is its `trigger`.", types: shownTriggers },
  conditions: {
    title: "Conditions",
    doc: "What an automation can ask before it starts and between its steps.",
    types: shownConditions,
  },
  steps: { title: "Steps", doc: "What an automation does. `ports` are the ways on from a step.", types: shownSteps },
};

export type CatalogName = keyof typeof catalogs;

export function catalogPage(site: Site, name: CatalogName): Shown {
  const { title, doc, types } = catalogs[name];
  const families = Map.groupBy(types(), (one) => one.category);
  const body = html`<h1>${title} of automations</h1>
<p class="lead">${prose(doc)} The same list for programs is <a href="${to(site, "resources/automation_trigger_types/")}">an operation</a>, and <a href="${to(site, "guides/automations/")}">the guide</a> has recipes.</p>
${[...families].map(([family, members]) => html`<h2 id="${family}">${wordsOf(family)}</h2>${members.map((one) => typeSection(one, name))}`)}`;
  return { title: `${title} of automations`, body, contents: [...families.keys()].map((id) => ({ id, text: wordsOf(id) })) };
}

const wordsOf = (family: string): string => `${family[0]!.toUpperCase()}${family.slice(1)}`.replaceAll("_", " ");

function typeSection(one: ShownType, catalog: CatalogName): Html {
  const resolve = (schema: Record<string, any>) => schema ?? {};
  const config = membersOf(one.config_schema, resolve);
  const output = one.output_schema === null ? [] : membersOf(one.output_schema, resolve);
  return html`<section class="kind" id="${one.type}">
<h3><code>${one.type}</code> <a class="anchor" href="#${one.type}" aria-label="Link to ${one.type}">#</a>${one.available ? null : html` <span class="mode">not in this release</span>`}</h3>
<p>${prose(one.description)}</p>
<p class="soft">${one.object_types.length === 0 ? null : `For ${one.object_types.join(", ")}. `}${catalog === "steps" ? `Repeated, it ${effects[one.effect]}. ` : null}${one.ports === undefined || one.ports.length === 0 ? null : html`Ports: ${one.ports.map((port) => html`<code>${port}</code> `)}`}</p>
${config.length === 0 ? null : html`<details><summary>Config, ${config.length} ${config.length === 1 ? "field" : "fields"}</summary>${fieldList(config, resolve, { required: true })}</details>`}
${output.length === 0 ? null : html`<details><summary>What it leaves to later steps</summary>${fieldList(output, resolve)}</details>`}
</section>`;
}
