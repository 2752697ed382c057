// Values as a reader may find them, for fields and answers that have no example of their own.
import { isNullable, membersOf, plain, type Resolve, type Schema } from "./schemas.ts";

export interface Samples {
  resolve: Resolve;
  /** The prefix of the ids of a resource, if there is one of that name. */
  prefixOf(resource: string): string | undefined;
}

const moment = "2026-03-02T09:30:00.000Z";
/** The end of all sample ids. */
export const sampleTail = "01kjp6w3mze8p9x2c4v7b5n1qd";

/** What fields of these names usually hold. */
const usual: Record<string, unknown> = {
  name: "Bluth Company",
  display_name: "Bluth Company",
  lead_name: "Bluth Company",
  contact_name: "Gob Bluth",
  user_name: "Lucille Austero",
  owner_name: "Lucille Austero",
  created_by_name: "Lucille Austero",
  updated_by_name: "Lucille Austero",
  first_name: "Gob",
  last_name: "Bluth",
  title: "Model home",
  label: "Qualified",
  status_label: "Qualified",
  pipeline_name: "Sales",
  url: "https://bluth.example",
  html_url: `https://crm.example.com/lead/lead_${sampleTail}/`,
  email: "gob@bluth.example",
  phone: "+14155550132",
  phone_formatted: "+1 415-555-0132",
  country: "US",
  city: "Newport Beach",
  state: "CA",
  zipcode: "92660",
  address_1: "1 Lucille Way",
  industry: "Real estate",
  description: "Builds model homes.",
  note: "There is always money in the banana stand.",
  text: "Ask about the model home",
  subject: "Your model home",
  body_text: "Hello Gob, the plans are ready.",
  body_html: "<p>Hello Gob, the plans are ready.</p>",
  currency: "USD",
  value_currency: "USD",
  value: 1200000,
  value_formatted: "$12,000.00",
  mrr: 90000,
  confidence: 80,
  quantity: 4,
  unit_price: 24900,
  timezone: "America/Los_Angeles",
  source: "api",
  query: "status:qualified",
  filename: "plan.pdf",
  content_type: "application/pdf",
  has_more: false,
  total_results: 1,
  cursor_next: null,
  cursor_previous: "WyIyMDI2…",
  tags: ["real estate"],
  events: ["lead.created"],
};

/** An id as this resource has them. */
export const sampleId = (prefix: string): string => `${prefix}_${sampleTail}`;

/** A value for a field of this name. `deep` is how many objects it is inside of. */
export function sampleOf(name: string, given: Schema, samples: Samples, owner: string, deep = 0): unknown {
  const { resolve } = samples;
  const schema = plain(given, resolve);
  const said = given.example ?? schema.example ?? schema.examples?.[0];
  if (said !== undefined) return said;
  if (schema.const !== undefined) return schema.const;
  const id = idNamed(name, samples, owner);
  const kind = Array.isArray(schema.type) ? schema.type.find((one: string) => one !== "null") : schema.type;
  if (id !== undefined && kind !== "object") return kind === "array" ? [id] : id;
  if (Object.hasOwn(usual, name) && fits(usual[name], kind, schema)) return usual[name];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return deep > 5 ? null : sampleOf(name, schema.anyOf[0], samples, owner, deep + 1);
  if (kind === "array") return listOf(schema, name, samples, owner, deep);
  if (kind === "object" || schema.properties !== undefined) return objectOf(schema, samples, owner, deep);
  if (isNullable(given) && deep > 0) return null;
  return plainValue(kind, schema, name);
}

function plainValue(kind: string | undefined, schema: Schema, name: string): unknown {
  if (kind === "boolean") return false;
  if (kind === "integer" || kind === "number") return Math.max(1, (schema.minimum ?? 0) < -1e15 ? 0 : (schema.minimum ?? 0));
  if (schema.format === "date-time" || /(^date_|_at$|_since$)/.test(name)) return moment;
  if (schema.format === "date") return moment.slice(0, 10);
  return kind === "string" ? "…" : null;
}

const fits = (value: unknown, kind: string | undefined, schema: Schema): boolean => {
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (value === null) return true;
  if (kind === undefined) return false;
  if (kind === "array") return Array.isArray(value);
  return kind === "integer" || kind === "number" ? typeof value === "number" : typeof value === kind;
};

/** `id`, `lead_id`, `contact_ids`, `created_by`: an id of the resource that the name says. */
function idNamed(name: string, { prefixOf }: Samples, owner: string): string | undefined {
  if (name === "id") return idOf(prefixOf(owner));
  if (/^(created|updated|closed|sent)_by$|^(owner|assigned_to|user)(_id)?$/.test(name)) return idOf(prefixOf("user"));
  const [, resource] = /^(\w+?)_ids?$/.exec(name) ?? [];
  if (resource === undefined) return undefined;
  return idOf(prefixOf(resource) ?? prefixOf(`${owner}_${resource}`));
}

const idOf = (prefix: string | undefined) => (prefix === undefined ? undefined : sampleId(prefix));

function listOf(schema: Schema, name: string, samples: Samples, owner: string, deep: number): unknown[] {
  if (deep > 5) return [];
  const one = sampleOf(name.replace(/s$/, ""), schema.items ?? {}, samples, owner, deep + 1);
  return one === null || one === "…" ? [] : [one];
}

function objectOf(schema: Schema, samples: Samples, owner: string, deep: number): unknown {
  if (deep > 5) return {};
  const members = membersOf(schema, samples.resolve);
  return Object.fromEntries(members.map((one) => [one.name, sampleOf(one.name, one.schema, samples, owner, deep + 1)]));
}
