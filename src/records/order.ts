// The order of a list: the keys that `_order_by` names, or else those of the definition.
import type { Ctx } from "../core/context.ts";
import { invalid } from "../core/errors.ts";
import type { Field } from "../core/field.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { OrderKey, SortKey } from "../core/search.ts";
import { and, name, raw, type Sql, sql } from "../db/sql.ts";
import { notAmong } from "../values/reasons.ts";
import { casts, splitList } from "./comparisons.ts";
import { type CustomField, customFieldsOf, findField } from "./custom_fields.ts";
import { customNumber, customText } from "./custom_filters.ts";

/** The order as SQL. Nulls come last in both directions. */
export const orderBy = (order: readonly OrderKey[]): Sql =>
  joined(order.map((key) => sql`${key.sql} ${raw(key.descending ? "desc" : "asc")}${raw(key.nullable ? " nulls last" : "")}`));

const defaultOrders = new WeakMap<Resource, OrderKey[]>();

export function readOrder(of: Resource, value: string | undefined, ctx: Ctx): readonly OrderKey[] {
  if (value !== undefined) return orderOf(of, value, ctx);
  const kept = defaultOrders.get(of);
  if (kept !== undefined) return kept;
  const order = orderOf(of, of.order ?? "-date_created", ctx);
  // The SQL of a special key may name the organization, so an order with such a key is made for each request.
  if (order.every(({ key }) => specialKey(of, key) === null)) defaultOrders.set(of, order);
  return order;
}

function orderOf(of: Resource, value: string, ctx: Ctx): OrderKey[] {
  const keys: OrderKey[] = [];
  const fields = of.custom === undefined ? noCustomFields : customFieldsOf(ctx.directory, of.custom);
  for (const part of splitList(value)) {
    const descending = part.startsWith("-");
    const name = descending ? part.slice(1) : part;
    const key = name.startsWith("custom.") ? customKey(ctx, fields, name, descending) : orderKey(ctx, of, name, descending);
    if (key === null) throw invalid({ _order_by: notSortedBy(of, fields, name) });
    keys.push(key);
  }
  return untied(keys);
}

const noCustomFields: ReadonlyMap<string, CustomField> = new Map();

/** Sorts numbers by value, dates and times by time, and ids of members and records by the names that people read. */
function customKey(ctx: Ctx, fields: ReadonlyMap<string, CustomField>, wireName: string, descending: boolean): OrderKey | null {
  const [key, field] = findField(fields, wireName) ?? [];
  if (key === undefined || field === undefined || field.accepts_multiple_values) return null;
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

/** Without a collation on the id, so that the index finds it. A record that the caller may not see has no name. */
function customLabel(ctx: Ctx, of: Resource, key: string): Sql {
  const label = name(of.columns.some(([one]) => one === "display_name") ? "display_name" : "name");
  return sql`(select sort_key(l.${label}) from ${from(of, "l")} where ${and(scope(ctx, of, "l"))} and l.id = t.custom->>${key}) collate "C"`;
}

function notSortedBy(of: Resource, fields: ReadonlyMap<string, CustomField>, given: string): string {
  const custom = [...fields].flatMap(([key, field]) => (field.accepts_multiple_values ? [] : [key, `custom.${field.name}`]));
  return `${notAmong(given, [...sortKeys(of), ...custom])}, with - in front for descending`;
}

/** Adds the id as the last key, in the direction of the key before it, so that pages neither repeat nor skip a record. */
export function untied(keys: readonly OrderKey[]): OrderKey[] {
  if (keys.some((key) => key.key === "id")) return [...keys];
  const descending = keys.at(-1)?.descending ?? true;
  return [...keys, { key: "id", sql: sql`t.id`, descending, nullable: false, cast: "text" }];
}

export const sortKeys = (of: Resource): string[] => [
  ...new Set([
    "date_created",
    "date_updated",
    ...Object.keys(of.sort ?? {}),
    ...splitList(of.order ?? "").map((key) => key.replace(/^-/, "")),
  ]),
];

function specialKey(of: Resource, key: string): SortKey | null {
  const special = of.sort?.[key];
  return special === undefined || special === true ? null : special;
}

function orderKey(ctx: Ctx, of: Resource, key: string, descending: boolean): OrderKey | null {
  if (key === "id") return { key, sql: sql`t.id`, descending, nullable: false, cast: "text" };
  if (!sortKeys(of).includes(key)) return null;
  const special = specialKey(of, key);
  if (special !== null)
    return {
      key,
      sql: special.sql("t", ctx),
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

/** `a, b, c`. */
export const joined = (parts: readonly Sql[]): Sql => parts.reduce((left, right) => sql`${left}, ${right}`);
