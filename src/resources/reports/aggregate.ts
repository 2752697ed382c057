// `POST /report/aggregate/`: counts the records that a list would show, and sums, averages or bounds their numbers, in groups by
// fields and periods.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { below, collect, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import { operation } from "../../core/operation.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, empty, join, name, raw, type Sql, sql } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import { customNumber, customText } from "../../records/custom_filters.ts";
import { paging } from "../../records/filters.ts";
import { refersTo } from "../../records/groups.ts";
import { readList } from "../../records/list_input.ts";
import { notAmong } from "../../values/reasons.ts";
import { ask } from "./report.ts";

/** What can be counted, by the paths of its lists. */
const counted = [
  "lead",
  "contact",
  "opportunity",
  "task",
  "activity/call",
  "activity/email",
  "activity/meeting",
  "activity/note",
  "activity/sms",
  "conversation",
  "custom_object",
  "project",
  "project_task",
  "quote",
  "sequence_subscription",
] as const;

const figures = { sum: "sum", avg: "avg", min: "min", max: "max" } as const;
type Figure = keyof typeof figures;
const figureNames = Object.keys(figures) as Figure[];

/** A period as the text of its first day: groups by it sort as they follow each other. */
const periods = ["day", "week", "month", "quarter", "year"] as const;

const groupsMax = 200;
const numbers = z.array(z.string()).max(5).default([]);
const value = z.union([z.string(), z.number(), z.boolean()]);

export const aggregate = operation({
  name: "report.aggregate",
  method: "POST",
  path: "/report/aggregate/",
  doc: "Counts the records that a list would show, and sums or averages their numbers, in groups by up to two fields or periods.",
  permission: "member",
  group: "report",
  scope: "read",
  pastDue: true,
  transaction: false,
  narrows: true,
  input: {
    object_type: z.enum(counted),
    filters: z
      .record(z.string(), z.union([value, z.array(value)]))
      .default({})
      .describe("The filters of its list, `query` among them."),
    group_by: z
      .array(z.string())
      .max(2)
      .default([])
      .describe("Fields; a date with its period, such as `date_created__month` (`day`, `week`, `month`, `quarter`, `year`)."),
    sum: numbers.describe(
      "Fields with numbers. Amounts of money are never added across currencies: each has a group of its own.",
    ),
    avg: numbers,
    min: numbers,
    max: numbers,
  },
  output: z.strictObject({
    object_type: z.string(),
    groups: z
      .array(z.looseObject({ count: z.int() }))
      .describe(
        "Each with its values of `group_by`, their labels (`status_id_label`), `count`, and figures such as `sum_value`.",
      ),
    has_more: z.boolean().describe(`There are more than ${groupsMax} groups; the largest, or the newest periods, are shown.`),
  }),
  async run(ctx, { object_type, filters, group_by, ...asked }) {
    const of = listed(ctx, object_type);
    const errors: FieldErrors = {};
    const keys = group_by.flatMap(
      (given, i) => collect(errors, () => below(`group_by.${i}`, () => readKey(ctx, of, given))) ?? [],
    );
    const sums = figureNames.flatMap((figure) =>
      asked[figure].flatMap(
        (given, i) => collect(errors, () => below(`${figure}.${i}`, () => readFigure(ctx, of, figure, given))) ?? [],
      ),
    );
    const conditions = (await collect(errors, () => below("filters", () => readConditions(ctx, of, filters)))) ?? [];
    refuse(errors);

    const found = await count(ctx, of, sums.length > 0 ? [...keys, ...currencyOf(of)] : keys, sums, conditions);
    const groups = found.slice(0, groupsMax).map((row) => ({ ...labelled(ctx, keys, row), ...row }));
    return { object_type, groups, has_more: found.length > groupsMax };
  },
});

function listed(ctx: Ctx, objectType: string): Resource {
  const { resource, permission } = ctx.registry.operations.find(
    (one) => one.verb === "list" && one.resource?.path === `/${objectType}`,
  )!;
  if (permission !== "member" && !may(ctx, permission)) throw invalid({ object_type: `needs the permission ${permission}` });
  return resource!;
}

// --- what is asked ---

interface Key {
  /** As it was asked for, and as it is answered. */
  name: string;
  sql: Sql;
  isPeriod: boolean;
  /** The resource whose ids its values are. */
  refersTo: string | null;
}

interface Sum {
  name: string;
  sql: Sql;
}

type Known = { field: Field } | { custom: CustomField };

function known(ctx: Ctx, of: Resource, given: string): Known | undefined {
  const custom = of.custom === undefined ? undefined : customFieldsOf(ctx.directory, of.custom).get(given);
  if (custom !== undefined) return { custom };
  const field = Object.hasOwn(of.fields, given) ? of.fields[given] : undefined;
  return field?.source === "column" && !field.hidden ? { field } : undefined;
}

const shownColumns = (of: Resource, fits: (field: Field) => boolean): string[] =>
  Object.entries(of.fields as Record<string, Field>).flatMap(([key, field]) =>
    field.source === "column" && !field.hidden && fits(field) ? [key] : [],
  );

const isMoment = ({ type }: Field): boolean => type === "timestamp" || type === "date";
const isNumber = ({ type }: Field): boolean => type === "integer" || type === "number";
const isGroupable = (field: Field): boolean => !isMoment(field) && field.type !== "json" && field.type !== "texts";

function readKey(ctx: Ctx, of: Resource, given: string): Key {
  const [, field = given, period] = /^(.+)__([a-z]+)$/.exec(given) ?? [];
  if (period !== undefined) return readPeriod(ctx, of, given, field, period);
  const found = known(ctx, of, given);
  if (found !== undefined && "custom" in found && !found.custom.accepts_multiple_values)
    return { name: given, sql: customText("t", given), isPeriod: false, refersTo: found.custom.type === "user" ? "user" : null };
  if (found !== undefined && "field" in found && isGroupable(found.field))
    return { name: given, sql: sql`t.${name(given)}`, isPeriod: false, refersTo: refersTo(found.field) };
  if (found !== undefined && "field" in found && isMoment(found.field))
    throw invalid({ "": `needs a period, such as ${given}__month` });
  throw invalid({ "": notAmong(given, shownColumns(of, isGroupable)) });
}

function readPeriod(ctx: Ctx, of: Resource, given: string, field: string, period: string): Key {
  const found = known(ctx, of, field);
  if (found === undefined || !("field" in found) || !isMoment(found.field))
    throw invalid({
      "": notAmong(
        given,
        shownColumns(of, isMoment).map((key) => `${key}__month`),
      ),
    });
  if (!(periods as readonly string[]).includes(period))
    throw invalid({
      "": notAmong(
        given,
        periods.map((one) => `${field}__${one}`),
      ),
    });
  const day = found.field.type === "date" ? sql`t.${name(field)}::timestamp` : sql`t.${name(field)} at time zone ${zone(ctx)}`;
  const start = sql`to_char(date_trunc(${raw(`'${period}'`)}, ${day}), 'YYYY-MM-DD')`;
  return { name: given, sql: start, isPeriod: true, refersTo: null };
}

/** A name, or an offset such as `-04:00`: as text PostgreSQL would read its sign the other way round. */
function zone(ctx: Ctx): Sql {
  const given = zoneOf(ctx.directory, ctx);
  return /^[+-]/.test(given) ? raw(`interval '${given.replace(/[^\d:+-]/g, "")}'`) : raw(`'${given.replace(/[^\w/+-]/g, "")}'`);
}

function readFigure(ctx: Ctx, of: Resource, figure: Figure, given: string): Sum {
  const found = known(ctx, of, given);
  const isOwn = found !== undefined && ("custom" in found ? found.custom.type === "number" : isNumber(found.field));
  if (!isOwn) throw invalid({ "": notAmong(given, shownColumns(of, isNumber)) });
  const number = "custom" in found ? customNumber("t", given) : sql`t.${name(given)}`;
  const amount = figure === "avg" ? sql`round(avg(${number})::numeric, 2)` : sql`${raw(figures[figure])}(${number})`;
  return { name: `${figure}_${given}`, sql: amount };
}

/** Amounts of different currencies are never added. */
function currencyOf(of: Resource): Key[] {
  const field = ["value_currency", "currency"].find((one) => Object.hasOwn(of.fields, one));
  return field === undefined ? [] : [{ name: field, sql: sql`t.${name(field)}`, isPeriod: false, refersTo: null }];
}

async function readConditions(ctx: Ctx, of: Resource, filters: Record<string, unknown>): Promise<Sql[]> {
  const other = Object.keys(filters).find((key) => (paging as readonly string[]).includes(key));
  if (other !== undefined) throw invalid({ [other]: "is not a filter" });
  const query = Object.fromEntries(Object.entries(filters).map(([key, one]) => [key, [one].flat().join(",")]));
  return (await readList(ctx, of, { ...query, _count: "exact" })).counted;
}

// --- what is answered ---

type Group = { count: number } & Record<string, unknown>;

async function count(
  ctx: Ctx,
  of: Resource,
  keys: readonly Key[],
  sums: readonly Sum[],
  conditions: readonly Sql[],
): Promise<Group[]> {
  const columns = [...keys, ...sums].map((one, i) => sql`${one.sql} as ${raw(`c${i}`)}`);
  const newest = keys[0]?.isPeriod ? raw("c0 desc nulls last") : raw("count desc");
  const grouped = join([raw("()"), ...keys.map((_, i) => raw(String(i + 2)))].slice(keys.length > 0 ? 1 : 0), ", ");
  const { groups } = await ask(ctx, {
    groups: sql`select count(*) as count ${columns.length > 0 ? sql`, ${join(columns, ", ")}` : empty}
      from ${from(of, "t")} where ${and([...scope(ctx, of), ...conditions])}
      group by ${grouped} order by ${newest} limit ${raw(String(groupsMax + 1))}`,
  });
  return groups.map((row) => ({
    ...Object.fromEntries([...keys, ...sums].map((one, i) => [one.name, row[`c${i}`]])),
    count: row.count,
  }));
}

const labels = ["label", "name", "display_name"];

/** The labels of ids that the directory knows. */
function labelled(ctx: Ctx, keys: readonly Key[], row: Group): Record<string, unknown> {
  const known = keys.flatMap((key) => {
    const id = row[key.name];
    if (key.refersTo === null || typeof id !== "string" || !ctx.directory.has(key.refersTo)) return [];
    const record = ctx.directory.find(key.refersTo, id);
    const label = labels.map((one) => record?.[one]).find((one) => typeof one === "string");
    return label === undefined ? [] : [[`${key.name}_label`, label]];
  });
  return Object.fromEntries(known);
}
