// The stored values of a custom field, over many records at once. The records' versions change, because reads show something
// else. `date_updated` does not, because nobody edited them.
import { type Ctx, may, query, write } from "../../core/context.ts";
import { collect, type FieldErrors, invalid } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import type { Statement } from "../../db/database.ts";
import { and, name, or, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { type CustomField as Checked, checkValue } from "../../records/custom_fields.ts";
import { emitInTurns } from "../../records/event.ts";
import { lockToChange } from "../../records/references.ts";
import { inTurns } from "../../records/turns.ts";
import { same } from "../../values/same.ts";
import type { Association, CustomField } from "./custom_field.ts";
import { hasTypes, typeColumns } from "./object_types.ts";

// --- where values are stored ---

/** The values of a field in the records of `places`, except those that are also in `staying`. */
export interface FieldValues {
  field_id: string | null;
  places: readonly Association[];
  staying: readonly Association[];
}

/** A table with such values. */
export interface Holder {
  table: string;
  /** The resource for all of its rows. */
  of: Resource;
  /** The key of the values. */
  key: string;
  /** The condition for rows with a value, on the alias `t`. */
  holds: Sql;
}

/** A part of the rows of a table, on the alias `t`. */
type Part = Sql;
export const everywhere: Part = raw("true");

/** A field has one place. A shared one has those it is associated with. */
export const placesOf = (field: CustomField): Association[] =>
  field.object_type === "shared"
    ? field.associations
    : [{ object_type: field.object_type as Association["object_type"], editable_with_roles: [], required: false }];

/** The tables with these values, in the order of their names. Kinds that share a table count once. */
export function holdersOf(ctx: Ctx, { field_id, places, staying }: FieldValues): Holder[] {
  const { resources } = ctx.registry;
  const key = `custom.${field_id}`;
  const tables = resources.filter((one) => places.some((place) => place.object_type === one.custom)).map((one) => one.table);
  return [...new Set(tables)].sort().map((table) => {
    const kinds = resources.filter((one) => one.table === table);
    const of = kinds.find((one) => one.only === undefined)!;
    return { table, of, key, holds: sql`t.custom ? ${key} and ${whereOf(kinds, places)} and not ${whereOf(kinds, staying)}` };
  });
}

/** The condition for rows at one of the places. A place may be one type of custom activities or objects. */
function whereOf(kinds: readonly Resource[], places: readonly Association[]): Sql {
  const here = places.filter((place) => kinds.some((one) => one.custom === place.object_type));
  return or(
    here.map((place) => {
      const column = hasTypes(place.object_type) ? typeColumns[place.object_type] : undefined;
      const typeId = column && place[column];
      return typeId ? sql`t.${name(column)} = ${typeId}` : sql`true`;
    }),
  );
}

/** Reading a million records takes seconds, more than other statements may take. */
const patience = "set local statement_timeout = '1min'";

export async function areMoreThan(ctx: Ctx, holders: readonly Holder[], most: number): Promise<boolean> {
  let count = 0;
  if (holders.length > 0) write(ctx, { text: patience, values: [] });
  for (const { table, holds } of holders) {
    const found = sql`select from ${name(table)} t where t.organization_id = ${ctx.organization_id} and ${holds} limit ${most + 1}`;
    const [row] = await query(ctx, statement(sql`select count(*) from (${found}) found`));
    count += Number(row![0]);
  }
  return count > most;
}

/** The id of the last of the next `count` records of a table after `id`. Null when there are none. */
export async function lastOfNext(ctx: Ctx, table: string, id: string, count: number): Promise<string | null> {
  const next = sql`select t.id from ${name(table)} t where t.organization_id = ${ctx.organization_id} and t.id > ${id} order by t.id limit ${count}`;
  const [row] = await query(ctx, statement(sql`select max(next.id) from (${next}) next`));
  return row![0]!;
}

// --- removing and converting ---

export const removeFrom = (ctx: Ctx, holder: Holder, part: Part): Promise<void> => replaceIn(ctx, holder, part, () => undefined);

/**
 * Converts each distinct value once. A value that the new type cannot hold is dropped, kept as it is, or stops the whole change.
 */
export async function convertIn(
  ctx: Ctx,
  holder: Holder,
  field: CustomField,
  part: Part,
  otherwise: "drop" | "keep" | "refuse",
): Promise<void> {
  const converted = new Map<string, unknown>();
  await replaceIn(ctx, holder, part, (value) => {
    const text = JSON.stringify(value);
    if (!converted.has(text)) {
      const { becomes, reason } = convert(ctx, field, value);
      if (reason !== null && otherwise === "refuse") throw cannotHold(ctx, text, reason);
      converted.set(text, reason !== null && otherwise === "keep" ? value : becomes);
    }
    return converted.get(text);
  });
}

/**
 * Replaces each value by another, or by none for undefined. Each record whose value changes gets an event, and is found by its
 * present words only.
 */
async function replaceIn(
  ctx: Ctx,
  { of, key, holds }: Holder,
  part: Part,
  replacement: (value: unknown) => unknown,
): Promise<void> {
  const changes: { action: string; before: Row<Resource>; after: Row<Resource>; changed: string[] }[] = [];
  await inTurns(await lockToChange(ctx, of, and([holds, part])), (rows) => {
    for (const before of rows) {
      const { [key]: value, ...others } = before.custom!;
      const becomes = replacement(value);
      if (same(value, becomes)) continue;
      const custom = becomes === undefined ? others : { ...others, [key]: becomes };
      const after = withWords(ctx, of, { ...before, custom, version: before.version + 1 });
      changes.push({ action: "updated", before, after, changed: [key] });
    }
  });
  if (changes.length === 0) return;
  const afters = changes.map(({ after }) => after);
  write(ctx, storing(ctx, of, key, afters));
  await emitInTurns(ctx, of, changes);
}

function withWords(ctx: Ctx, of: Resource, row: Row<Resource>): Row<Resource> {
  const search = kindOf(of, row).fields.search as Field | undefined;
  return search ? { ...row, search: search.derive!(row, ctx.directory) } : row;
}

function storing(ctx: Ctx, of: Resource, key: string, rows: readonly Row<Resource>[]): Statement {
  const search = of.fields.search === undefined ? sql`` : sql`search = m.search::tsvector,`;
  const values = rows.map(({ custom }) => (key in custom! ? JSON.stringify(custom![key]) : null));
  return statement(sql`update ${name(of.table)} t set ${search} version = version + 1,
      custom = case when m.value is null then t.custom - ${key}::text else jsonb_set(t.custom, array[${key}], m.value::jsonb) end
    from unnest(${rows.map((row) => row.id)}::text[], ${values}::text[], ${rows.map((row) => row.search ?? null)}::text[])
      m (id, value, search)
    where t.organization_id = ${ctx.organization_id} and t.id = m.id`);
}

// --- what can be converted ---

/** The most records checked by one statement. */
const checkedAtOnce = 20_000;

/** Refuses a change of type that would lose a value. */
export async function checkConvertible(ctx: Ctx, holder: Holder, field: CustomField): Promise<void> {
  for (let last = ""; ; ) {
    const until = await lastOfNext(ctx, holder.table, last, checkedAtOnce);
    if (until === null) return;
    for (const text of await distinctTexts(ctx, holder, sql`t.id > ${last} and t.id <= ${until}`)) {
      const { reason } = convert(ctx, field, JSON.parse(text));
      if (reason !== null) throw cannotHold(ctx, text, reason);
    }
    last = until;
  }
}

async function distinctTexts(ctx: Ctx, { table, key, holds }: Holder, part: Part): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`select distinct (t.custom->${key})::text from ${name(table)} t
      where t.organization_id = ${ctx.organization_id} and ${holds} and ${part}`),
  );
  return rows.map(([text]) => text!);
}

/** The value may be of a record that the caller cannot see. */
const cannotHold = (ctx: Ctx, text: string, reason: string) => {
  const value = may(ctx, "view_all_leads") ? `the value ${text.slice(0, 100)}, which ${reason}` : "values that it cannot hold";
  return invalid({ type: `would lose ${value}: change such values first, or send drop_unconvertible_values: true` });
};

/**
 * A value in the new type, or undefined with the reason why it has none. A value that already has the new type stays as it is.
 */
function convert(ctx: Ctx, field: CustomField, value: unknown): { becomes: unknown; reason: string | null } {
  const values = [value].flat().map((one) => recast(field.type, one));
  const errors: FieldErrors = {};
  const converted = collect(errors, () =>
    checkValue(ctx, field as Checked, field.accepts_multiple_values ? values : oneOf(field, values)),
  );
  return { becomes: converted, reason: errors[""] ?? null };
}

function oneOf({ type }: CustomField, values: readonly unknown[]): unknown {
  if (isText.has(type)) return values.join(", ");
  if (values.length !== 1) throw invalid({ "": "must be one value" });
  return values[0];
}

const isText: ReadonlySet<string> = new Set(["text", "textarea", "hidden"]);

/** A single value in the new type. Ids stay ids, so that the change can be reversed. */
function recast(type: CustomField["type"], value: unknown): unknown {
  if (type === "number") return typeof value === "string" && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}
