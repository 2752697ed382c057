/**
 * The attributes of a record that a search can use: its columns, the labels of its ids, the members of its lists, its custom
 * fields, and the computed fields of `smart_fields.ts`. Everything is derived from the definitions, so a new field can be
 * searched at once.
 */
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import type { Field, Label, ShownField } from "../core/field.ts";
import { type Resource, scope } from "../core/resource.ts";
import { type Filter } from "../core/search.ts";
import { and, or, raw, type Sql, sql, name as sqlName } from "../db/sql.ts";
import { type CustomField, customFieldsOf, findField } from "../records/custom_fields.ts";
import { customEquals, customNumber, customText } from "../records/custom_filters.ts";
import { refersTo } from "../records/groups.ts";
import { emailKey } from "../values/email.ts";
import { phoneDigits } from "../values/phone.ts";
import { listed } from "./relations.ts";
import type { Kind } from "./smart_field.ts";
import { smartFieldsOf } from "./smart_fields.ts";

/** One or several values of a record, as SQL over its alias. */
export interface Attribute {
  kind: Kind;
  /** The SQL type its values compare as: custom days and moments are text, which sorts as they do. */
  cast: string;
  /** The resource whose ids the values are. */
  refersTo: string | null;
  /** All possible values, if the field has a fixed set. */
  choices?: readonly string[] | null;
  exists: Sql;
  /** True if one of its values is one of these. Uses an index if there is one. */
  equals(values: readonly unknown[]): Sql | Promise<Sql>;
  /** True if one of its values passes the test. */
  some(test: (value: Sql) => Sql): Sql;
  /** Its single value, to sort by; null for a list. */
  value: Sql | null;
}

/** The attribute of this name, or null if records of this kind have none. */
export function attributeOf(ctx: Ctx, of: Resource, alias: string, name: string): Attribute | null {
  if (name.startsWith("custom.")) return customAttribute(ctx, of, alias, name);
  const smart = smartFieldsOf(of)[name];
  if (smart !== undefined) return single(smart.kind, smart.value(sqlName(alias), ctx), smart.refersTo ?? null);
  if (name in listed && columnOf(of, listed[name]!.list) !== undefined) return memberAttribute(alias, listed[name]!);
  const counted = /^(.+)_count$/.exec(name)?.[1];
  if (counted !== undefined && columnOf(of, counted)?.type === "json")
    return single("number", sql`jsonb_array_length(${sqlName(alias)}.${sqlName(counted)})`);
  return shownAttribute(ctx, of, alias, name);
}

/** The names of all attributes of a kind of record, for refusals. */
export function attributeNames(ctx: Ctx, of: Resource): string[] {
  const custom = [...customFieldsOf(ctx.directory, of.custom ?? "", null)];
  return [
    ...of.shown
      .flatMap(([name, field]) => (isAskable(field) || of.filters?.[name] ? [name] : []))
      .filter((name) => name !== "custom"),
    ...Object.keys(listed).filter((name) => columnOf(of, listed[name]!.list) !== undefined),
    ...custom.flatMap(([key, field]) => [key, `custom.${field.name}`]),
    ...Object.keys(smartFieldsOf(of)),
  ];
}

const isAskable = (field: ShownField): boolean => field.source === "column" || field.source === "label";

const columnOf = (of: Resource, name: string): Field | undefined => of.columns.find(([key]) => key === name)?.[1];

// --- columns and labels ---

const kinds: Partial<Record<Field["type"], Kind>> = {
  text: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  timestamp: "timestamp",
  date: "date",
};

const casts: Record<Kind, string> = {
  text: "text",
  number: "numeric",
  boolean: "boolean",
  timestamp: "timestamptz",
  date: "date",
};

function shownAttribute(ctx: Ctx, of: Resource, alias: string, name: string): Attribute | null {
  const column = columnOf(of, name);
  const shown = of.shown.find(([key]) => key === name)?.[1];
  const filter = of.filters?.[name];
  if (shown === undefined) return null;
  if (shown.source === "label") return labelAttribute(ctx, alias, shown, filter);
  if (shown.source === "computed" && shown.sameAs !== undefined) return attributeOf(ctx, of, alias, shown.sameAs);
  // What reads show instead of the column (a state that follows from the time) is also what the filter compares.
  if (shown !== column) return filter ? filtered(ctx, filter, alias, shown, column) : null;
  return columnAttribute(ctx, of, alias, name, column);
}

function columnAttribute(ctx: Ctx, of: Resource, alias: string, name: string, column: Field): Attribute {
  const value = sql`${sqlName(alias)}.${sqlName(name)}`;
  if (column.type === "texts") return textsAttribute(ctx, of, value, name);
  if (column.type === "json")
    return { ...single("text", sql`${value}::text`), exists: sql`${value} not in ('[]', '{}')`, value: null };
  const one = single(kinds[column.type]!, value, refersTo(column));
  return { ...one, choices: column.choices };
}

/** An attribute with one value, or null. */
export function single(kind: Kind, value: Sql, refersTo: string | null = null): Attribute {
  return {
    kind,
    cast: casts[kind],
    refersTo,
    exists: sql`${value} is not null`,
    equals: (values) => sql`${value} = any(${values.map(String)}::${raw(casts[kind])}[])`,
    some: (test) => test(value),
    value,
  };
}

/** Tags are compared ignoring case: records carry the organization's own spelling. */
function textsAttribute(ctx: Ctx, of: Resource, value: Sql, name: string): Attribute {
  const tags = name === "tags" ? ctx.registry.resource(`${of.name}_tag`) : undefined;
  const spelled = (tag: unknown) =>
    tags === undefined
      ? sql`${tag}`
      : sql`(select g.name from ${sqlName(tags.table)} g where g.organization_id = ${ctx.organization_id} and lower(g.name) = lower(${tag}))`;
  return {
    kind: "text",
    cast: "text",
    refersTo: null,
    exists: sql`cardinality(${value}) > 0`,
    equals: (values) => or(values.map((one) => sql`${value} @> array[${spelled(one)}]::text[]`)),
    some: (test) => sql`exists (select from unnest(${value}) v(value) where ${test(sql`v.value`)})`,
    value: null,
  };
}

/** `status_label`: the target's value in the column that the label names. */
function labelAttribute(ctx: Ctx, alias: string, { ref, to, field }: Label, filter: Filter | undefined): Attribute {
  const target = ctx.registry.resource(to)!;
  const [from, id] = [sqlName(target.table), sqlName(ref)];
  const value = sql`(select l.${sqlName(field)} from ${from} l where ${and(scope(ctx, target, "l"))} and l.id = ${sqlName(alias)}.${id})`;
  const column = columnOf(target, field);
  const label = { ...single("text", value, column?.ref?.to ?? null), choices: column?.choices ?? null };
  return filter ? { ...label, equals: (values) => filteredBy(ctx, filter, alias, values) } : label;
}

/** An attribute that only its own filter can compare. */
function filtered(ctx: Ctx, filter: Filter, alias: string, shown: ShownField, column: Field | undefined): Attribute {
  const choices = column?.choices ?? (shown.output instanceof z.ZodEnum ? shown.output.options.map(String) : null);
  const is = (value: string) => filter.sql(ctx, value, alias) as Sql;
  const value = () => sql`case ${choices!.map((one) => sql`when ${is(one)} then ${one}`).reduce((a, b) => sql`${a} ${b}`)} end`;
  return {
    kind: choices !== null ? "text" : column === undefined ? "boolean" : kinds[column.type]!,
    choices,
    cast: "text",
    refersTo: null,
    exists: sql`true`,
    equals: (values) => filteredBy(ctx, filter, alias, values),
    some: (test) => test(choices === null ? is("true") : value()),
    value: null,
  };
}

async function filteredBy(ctx: Ctx, filter: Filter, alias: string, values: readonly unknown[]): Promise<Sql> {
  return or(await Promise.all(values.map((value) => filter.sql(ctx, String(value), alias))));
}

// --- members of lists ---

/** The addresses of a record, by one of their members: `email` of `emails`, `city` of `addresses`. */
function memberAttribute(alias: string, { list, member, keys }: (typeof listed)[string]): Attribute {
  const items = sql`jsonb_array_elements(${sqlName(alias)}.${sqlName(list)}) v(item)`;
  const some = (test: (value: Sql) => Sql) => sql`exists (select from ${items} where ${test(sql`(v.item->>${member})`)})`;
  const keyOf = list === "emails" ? emailKey : phoneDigits;
  return {
    kind: "text",
    cast: "text",
    refersTo: null,
    exists: some((value) => sql`${value} is not null`),
    equals: (values) =>
      keys === undefined
        ? some((value) => sql`sort_key(${value}) = any(select sort_key(x) from unnest(${values.map(String)}::text[]) x)`)
        : or(values.map((one) => sql`${sqlName(alias)}.${sqlName(keys)} @> ${[keyOf(String(one))]}`)),
    some,
    value: null,
  };
}

// --- custom fields ---

const customKinds: Record<CustomField["type"], [Kind, refersTo: string | null]> = {
  text: ["text", null],
  textarea: ["text", null],
  hidden: ["text", null],
  url: ["text", null],
  choices: ["text", null],
  number: ["number", null],
  boolean: ["boolean", null],
  date: ["date", null],
  datetime: ["timestamp", null],
  user: ["text", "user"],
  contact: ["text", "contact"],
  custom_object: ["text", "custom_object"],
};

function customAttribute(ctx: Ctx, of: Resource, alias: string, name: string): Attribute | null {
  const fields = of.custom === undefined ? new Map<string, CustomField>() : customFieldsOf(ctx.directory, of.custom);
  const [key, field] = findField(fields, name) ?? nearlyNamed(fields, name) ?? [];
  if (key === undefined || field === undefined) return null;
  const [kind, refersTo] = customKinds[field.type];
  const value = kind === "number" ? customNumber(alias, key) : customText(alias, key);
  const several = field.accepts_multiple_values;
  const items = sql`jsonb_array_elements_text(case when jsonb_typeof(${sqlName(alias)}.custom->${key}) = 'array' then ${sqlName(alias)}.custom->${key} else '[]' end) v(value)`;
  return {
    kind,
    cast: kind === "number" ? "numeric" : "text",
    refersTo,
    exists: sql`${sqlName(alias)}.custom ? ${key}`,
    equals: (values) => or(values.map((one) => customEquals(alias, key, field, one))),
    some: (test) => (several ? sql`exists (select from ${items} where ${test(sql`v.value`)})` : test(value)),
    value: several ? null : value,
  };
}

/** In a text query the case of a name does not matter if only one name fits. */
function nearlyNamed(fields: ReadonlyMap<string, CustomField>, name: string): [string, CustomField] | null {
  const wanted = name.toLowerCase();
  const found = [...fields].filter(([, field]) => `custom.${field.name}`.toLowerCase() === wanted);
  return found.length === 1 ? found[0]! : null;
}
