// Deletes records. What belongs to them is deleted too, and records that stay lose their references to them. A new resource takes
// part when it declares its references.

import { type Ctx, query, write } from "../core/context.ts";
import { invalid } from "../core/errors.ts";
import type { OnDelete } from "../core/field.ts";
import type { Pointer } from "../core/registry.ts";
import { from, kindOf, type Resource, type Row } from "../core/resource.ts";
import { join, name, or, type Sql, sql, statement } from "../db/sql.ts";
import { updateRows } from "./change.ts";
import { deferConstraints } from "./defer_constraints.ts";
import { emitInTurns } from "./event.ts";
import { holdersOf, withIds } from "./named_ids.ts";
import { among, asOne, lockPointing, lockToChange, unkept } from "./references.ts";
import { notesOf } from "./removal_notes.ts";
import { aNoun } from "./standard_operation.ts";

/**
 * Deletes rows with what belongs to them, deepest first. The event of every deleted record holds its last state. The events of
 * records that stay and lose a reference come before.
 */
export async function removeRows(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  meta?: Record<string, unknown>,
): Promise<void> {
  const going: Going = { ids: new Set(), groups: [], inAnyOrder: false };
  await collect(ctx, of, rows, going);
  await forget(ctx, going, meta);

  for (const { of, rows, ids } of going.groups) {
    notesOf(ctx)?.removed.push({ of: of.name, rows });
    write(
      ctx,
      statement(
        sql`delete from ${name(of.table)} where organization_id = ${ctx.organization_id} and ${among(name("id"), ids)}`,
        asOne(ids, `${of.table}.delete`),
      ),
    );
    const changes = rows.map((before) => ({ action: "deleted", before, meta }));
    await emitInTurns(ctx, of, changes);
  }
}

// --- what goes ---

/** Everything that is deleted, locked. What belongs to a group of rows stands before the group. */
interface Going {
  ids: Set<string>;
  groups: Group[];
  /** Foreign keys are checked when all rows are deleted. */
  inAnyOrder: boolean;
}

interface Group {
  of: Resource;
  rows: readonly Row<Resource>[];
  ids: readonly string[];
  /** The references to these rows, and how many records hold each, whether these are deleted or stay. */
  losing: readonly Used[];
}

type Used = Pointer & { count: number };

async function collect(ctx: Ctx, of: Resource, found: readonly Row<Resource>[], going: Going): Promise<void> {
  // A row that was found by one path is not found again by another.
  const rows = found.filter((row) => !going.ids.has(row.id));
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id as string);
  for (const id of ids) going.ids.add(id);
  await refuseWhileUsed(ctx, of, ids);
  const pointers = await pointersInUse(ctx, of, ids);
  const losing: Used[] = [];
  for (const pointer of pointers) {
    if (pointer.rule.onDelete !== "cascade") losing.push(pointer);
    else {
      const found = await lockPointing(ctx, pointer, ids);
      const along = await unkept(ctx, pointer.from, found);
      if (along.length < found.length) losing.push(pointer);
      await collect(ctx, pointer.from, along, going);
    }
  }
  going.groups.push({ of, rows, ids, losing });
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
    if (used.length > 0) throw invalid({}, `It is still used by ${aNoun(child)}: change or delete that first.`);
  }
}

/**
 * The references with `cascade` or `clear` by which any record points at `ids`. Most of the two dozen are unused, so one prepared
 * statement asks for all of them, instead of planning and waiting for each. It counts, because a plan that expects to find one
 * row soon may scan a whole table if there is none.
 */
async function pointersInUse(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Used[]> {
  const all = ctx.registry.pointersTo(of.name).filter(({ rule }) => rule.onDelete === "cascade" || rule.onDelete === "clear");
  if (all.length === 0) return [];
  const counts = all.map(
    ({ from: child, field }) => sql`(select count(*) from ${from(child, "t")}
      where t.organization_id = ${ctx.organization_id} and ${among(sql`t.${name(field)}`, ids)})`,
  );
  const [row] = await query(ctx, statement(sql`select ${join(counts, ", ")}`, asOne(ids, `${of.name}.pointers`)));
  return all.map((pointer, i) => ({ ...pointer, count: Number(row![i]) })).filter(({ count }) => count > 0);
}

// --- what stays ---

/** Changes each record that stays and names any of these, once for all its references. */
async function forget(ctx: Ctx, going: Going, meta?: Record<string, unknown>): Promise<void> {
  const losers = new Map<Resource, Map<string, Row<Resource>>>();
  const find = async (of: Resource, condition: Sql, as?: string) => {
    const found = losers.get(of) ?? new Map<string, Row<Resource>>();
    losers.set(of, found);
    for (const row of await lockToChange(ctx, of, condition, as)) if (!going.ids.has(row.id)) found.set(row.id, row);
  };
  for (const group of going.groups) {
    for (const used of group.losing) await letGo(ctx, group.ids, used, going, find);
    for (const [holder, conditions] of holdersOf(ctx, group.of.name)) {
      for (let at = 0; at < group.ids.length; at += idsAtOnce) {
        const some = group.ids.slice(at, at + idsAtOnce);
        await find(holder, or(conditions.flatMap((condition) => condition(some))));
      }
    }
  }
  for (const [of, found] of losers) await changeAll(ctx, of, [...found.values()], going.ids, meta);
}

const idsAtOnce = 50;

type Find = (of: Resource, condition: Sql, as?: string) => Promise<void>;

/** Finds the records that stay among those that one reference counted. Records without events are cleared in place. */
async function letGo(
  ctx: Ctx,
  ids: readonly string[],
  { from: child, field, count }: Used,
  going: Going,
  find: Find,
): Promise<void> {
  const lost = new Set<unknown>(ids);
  const isAlong = (row: Row<Resource>) => lost.has(row[field]);
  const along = going.groups.flatMap(({ of, rows }) => (of.table === child.table ? rows.filter(isAlong) : [])).length;
  if (along > 0) deferOnce(ctx, going);
  if (along === count) return;
  if (child.event === null) {
    if (notesOf(ctx) !== null) await noteCleared(ctx, child, field, ids);
    clear(ctx, child, field, ids);
  } else await find(child, among(sql`t.${name(field)}`, ids), asOne(ids, `${child.name}.losing_${field}`));
}

/** Lets rows be deleted after the rows that they point at. */
function deferOnce(ctx: Ctx, going: Going): void {
  if (!going.inAnyOrder) deferConstraints(ctx);
  going.inAnyOrder = true;
}

async function noteCleared(ctx: Ctx, of: Resource, field: string, ids: readonly string[]): Promise<void> {
  for (const row of await lockToChange(ctx, of, among(sql`t.${name(field)}`, ids)))
    notesOf(ctx)?.lost.push({ of: of.name, id: row.id, was: { [field]: row[field] }, is: { [field]: null } });
}

function clear(ctx: Ctx, of: Resource, field: string, ids: readonly string[]): void {
  write(
    ctx,
    statement(
      sql`update ${name(of.table)} set ${name(field)} = null, version = version + 1
        where organization_id = ${ctx.organization_id} and ${among(name(field), ids)}`,
      asOne(ids, `${of.table}.clear_${field}`),
    ),
  );
}

async function changeAll(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  gone: ReadonlySet<string>,
  meta?: Record<string, unknown>,
): Promise<void> {
  for (const [kind, befores] of Map.groupBy(rows, (row) => kindOf(of, row))) {
    const changes = befores.map((before) => ({ before, values: without(ctx, kind, before, gone) }));
    for (const { before, values } of changes)
      notesOf(ctx)?.lost.push({ of: of.name, id: before.id, was: valuesOf(before, Object.keys(values)), is: values });
    await updateRows(ctx, kind, changes, meta);
  }
}

const valuesOf = (row: Row<Resource>, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, row[key]]));

/** What belonged to a deleted record and stays is kept by another one. */
const loses = (rule: OnDelete | undefined): boolean => rule === "clear" || rule === "cascade";

/** The columns that referred to deleted records, without those references. */
function without(ctx: Ctx, of: Resource, row: Row<Resource>, gone: ReadonlySet<string>): Record<string, unknown> {
  const values = withIds(ctx.directory, of, row, (id) => (gone.has(id) ? null : id));
  for (const [key, { ref }] of of.columns) if (loses(ref?.onDelete) && gone.has(row[key] as string)) values[key] = null;
  return values;
}
