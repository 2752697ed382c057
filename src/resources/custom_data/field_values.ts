// The stored values of a custom field, over all records at once: a field may have a million of them. The records' versions move,
// because what a read shows has changed; `date_updated` does not, because nobody edited them.
import { type Ctx, query, write } from "../../core/context.ts";
import { collect, type FieldErrors, invalid } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import type { Statement } from "../../db/database.ts";
import { and, name, or, type Sql, sql, statement } from "../../db/sql.ts";
import { type CustomField as Checked, checkValue } from "../../records/custom_fields.ts";
import { emitAll } from "../../records/event.ts";
import { lockWhere } from "../../records/references.ts";
import type { Association, customField } from "./custom_field.ts";
import { hasTypes, typeColumns } from "./object_types.ts";

type CustomField = Row<typeof customField>;

/** A minute for each million records, where other statements have seconds. */
const patience = "set local statement_timeout = '10min'";

/** Removes the values from all records, or from those of `places` where a shared field is no longer and that none of `staying` takes in. */
export async function removeValues(
  ctx: Ctx,
  field: CustomField,
  places: readonly Association[] = placesOf(field),
  staying: readonly Association[] = [],
): Promise<void> {
  const key = `custom.${field.id}`;
  const holders = holdersOf(ctx, places);
  if (holders.length > 0) write(ctx, { text: patience, values: [] });
  for (const { kinds, where } of holders) {
    const holds = sql`t.custom ? ${key} and ${where} and not ${whereOf(kinds, staying)}`;
    await removeFrom(ctx, kinds.find((one) => one.only === undefined)!, key, holds);
  }
}

/** Each record that loses its value tells so, and is no longer found by the words of it. */
async function removeFrom(ctx: Ctx, of: Resource, key: string, holds: Sql): Promise<void> {
  for (let last = ""; ; ) {
    const rows = await lockWhere(ctx, of, and([holds, sql`t.id > ${last}`]), recordsAtOnce);
    const changes = rows.map((before) => {
      const { [key]: _, ...custom } = before.custom!;
      const after = { ...before, custom, version: before.version + 1 };
      const search = kindOf(of, before).fields.search as Field | undefined;
      return { action: "updated", before, after: search ? { ...after, search: search.derive!(after, ctx.directory) } : after };
    });
    write(
      ctx,
      removal(
        ctx,
        of,
        key,
        changes.map(({ after }) => after),
      ),
    );
    emitAll(
      ctx,
      of,
      changes.map((change) => ({ ...change, changed: [key] })),
    );
    if (rows.length < recordsAtOnce) return;
    last = rows.at(-1)!.id;
  }
}

function removal(ctx: Ctx, of: Resource, key: string, rows: readonly Row<Resource>[]): Statement {
  const search = of.fields.search === undefined ? sql`` : sql`search = m.search::tsvector,`;
  return statement(sql`update ${name(of.table)} t set custom = t.custom - ${key}::text, ${search} version = version + 1
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.search ?? null)}::text[]) m (id, search)
    where t.organization_id = ${ctx.organization_id} and t.id = m.id`);
}

const recordsAtOnce = 2_000;

/**
 * Makes values of the former type values of the new one, each distinct value once. What the new type would not accept from a
 * caller it does not accept from the past either: that stops the change, unless the caller said to drop it.
 */
export async function convertValues(
  ctx: Ctx,
  before: CustomField,
  after: CustomField,
  { drop }: { drop: boolean },
): Promise<void> {
  const key = `custom.${before.id}`;
  write(ctx, { text: patience, values: [] });
  for (const { table, where } of holdersOf(ctx, placesOf(before))) {
    const holds = sql`t.organization_id = ${ctx.organization_id} and t.custom ? ${key} and ${where}`;
    for (let last = ""; ; ) {
      const found = await query(
        ctx,
        statement(sql`select distinct (t.custom->${key})::text collate "C" from ${name(table)} t
        where ${holds} and (t.custom->${key})::text collate "C" > ${last} order by 1 limit ${distinctAtOnce}`),
      );
      const texts = found.map(([text]) => text!);
      const converted = texts.map((text) => convert(ctx, after, JSON.parse(text), drop));
      write(
        ctx,
        statement(sql`update ${name(table)} t set version = version + 1,
          custom = case when m.becomes is null then t.custom - ${key}::text else jsonb_set(t.custom, array[${key}], m.becomes::jsonb) end
        from unnest(${texts}::text[], ${converted}::text[]) m (was, becomes)
        where ${holds} and (t.custom->${key})::text = m.was and m.was is distinct from m.becomes`),
      );
      if (texts.length < distinctAtOnce) break;
      last = texts.at(-1)!;
    }
  }
}

const distinctAtOnce = 20_000;

/** The JSON text of a value in the new type, or null where there is none and it may be dropped. */
function convert(ctx: Ctx, field: CustomField, value: unknown, drop: boolean): string | null {
  const values = [value].flat().map((one) => recast(field.type, one));
  const errors: FieldErrors = {};
  const converted = collect(errors, () =>
    checkValue(ctx, field as Checked, field.accepts_multiple_values ? values : oneOf(field, values)),
  );
  const reason = errors[""];
  if (reason === undefined) return JSON.stringify(converted);
  if (drop) return null;
  throw invalid({
    type: `would lose the value ${JSON.stringify(value).slice(0, 100)}, which ${reason}: change such values first, or send drop_unconvertible_values: true`,
  });
}

function oneOf({ type }: CustomField, values: readonly unknown[]): unknown {
  if (isText.has(type)) return values.join(", ");
  if (values.length !== 1) throw invalid({ "": "must be one value" });
  return values[0];
}

const isText: ReadonlySet<string> = new Set(["text", "textarea", "hidden"]);

/** A single value as the new type writes it; ids stay ids, so that the way back is open. */
function recast(type: CustomField["type"], value: unknown): unknown {
  if (type === "number") return typeof value === "string" && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

// --- where values lie ---

/** A field has one place; a shared one those it is associated with. */
const placesOf = (field: CustomField): Association[] =>
  field.object_type === "shared"
    ? field.associations
    : [{ object_type: field.object_type as Association["object_type"], editable_with_roles: [], required: false }];

interface Holder {
  table: string;
  /** The resources whose rows it has. */
  kinds: readonly Resource[];
  where: Sql;
}

/** The tables of records with such fields; kinds that share a table count once. */
function holdersOf(ctx: Ctx, places: readonly Association[]): Holder[] {
  const tables = new Set(
    ctx.registry.resources.filter((one) => places.some((place) => place.object_type === one.custom)).map((one) => one.table),
  );
  return [...tables].map((table) => {
    const kinds = ctx.registry.resources.filter((one) => one.table === table);
    return { table, kinds, where: whereOf(kinds, places) };
  });
}

/** Which rows of a table are at one of the places. A place may be one type of custom activities or objects. */
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
