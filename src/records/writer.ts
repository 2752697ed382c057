// The JSON writer. For each resource and set of fields it is compiled once into a function that splices the texts of a row into
// JSON: columns are never parsed, `jsonb` is passed through. Listing 100 records this way costs half of what objects and
// JSON.stringify do.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import type { Directory } from "../core/directory.ts";
import type { ColumnType, Computed, Field, Label, LookedUp, Moment, Related, SharedRows, ShownField } from "../core/field.ts";
import type { Resource, Row } from "../core/resource.ts";
import { valueOf } from "../core/row.ts";
import type { Row as TextRow } from "../db/database.ts";
import { join, type Sql, sql } from "../db/sql.ts";
import { pgTimestamp } from "../values/time.ts";

export interface Projection {
  /** The select list: own columns, joined labels, and the version last. */
  select: string;
  /** Left joins for labels whose target is not in the directory. */
  joins: readonly Joined[];
  /** Fields that need SQL of their own, selected behind the version. */
  related: readonly [string, Related][];
  write: (row: TextRow, directory: Directory, moment: Moment) => string;
  /** Where the version stands in a row. */
  versionAt: number;
}

/** The record that an id names, for its label. */
export interface Joined {
  of: Resource;
  alias: string;
  text: string;
}

export type Lookup = (resource: string) => Resource | undefined;

const projections = new WeakMap<Resource, Map<string, Projection>>();

/** The projection for `_fields`; null means all ordinary fields. At most 200 sets are kept for each resource. */
export function projectionOf(of: Resource, fields: readonly string[] | null, lookup: Lookup): Projection {
  const key = fields === null ? "" : [...fields].sort().join(",");
  let kept = projections.get(of);
  if (kept === undefined) projections.set(of, (kept = new Map()));
  let projection = kept.get(key);
  if (projection === undefined) {
    if (kept.size >= 200) kept.clear();
    const compileOne = (one: Resource, selection?: Selection) => compile(one, fields, lookup, selection);
    kept.set(key, (projection = of.kinds ? compileKinds(of, compileOne) : compileOne(of)));
  }
  return projection;
}

/** What a projection selects: each expression once, each joined table once. */
class Selection {
  readonly columns: string[] = [];
  readonly related: [string, Related][] = [];
  private readonly joined: Joined[] = [];

  /** Where the expression stands in a row. */
  at(expression: string): number {
    const found = this.columns.indexOf(expression);
    return found >= 0 ? found : this.columns.push(expression) - 1;
  }

  /** Where the related field stands, behind all columns. */
  behind(key: string, field: Related): number {
    const found = this.related.findIndex(([, other]) => other === field);
    return this.columns.length + (found >= 0 ? found : this.related.push([key, field]) - 1);
  }

  /** The alias of the record that `refField` points at. */
  join(of: Resource, refField: string): string {
    const found = this.joined.find((one) => one.of === of && one.text.endsWith(` = t.${refField}`));
    if (found !== undefined) return found.alias;
    const alias = `j${this.joined.length}`;
    const text = `left join ${of.table} ${alias} on ${alias}.organization_id = t.organization_id and ${alias}.id = t.${refField}`;
    this.joined.push({ of, alias, text });
    return alias;
  }

  projection(write: Projection["write"]): Projection {
    const { columns, related, joined } = this;
    return { select: columns.join(", "), joins: joined, related, versionAt: this.at("t.version"), write };
  }
}

/**
 * One projection for all rows of a shared table: each row is written by its own kind's writer. Two rounds: only when every kind
 * has named what it selects are the places of all known.
 */
function compileKinds(of: Resource, compileOne: (kind: Resource, selection: Selection) => Projection): Projection {
  const { column, of: kinds } = of.kinds!;
  const selection = new Selection();
  const typeAt = selection.at(`t.${column}`);
  for (const kind of kinds) compileOne(kind, selection);
  const writers = new Map(kinds.map((kind) => [kind.only!.value, compileOne(kind, selection).write]));
  return selection.projection((row, directory, moment) => writers.get(row[typeAt]!)!(row, directory, moment));
}

interface Part {
  /** A JavaScript expression that gives `"name":value`; it may give "" where `optional`. */
  code: string;
  optional: boolean;
}

function compile(of: Resource, fields: readonly string[] | null, lookup: Lookup, selection = new Selection()): Projection {
  const helpers: unknown[] = [];
  const helper = (value: unknown) => `h[${helpers.push(value) - 1}]`;
  const parts: Part[] = [];
  const related: [string, Related][] = [];
  const wanted = fields === null ? null : new Set(fields);
  const all = wanted?.has("_all") === true;

  for (const [key, field] of of.shown) {
    if (key === "custom" && of.custom) {
      const some =
        all || wanted === null || wanted.has("custom") ? null : [...wanted].filter((name) => name.startsWith("custom."));
      if (some === null || some.length > 0)
        parts.push({ code: `${helper(customPart(some))}(r[${selection.at("t.custom")}])`, optional: true });
      continue;
    }
    if (!all && (wanted === null ? isOnDemand(field) : !wanted.has(key))) continue;
    if (field.source === "related")
      related.push([key, wanted === null && field.unnamed !== null ? { ...field, sql: field.unnamed } : field]);
    else
      parts.push({
        code: `${JSON.stringify(`"${key}":`)}+${valueCode(of, key, field, selection, helper, lookup)}`,
        optional: false,
      });
  }

  selection.at("t.version");
  for (const together of Map.groupBy(related, ([key, field]) => field.shared?.name ?? key).values()) {
    const [key, field] = together[0]!;
    const code =
      together.length > 1
        ? `r[${selection.behind(key, readTogether(together))}]`
        : `${JSON.stringify(`"${key}":`)}+(r[${selection.behind(key, field)}]??"null")`;
    parts.push({ code, optional: false });
  }
  return selection.projection(assemble(parts, helpers));
}

/** Fields that are read off the same rows, as one expression: their members with the commas between them. */
function readTogether(fields: readonly [string, Related][]): Related {
  const { name, rows } = fields[0]![1].shared!;
  const members = (value: (shared: SharedRows) => Sql) =>
    join(
      fields.map(([key, { shared }]) => sql`${`"${key}":`}::text || coalesce((${value(shared!)})::text, 'null')`),
      " || ',' || ",
    );
  const found = (alias: string, ctx: Ctx) => sql`select ${members((shared) => shared.value(ctx))} from ${rows(alias, ctx)}`;
  const none = fields.map(([key]) => `"${key}":null`).join();
  return { ...fields[0]![1], doc: name, sql: (alias, ctx) => sql`coalesce((${found(alias, ctx)}), ${none})` };
}

const isOnDemand = (field: ShownField): boolean =>
  (field.source === "related" && !field.always) ||
  ((field.source === "column" || field.source === "computed" || field.source === "lookedUp") && field.onDemand === true);
/** What follows from the organization's small records as they are now, or from the hour, and so is never kept beside a row. */
const isLookedUp = (field: ShownField): boolean =>
  field.source === "label" || (field.source === "lookedUp" && !isOnDemand(field));

function valueCode(
  of: Resource,
  key: string,
  field: Exclude<ShownField, Related>,
  selection: Selection,
  helper: (value: unknown) => string,
  lookup: Lookup,
): string {
  if (field.source === "column") {
    if (key === "organization_id") return `'"'+d.organization_id+'"'`;
    return nullable(field.nullable, `r[${selection.at(`t.${key}`)}]`, (value) => columnCode(field, key, value, helper));
  }
  if (field.source === "computed" || field.source === "lookedUp") {
    const values = field.of.map((name) => {
      const column = of.fields[name] as Field;
      return name === "organization_id"
        ? "d.organization_id"
        : `${helper((text: string | null) => valueOf(column, text))}(r[${selection.at(`t.${name}`)}])`;
    });
    return `${helper(textOf(field))}(${["d", "m", ...values].join(",")})`;
  }
  const target = lookup(field.to);
  if (target === undefined) throw new Error(`${of.name}.${key} labels ${field.to}, which is not defined`);
  if (isInDirectory(target)) {
    return `${helper(labelTexts(field))}(d,r[${selection.at(`t.${field.ref}`)}])`;
  }
  const value = `r[${selection.at(`${selection.join(target, field.ref)}.${field.field}`)}]`;
  return `${helper(quoteOrNull)}(${field.kept === null ? value : `${value}??r[${selection.at(`t.${field.kept}`)}]`})`;
}

/** The JSON of a label by its id. A page shows the same few again and again: they are kept for the directory at hand. */
function labelTexts({ to, field }: Label): (directory: Directory, id: string | null) => string {
  let of: Directory | null = null;
  let kept = new Map<string, string>();
  return (directory, id) => {
    if (id === null) return "null";
    if (directory !== of) [of, kept] = [directory, new Map()];
    let text = kept.get(id);
    if (text === undefined) kept.set(id, (text = quoteOrNull(directory.find(to, id)?.[field])));
    return text;
  };
}

const textOf =
  (field: Computed | LookedUp) =>
  (directory: Directory, moment: Moment, ...values: unknown[]) =>
    JSON.stringify(field.source === "computed" ? field.get(...values) : field.get(directory, ...values, moment)) ?? "null";

const nullable = (canBeNull: boolean, value: string, code: (value: string) => string) =>
  canBeNull ? `(${value}===null?"null":${code(value)})` : code(value);

function columnCode(field: Field, key: string, value: string, helper: (value: unknown) => string): string {
  const kinds: Record<ColumnType, () => string> = {
    text: () => (key === "id" || field.ref !== null ? `'"'+${value}+'"'` : `${helper(quote)}(${value})`),
    integer: () => value,
    number: () => `${helper(numberText)}(${value})`,
    boolean: () => `(${value}==="t"?"true":"false")`,
    timestamp: () => `'"'+${helper(pgTimestamp)}(${value})+'"'`,
    date: () => `'"'+${value}+'"'`,
    json: () => value,
    texts: () => `${helper((text: string) => JSON.stringify(valueOf(field, text)))}(${value})`,
    tsvector: () => `${helper(quote)}(${value})`,
  };
  return kinds[field.type]();
}

// A comma goes before every part but the first; an optional part brings its own.
function assemble(parts: readonly Part[], helpers: readonly unknown[]): Projection["write"] {
  if (parts.some((part) => part.optional) && (parts[0]?.optional || parts.length === 1)) {
    const body = parts.map((part) => (part.optional ? `comma(${part.code})` : `","+${part.code}`)).join("+") || `""`;
    return build(`"{"+(${body}).slice(1)+"}"`, helpers);
  }
  const body =
    parts.map((part, i) => (part.optional ? `comma(${part.code})` : i === 0 ? part.code : `","+${part.code}`)).join("+") || `""`;
  return build(`"{"+${body}+"}"`, helpers);
}

function build(expression: string, helpers: readonly unknown[]): Projection["write"] {
  const source = `"use strict";const comma=(text)=>text===""?"":","+text;${helpers.map((_, i) => `const h${i}=h[${i}];`).join("")}return (r,d,m)=>${expression.replace(/\bh\[(\d+)\]/g, "h$1")};`;
  return new Function("h", source)(helpers) as Projection["write"];
}

const customPart = (some: readonly string[] | null) => (text: string | null) => {
  if (text === null || text === "{}") return "";
  if (some === null) return text.slice(1, -1);
  const values = JSON.parse(text) as Record<string, unknown>;
  return some
    .filter((name) => name in values)
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(values[name])}`)
    .join(",");
};

// Text without a quote, a backslash, a control character or half of a pair is JSON as it stands.
const plain = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/;
const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
const quoteOrNull = (text: unknown): string => (typeof text === "string" ? quote(text) : "null");
const numberText = (text: string): string => JSON.stringify(Number(text));

/**
 * The JSON of a record that is at hand, as a read would show it: where a rendering is kept, what is looked up stands behind it; labels
 * that need a join are left out.
 */
export function renderRow<R extends Resource>(of: R, row: Row<R>, directory: Directory, moment: Moment, lookup: Lookup): string {
  const kept = shownTexts.get(row);
  if (kept !== undefined && kept.directory === directory && kept.moment === moment) return kept.text;
  const found = (field: ShownField) => lookedUpText(field, row as Record<string, unknown>, directory, moment, lookup);
  let text: string;
  if (of.rendered === undefined) text = `{${membersOf(of, row, found)}}`;
  else {
    text = renderStored(of, row);
    for (const [key, field] of of.shown) {
      const value = found(field);
      if (value !== undefined) text += `,"${key}":${value}`;
    }
    text = `{${text}}`;
  }
  shownTexts.set(row, { directory, moment, text });
  return text;
}

function lookedUpText(
  field: ShownField,
  record: Record<string, unknown>,
  directory: Directory,
  moment: Moment,
  lookup: Lookup,
): string | undefined {
  if (field.source === "lookedUp" && !isOnDemand(field))
    return textOf(field)(directory, moment, ...field.of.map((name) => record[name]));
  if (field.source !== "label") return undefined;
  const id = record[field.ref];
  if (typeof id !== "string") return quoteOrNull(field.kept === null ? null : record[field.kept]);
  return isInDirectory(lookup(field.to)) ? quoteOrNull(directory.find(field.to, id)?.[field.field]) : undefined;
}

/** Its labels are read there. Where not everyone sees every record of it, they take a join, which asks who does. */
const isInDirectory = (target: Resource | undefined): boolean => target?.cached === true && target.visible === undefined;

// One write shows a row up to three times: stored, in its event, in the answer.
const shownTexts = new WeakMap<object, { directory: Directory; moment: Moment; text: string }>();
const storedTexts = new WeakMap<object, string>();

// Everything that follows from the row alone, what is looked up left out.
function renderStored<R extends Resource>(of: R, row: Row<R>): string {
  let text = storedTexts.get(row);
  if (text === undefined) storedTexts.set(row, (text = membersOf(of, row, () => undefined)));
  return text;
}

/** The members of a record's JSON in their order; `found` gives what does not follow from the row. */
function membersOf<R extends Resource>(of: R, row: Row<R>, found: (field: ShownField) => string | undefined): string {
  const record = row as unknown as Record<string, unknown>;
  let text = "";
  for (const [key, field] of of.shown) {
    if (key === "custom" && of.custom) {
      for (const [name, value] of Object.entries((record.custom ?? {}) as object))
        text += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
      continue;
    }
    const value = isOnDemand(field) ? undefined : (ownText(field, key, record) ?? found(field));
    if (value !== undefined) text += `,"${key}":${value}`;
  }
  return text.slice(1);
}

function ownText(field: ShownField, key: string, record: Record<string, unknown>): string | undefined {
  const value =
    field.source === "column"
      ? record[key]
      : field.source === "computed"
        ? field.get(...field.of.map((name) => record[name]))
        : undefined;
  return value === undefined ? undefined : jsonOf(value);
}

const jsonOf = (value: unknown): string =>
  value === null ? "null" : typeof value === "string" ? quote(value) : JSON.stringify(value);

// --- rendered records ---

const tags = new WeakMap<Resource, string>();

// A rendering made by another definition is not this one's: it begins with a mark of the definition.
function tagOf(of: Resource): string {
  let tag = tags.get(of);
  if (tag === undefined) {
    const shape = of.shown.map(([key, field]) => [key, field.source, isOnDemand(field)]);
    tags.set(
      of,
      (tag = createHash("sha1")
        .update(JSON.stringify([of.rendered, shape]))
        .digest("base64url")
        .slice(0, 6)),
    );
  }
  return tag;
}

/** What the column `rendered` holds for a row. */
export const renderedText = <R extends Resource>(of: R, row: Row<R>): string => tagOf(of) + renderStored(of, row);

const renderedProjections = new WeakMap<Resource, Projection>();

/**
 * The projection of all ordinary fields that reads the rendering. `write` answers "" for a row without a valid one: read that
 * record's columns instead. Undefined where the resource keeps none, or shows labels that take a join.
 */
export function renderedProjectionOf(of: Resource, lookup: Lookup): Projection | undefined {
  if (of.rendered === undefined) return undefined;
  let kept = renderedProjections.get(of);
  if (kept === undefined) {
    const compileOne = (one: Resource, selection?: Selection) => compileRendered(one, lookup, selection);
    renderedProjections.set(of, (kept = of.kinds ? compileKinds(of, compileOne) : compileOne(of)));
  }
  return kept;
}

function compileRendered(of: Resource, lookup: Lookup, selection = new Selection()): Projection {
  const text = `r[${selection.at("t.rendered")}]`;
  const helpers: unknown[] = [];
  const helper = (value: unknown) => `h[${helpers.push(value) - 1}]`;
  const labels = of.shown.flatMap(([key, field]) =>
    isLookedUp(field)
      ? [
          `${JSON.stringify(`,"${key}":`)}+${valueCode(of, key, field as Exclude<ShownField, Related>, selection, helper, lookup)}`,
        ]
      : [],
  );
  selection.at("t.version");
  const tag = tagOf(of);
  const write = build(
    `(${text}===null||!${text}.startsWith("${tag}"))?"":"{"+${text}.slice(${tag.length})${labels.map((code) => `+${code}`).join("")}+"}"`,
    helpers,
  );
  return selection.projection(write);
}

/** A rendering and the ids of its labels as one column: each further column of a hundred rows costs as much as writing it does. */
export interface Lean {
  select: string;
  /** The end of the record's JSON is kept by its labels, so a page is put together from parts without a copy of each record. False without a valid rendering. */
  push: (pieces: string[], text: string, directory: Directory, moment: Moment) => boolean;
}

const idStart = '"id":"';

const leans = new WeakMap<Resource, Lean | null>();

/** Null where more is looked up than labels from the directory and addresses. */
export function leanOf(of: Resource, lookup: Lookup): Lean | null {
  let kept = leans.get(of);
  if (kept === undefined) leans.set(of, (kept = makeLean(of, lookup)));
  return kept;
}

function makeLean(of: Resource, lookup: Lookup): Lean | null {
  const shown = of.shown.filter(([, field]) => isLookedUp(field));
  const labels = shown.flatMap(([key, field]) =>
    field.source === "label" && isInDirectory(lookup(field.to)) ? [{ key, ...field }] : [],
  );
  const links = shown.flatMap(([key, field]) =>
    field.source === "lookedUp" && field.path !== undefined ? [{ start: `"${key}":"`, path: field.path }] : [],
  );
  if (of.rendered === undefined || of.kinds || labels.length + links.length < shown.length) return null;

  const refs = [...new Set(labels.map(({ ref }) => ref))];
  const tag = tagOf(of);
  const write = (directory: Directory, ids: readonly string[]) =>
    labels.map(({ key, ref, to, field }) => {
      const id = ids[refs.indexOf(ref)]!;
      return `,"${key}":${quoteOrNull(id === "" ? null : directory.find(to, id)?.[field])}`;
    });
  let current: Directory | null = null;
  let ends = new Map<string, string>();
  return {
    // `concat` would look up the output function of each value: a fifth of the time that reading a page takes.
    select: [...refs.map((ref) => `coalesce(t.${ref}, '') || ' '`), `E'\\n'`, "coalesce(t.rendered, '')"].join(" || "),
    push(pieces, text, directory, { settings }) {
      const at = text.indexOf("\n") + 1;
      if (!text.startsWith(tag, at)) return false;
      const record = at + tag.length;
      // A rendering begins with the id: it is the first field of every record.
      const id = text.slice(record + idStart.length, text.indexOf('"', record + idStart.length));
      let start = "{";
      for (const link of links) start += `${link.start}${settings.base_url}${link.path}${id}/",`;
      if (directory !== current || ends.size > 1000) [current, ends] = [directory, new Map()];
      const ids = text.slice(0, at);
      let end = ends.get(ids);
      if (end === undefined) ends.set(ids, (end = `${write(directory, ids.split(" ")).join("")}}`));
      pieces.push(start, text.slice(record), end);
      return true;
    },
  };
}

/**
 * True when a read shows nothing that a record at hand does not, and in the same words: no joined labels, nothing of other rows, and no
 * JSON that PostgreSQL writes in its own way, unless a rendering is kept.
 */
export const isSelfContained = <R extends Resource>(of: R, row: Row<R>, lookup: Lookup): boolean =>
  of.shown.every(([, field]) => {
    if (field.source === "label") return isInDirectory(lookup(field.to)) || (row as Record<string, unknown>)[field.ref] === null;
    if (field.source === "column" && field.type === "json") return of.rendered !== undefined;
    return field.source !== "related" || !field.always;
  });

/** The schema of a record as it is shown. Made once for each resource: one for each of its verbs took 8 MB more. */
export function outputSchema(of: Resource): z.ZodType {
  let schema = outputs.get(of);
  if (schema === undefined) outputs.set(of, (schema = makeOutputSchema(of)));
  return schema;
}

const outputs = new WeakMap<Resource, z.ZodType>();

function makeOutputSchema(of: Resource): z.ZodType {
  if (of.kinds) return z.union(of.kinds.of.map(outputSchema)).describe(of.doc);
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of of.shown) {
    if (key === "custom" && of.custom) continue;
    const schema = field.doc ? field.output.describe(field.doc) : field.output;
    shape[key] = isOnDemand(field) ? schema.optional() : schema;
  }
  for (const [key, field] of of.secrets) shape[key] = field.output.describe(field.doc).optional();
  return (of.custom || of.expand ? z.looseObject(shape) : z.strictObject(shape)).describe(of.doc);
}
