/**
 * How kinds of record are related, for a search. Most of it is derived from the references between them. The tables here add the
 * lists inside records, such as the addresses of a lead.
 */
import type { Ctx } from "../core/context.ts";
import type { Resource } from "../core/resource.ts";
import { byName } from "../values/names.ts";

/** The kind of record an `object_type` names: `lead`, `activity.note`. */
export function resourceOf(ctx: Ctx, objectType: string): Resource | undefined {
  if (!/^[a-z_]+(\.[a-z_]+)?$/.test(objectType)) return undefined;
  const found = ctx.registry.resource(objectType.replace(".", "_"));
  return found !== undefined && objectTypeOf(found) === objectType ? found : undefined;
}

/** The name of a kind of record in searches: a kind of activity as in its events, every other kind by its name. */
export const objectTypeOf = (of: Resource): string => (of.only === undefined ? of.name : of.name.replace("_", "."));

/** Condition between two aliases, of which the first is given and the second is looked for. */
export interface Link {
  /** The column of the first that a set of ids limits, and the column of the second that provides them. */
  outer: string;
  inner: string;
}

/** How records of `to` belong to those of `from`: by a reference named after either, in one direction or the other. */
export function linkBetween(from: Resource, to: Resource): Link | null {
  const [child, parent] = [`${baseName(from)}_id`, `${baseName(to)}_id`];
  if (refersTo(to, child, baseName(from))) return { outer: "id", inner: child };
  return refersTo(from, parent, baseName(to)) ? { outer: parent, inner: "id" } : null;
}

/** References to any kind of activity refer to activities. */
const baseName = (of: Resource): string => (of.only === undefined ? of.name : of.table);

const refersTo = (of: Resource, column: string, target: string): boolean =>
  of.columns.some(([key, field]) => key === column && field.ref?.to === target);

// --- lists inside records ---

interface ElementType {
  /** The kind of record that carries the list, and the list. */
  of: string;
  list: string;
  members: readonly string[];
}

/** Members of lists that are searched as if they were records of their own. */
export const elementTypes: Readonly<Record<string, ElementType>> = byName({
  address: {
    of: "lead",
    list: "addresses",
    members: ["label", "address_1", "address_2", "city", "state", "zipcode", "country"],
  },
  lead_email: { of: "lead", list: "emails", members: ["email", "type"] },
  lead_phone: { of: "lead", list: "phones", members: ["phone", "type", "country"] },
  contact_email: { of: "contact", list: "emails", members: ["email", "type", "is_unsubscribed", "is_invalid"] },
  contact_phone: { of: "contact", list: "phones", members: ["phone", "type", "country"] },
  contact_url: { of: "contact", list: "urls", members: ["url", "type"] },
});

/** The relations of a kind of record, as `object_type` names them. */
export function relatedTypes(ctx: Ctx, of: Resource): string[] {
  const records = ctx.registry.resources.filter((one) => linkBetween(of, one) !== null).map(objectTypeOf);
  return [...records, ...Object.keys(elementTypes).filter((type) => elementTypes[type]!.of === of.name)];
}

/** The same lists through the record: its `email` is one of its e-mail addresses. `keys` is an indexed form of them. */
export const listed: Readonly<Record<string, { list: string; member: string; keys?: string }>> = byName({
  email: { list: "emails", member: "email", keys: "email_keys" },
  emails: { list: "emails", member: "email", keys: "email_keys" },
  phone: { list: "phones", member: "phone", keys: "phone_keys" },
  phones: { list: "phones", member: "phone", keys: "phone_keys" },
  urls: { list: "urls", member: "url" },
  address: { list: "addresses", member: "address_1" },
  city: { list: "addresses", member: "city" },
  state: { list: "addresses", member: "state" },
  zipcode: { list: "addresses", member: "zipcode" },
  country: { list: "addresses", member: "country" },
});

// --- words ---

/** Its words are in an indexed column. */
export const hasVector = (of: Resource): boolean =>
  of.columns.some(([key, field]) => key === "search" && field.type === "tsvector");

/** Main text of records without a column `search`. */
export const mainText = ["name", "display_name", "title", "subject", "text", "label", "note", "description"];
