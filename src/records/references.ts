// What follows from references. Deleting a record deletes its children, and merging a record moves them. A new resource takes
// part in both when it declares its reference.

import { type Ctx, query, write } from "../core/context.ts";
import { invalid } from "../core/errors.ts";
import type { Pointer } from "../core/registry.ts";
import { from, kindOf, type Resource, type Row } from "../core/resource.ts";
import { rowReader } from "../core/row.ts";
import { and, join, name, or, type Sql, sql, statement } from "../db/sql.ts";
import { updateRows } from "./change.ts";
import { allColumns } from "./columns.ts";
import { changedFields, emitAll, emitInTurns } from "./event.ts";
import { holdersOf, withIds } from "./named_ids.ts";
import { inTurns } from "./turns.ts";

/** Deletes rows with what belongs to them, deepest first. Every deleted record leaves its whole last state in its event. */
export async function removeRows(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  meta?: Record<string, unknown>,
  leaving: Set<string> = new Set(),
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id as string);
  for (const id of ids) leaving.add(id);
  await refuseWhileUsed(ctx, of, ids);
  const pointers = await pointersInUse(ctx, of, ids);
  // One reference after the other: what was removed along one way is not found again along another.
  for (const pointer of pointers) {
    if (pointer.rule.onDelete === "cascade")
      await removeRows(ctx, pointer.from, await lockPointing(ctx, pointer, ids), meta, leaving);
  }
  for (const pointer of pointers) if (pointer.rule.onDelete === "clear") clear(ctx, pointer, ids);
  await replaceIds(ctx, of, ids, null, { leaving, meta });

  write(
    ctx,
    statement(
      sql`delete from ${name(of.table)} where organization_id = ${ctx.organization_id} and ${among(name("id"), ids)}`,
      asOne(ids, `${of.table}.delete`),
    ),
  );
  await emitInTurns(
    ctx,
    of,
    rows.map((before) => ({ action: "deleted", before, meta })),
  );
}

async function refuseWhileUsed(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<void> {
  for (const { from: child, field, rule } of ctx.registry.pointersTo(of.name)) {
    if (rule.onDelete !== "refuse") continue;
    const used = await query(
      ctx,
      statement(
        sql`select 1 from ${from(child, "t")} where t.organization_id = ${ctx.organization_id} and t.${name(field)} = any(${ids}) limit 1`,
      ),
    );
    if (used.length > 0)
      throw invalid({}, `It is still used by ${withArticle(child.name.replaceAll("_", " "))}: change or delete that first.`);
  }
}

/**
 * The references by which something that goes along or is cleared points at any of `ids`. Most of two dozen are not used at all: one
 * prepared statement asks for all of them, where each would be planned and waited for by itself. Counted, because a plan that expects
 * to find one at once may read a table through when there is none.
 */
async function pointersInUse(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Pointer[]> {
  const all = ctx.registry.pointersTo(of.name).filter(({ rule }) => rule.onDelete === "cascade" || rule.onDelete === "clear");
  if (all.length === 0) return [];
  const counts = all.map(
    ({ from: child, field }) => sql`(select count(*) from ${from(child, "t")}
      where t.organization_id = ${ctx.organization_id} and ${among(sql`t.${name(field)}`, ids)})`,
  );
  const [row] = await query(ctx, statement(sql`select ${join(counts, ", ")}`, asOne(ids, `${of.name}.pointers`)));
  return all.filter((_, i) => row![i] !== "0");
}

// Mostly it is one record. Its statements are prepared: of any number of ids PostgreSQL thinks it knows too little to plan once.
const among = (column: Sql, ids: readonly string[]): Sql =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${ids})`;
const asOne = (ids: readonly string[], as: string): string | undefined => (ids.length === 1 ? as : undefined);

const withArticle = (noun: string) => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;

/** The rows that point at any of `ids`, locked. Visibility does not matter here: what belongs to a record goes where it goes. */
export async function lockPointing(
  ctx: Ctx,
  { from: child, field }: Pick<Pointer, "from" | "field">,
  ids: readonly string[],
  limit?: number,
): Promise<Row<Resource>[]> {
  const condition = among(sql`t.${name(field)}`, ids);
  return limit === undefined
    ? lockedRows(ctx, child, condition, sql`for update of t`, asOne(ids, `${child.name}.by_${field}`))
    : lockWhere(ctx, child, condition, limit);
}

/** The rows that meet a condition on the alias `t`, locked, whoever may see them. */
export async function lockWhere<R extends Resource>(ctx: Ctx, of: R, condition: Sql, limit?: number): Promise<Row<R>[]> {
  const end = limit === undefined ? sql`for update of t` : sql`limit ${limit} for update of t`;
  return lockedRows(ctx, of, condition, end);
}

/**
 * The same for rows that are changed and not deleted. Others may still write records that point at them, or have just done so: who
 * makes a child and then changes its parent would wait for whoever does the same, in a circle.
 */
export const lockToChange = <R extends Resource>(ctx: Ctx, of: R, condition: Sql): Promise<Row<R>[]> =>
  lockedRows(ctx, of, condition, sql`for no key update of t`);

async function lockedRows<R extends Resource>(ctx: Ctx, of: R, condition: Sql, end: Sql, as?: string): Promise<Row<R>[]> {
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

function clear(ctx: Ctx, { from: child, field }: Pointer, ids: readonly string[]): void {
  write(
    ctx,
    statement(sql`update ${name(child.table)} set ${name(field)} = null, version = version + 1
      where organization_id = ${ctx.organization_id} and ${name(field)} = any(${ids})`),
  );
}

/**
 * Makes everything that points at `source` point at `destination`, with an `updated` event for each record that moved. `along` are
 * further columns to set where a record has them: what follows a contact to another lead gets that lead. With one record as both,
 * what points at it only gets those.
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
  if (source !== destination) await replaceIds(ctx, of, [source], destination, { leaving: new Set([source]), meta });
}

/** What belongs to a record that was moved gets the same columns. */
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

async function moveRows(
  ctx: Ctx,
  { from: child }: Pointer,
  rows: readonly Row<Resource>[],
  values: Record<string, string>,
  meta?: Record<string, unknown>,
): Promise<void> {
  const stamp = { date_updated: ctx.now.toISOString(), updated_by: ctx.actor.user_id };
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

/**
 * Replaces the ids of records that were merged or deleted wherever others name them, each with its event: `destination` takes their
 * place, or nothing does. `leaving` are records that go too.
 */
async function replaceIds(
  ctx: Ctx,
  of: Resource,
  ids: readonly string[],
  destination: string | null,
  { leaving, meta }: { leaving: ReadonlySet<string>; meta?: Record<string, unknown> },
): Promise<void> {
  for (const [holder, conditions] of holdersOf(ctx, of.name)) {
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      const some = ids.slice(from, from + idsAtOnce);
      const rows = await lockWhere(ctx, holder, or(conditions.flatMap((condition) => condition(some))));
      const staying = rows.filter((row) => !leaving.has(row.id));
      for (const [kind, befores] of Map.groupBy(staying, (row) => kindOf(holder, row))) {
        const without = (before: Row<Resource>) =>
          withIds(ctx.directory, kind, before, (id) => (ids.includes(id) ? destination : id));
        await updateRows(
          ctx,
          kind,
          befores.map((before) => ({ before, values: without(before) })),
          meta,
        );
      }
    }
  }
}

const idsAtOnce = 50;
