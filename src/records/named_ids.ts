// Ids inside values: in lists, in objects and in custom values. Foreign keys do not know them. The fields declare them (`names`),
// so that a move, a merge or a deletion finds all of them.
import type { Ctx } from "../core/context.ts";
import type { Directory } from "../core/directory.ts";
import type { Field, Naming } from "../core/field.ts";
import type { Resource, Row } from "../core/resource.ts";
import { name, type Sql, sql } from "../db/sql.ts";
import { same } from "../values/same.ts";
import { type CustomField, customFieldsOf, customTypeOf } from "./custom_fields.ts";

/** What an id becomes; null if its record is gone. `place` is the field, or the custom field's own name. */
export type Becomes = (id: string, to: readonly string[], place: string) => string | null;

/** The columns of a row that change with the ids in them. An id that is gone is removed from a list, and empties any other place. */
export function withIds(directory: Directory, of: Resource, row: Row<Resource>, becomes: Becomes): Record<string, unknown> {
  const record = row as Record<string, unknown>;
  const changes: Record<string, unknown> = {};
  for (const [key, field] of of.columns) {
    let value = record[key];
    for (const naming of field.names) value = changed(value, naming, (id) => becomes(id, naming.to, key));
    if (!same(value, record[key])) changes[key] = value;
  }
  const custom = of.custom === undefined ? row.custom : customWithIds(directory, of, row, becomes);
  return same(custom, row.custom) ? changes : { ...changes, custom };
}

function changed(value: unknown, { key }: Pick<Naming, "key">, becomes: (id: string) => string | null): unknown {
  if (value === null || value === undefined) return value;
  if (!Array.isArray(value)) return becomes(value as string);
  if (key === null) return [...new Set(value.flatMap((id: string) => becomes(id) ?? []))];
  return value.map((one) => (typeof one[key] === "string" ? { ...one, [key]: becomes(one[key]) } : one));
}

function customWithIds(directory: Directory, of: Resource, row: Row<Resource>, becomes: Becomes): Record<string, unknown> {
  const custom = { ...row.custom };
  for (const [key, field] of namingFields(directory, of, customTypeOf(row))) {
    const value = changed(custom[key], { key: null }, (id) => becomes(id, [field.type], key));
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) delete custom[key];
    else custom[key] = value;
  }
  return custom;
}

/** The custom fields whose values are ids, by their own names. */
const namingFields = (directory: Directory, of: Resource, typeId: string | null): [string, CustomField][] =>
  [...customFieldsOf(directory, of.custom!, typeId)].filter(([, { type }]) => naming.has(type));

const naming: ReadonlySet<CustomField["type"]> = new Set(["user", "contact", "custom_object"]);

// --- who names them ---

type NamesAny = (ids: readonly string[]) => Sql[];

/** The resources that name records of `resource` inside values, with conditions that an index answers for one id at a time. */
export function holdersOf(ctx: Ctx, resource: string): [Resource, NamesAny[]][] {
  const all = ctx.registry.resources.filter((one) => one.only === undefined);
  return all
    .map((one): [Resource, NamesAny[]] => [one, [...columnsNaming(one, resource), ...valuesNaming(ctx, one, resource)]])
    .filter(([, conditions]) => conditions.length > 0);
}

function columnsNaming(of: Resource, resource: string): NamesAny[] {
  return of.columns.flatMap(([key, field]: [string, Field]) =>
    field.names
      .filter((one) => one.to.includes(resource) && !one.past)
      .map((one): NamesAny => {
        const column = sql`t.${name(key)}`;
        if (one.key !== null) return (ids) => ids.map((id) => sql`${column} @> ${JSON.stringify([{ [one.key!]: id }])}::jsonb`);
        return field.type === "texts" ? (ids) => [sql`${column} && ${ids}::text[]`] : (ids) => [sql`${column} = any(${ids})`];
      }),
  );
}

function valuesNaming({ directory }: Ctx, of: Resource, resource: string): NamesAny[] {
  if (of.custom === undefined || !naming.has(resource as CustomField["type"])) return [];
  return namingFields(directory, of, null)
    .filter(([, field]) => field.type === resource)
    .map(([key]): NamesAny => {
      const holds = (value: unknown) => sql`t.custom @> ${JSON.stringify({ [key]: value })}::jsonb`;
      return (ids) => ids.flatMap((id) => [holds(id), holds([id])]);
    });
}
