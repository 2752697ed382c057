// The columns of an export as a table.
import type { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { zoneOfMember } from "../../records/clock.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { type Export, kindOfRows } from "./selection.ts";

type Values = Record<string, unknown>;

/** A row: the record, and its lead where a column needs it. */
export interface Item {
  record: Values;
  lead: Values | null;
}

export type Cell = string | number | boolean | null;

export interface Column {
  header: string;
  cell(item: Item): Cell;
}

/** What has to be read for the columns. */
export interface Layout {
  columns: Column[];
  /** The fields of the records; null for all ordinary ones. */
  fields: string[] | null;
  /** The fields of their leads. */
  leadFields: string[];
}

/** Of what a field has several, the first ones have columns of their own, and the rest one together. */
const numbered: Readonly<Record<string, string>> = { emails: "email", phones: "phone", urls: "url" };
const ownColumns = 3;
const addressParts = ["address_1", "address_2", "city", "state", "zipcode", "country"] as const;

/** Nobody looks for these in a table, unless they ask for them. */
const leftOut = new Set(["organization_id", "html_url", "contact_ids", "list_ids", "score_reasons", "note_html"]);

export function layoutOf(ctx: Ctx, made: Export): Layout {
  const of = kindOfRows(ctx, made);
  const lead = ctx.registry.resource("lead")!;
  const own = namesOf(ctx, of);
  const smart = of === lead && made.include_smart_fields;
  const chosen = made.fields === null ? usual(ctx, of, made.include_addresses, smart) : inFull(ctx, of, made.fields);
  const dates = dateWriter(made.date_format, made.timezone ?? zoneOfMember(ctx.directory, ctx.actor));
  const columns = chosen.flatMap((key) =>
    own.has(key)
      ? columnsFor(ctx, of, key, ({ record }) => record, dates)
      : columnsFor(ctx, lead, key, (item) => item.lead ?? {}, dates),
  );
  const named = made.type === "contacts" && made.fields === null;
  if (named) columns.push({ header: "lead_name", cell: ({ lead: its }) => (its?.display_name ?? null) as Cell });
  const leadFields = named ? ["display_name"] : chosen.filter((key) => !own.has(key));
  const fields = made.fields === null && !smart ? null : [...chosen.filter((key) => own.has(key)), "lead_id"];
  return { columns, fields, leadFields };
}

/** `custom` means all custom fields. */
const inFull = (ctx: Ctx, of: Resource, fields: readonly string[]): string[] => [
  ...new Set(fields.flatMap((key) => (key === "custom" ? [...customFieldsOf(ctx.directory, of.custom ?? "").keys()] : [key]))),
];

/** The names of the fields that a kind of record shows. */
export const namesOf = (ctx: Ctx, of: Resource): Set<string> =>
  new Set([...of.shown.map(([key]) => key), ...customFieldsOf(ctx.directory, of.custom ?? "").keys()]);

function usual(ctx: Ctx, of: Resource, withAddresses: boolean, withSmart: boolean): string[] {
  const { shape } = outputSchema(of) as z.ZodObject;
  const shown = Object.entries(shape).filter(([key, schema]) => {
    if (leftOut.has(key)) return false;
    if (key === "addresses") return withAddresses;
    // A field that is shown only on request is optional.
    return key in numbered || (isFlat(schema as z.ZodType) && (withSmart || !(schema as z.ZodType).isOptional()));
  });
  return [...shown.map(([key]) => key), ...customFieldsOf(ctx.directory, of.custom ?? "").keys()];
}

function columnsFor(
  ctx: Ctx,
  of: Resource,
  key: string,
  from: (item: Item) => Values,
  dates: (value: string) => string,
): Column[] {
  const custom = customFieldsOf(ctx.directory, of.custom ?? "").get(key);
  const label = numbered[key];
  const list = (item: Item) => (from(item)[key] ?? []) as Values[];
  if (label !== undefined) {
    const values = (item: Item) => list(item).map((one) => String(one[label] ?? ""));
    const single = (i: number): Column => ({ header: `${label}_${i + 1}`, cell: (item) => values(item)[i] ?? null });
    const rest: Column = { header: `more_${key}`, cell: (item) => together(values(item).slice(ownColumns)) || null };
    return [...Array.from({ length: ownColumns }, (_, i) => single(i)), rest];
  }
  if (key === "addresses")
    return [
      ...addressParts.map((part): Column => ({ header: part, cell: (item) => (list(item)[0]?.[part] ?? null) as Cell })),
      { header: "more_addresses", cell: (item) => (list(item).length > 1 ? JSON.stringify(list(item).slice(1)) : null) },
    ];
  const write = isTime(of, key, custom) ? dates : String;
  return [{ header: custom === undefined ? key : `custom.${custom.name}`, cell: (item) => cellOf(from(item)[key], write) }];
}

function cellOf(value: unknown, write: (value: string) => string): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return write(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one !== "object");
  return isList ? together(value.map((one) => write(String(one)))) : JSON.stringify(value);
}

/** Several values in one cell, as an import takes them apart. */
const together = (texts: readonly string[]): string => texts.map(quoted).join(";");

/** An import would take such a value of a list for several. */
const quoted = (text: string): string => (/[;,|\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// --- what a field holds ---

interface Inner {
  def: { type: string; innerType?: Inner; element?: Inner; format?: string };
}

function within(schema: unknown): Inner {
  let inner = schema as Inner;
  while (inner.def.innerType !== undefined) inner = inner.def.innerType;
  return inner;
}

const scalars = new Set(["string", "number", "boolean", "enum", "literal"]);

/** A single value, or a list of them. */
function isFlat(schema: z.ZodType): boolean {
  const { def } = within(schema);
  return scalars.has(def.type) || (def.type === "array" && scalars.has(within(def.element).def.type));
}

function isTime(of: Resource, key: string, custom: CustomField | undefined): boolean {
  if (custom !== undefined) return custom.type === "datetime";
  const schema = (outputSchema(of) as z.ZodObject).shape[key];
  return schema !== undefined && within(schema).def.format === "datetime";
}

/** `original` is as the API shows times. The others are in a time zone, with its offset or as Excel reads them. */
function dateWriter(format: Export["date_format"], timeZone: string): (value: string) => string {
  if (format === "original") return String;
  const options = { dateStyle: undefined, timeZoneName: "longOffset" } as const;
  const parts = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as const;
  // Swedish dates have the order of ISO 8601: `2026-01-02 03:04:05 GMT+01:00`.
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone, ...parts, ...options });
  return (value) => {
    const [day, time, offset = ""] = local.format(new Date(value)).split(" ");
    const date = day!.padStart(10, "0");
    if (format === "excel") return `${date} ${time}`;
    // Before there were time zones, each place had an offset in seconds, which ISO 8601 cannot write.
    if (/:\d\d:/.test(offset)) return value;
    // Excel would show parts of a second as minutes.
    const [fraction = ""] = /\.(?!000Z)\d{3}(?=Z$)/.exec(value) ?? [];
    return `${date}T${time}${fraction}${offset.replace("GMT", "").replace("\u2212", "-") || "Z"}`;
  };
}
