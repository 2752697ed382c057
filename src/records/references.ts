// References to records: how the records that hold them are locked, and how a merge makes them point at another record. A new
// resource takes part when it declares its references. `removal.ts` has what a deletion does.

import { type Ctx, query, userOf, write } from "../core/context.ts";
import type { Pointer } from "../core/registry.ts";
import { from, kindOf, type Resource, type Row } from "../core/resource.ts";
import { rowReader } from "../core/row.ts";
import { and, join, name, or, type Sql, sql, statement } from "../db/sql.ts";
import { updateRows } from "./change.ts";
import { allColumns } from "./columns.ts";
import { changedFields, emitAll } from "./event.ts";
import { holdersOf, withIds } from "./named_ids.ts";
import { notesOf } from "./removal_notes.ts";
import { inTurns } from "./turns.ts";

// One id is the usual case, and its statement is prepared: PostgreSQL cannot plan once for any number of ids.
export const among = (column: Sql, ids: readonly string[]): Sql =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${ids})`;
export const asOne = (ids: readonly string[], as: string): string | undefined => (ids.length === 1 ? as : undefined);

/** Locks and returns the rows that point at any of `ids`, visible or not, because they go with the record that they belong to. */
export async function lockPointing(
  ctx: Ctx,
  { from: child, field }: Pick<Pointer, "from" | "field">,
  ids: readonly string[],
  limit?: number,
): Promise<Row<Resource>[]> {
  const condition = among(sql`t.${name(field)}`, ids);
  return limit === undefined
    ? rowsWhere(ctx, child, condition, sql`for update of t`, asOne(ids, `${child.name}.by_${field}`))
    : lockWhere(ctx, child, condition, limit);
}

/** The rows without those that other records keep. */
export async function unkept(ctx: Ctx, of: Resource, rows: readonly Row<Resource>[]): Promise<readonly Row<Resource>[]> {
  const keepers = ctx.registry.pointersTo(of.name).filter(({ rule }) => rule.keeps);
  if (keepers.length === 0 || rows.length === 0) return rows;
  const ids = rows.map((row) => row.id as string);
  const selects = keepers.map(
    ({ from: keeper, field }) => sql`select t.${name(field)} from ${from(keeper, "t")}
      where t.organization_id = ${ctx.organization_id} and t.${name(field)} = any(${ids})`,
  );
  const kept = new Set((await query(ctx, statement(join(selects, " union ")))).map(([id]) => id!));
  return rows.filter((row) => !kept.has(row.id as string));
}

/** Locks and returns the rows that meet a condition on the alias `t`, visible or not. */
export async function lockWhere<R extends Resource>(
  ctx: Ctx,
  of: R,
  condition: Sql,
  limit?: number,
  as?: string,
): Promise<Row<R>[]> {
  const end = limit === undefined ? sql`for update of t` : sql`limit ${limit} for update of t`;
  return rowsWhere(ctx, of, condition, end, as);
}

/**
 * The same for rows that are changed and not deleted. This lock lets others write records that point at the rows. With a stronger
 * one, two writers that each create a child and then change the same parent would wait for each other.
 */
export const lockToChange = <R extends Resource>(ctx: Ctx, of: R, condition: Sql, as?: string): Promise<Row<R>[]> =>
  rowsWhere(ctx, of, condition, sql`for no key update of t`, as);

/** The same for rows that nobody else has locked. It waits for nothing; the others are left for a later call. */
export const lockFree = <R extends Resource>(ctx: Ctx, of: R, condition: Sql): Promise<Row<R>[]> =>
  rowsWhere(ctx, of, condition, sql`for no key update of t skip locked`);

/** The same for rows that are only looked at. */
export const readRows = <R extends Resource>(ctx: Ctx, of: R, condition: Sql): Promise<Row<R>[]> =>
  rowsWhere(ctx, of, condition, sql``);

async function rowsWhere<R extends Resource>(ctx: Ctx, of: R, condition: Sql, end: Sql, as?: string): Promise<Row<R>[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select ${allColumns(of)} from ${from(of, "t")} where ${and([sql`t.organization_id = ${ctx.organization_id}`, condition])}
      order by t.id ${end}`,
      as,
    ),
  );
  const found: Row<R>[] = [];
  const read = rowReader(of);
  await inTurns(rows, (piece) => found.push(...piece.map(read)));
  return found;
}

/**
 * Makes everything that points at `source` point at `destination`, with an `updated` event for each record that changes. `along`
 * are further columns to set on records that have them: what follows a contact to another lead gets that lead. If both records
 * are the same, only these columns are set.
 */
export async function repoint(
  ctx: Ctx,
  of: Resource,
  source: string,
  destination: string,
  { along = {}, meta }: { along?: Record<string, string>; meta?: Record<string, unknown> } = {},
): Promise<void> {
  for (const pointer of ctx.registry.pointersTo(of.name)) {
    const values = { ...pick(along, pointer.from), [pointer.field]: destination };
    const rows = (await lockPointing(ctx, pointer, [source])).filter((row) => differs(row, values));
    if (rows.length === 0) continue;
    await moveRows(ctx, pointer, rows, values, meta);
    await carryAlong(ctx, pointer.from, rows, along, meta);
  }
  if (source !== destination) await replaceIds(ctx, of, source, destination, meta);
}

/** Sets the same columns on what belongs to a record that was changed. */
async function carryAlong(
  ctx: Ctx,
  of: Resource,
  moved: readonly Row<Resource>[],
  along: Record<string, string>,
  meta?: Record<string, unknown>,
): Promise<void> {
  for (const pointer of ctx.registry.pointersTo(of.name)) {
    const values = pick(along, pointer.from);
    if (pointer.rule.onDelete !== "cascade" || Object.keys(values).length === 0) continue;
    const ids = moved.map((row) => row.id as string);
    const rows = (await lockPointing(ctx, pointer, ids)).filter((row) => differs(row, values));
    if (rows.length === 0) continue;
    await moveRows(ctx, pointer, rows, values, meta);
    await carryAlong(ctx, pointer.from, rows, along, meta);
  }
}

const pick = (values: Record<string, string>, of: Resource) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => of.columns.some(([column]) => column === key)));

const differs = (row: Row<Resource>, values: Record<string, string>): boolean =>
  Object.entries(values).some(([key, value]) => row[key] !== value);

/** Events tell it of other records. */
function noteMoved(ctx: Ctx, { name: of }: Resource, rows: readonly Row<Resource>[], is: Record<string, string>): void {
  const was = (row: Row<Resource>) => Object.fromEntries(Object.keys(is).map((key) => [key, row[key]]));
  notesOf(ctx)?.lost.push(...rows.map((row) => ({ of, id: row.id as string, was: was(row), is })));
}

async function moveRows(
  ctx: Ctx,
  { from: child }: Pointer,
  rows: readonly Row<Resource>[],
  values: Record<string, string>,
  meta?: Record<string, unknown>,
): Promise<void> {
  if (child.event === null) noteMoved(ctx, child, rows, values);
  const stamp = { date_updated: ctx.now.toISOString(), updated_by: userOf(ctx) };
  const set = Object.entries({ ...values, ...stamp }).map(([key, value]) => sql`${name(key)} = ${value}`);
  write(
    ctx,
    statement(sql`update ${name(child.table)} set ${join(set, ", ")}, version = version + 1
      where organization_id = ${ctx.organization_id} and id = any(${rows.map((row) => row.id)})`),
  );
  await inTurns(rows, (piece) => {
    const changes = piece.map((before) => {
      const after = { ...before, ...values, ...stamp, version: before.version + 1 };
      return { action: "updated", before, after, changed: changedFields(child, before, after), meta };
    });
    emitAll(ctx, child, changes);
  });
}

// --- ids within values ---

/** Replaces the source's id by the destination's inside values, with an event for each record. */
async function replaceIds(
  ctx: Ctx,
  of: Resource,
  source: string,
  destination: string,
  meta?: Record<string, unknown>,
): Promise<void> {
  for (const [holder, conditions] of holdersOf(ctx, of.name)) {
    const rows = await lockWhere(ctx, holder, or(conditions.flatMap((condition) => condition([source]))));
    for (const [kind, befores] of Map.groupBy(
      rows.filter((row) => row.id !== source),
      (row) => kindOf(holder, row),
    )) {
      const replaced = (before: Row<Resource>) =>
        withIds(ctx.directory, kind, before, (id) => (id === source ? destination : id));
      await updateRows(
        ctx,
        kind,
        befores.map((before) => ({ before, values: replaced(before) })),
        meta,
      );
    }
  }
}
