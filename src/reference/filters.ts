// The parameters of a list in groups: what pages it, and its filters by the kind of field, with the comparisons of one field together.
import { plain, type Resolve, type Schema } from "./schemas.ts";

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  doc: string;
  schema: Schema;
}

export interface Filter {
  field: string;
  /** `field`, `field__in`, `field__gte`, … */
  names: string[];
  doc: string;
}

export interface FilterGroup {
  title: string;
  filters: Filter[];
}

const operators = ["in", "gt", "gte", "lt", "lte", "isnull"];

/** Parameters that shape an answer and choose no records. */
export const shapes = (name: string): boolean => name.startsWith("_") || name === "dry_run";

const split = (name: string): { field: string; operator: string } => {
  const [, field, operator] = /^(.+)__(\w+)$/.exec(name) ?? [];
  return operator !== undefined && operators.includes(operator) ? { field: field!, operator } : { field: name, operator: "eq" };
};

const order = ["Search", "This list's own", "Ids", "Choices", "Texts", "Numbers", "Dates and times", "Yes or no"];

/** The filters of a list in groups. `fields` are the fields of its records, whose types say the group. */
export function filterGroups(parameters: readonly Parameter[], fields: Record<string, Schema>, resolve: Resolve): FilterGroup[] {
  const filters = new Map<string, Filter>();
  for (const { name, doc } of parameters) {
    const { field, operator } = split(name);
    const known = filters.get(field) ?? { field, names: [], doc: "" };
    filters.set(field, { ...known, names: [...known.names, name], doc: operator === "eq" ? doc : known.doc });
  }
  const groups = new Map<string, Filter[]>();
  for (const one of withoutRepeats([...filters.values()])) {
    const title = groupOf(one, fields[one.field], resolve);
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return order.filter((title) => groups.has(title)).map((title) => ({ title, filters: groups.get(title)! }));
}

/** `q` and `search` are other names of `query`. */
function withoutRepeats(filters: readonly Filter[]): Filter[] {
  const query = filters.find((one) => one.field === "query");
  const others = filters.filter((one) => one.field !== "query" && one.doc !== "" && one.doc === query?.doc);
  if (query === undefined || others.length === 0) return [...filters];
  const also = `${others.map((one) => `\`${one.field}\``).join(" and ")} ${others.length === 1 ? "is" : "are"} the same.`;
  return filters
    .filter((one) => !others.includes(one))
    .map((one) => (one === query ? { ...one, doc: `${one.doc} ${also}` } : one));
}

function groupOf({ field, names, doc }: Filter, schema: Schema | undefined, resolve: Resolve): string {
  if (["q", "search", "query"].includes(field)) return "Search";
  if (/(^|_)id$|_by$/.test(field)) return "Ids";
  if (schema === undefined) return names.length > 4 ? "Numbers" : "This list's own";
  const { type, format, enum: choices } = plain(schema, resolve);
  const kinds = [type].flat();
  if (choices !== undefined) return "Choices";
  if (format === "date" || format === "date-time") return "Dates and times";
  if (kinds.includes("boolean")) return "Yes or no";
  if (kinds.includes("integer") || kinds.includes("number")) return "Numbers";
  return doc.startsWith("Only records whose") || names.length > 1 ? "Texts" : "This list's own";
}
