// Moves a record to another organization, with everything that belongs to it. It is copied there under the same ids and deleted
// here, in one transaction. The definitions say which records belong to it and what becomes of their references, so a new
// resource takes part when it declares `onMove`.
import { type Ctx, query } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import type { Pointer } from "../core/registry.ts";
import { kindOf, type Resource, type Row } from "../core/resource.ts";
import { join, name, sql, statement } from "../db/sql.ts";
import { type CustomField, customFieldsOf, customTypeOf, takes } from "./custom_fields.ts";
import { deferConstraints } from "./defer_constraints.ts";
import { withIds } from "./named_ids.ts";
import { findRecords } from "./records.ts";
import { lockPointing, unkept } from "./references.ts";
import { removeRows } from "./removal.ts";
import { store } from "./store.ts";

/** A record that is being moved. */
export interface Moving {
  /** The resource that holds its rows: `activity` for an activity of any kind. */
  of: Resource;
  before: Row<Resource>;
  /** The row as it will be in the other organization. */
  after: Row<Resource>;
}

export interface Move {
  /** The record itself, then the records that go with it. */
  going: readonly Moving[];
  /** How many records stay, by resource. They lose their reference to what moves, or are deleted if they need it. */
  left: Readonly<Record<string, number>>;
  fates: Fates;
}

/** What became of fields that refer to records of the organization. Fields of other records are named `record.field`. */
export interface Fates {
  /** Fields that refer to the same record there, such as a member of both. */
  kept: ReadonlySet<string>;
  /** Fields that now refer to the matching record there: by the id here, the id there. */
  matched: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fields that lost their value. */
  cleared: ReadonlySet<string>;
}

/** Plans a move: the record and, level by level, what points at it with `cascade` and `follow`. All of it is locked. */
export async function planMove(here: Ctx, there: Ctx, of: Resource, row: Row<Resource>): Promise<Move> {
  const found = new Map<string, Omit<Moving, "after">>();
  await collect(here, of, [row], found);
  const stranded = takeOutStranded(here, found, row.id as string);
  const records = [...found.values()];
  const left = await countLeft(here, records, stranded);
  const way: Way = { here, there, root: of, found, counterparts: await findCounterparts(here, there, records), ...noFates() };
  const going = records.map((one) => ({ ...one, after: translated(one, way) }));
  return { going, left, fates: way };
}

async function collect(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  found: Map<string, Omit<Moving, "after">>,
): Promise<void> {
  const fresh = rows.filter((row) => !found.has(row.id));
  if (fresh.length === 0) return;
  for (const before of fresh) found.set(before.id, { of, before });
  const ids = fresh.map((row) => row.id as string);
  for (const pointer of ctx.registry.pointersTo(of.name)) {
    if (owns(pointer.rule)) {
      const going = await unkept(ctx, pointer.from, await lockPointing(ctx, pointer, ids));
      await collect(ctx, pointer.from, going, found);
    }
  }
}

const owns = (rule: NonNullable<Field["ref"]>) => rule.onDelete === "cascade" && rule.onMove === "follow";

/** Removes records that would lose a reference they need, or the record they belong to; then those that need these, and so on. */
function takeOutStranded(here: Ctx, found: Map<string, Omit<Moving, "after">>, root: string): Omit<Moving, "after">[] {
  const stranded: Omit<Moving, "after">[] = [];
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [id, one] of found) {
      if (id === root || canGo(here, one, found)) continue;
      stranded.push(one);
      found.delete(id);
    }
  }
  return stranded;
}

function canGo(here: Ctx, { of, before }: Omit<Moving, "after">, found: ReadonlyMap<string, unknown>): boolean {
  if (of.about !== undefined && !found.has(before[of.about] as string)) return false;
  const references = kindOf(of, before).columns.filter(([key, field]) => field.ref !== null && before[key] !== null);
  // A record `about` another belongs to it, but its references decide whether it goes along.
  const leads = ({ ref }: Field) => (of.about === undefined ? owns(ref!) : ref!.onMove === "follow");
  const isDeleted = (resource: string, id: string) =>
    here.registry.resource(resource)?.deleted !== undefined && here.directory.find(resource, id) === undefined;
  const lost = ([key, { ref }]: readonly [string, Field]) =>
    ref!.onMove === "clear" ||
    (ref!.onMove === "match" && isDeleted(ref!.to, before[key] as string)) ||
    (ref!.onMove === "follow" && !found.has(before[key] as string));
  return (
    references.some(([key, field]) => leads(field) && found.has(before[key] as string)) &&
    !references.some((reference) => !reference[1].nullable && lost(reference))
  );
}

/** Counts the stranded records and those that point at any of these records and stay, such as a place on a list. */
async function countLeft(
  ctx: Ctx,
  going: readonly Omit<Moving, "after">[],
  stranded: readonly Omit<Moving, "after">[],
): Promise<Record<string, number>> {
  const known = [...going, ...stranded].map(({ before }) => before.id as string);
  const left = new Map(
    Map.groupBy(stranded, ({ of }) => of.name)
      .entries()
      .map(([of, { length }]) => [of, length]),
  );
  const losing = [...Map.groupBy([...going, ...stranded], ({ of }) => of)].flatMap(([of, records]) => {
    const ids = records.map(({ before }) => before.id as string);
    return ctx.registry
      .pointersTo(of.name)
      .filter((pointer) => loses(pointer) || isKept(ctx, pointer.from))
      .map((pointer) => ({ ...pointer, ids }));
  });
  const selects = losing.map(
    ({ from: { name: resource, table }, field, ids }) => sql`select ${resource}::text as resource, t.id from ${name(table)} t
      where t.organization_id = ${ctx.organization_id} and t.${name(field)} = any(${ids}) and t.id <> all(${known})`,
  );
  const rows = await query(
    ctx,
    statement(sql`select s.resource, count(*) from (${join(selects, " union ")}) s group by 1 order by 1`),
  );
  for (const [resource, count] of rows) left.set(resource!, (left.get(resource!) ?? 0) + Number(count));
  return Object.fromEntries(left);
}

const loses = ({ rule }: Pointer) => rule.onDelete === "clear" || (rule.onDelete === "cascade" && !owns(rule));

/** Some of its records stay, because others keep them. */
const isKept = (ctx: Ctx, of: Resource): boolean => ctx.registry.pointersTo(of.name).some(({ rule }) => rule.keeps);

// --- what things are called there ---

/** By the id of a record here: the id there. `isSame` is false for a substitute that only stands in for it. */
type Counterparts = ReadonlyMap<string, { id: string; isSame: boolean }>;

async function findCounterparts(here: Ctx, there: Ctx, records: readonly Omit<Moving, "after">[]): Promise<Counterparts> {
  const counterparts = new Map<string, { id: string; isSame: boolean }>();
  for (const [resource, ids] of idsToMatch(here, records)) {
    const of = here.registry.resource(resource)!;
    if (of.elsewhere === undefined) continue;
    const { by, which = ([oldest]) => oldest, make, instead } = of.elsewhere;
    const key = (row: Row<Resource>) => String(row[by]).toLowerCase();
    const rows = await findRecords(here, of, [sql`t.id = any(${[...ids]})`]);
    const alike = await findRecords(
      there,
      of,
      [sql`lower(t.${name(by)}) = any(${rows.map(key)})`],
      sql`order by t.date_created, t.id`,
    );
    for (const row of rows) {
      const same = which(
        alike.filter((one) => key(one) === key(row)),
        row,
        here.directory,
        there.directory,
      );
      if (same !== undefined) counterparts.set(row.id, { id: same.id, isSame: true });
      else if (make) counterparts.set(row.id, { id: make(row, there), isSame: true });
      else if (instead) counterparts.set(row.id, { id: instead(row, here, there), isSame: false });
    }
  }
  return counterparts;
}

/** The ids that the records refer to outside of the move, by resource. */
function idsToMatch(here: Ctx, records: readonly Omit<Moving, "after">[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  const want = (to: string, id: string) => ids.set(to, (ids.get(to) ?? new Set()).add(id));
  for (const { of, before } of records) {
    const kind = kindOf(of, before);
    for (const [key, { ref }] of kind.columns)
      if (ref?.onMove === "match" && before[key] !== null) want(ref.to, before[key] as string);
    withIds(here.directory, kind, before, (id, to) => {
      for (const one of to) want(one, id);
      return id;
    });
  }
  return ids;
}

// --- the rows there ---

interface Way {
  here: Ctx;
  there: Ctx;
  root: Resource;
  found: ReadonlyMap<string, unknown>;
  counterparts: Counterparts;
  kept: Set<string>;
  matched: Record<string, Record<string, string>>;
  cleared: Set<string>;
}

const noFates = (): Pick<Way, keyof Fates> => ({ kept: new Set(), matched: {}, cleared: new Set() });

/** The row as the other organization will have it: references to what stays behind are cleared or replaced by their matches. */
function translated({ of, before }: Omit<Moving, "after">, way: Way): Row<Resource> {
  const { here, there, found, counterparts } = way;
  const kind = kindOf(of, before);
  const place = (key: string) => (of === way.root ? key : `${of.name}.${key}`);
  const becomes = (id: string, _to: unknown, key: string): string | null => {
    const isLost = key.startsWith("custom.") && !fields.has(key);
    if (found.has(id) && !isLost) return id;
    const counterpart = isLost ? null : (counterparts.get(id) ?? null);
    if (counterpart === null) way.cleared.add(place(key));
    else if (counterpart.id === id) way.kept.add(place(key));
    else if (counterpart.isSame) match(way, place(key), id, counterpart.id);
    return counterpart && counterpart.id;
  };

  const after: Record<string, unknown> = { ...before, organization_id: there.organization_id };
  for (const [key, { ref }] of kind.columns) {
    if (ref === null || ref.onMove === "keep" || before[key] === null) continue;
    after[key] = ref.onMove === "clear" ? null : becomes(before[key] as string, null, key);
  }
  // Its custom fields depend on its type there.
  const fields = customFieldsElsewhere(kind, before, after, way);
  Object.assign(after, withIds(here.directory, kind, before, becomes));
  if (kind.custom !== undefined) after.custom = customElsewhere(after.custom as Record<string, unknown>, fields, way, place);
  const moved = kind.moved?.(after, here, there) ?? {};
  for (const [key, value] of Object.entries(moved)) {
    if (value !== null && typeof after[key] === "string" && value !== after[key])
      match(way, place(key), after[key], value as string);
  }
  return { ...after, ...moved } as Row<Resource>;
}

function match({ matched }: Way, place: string, id: string, there: string): void {
  matched[place] = { ...matched[place], [id]: there };
}

/** The matching custom fields there, with their own names, by the names here. */
type FieldsElsewhere = ReadonlyMap<string, readonly [string, CustomField]>;

function customFieldsElsewhere(
  kind: Resource,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  way: Way,
): FieldsElsewhere {
  const fields = new Map<string, readonly [string, CustomField]>();
  if (kind.custom === undefined) return fields;
  const others = [...customFieldsOf(way.there.directory, kind.custom, customTypeOf(after))];
  for (const [key, field] of customFieldsOf(way.here.directory, kind.custom, customTypeOf(before))) {
    const same = others.find(([, other]) => isSameField(field, other, way));
    if (same !== undefined) fields.set(key, same);
  }
  return fields;
}

/** Custom values go to the fields of the same name and type, if these accept them. */
function customElsewhere(
  custom: Record<string, unknown>,
  fields: FieldsElsewhere,
  way: Way,
  place: (key: string) => string,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(custom)) {
    const [other, target] = fields.get(key) ?? [];
    const taken = target === undefined ? [] : [given].flat().filter((one) => takes(way.there, target, one));
    if (taken.length > 0) {
      values[other!] = Array.isArray(given) ? taken : taken[0];
      match(way, place("custom"), key, other!);
    }
    if (taken.length < [given].flat().length) way.cleared.add(place(key));
  }
  return values;
}

const isSameField = (field: CustomField, other: CustomField, { here, there }: Way): boolean =>
  field.name.toLowerCase() === other.name.toLowerCase() &&
  field.type === other.type &&
  field.accepts_multiple_values === other.accepts_multiple_values &&
  referencedName(here, field) === referencedName(there, other);

const referencedName = ({ directory }: Ctx, { referenced_custom_type_id: id }: CustomField): string | undefined =>
  id === null ? undefined : String(directory.find("custom_object_type", id)?.name).toLowerCase();

/** Carries out a planned move. What belongs to the record and does not go along is deleted with it, as by a deletion. */
export async function carryOut(here: Ctx, there: Ctx, { going }: Move): Promise<void> {
  const { of, before } = going[0]!;
  // Rows refer to each other in any order, so references are checked when the last row has come.
  for (const side of [here, there]) deferConstraints(side);
  await removeRows(here, of, [before], { moved_to: there.organization_id });
  for (const [kind, rows] of Map.groupBy(going, (one) => kindOf(one.of, one.before)))
    await store.insertAll(
      there,
      kind,
      rows.map((one) => one.after),
      { moved_from: here.organization_id },
    );
}

/** The columns of a moved record that lost their value. */
export const clearedFields = ({ before, after }: Moving): string[] =>
  Object.keys(before).filter((key) => before[key] !== null && after[key] === null);
