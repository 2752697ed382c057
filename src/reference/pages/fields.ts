// Fields in a list, each with its type, its bounds and its meaning, and those of objects inside.
import { type Html, html } from "../../values/html_template.ts";
import { boundsOf, choicesOf, isNullable, type Member, membersOf, type Resolve, type Schema, typeInWords } from "../schemas.ts";
import { prose } from "../site.ts";

export interface FieldOptions {
  /** Whether it is shown which fields are required. */
  required?: boolean;
  /** What else is said of a field. */
  note?: (name: string) => Html | null;
  /** A value that it may have, as JSON; null for none that says more than its type. */
  example?: (name: string) => string | null;
  deep?: number;
}

export const typeWords = (name: string, schema: Schema, resolve: Resolve): string =>
  `${/(^|_)id$/.test(name) ? "id" : typeInWords(schema, resolve)}${isNullable(resolve(schema)) ? " or null" : ""}`;

const deepest = 4;

export function fieldList(members: readonly Member[], resolve: Resolve, options: FieldOptions = {}): Html {
  return html`<ul class="fields">${members.map((one) => fieldItem(one, resolve, options))}</ul>`;
}

function fieldItem({ name, schema, required, doc }: Member, resolve: Resolve, options: FieldOptions): Html {
  const { deep = 0, note, example } = options;
  const shown = example?.(name) ?? null;
  const choices = choicesOf(schema, resolve);
  const bounds = /(^|_)id$/.test(name) ? "" : boundsOf(schema, resolve);
  const inner = deep < deepest ? membersOf(schema, resolve) : [];
  return html`<li><code class="name">${name}</code> <span class="type">${typeWords(name, schema, resolve)}${bounds === "" ? null : `, ${bounds}`}</span>${
    options.required && required ? html` <span class="must">required</span>` : null
  }${note?.(name) ?? null}${doc === "" ? null : html`<p>${prose(doc)}</p>`}${
    choices.length === 0 ? null : html`<p class="choices">${choices.map((value) => html`<code>${String(value)}</code>`)}</p>`
  }${shown === null ? null : html`<p class="example">Example <code>${shown}</code></p>`}${
    inner.length === 0
      ? null
      : html`<details><summary>${inner.length} ${inner.length === 1 ? "field" : "fields"} inside</summary>${fieldList(inner, resolve, { required: options.required, deep: deep + 1 })}</details>`
  }</li>`;
}
