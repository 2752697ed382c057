// The filters of a list: a comparison with any column of the resource, and the filters that its definition adds.
import type { Ctx } from "../core/context.ts";
import { bad, placed } from "../core/errors.ts";
import type { Field } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";
import type { Filter, Found, NewestPage, OrderKey } from "../core/search.ts";
import { name, type Sql, sql } from "../db/sql.ts";
import { byName } from "../values/names.ts";
import { hint } from "../values/reasons.ts";
import { checkAmong, compare, inMax, type Operator, readValues } from "./comparisons.ts";
import { customCondition } from "./custom_filters.ts";
import { expandGroups, isGroup, refersTo } from "./groups.ts";
import { untied } from "./order.ts";

/** The parameters of a list that are not filters. */
export const paging = ["_limit", "_skip", "_cursor", "_fields", "_order_by", "_expand", "_count"] as const;

/** The names of all filters of a list, for the description and for the refusal of unknown ones. */
export function filterNames(of: Resource): { name: string; doc: string }[] {
  const special = filtersOf(of);
  const named = Object.entries(special).map(([key, filter]) => ({ name: key, doc: filter.doc }));
  const columns = of.columns.flatMap(([key, field]) =>
    operatorsOf(field)
      .filter((operator) => !(filterKey(key, operator) in special) && key !== "organization_id" && key !== of.parent)
      .map((operator) => ({ name: filterKey(key, operator), doc: operatorDocs[operator](key) })),
  );
  return [...named, ...columns];
}

const keptFilters = new WeakMap<Resource, Record<string, Filter>>();

/** A resource's own filters, with `q` and `search`: its text query, or part of its name if it has none. */
function filtersOf(of: Resource): Record<string, Filter> {
  let kept = keptFilters.get(of);
  if (kept === undefined) {
    const words = of.filters?.query ?? partOfName(of);
    keptFilters.set(of, (kept = byName(words === null ? { ...of.filters } : { q: words, search: words, ...of.filters })));
  }
  return kept;
}

function partOfName(of: Resource): Filter | null {
  const column = ["name", "label", "title"].find((key) =>
    of.columns.some(([name, field]) => name === key && field.type === "text"),
  );
  if (column === undefined) return null;
  return {
    doc: `Only records whose \`${column}\` contains this text, in upper or lower case.`,
    sql: (_ctx, value, alias) => sql`position(sort_key(${value}::text) in sort_key(${name(alias)}.${name(column)})) > 0`,
  };
}

const filterKey = (key: string, operator: Operator) => (operator === "eq" ? key : `${key}__${operator}`);

const operatorDocs: Record<Operator, (key: string) => string> = {
  eq: (key) => `Only records whose \`${key}\` is this.`,
  in: (key) => `Only records whose \`${key}\` is one of these, separated by commas; at most ${inMax}.`,
  gt: (key) => `Only records whose \`${key}\` is greater.`,
  gte: (key) => `Only records whose \`${key}\` is this or greater.`,
  lt: (key) => `Only records whose \`${key}\` is less.`,
  lte: (key) => `Only records whose \`${key}\` is this or less.`,
  isnull: (key) => `\`true\` for records without \`${key}\`, \`false\` for those that have it.`,
};

function operatorsOf(field: Field): Operator[] {
  if (field.hidden || field.onDemand) return [];
  const base: Operator[] = field.type === "json" || field.type === "tsvector" || field.type === "texts" ? [] : ["eq", "in"];
  const ranged: Operator[] = ["integer", "number", "timestamp", "date"].includes(field.type) ? ["gt", "gte", "lt", "lte"] : [];
  return [...base, ...ranged, ...(field.nullable && base.length > 0 ? (["isnull"] as const) : [])];
}

/** The condition that a query parameter asks for. `whole` when all records are wanted. */
export const filterCondition = (
  ctx: Ctx,
  of: Resource,
  [key, value]: readonly [string, string],
  whole: boolean,
): Sql | Promise<Sql> => byKey(key, () => conditionOf(ctx, of, key, value, whole));

/** The same for the only filter of a list of the newest records. It may find the page itself. */
export async function filterNewest(
  ctx: Ctx,
  of: Resource,
  [key, value]: readonly [string, string],
  page: NewestPage,
): Promise<Found> {
  const { newest } = filtersOf(of)[key] ?? {};
  if (newest !== undefined) return byKey(key, () => newest(ctx, value, page));
  return { condition: await filterCondition(ctx, of, [key, value], false) };
}

function conditionOf(ctx: Ctx, of: Resource, key: string, value: string, whole: boolean): Sql | Promise<Sql> {
  const special = filtersOf(of)[key];
  if (special) return special.sql(ctx, value, "t", whole);
  const [, base, suffix] = /^(.*?)(?:__(in|gt|gte|lt|lte|isnull))?$/s.exec(key)!;
  const operator = (suffix ?? "eq") as Operator;
  if (key.startsWith("custom.")) return customCondition(ctx, of, base!, operator, value);
  const field = of.fields[base!] as Field | undefined;
  const isOwn = field?.source === "column" && base !== "organization_id" && base !== of.parent;
  if (!isOwn || !operatorsOf(field).includes(operator)) return bad(unknownFilter(of, key));
  return columnCondition(ctx, base!, field, operator, value);
}

function columnCondition(ctx: Ctx, key: string, field: Field, operator: Operator, value: string): Sql {
  const column = sql`t.${name(key)}`;
  if (operator !== "eq" && operator !== "in") return compare(column, field.type, operator, value, ctx);
  const values = operator === "in" ? readValues(value) : [value];
  if (field.choices !== null) checkAmong(values, field.choices);
  if (refersTo(field) !== "user" || !values.some(isGroup)) return compare(column, field.type, operator, value, ctx);
  return sql`${column} = any(${expandGroups(ctx, values)}::text[])`;
}

const unknownFilter = (of: Resource, key: string): string =>
  `is not a filter here${hint(key, [...paging, ...filterNames(of).map((filter) => filter.name)])}`;

/** A filter's function refuses its own value at the place "", and anything else at a place of its own. */
function byKey<T>(key: string, act: () => T): T {
  return placed((place) => (place === "" ? key : place), act);
}

/** The order that a filter's value itself asks for, as a text query may. */
export function orderOfFilters(ctx: Ctx, of: Resource, filters: readonly [string, string][]): OrderKey[] | null {
  for (const [key, value] of filters) {
    const keys = byKey(key, () => filtersOf(of)[key]?.order?.(ctx, value));
    if (keys) return untied(keys);
  }
  return null;
}
