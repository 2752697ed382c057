// Values as a reader may find them, for fields that have no example of their own.
import { idNamed, type PrefixOf } from "../http/field_examples.ts";
import { isNullable, kindOf, membersOf, plain, type Resolve, type Schema } from "./schemas.ts";

export interface Samples {
  resolve: Resolve;
  prefixOf: PrefixOf;
}

const moment = "2026-03-02T09:30:00.000Z";

/** What fields of these names usually hold, where the description gives them no example. */
const usual: Record<string, unknown> = {
  name: "Bluth Company",
  display_name: "Bluth Company",
  title: "Model home",
  label: "Qualified",
  url: "https://bluth.example",
  email: "gob@bluth.example",
  phone: "+14155550132",
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
  mrr: 90000,
  confidence: 80,
  source: "api",
  query: "status:qualified",
  filename: "plan.pdf",
  tags: ["real estate"],
  events: ["lead.created"],
};

/** A value for a field of this name. `deep` is how many objects it is inside of. */
export function sampleOf(name: string, given: Schema, samples: Samples, owner: string, deep = 0): unknown {
  const { resolve, prefixOf } = samples;
  const schema = plain(given, resolve);
  const said = given.example ?? schema.example ?? schema.examples?.[0];
  if (said !== undefined) return said;
  if (schema.const !== undefined) return schema.const;
  const id = idNamed(name, owner, prefixOf);
  const kind = kindOf(schema);
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
