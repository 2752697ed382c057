// The kinds of field. A field says how a value is stored, checked, shown and searched. It holds data and pure functions.
import { z } from "zod";
import type { Sql } from "../db/sql.ts";
import { isBlank } from "../values/blank.ts";
import { parseDate, parseTimestamp } from "../values/time.ts";
import type { Ctx } from "./context.ts";
import type { Directory } from "./directory.ts";

export type ColumnType = "text" | "integer" | "number" | "boolean" | "timestamp" | "date" | "json" | "texts" | "tsvector";

/** When a caller may set a field: in create and update, in create only, or never. */
export type Mode = "write" | "create" | "read";

export type OnDelete = "cascade" | "clear" | "refuse" | "keep";
export type OnMove = "follow" | "match" | "clear" | "keep";

export interface Reference {
  to: string;
  /** What happens to this record when the one pointed at is deleted, and to the value when this one moves to another organization. */
  onDelete: OnDelete;
  onMove: OnMove;
  /** The one pointed at stays with this one: it is neither deleted nor moved with what it belongs to, and only loses that. */
  keeps?: true;
}

/** Ids in a value that is not a reference: an id, a list of ids, or a list of objects with one id each. */
export interface Naming {
  /** The resources whose ids they may be. */
  to: readonly string[];
  /** The member of each object that holds it; null where the value is the id or the list. */
  key: string | null;
  /** It tells who took part then, and stays when the record it names is deleted. */
  past?: boolean;
}

/** A value with a column of its own. */
export interface Field<T = any, M extends Mode = Mode> {
  source: "column";
  type: ColumnType;
  /** Checks and normalizes a value that is present and not null. */
  schema: z.ZodType;
  output: z.ZodType;
  nullable: boolean;
  required: boolean;
  mode: M;
  /** The values of a field made by `choice`. */
  choices: readonly string[] | null;
  /** Never shown, filtered or sorted by. */
  hidden: boolean;
  /** Shown only when named in `_fields`, such as a long text. */
  onDemand: boolean;
  default: T | ((ctx: Ctx) => T) | undefined;
  doc: string;
  ref: Reference | null;
  names: readonly Naming[];
  /** The last step before a value is stored. It may depend on the organization's settings, such as its country. */
  normalize: ((value: any, ctx: Ctx) => T) | null;
  /** Checks a changed value against other records: completes or refuses it. What `before` already holds is accepted. */
  resolve: ((value: any, ctx: Ctx, before: T | undefined) => Promise<T>) | null;
  /** Computed from the other columns of the row at every write. What is costly may stay as in `before`, the stored row. */
  derive: ((row: any, directory: Directory, before?: any) => T) | null;
  /** What reads show in place of the stored value, such as a state that the clock moves. */
  shown: Computed | LookedUp | null;
  /** What events hold in place of the stored value, where not everybody who reads them may read it. */
  told: ((value: any, row: any, ctx: Ctx) => T) | null;
}

/** A value computed from columns of its own row when it is shown. */
export interface Computed<T = any> {
  source: "computed";
  of: readonly string[];
  get: (...values: any[]) => T;
  output: z.ZodType;
  doc: string;
  onDemand?: boolean;
  /** The column that this field repeats under another name. A search uses that column. */
  sameAs?: string;
}

/** What a shown value may depend on besides the record: the time, the caller and the settings of the service. */
export type Moment = Pick<Ctx, "now" | "request" | "actor" | "settings">;

/** A value that depends on the organization's small records or on the moment. `get` takes the directory first and the moment last. */
export interface LookedUp<T = any> {
  source: "lookedUp";
  of: readonly string[];
  get: (directory: Directory, ...values: any[]) => T;
  output: z.ZodType;
  doc: string;
  onDemand?: boolean;
  /** For the address of a record: the part between `base_url` and the id. */
  path?: string;
}

/** The name of the record that an id refers to: from the directory if the target is kept there, else by a join. */
export interface Label {
  source: "label";
  ref: string;
  to: string;
  field: string;
  /** A column that keeps the name and is shown once the record is gone. */
  kept: string | null;
  output: z.ZodType;
  doc: string;
}

/** A value that needs other rows, such as a count. It is selected only when named in `_fields`, unless it is shown always. */
export interface Related {
  source: "related";
  always: boolean;
  /** What is selected when it is shown without being named; null for the same as `sql`. */
  unnamed: Related["sql"] | null;
  /** An SQL expression of JSON type over the alias of the row. */
  sql: (alias: string, ctx: Ctx) => Sql;
  /** Rows that other fields are computed from too. They are read once for all of them. */
  shared: SharedRows | null;
  output: z.ZodType;
  doc: string;
}

/** Rows beside a record that several of its fields are computed from. */
export interface SharedRows {
  /** Fields with the same name share the rows. */
  name: string;
  /** What follows `select …`: a `from` clause, with its order and limit. */
  rows: (alias: string, ctx: Ctx) => Sql;
  /** The field's value over those rows, of JSON type. */
  value: (ctx: Ctx) => Sql;
}

/** Accepted in a body and not stored as such: a label in place of an id, or nested records. The verb's function reads it. */
export interface Input<T = any> {
  source: "input";
  schema: z.ZodType<T>;
  mode: Mode;
  doc: string;
  /** What reads show under the same name; null for nothing. */
  shown: Computed | LookedUp | Label | Related | null;
  /** For what only a create takes: the value that an update may repeat, by the stored record, or that updates ignore it. */
  later: ((row: any) => unknown) | "ignored" | null;
}

/** A secret that only the answer to the create shows. The create function puts it on the row it returns. */
export interface Once {
  source: "once";
  output: z.ZodType;
  doc: string;
}

/** What a read can show. */
export type ShownField = Field | Computed | LookedUp | Label | Related;

export type AnyField = ShownField | Input | Once;

export interface FieldOptions {
  required?: boolean;
  /** Never null, yet not required of the caller: the resource's own create fills it in. */
  filled?: boolean;
  /** Null is accepted although there is a default. */
  nullable?: boolean;
  readOnly?: boolean;
  createOnly?: boolean;
  hidden?: boolean;
  onDemand?: boolean;
  default?: unknown;
  doc?: string;
  names?: readonly Naming[];
  normalize?: (value: any, ctx: Ctx) => any;
  resolve?: (value: any, ctx: Ctx, before: any) => Promise<any>;
  derive?: (row: any, directory: Directory, before?: any) => any;
  shown?: Computed | LookedUp;
  told?: (value: any, row: any, ctx: Ctx) => any;
}

type ModeOf<O> = O extends { readOnly: true } | { derive: unknown }
  ? "read"
  : O extends { createOnly: true }
    ? "create"
    : "write";
type NullOf<O> = O extends { required: true } | { filled: true }
  ? never
  : O extends { nullable: true }
    ? null
    : O extends { default: infer D }
      ? D extends (ctx: Ctx) => infer R
        ? Extract<R, null>
        : Extract<D, null>
      : null;
type FieldOf<T, O> = Field<T | NullOf<O>, ModeOf<O>>;

function field<T, const O extends FieldOptions>(
  type: ColumnType,
  schema: z.ZodType,
  options: O,
  output?: z.ZodType,
): FieldOf<T, O> {
  const nullable =
    options.nullable === true ||
    (options.required !== true && options.filled !== true && (options.default === undefined || options.default === null));
  const shown = output ?? schema;
  return {
    source: "column",
    type,
    schema,
    output: nullable ? shown.nullable() : shown,
    nullable,
    required: options.required === true && options.default === undefined,
    mode: (options.readOnly || options.derive ? "read" : options.createOnly ? "create" : "write") as ModeOf<O>,
    hidden: options.hidden === true,
    onDemand: options.onDemand === true,
    choices: null,
    default: options.default as T,
    doc: options.doc ?? "",
    ref: null,
    names: options.names ?? [],
    normalize: options.normalize ?? null,
    resolve: options.resolve ?? null,
    derive: options.derive ?? null,
    shown: options.shown ?? null,
    told: options.told ?? null,
  };
}

// A required text must not be blank; a nullable text that is blank is stored as null (see `records/input.ts`).
const trimmed = (max: number) => z.string().max(max, { error: `must be ${max} characters or fewer` });

export function text<const O extends FieldOptions & { max?: number }>(options: O = {} as O): FieldOf<string, O> {
  const max = options.max ?? 255;
  const schema = options.required
    ? trimmed(max).refine((value) => !isBlank(value), { error: "must not be empty" })
    : trimmed(max);
  return field<string, O>("text", schema, options, z.string());
}

/** A text with a form of its own. `parse` returns the stored form, or null if the text is wrong; `reason` says what it must be. */
export function formed<const O extends FieldOptions>(
  parse: (raw: string) => string | null,
  reason: string,
  options: O = {} as O,
): FieldOf<string, O> {
  const schema = z.string().transform((raw, check) => {
    const value = parse(raw);
    if (value === null) check.addIssue({ code: "custom", message: reason });
    return value as string;
  });
  return field<string, O>("text", schema, options, z.string());
}

export function choice<const V extends readonly [string, ...string[]], const O extends FieldOptions>(
  values: V,
  options: O = {} as O,
): FieldOf<V[number], O> {
  return { ...field<V[number], O>("text", z.enum(values), options), choices: values };
}

/** An instant, on the wire `2026-01-02T03:04:05.678Z`. */
export function timestamp<const O extends FieldOptions>(options: O = {} as O): FieldOf<string, O> {
  const spec = formed((raw) => parseTimestamp(raw), "must be a time such as 2026-01-02T03:04:05.678Z", options);
  return { ...spec, type: "timestamp", output: shownAs(spec, z.iso.datetime()) };
}

/** A calendar date, `2026-01-02`. A date-time is cut to its date. */
export function date<const O extends FieldOptions>(options: O = {} as O): FieldOf<string, O> {
  const spec = formed((raw) => parseDate(raw, { cutTime: true }), "must be a date such as 2026-01-02", options);
  return { ...spec, type: "date", output: shownAs(spec, z.iso.date()) };
}

const shownAs = (spec: Field, schema: z.ZodType) => (spec.nullable ? schema.nullable() : schema);

/** A whole number within what JSON carries exactly. */
export function integer<const O extends FieldOptions & { min?: number; max?: number }>(options: O = {} as O): FieldOf<number, O> {
  const schema = z
    .int({
      error: (issue) => (typeof issue.input === "number" ? "must be a whole number" : "must be a number"),
    })
    .min(options.min ?? Number.MIN_SAFE_INTEGER)
    .max(options.max ?? Number.MAX_SAFE_INTEGER);
  return field<number, O>("integer", schema, options);
}

export function number<const O extends FieldOptions & { min?: number; max?: number }>(options: O = {} as O): FieldOf<number, O> {
  return field<number, O>(
    "number",
    z
      .number()
      .min(options.min ?? -1e15)
      .max(options.max ?? 1e15),
    options,
  );
}

export function boolean<const O extends FieldOptions>(options: O = {} as O): FieldOf<boolean, O> {
  return field<boolean, O>("boolean", z.boolean(), options);
}

/** Any JSON of the given shape. */
export function json<S extends z.ZodType, const O extends FieldOptions & { output?: z.ZodType }>(
  schema: S,
  options: O = {} as O,
): FieldOf<z.output<S>, O> {
  return field<z.output<S>, O>("json", schema, options, options.output);
}

/** Names in any order, stored as an array: tags, mentions. `each` is the schema of one. */
export function texts<const O extends FieldOptions & { max?: number; each?: z.ZodType<string> }>(
  options: O = {} as O,
): FieldOf<string[], O> {
  return field<string[], O>(
    "texts",
    z.array(options.each ?? trimmed(255)).max(options.max ?? 1000),
    options,
    z.array(z.string()),
  );
}

/** The id of another record. `user` points at a member. */
export function ref<const O extends FieldOptions>(
  to: string,
  rules: Omit<Reference, "to">,
  options: O = {} as O,
): FieldOf<string, O> {
  const spec = field<string, O>("text", z.string().min(1).max(64, { error: "does not exist" }), options, z.string());
  return { ...spec, ref: { to, ...rules } };
}

/** Says that the value is an id, or a list of ids, of these resources. */
export const naming = (...to: readonly string[]): readonly Naming[] => [{ to, key: null }];

/** The same for the past: who was mentioned, whom a task was assigned to. */
export const namingPast = (...to: readonly string[]): readonly Naming[] => [{ to, key: null, past: true }];

export function computed<T>(of: readonly string[], output: z.ZodType<T>, get: (...values: any[]) => T, doc = ""): Computed<T> {
  return { source: "computed", of, output, get, doc };
}

/** A column that is shown under a second name. */
export function alsoCalled(column: string, output: z.ZodType): Computed {
  return { ...computed([column], output, (value) => value, `The same as \`${column}\`.`), sameAs: column };
}

export function lookedUp<T>(of: readonly string[], output: z.ZodType<T>, get: LookedUp<T>["get"], doc = ""): LookedUp<T> {
  return { source: "lookedUp", of, output, get, doc };
}

/** The address of a record on this service: `http://…/lead/lead_…/`. Lists write it from `path`, without calling `get`. */
export const address = (path: string, doc: string): LookedUp<string> => ({
  ...lookedUp(["id"], z.string(), (_directory, id: string, { settings }: Moment) => `${settings.base_url}${path}${id}/`, doc),
  path,
});

/** The field, shown only when named in `_fields`. */
export const onDemand = <F extends Computed | LookedUp>(field: F): F => ({ ...field, onDemand: true });

/** `label("status_id", "lead_status", "label")`: the target's `label` beside its id. */
export function label(refField: string, to: string, targetField: string, doc = "", kept: string | null = null): Label {
  return { source: "label", ref: refField, to, field: targetField, kept, output: z.string().nullable(), doc };
}

/** A value from other rows. `unnamed` is a shorter form for reads that do not name the field, and makes it shown always. */
export function related(
  output: z.ZodType,
  sql: Related["sql"],
  doc = "",
  { unnamed = null, always = unnamed !== null, shared = null }: Partial<Pick<Related, "always" | "unnamed" | "shared">> = {},
): Related {
  return { source: "related", always, unnamed, shared, sql, output, doc };
}

export function once(doc: string, output: z.ZodType = z.string()): Once {
  return { source: "once", output, doc };
}

export function input<S extends z.ZodType>(
  schema: S,
  options: { createOnly?: boolean; doc?: string; shown?: Input["shown"]; later?: Input["later"] } = {},
): Input<z.output<S>> {
  const { createOnly = false, doc = "", shown = null, later = null } = options;
  const mode = createOnly ? "create" : "write";
  return { source: "input", schema: schema as unknown as z.ZodType<z.output<S>>, mode, doc, shown, later };
}
