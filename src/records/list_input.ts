// The query of a list, understood: paging, order, filters. Everything here is derived from the resource's definition.

import { hash } from "node:crypto";
import { zoneOf } from "../core/clock.ts";
import type { Ctx } from "../core/context.ts";
import { type FieldErrors, invalid, reasonsOf } from "../core/errors.ts";
import { type Field, refersTo } from "../core/field.ts";
import { isId } from "../core/id.ts";
import { type Condition, type Filter, from, type OrderKey, type Purpose, type Resource, scope } from "../core/resource.ts";
import { and, name, or, raw, type Sql, sql } from "../db/sql.ts";
import { byName } from "../values/names.ts";
import { isExact, notExact } from "../values/number.ts";
import { hint, notAmong } from "../values/reasons.ts";
import { endOfDay, parseDate, parseTimestamp } from "../values/time.ts";
import { type CustomField, customFieldsOf, findField } from "./custom_fields.ts";
import { type Lean, leanOf } from "./rendered.ts";

export const limitMax = 200;
export const limitDefault = 100;
const inMax = 100;

export interface ListInput {
  limit: number;
  skip: number;
  cursor: readonly (string | null)[] | null;
  fields: string[] | null;
  expand: string[];
  count: "exact" | "estimate" | null;
  order: readonly OrderKey[];
  conditions: Condition[];
  /** The same as they are best asked of all rows, for a count. */
  counted: Sql[];
  /** One plan fits all values: the only condition is equality on an indexed reference, in the default order. */
  onePlan: boolean;
  /** Binds a cursor to its filters and order. */
  fingerprint: () => string;
}

const paging = ["_limit", "_skip", "_cursor", "_fields", "_order_by", "_expand", "_count"] as const;

/** Reads the query of a list. `fixed` are conditions of the path (a parent's id), beside the caller's filters. */
export async function readList(
  ctx: Ctx,
  of: Resource,
  given: Record<string, string>,
  fixed: readonly Sql[] = [],
): Promise<ListInput> {
  const errors: FieldErrors = {};
  // In one order, so that the same filters make the same statement.
  const filters = Object.entries(given)
    .filter(([key]) => !(paging as readonly string[]).includes(key))
    .sort();
  const read = async (purpose: Purpose) => {
    const conditions: Condition[] = [...fixed];
    for (const [key, value] of filters) {
      const condition = await filterCondition(ctx, of, key, value, purpose, errors);
      if (condition) conditions.push(condition);
    }
    return conditions;
  };
  const count = readCount(given._count, errors);
  const order =
    (given._order_by ? null : orderOfFilters(ctx, of, filters, errors)) ?? readOrder(of, given._order_by, errors, ctx);
  const fingerprint = () => hash("sha1", JSON.stringify([of.name, filters, given._order_by ?? ""]), "base64url").slice(0, 12);
  const limit = wholeNumber(given._limit, "_limit", limitDefault, limitMax, errors);
  const skip = wholeNumber(given._skip, "_skip", 0, Number.MAX_SAFE_INTEGER, errors);
  const cursor = readCursor(given, fingerprint, order, errors);
  const standsAlone = filters.length + fixed.length === 1 && !of.visible?.(ctx, "t");
  const fields = readFieldNames(given._fields);
  const expand = readExpand(of, given._expand, fields, errors);
  const isPage = standsAlone && cursor === null && isNewestFirst(order);
  const shown = leanFor(ctx, of, { fields, expand })?.select ?? null;
  const conditions = await read(isPage ? { newest: { count: skip + limit + 1, shown } } : {});
  const input: ListInput = {
    limit,
    skip,
    cursor,
    fields,
    expand,
    count,
    order,
    conditions,
    counted: count === null ? conditions : await read({ whole: true }),
    onePlan: onlyIndexed(of, filters, given, fixed),
    fingerprint,
  };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return input;
}

/** A rendering in one column, where a list shows records as they are kept. */
export const leanFor = (ctx: Ctx, of: Resource, { fields, expand }: Pick<ListInput, "fields" | "expand">): Lean | null =>
  fields === null && expand.length === 0 ? leanOf(of, (other) => ctx.registry.resource(other)) : null;

const newestFirst = ["date_created", "id"];

const isNewestFirst = (order: readonly OrderKey[]): boolean =>
  order.length === newestFirst.length && order.every(({ key, descending }, i) => descending && key === newestFirst[i]);

/** The names in `_fields`, or null for no trimming. */
export function readFieldNames(value: string | undefined): string[] | null {
  if (value === undefined) return null;
  const names = splitList(value);
  return names.length === 0 ? null : names;
}

/** Whole numbers as text: `"100"`. */
export function wholeNumber(value: string | undefined, key: string, otherwise: number, max: number, errors: FieldErrors): number {
  if (value === undefined || value === "") return otherwise;
  const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) errors[key] = "must be a whole number";
  else if (number < 0) errors[key] = "must be 0 or more";
  else if (number > max) errors[key] = `must be ${max} or less`;
  else return number;
  return otherwise;
}

function onlyIndexed(
  of: Resource,
  filters: readonly [string, string][],
  given: Record<string, string>,
  fixed: readonly Sql[],
): boolean {
  const [first, ...rest] = filters;
  if (first === undefined || rest.length > 0 || fixed.length > 0 || given._order_by) return false;
  const [field, value] = first;
  return of.indexed?.includes(field) === true && !value.includes(",") && !isGroup(value);
}

/** What is brought along: what `_expand` says, and every relation that `_fields` names. */
export function readExpand(
  of: Resource,
  value: string | undefined,
  fields: readonly string[] | null,
  errors: FieldErrors,
): string[] {
  const known = Object.keys(of.expand ?? {});
  const named = known.filter((one) => fields?.includes(one));
  if (value === undefined) return named;
  const names = [...new Set([...value.split(",").filter((part) => part !== ""), ...named])];
  for (const one of names)
    if (!known.includes(one)) errors._expand = known.length > 0 ? notAmong(one, known) : "has nothing to expand here";
  return names;
}

function readCount(value: string | undefined, errors: FieldErrors): ListInput["count"] {
  if (value === undefined || value === "") return null;
  if (value === "exact" || value === "estimate") return value;
  errors._count = "must be one of exact, estimate";
  return null;
}

// --- filters ---

const suffixes = ["in", "gt", "gte", "lt", "lte", "isnull"] as const;
type Operator = "eq" | (typeof suffixes)[number];

/** The names of all filters of a list, for the description and for the refusal of others. */
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

/** A resource's own filters, and `q` and `search`: its text query, or part of its name where it has none. */
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
    doc: `Only records whose \`${column}\` has this in it, in any case.`,
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

function filterCondition(
  ctx: Ctx,
  of: Resource,
  key: string,
  value: string,
  purpose: Purpose,
  errors: FieldErrors,
): Promise<Condition | null> | null {
  const special = filtersOf(of)[key];
  if (special) return attempt(() => special.sql(ctx, value, "t", purpose), key, errors);
  const [, base, suffix] = /^(.*?)(?:__(in|gt|gte|lt|lte|isnull))?$/s.exec(key)!;
  const operator = (suffix ?? "eq") as Operator;
  if (key.startsWith("custom.")) return customCondition(ctx, of, base!, operator, value, key, errors);
  const field = of.fields[base!] as Field | undefined;
  if (
    field === undefined ||
    field.source !== "column" ||
    base === "organization_id" ||
    base === of.parent ||
    !operatorsOf(field).includes(operator)
  ) {
    errors[key] = unknownFilter(of, key);
    return null;
  }
  return attempt(() => columnCondition(ctx, base!, field, operator, value), key, errors);
}

function columnCondition(ctx: Ctx, key: string, field: Field, operator: Operator, value: string): Sql {
  const column = sql`t.${name(key)}`;
  if (operator !== "eq" && operator !== "in") return compare(column, field.type, operator, value, ctx);
  const values = operator === "in" ? readValues(value) : [value];
  if (field.choices !== null) checkAmong(values, field.choices);
  if (refersTo(field) !== "user" || !values.some(isGroup)) return compare(column, field.type, operator, value, ctx);
  return sql`${column} = any(${withMembers(ctx, values)}::text[])`;
}

/** A value that none can have would find nothing and look like an answer. */
export function checkAmong(values: readonly string[], known: readonly string[]): void {
  const unknown = values.find((one) => !known.includes(one));
  if (unknown !== undefined) throw invalid({ "": notAmong(unknown, known) });
}

const isGroup = (id: string): boolean => isId("group", id);

/** A group stands for its members, and for itself where records are given to groups. */
export function withMembers(ctx: Ctx, ids: readonly string[]): string[] {
  const members = (id: string) =>
    isGroup(id) && ctx.directory.has("group") ? ((ctx.directory.find("group", id)?.user_ids as string[] | undefined) ?? []) : [];
  return [...new Set(ids.flatMap((id) => [id, ...members(id)]))];
}

const unknownFilter = (of: Resource, key: string): string =>
  `is not a filter here${hint(key, [...paging, ...filterNames(of).map((filter) => filter.name)])}`;

async function attempt<T>(act: () => T | Promise<T>, key: string, errors: FieldErrors): Promise<T | null> {
  try {
    return await act();
  } catch (problem) {
    noteRefusal(problem, key, errors);
    return null;
  }
}

// A filter's function refuses its own value at the place "", and what else is wrong at a place of its own.
function noteRefusal(problem: unknown, key: string, errors: FieldErrors): void {
  for (const [place, reason] of Object.entries(reasonsOf(problem))) errors[place === "" ? key : place] = reason;
}

const casts: Record<string, string> = {
  text: "text",
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  timestamp: "timestamptz",
  date: "date",
};
const symbols: Record<string, string> = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" };

/** A comparison of an SQL expression with a filter's text. */
export function compare(expression: Sql, type: string, operator: Operator, value: string, ctx: Ctx): Sql {
  if (operator === "isnull") return readBoolean(value) ? sql`${expression} is null` : sql`${expression} is not null`;
  if (type === "timestamp" && (operator === "eq" || operator === "in")) {
    const values = operator === "in" ? readValues(value) : [value];
    const at = (one: string) => sql`${expression} = ${parameter(type, one, ctx)}::timestamptz`;
    return or(values.map((one) => onDay(expression, "timestamptz", one, ctx) ?? at(one)));
  }
  if (operator === "in") {
    const values = readValues(value);
    return sql`${expression} = any(${values.map((one) => parameter(type, one, ctx))}::${raw(casts[type]!)}[])`;
  }
  return sql`${expression} ${raw(symbols[operator]!)} ${parameter(type, value, ctx)}::${raw(casts[type]!)}`;
}

/** A calendar day asked of an instant is that whole day where the caller is, of 23 hours or 25 where the clock changes. */
function onDay(expression: Sql, cast: "timestamptz" | "text", value: string, ctx: Ctx): Sql | null {
  const day = parseDate(value);
  if (day === null) return null;
  const start = parameter("timestamp", value, ctx);
  const end = endOfDay(day, zoneOf(ctx.directory, ctx));
  return sql`(${expression} >= ${start}::${raw(cast)} and ${expression} < ${end}::${raw(cast)})`;
}

export const splitList = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The values of an `__in` filter. */
export function readValues(value: string): string[] {
  const values = splitList(value);
  if (values.length > inMax) throw invalid({ "": `must have ${inMax} values or fewer` });
  return values;
}

function parameter(type: string, value: string, ctx: Ctx): unknown {
  switch (type) {
    case "integer":
      if (!/^-?\d+$/.test(value)) throw invalid({ "": "must be a whole number" });
      return exact(value);
    case "number":
      if (!/^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(value)) throw invalid({ "": "must be a number" });
      return exact(value);
    case "boolean":
      return readBoolean(value);
    case "timestamp":
      return parseTimestamp(value, zoneOf(ctx.directory, ctx)) ?? bad("must be a time such as 2026-01-02T03:04:05.678Z");
    case "date":
      return parseDate(value, { cutTime: true }) ?? bad("must be a date such as 2026-01-02");
    default:
      return value;
  }
}

const exact = (value: string): string => (isExact(Number(value)) ? value : bad(notExact));

function bad(reason: string): never {
  throw invalid({ "": reason });
}

/** Python sends `True` and `False`. */
export function readBoolean(value: string): boolean {
  if (/^(true|1)$/i.test(value)) return true;
  if (/^(false|0)$/i.test(value)) return false;
  throw invalid({ "": "must be true or false" });
}

// --- custom fields ---

function customCondition(
  ctx: Ctx,
  of: Resource,
  wireName: string,
  operator: Operator,
  value: string,
  key: string,
  errors: FieldErrors,
): Promise<Sql | null> | null {
  const field = of.custom === undefined ? undefined : customFieldsOf(ctx.directory, of.custom).get(wireName);
  if (field === undefined) {
    const [, known, given] = /^(.+)__([^_]+)$/s.exec(wireName) ?? [];
    const isOperator = known !== undefined && of.custom !== undefined && customFieldsOf(ctx.directory, of.custom).has(known);
    errors[key] = isOperator ? `${given} is not an operator${hint(given!, suffixes)}` : "is not a custom field here";
    return null;
  }
  return attempt(() => customCompare(ctx, wireName, field, operator, value), key, errors);
}

function customCompare(ctx: Ctx, wireName: string, field: CustomField, operator: Operator, value: string): Sql {
  if (operator === "isnull") return readBoolean(value) ? sql`not t.custom ? ${wireName}` : sql`t.custom ? ${wireName}`;
  if (operator === "eq" || operator === "in") {
    const given = operator === "in" ? readValues(value) : [value];
    const values = field.type === "user" ? withMembers(ctx, given) : given;
    const day = (one: string) => (field.type === "datetime" ? onDay(customText("t", wireName), "text", one, ctx) : null);
    return or(values.map((one) => day(one) ?? customEquals("t", wireName, field, customValue(field, one, ctx))));
  }
  if (field.type === "number") return compare(customNumber("t", wireName), "number", operator, value, ctx);
  if (field.type !== "date" && field.type !== "datetime") bad("cannot be compared: use =, __in or __isnull");
  return compare(customText("t", wireName), "text", operator, customValue(field, value, ctx) as string, ctx);
}

/** Equality that the index on `custom` answers. */
export function customEquals(alias: string, wireName: string, field: { accepts_multiple_values: boolean }, value: unknown): Sql {
  const wanted = JSON.stringify({ [wireName]: field.accepts_multiple_values ? [value] : value });
  return sql`${name(alias)}.custom @> ${wanted}::jsonb`;
}

/** A custom number; a value of another kind, left by a write that met a change of the field's type, is none. */
export const customNumber = (alias: string, wireName: string): Sql =>
  sql`case when jsonb_typeof(${name(alias)}.custom->${wireName}) = 'number' then (${name(alias)}.custom->>${wireName})::double precision end`;

/** A custom value as text. Days and moments sort in their wire form, and no value can fail to be text. */
export const customText = (alias: string, wireName: string): Sql => sql`(${name(alias)}.custom->>${wireName}) collate "C"`;

function customValue(field: CustomField, value: string, ctx: Ctx): unknown {
  if (field.type === "number") return Number(parameter("number", value, ctx));
  if (field.type === "boolean") return readBoolean(value);
  if (field.type === "datetime") return parameter("timestamp", value, ctx);
  if (field.type === "date") return parameter("date", value, ctx);
  return value;
}

// --- order ---

const defaultOrders = new WeakMap<Resource, OrderKey[]>();

/** `ctx` says which custom fields there are to sort by. */
export function readOrder(of: Resource, value: string | undefined, errors: FieldErrors, ctx?: Ctx): readonly OrderKey[] {
  if (value !== undefined) return orderOf(of, value, errors, ctx);
  let kept = defaultOrders.get(of);
  if (kept === undefined) defaultOrders.set(of, (kept = orderOf(of, of.order ?? "-date_created", errors)));
  return kept;
}

function orderOf(of: Resource, value: string, errors: FieldErrors, ctx?: Ctx): OrderKey[] {
  const keys: OrderKey[] = [];
  const fields = ctx === undefined || of.custom === undefined ? noCustomFields : customFieldsOf(ctx.directory, of.custom);
  for (const part of splitList(value)) {
    const descending = part.startsWith("-");
    const name = descending ? part.slice(1) : part;
    const key = name.startsWith("custom.") ? customKey(ctx, fields, name, descending) : orderKey(of, name, descending);
    if (key === null) errors._order_by = notSortedBy(of, fields, name);
    else keys.push(key);
  }
  return untied(keys);
}

const noCustomFields: ReadonlyMap<string, CustomField> = new Map();

/** Numbers by what they are worth, days and moments by when, ids of members and records by the names people read. */
function customKey(
  ctx: Ctx | undefined,
  fields: ReadonlyMap<string, CustomField>,
  wireName: string,
  descending: boolean,
): OrderKey | null {
  const [key, field] = findField(fields, wireName) ?? [];
  if (ctx === undefined || key === undefined || field === undefined || field.accepts_multiple_values) return null;
  const base = { key, descending, nullable: true };
  if (field.type === "number") return { ...base, sql: customNumber("t", key), cast: "double precision" };
  const value = customText("t", key);
  const target = ctx.registry.resource(field.type);
  if (target !== undefined) return { ...base, sql: customLabel(ctx, target, key), cast: "text" };
  return {
    ...base,
    sql: ["date", "datetime", "boolean"].includes(field.type) ? value : sql`sort_key(${value}) collate "C"`,
    cast: "text",
  };
}

/** The id has no collation of its own here, so that it is looked up in the index. What the caller may not see has no name. */
function customLabel(ctx: Ctx, of: Resource, key: string): Sql {
  const label = name(of.columns.some(([one]) => one === "display_name") ? "display_name" : "name");
  return sql`(select sort_key(l.${label}) from ${from(of, "l")} where ${and(scope(ctx, of, "l"))} and l.id = t.custom->>${key}) collate "C"`;
}

function notSortedBy(of: Resource, fields: ReadonlyMap<string, CustomField>, given: string): string {
  const custom = [...fields].flatMap(([key, field]) => (field.accepts_multiple_values ? [] : [key, `custom.${field.name}`]));
  return `${notAmong(given, [...sortKeys(of), ...custom])}, with - in front for descending`;
}

/** Ties break by id in the direction of the last key, so that pages neither repeat nor skip a record. */
export function untied(keys: readonly OrderKey[]): OrderKey[] {
  if (keys.some((key) => key.key === "id")) return [...keys];
  const descending = keys.at(-1)?.descending ?? true;
  return [...keys, { key: "id", sql: sql`t.id`, descending, nullable: false, cast: "text" }];
}

/** The order that a filter's own value asks for, as a text query may. */
function orderOfFilters(ctx: Ctx, of: Resource, filters: readonly [string, string][], errors: FieldErrors): OrderKey[] | null {
  for (const [key, value] of filters) {
    try {
      const keys = filtersOf(of)[key]?.order?.(ctx, value);
      if (keys) return untied(keys);
    } catch (problem) {
      noteRefusal(problem, key, errors);
    }
  }
  return null;
}

export const sortKeys = (of: Resource): string[] => [
  ...new Set([
    "date_created",
    "date_updated",
    ...Object.keys(of.sort ?? {}),
    ...splitList(of.order ?? "").map((key) => key.replace(/^-/, "")),
  ]),
];

function orderKey(of: Resource, key: string, descending: boolean): OrderKey | null {
  if (key === "id") return { key, sql: sql`t.id`, descending, nullable: false, cast: "text" };
  if (!sortKeys(of).includes(key)) return null;
  const special = of.sort?.[key];
  if (special && special !== true)
    return {
      key,
      sql: special.sql("t"),
      descending,
      nullable: true,
      cast: special.type === "text" ? "text" : "double precision",
    };
  const field = of.fields[key] as Field;
  const column = sql`t.${name(key)}`;
  return {
    key,
    sql: field.type === "text" ? sql`sort_key(${column})` : column,
    descending,
    nullable: field.nullable,
    cast: casts[field.type]!,
  };
}

// --- cursors ---

/** Where a page ended: the order's values of its last row. */
export const cursorOf = (input: Pick<ListInput, "fingerprint">, values: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([input.fingerprint(), ...values])).toString("base64url");

function readCursor(
  given: Record<string, string>,
  fingerprint: () => string,
  order: readonly OrderKey[],
  errors: FieldErrors,
): ListInput["cursor"] {
  if (given._cursor === undefined || given._cursor === "") return null;
  if (given._skip !== undefined && given._skip !== "0") errors._skip = "cannot be used together with _cursor";
  const values = decodeCursor(given._cursor, fingerprint(), order.length);
  if (values === null) errors._cursor = "is not a cursor of this list with these filters and this order";
  return values;
}

export function decodeCursor(cursor: string, fingerprint: string, width: number): (string | null)[] | null {
  try {
    const [bound, ...values] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const wellFormed = values.every((value: unknown) => value === null || typeof value === "string");
    return bound === fingerprint && values.length === width && wellFormed ? values : null;
  } catch {
    return null;
  }
}

/** The rows behind a cursor. Keys that run the same way and are never null compare as one row, which an index answers. */
export function afterCursor(order: readonly OrderKey[], values: readonly (string | null)[]): Sql {
  const uniform = order.every((key) => key.descending === order[0]!.descending && !key.nullable);
  if (uniform) {
    const left = order.map((key) => key.sql);
    const right = order.map((key, i) => sql`${values[i]}::${raw(key.cast)}`);
    return sql`(${joined(left)}) ${raw(order[0]!.descending ? "<" : ">")} (${joined(right)})`;
  }
  return or(
    order.map((_, i) => and([...order.slice(0, i).map((key, j) => equal(key, values[j]!)), behind(order[i]!, values[i]!)])),
  );
}

const joined = (parts: readonly Sql[]): Sql => parts.reduce((left, right) => sql`${left}, ${right}`);

const equal = (key: OrderKey, value: string | null): Sql =>
  value === null ? sql`${key.sql} is null` : sql`${key.sql} = ${value}::${raw(key.cast)}`;

// Nulls come last in both directions.
function behind(key: OrderKey, value: string | null): Sql {
  if (value === null) return raw("false");
  const further = sql`${key.sql} ${raw(key.descending ? "<" : ">")} ${value}::${raw(key.cast)}`;
  return key.nullable ? sql`(${further} or ${key.sql} is null)` : further;
}

export const orderBy = (order: readonly OrderKey[]): Sql =>
  joined(order.map((key) => sql`${key.sql} ${raw(key.descending ? "desc" : "asc")}${raw(key.nullable ? " nulls last" : "")}`));
