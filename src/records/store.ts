// Writing rows: one statement each, with its event, sent without waiting for the commit.

import { type Ctx, transactionOf, write } from "../core/context.ts";
import { announcements } from "../core/directory.ts";
import type { Field } from "../core/field.ts";
import { newId } from "../core/id.ts";
import type { Resource, Row, Values } from "../core/resource.ts";
import { parameterOf, same } from "../core/row.ts";
import type { Statement } from "../db/database.ts";
import { join, name, sql, statement } from "../db/sql.ts";
import { batch, changedFields, emit, emitAll } from "./event.ts";
import { removeRows } from "./references.ts";
import { renderedText } from "./writer.ts";

/** Writes rows of one's own area, with their events. Other areas' records go through `createRecord` and its siblings. */
export const store = {
  /** Inserts a record. It is known at once: nothing waits for the database before the commit. `action` null leaves its event to the caller. */
  insert<R extends Resource>(
    ctx: Ctx,
    of: R,
    values: Values<R>,
    meta?: Record<string, unknown>,
    action: string | null = "created",
  ): Row<R> {
    const row = completeRow(ctx, of, values);
    write(ctx, insertStatement(of, row));
    if (action !== null) emit(ctx, of, { action, after: row, meta });
    touched(ctx, of);
    return row;
  },

  /** Inserts many records, a batch in one statement. */
  insertAll<R extends Resource>(ctx: Ctx, of: R, values: readonly Values<R>[], meta?: Record<string, unknown>): void {
    const rows = values.map((one) => completeRow(ctx, of, one));
    for (let from = 0; from < rows.length; from += batch) write(ctx, insertManyStatement(of, rows.slice(from, from + batch)));
    emitAll(
      ctx,
      of,
      rows.map((after) => ({ action: "created", after, meta })),
    );
    touched(ctx, of);
  },

  /** Inserts a record unless one with its unique values exists: then null, and nothing is written. Waits for the database. */
  async insertNew<R extends Resource>(ctx: Ctx, of: R, values: Values<R>): Promise<Row<R> | null> {
    const row = completeRow(ctx, of, values);
    const { text, name: as, ...rest } = insertStatement(of, row);
    const made = await transactionOf(ctx).read({
      ...rest,
      text: `${text} on conflict do nothing returning id`,
      name: `${as}_new`,
    });
    if (made.length === 0) return null;
    emit(ctx, of, { action: "created", after: row });
    touched(ctx, of);
    return row;
  },

  /** Writes what differs from `before`, which must be locked. No difference: no write, no event. */
  update<R extends Resource>(
    ctx: Ctx,
    of: R,
    before: Row<R>,
    values: Values<R>,
    meta?: Record<string, unknown>,
    action: string | null = "updated",
  ): Row<R> {
    // Derived columns are compared as they are derived now: the database writes a `tsvector` in its own order.
    const present = derived(ctx, of, { ...before });
    const after = derived(ctx, of, { ...before, ...values, version: before.version + 1 });
    const differs = ([key]: readonly [string, Field]) => !same((present as any)[key], (after as any)[key]);
    if (!of.columns.some(differs)) return before;
    const shown = changedFields(of, before as Record<string, unknown>, after as Record<string, unknown>);
    if (shown.length > 0) Object.assign(after, { date_updated: ctx.now.toISOString(), updated_by: ctx.actor.user_id });

    write(ctx, updateStatement(ctx, of, after, of.columns.filter(differs)));
    if (shown.length > 0 && action !== null) emit(ctx, of, { action, before, after, changed: shown, meta });
    touched(ctx, of);
    return after;
  },

  /** Removes records and what goes with them: children first, each with its event. */
  async remove<R extends Resource>(ctx: Ctx, of: R, rows: readonly Row<R>[], meta?: Record<string, unknown>): Promise<void> {
    await removeRows(ctx, of, rows as readonly Row<Resource>[], meta);
    touched(ctx, of);
  },
};

function completeRow<R extends Resource>(ctx: Ctx, of: R, values: Values<R>): Row<R> {
  const now = ctx.now.toISOString();
  const row: Record<string, unknown> = {
    id: newId(of.prefix, ctx.now.getTime()),
    organization_id: ctx.organization_id,
    created_by: ctx.actor.user_id,
    updated_by: ctx.actor.user_id,
    date_created: now,
    date_updated: now,
    version: 1,
  };
  if (of.only) row[of.only.column] = of.only.value;
  const given = values as Record<string, unknown>;
  for (const [key, field] of of.columns) {
    if (given[key] !== undefined) row[key] = given[key];
    else if (row[key] === undefined) row[key] = defaultOf(ctx, field);
  }
  return derived(ctx, of, row as Row<R>);
}

const defaultOf = (ctx: Ctx, field: Field): unknown =>
  typeof field.default === "function" ? field.default(ctx) : (field.default ?? null);

function derived<R extends Resource>(ctx: Ctx, of: R, row: Row<R>): Row<R> {
  for (const [key, field] of of.columns) if (field.derive) (row as any)[key] = field.derive(row, ctx.directory);
  return row;
}

const insertTexts = new WeakMap<Resource, { text: string; name: string }>();

function insertStatement<R extends Resource>(of: R, row: Row<R>): Statement {
  let kept = insertTexts.get(of);
  if (kept === undefined) insertTexts.set(of, (kept = { text: insertText(of), name: `${of.name}.insert` }));
  const values = of.columns.map(([key, field]) => parameterOf(field, (row as any)[key]));
  if (of.rendered !== undefined) values.push(renderedText(of, row));
  return { ...kept, values };
}

/** The rows as one JSON list of objects, which PostgreSQL reads by the types of the table. */
function insertManyStatement<R extends Resource>(of: R, rows: readonly Row<R>[]): Statement {
  const keys = insertedKeys(of);
  const objects = rows.map((row) => ({
    ...Object.fromEntries(of.columns.map(([key]) => [key, (row as any)[key] ?? null])),
    ...(of.rendered === undefined ? {} : { rendered: renderedText(of, row) }),
  }));
  const table = name(of.table).sql;
  return {
    name: `${of.name}.insert_many`,
    text: `insert into ${table} (${keys}) select ${keys} from json_populate_recordset(null::${table}, $1::json)`,
    values: [JSON.stringify(objects)],
  };
}

const insertedKeys = (of: Resource): string[] => [
  ...of.columns.map(([key]) => name(key).sql),
  ...(of.rendered === undefined ? [] : ["rendered"]),
];

function insertText(of: Resource): string {
  const keys = insertedKeys(of);
  const places = keys.map((_, i) => `$${i + 1}${of.columns[i]?.[1].type === "tsvector" ? "::text::tsvector" : ""}`);
  return `insert into ${name(of.table).sql} (${keys.join(", ")}) values (${places.join(", ")})`;
}

function updateStatement<R extends Resource>(
  ctx: Ctx,
  of: R,
  after: Row<R>,
  changed: readonly (readonly [string, Field])[],
): Statement {
  const assignments = changed.map(([key, field]) => {
    const value = parameterOf(field, (after as any)[key]);
    return field.type === "tsvector" ? sql`${name(key)} = ${value}::text::tsvector` : sql`${name(key)} = ${value}`;
  });
  if (of.rendered !== undefined) assignments.push(sql`rendered = ${renderedText(of, after)}`);
  const set = join([...assignments, sql`version = version + 1`], ", ");
  const update = sql`update ${name(of.table)} set ${set} where organization_id = ${ctx.organization_id} and id = ${after.id}`;
  return statement(update, (text) => updateName(of, text));
}

const updateNames = new Map<string, string>();

// The same few fields are changed over and over: prepared, such an update costs half. The rest, beyond 200, goes without.
function updateName(of: Resource, text: string): string | undefined {
  if (!updateNames.has(text) && updateNames.size < 200) updateNames.set(text, `${of.name}.update.${updateNames.size}`);
  return updateNames.get(text);
}

const announced = new WeakMap<object, Set<string>>();

/** A change of what the directory keeps is announced to every process with the commit, and forgotten here before anyone asks again. */
export function touched(ctx: Ctx, of: Resource): void {
  if (of.cached) announceChange(ctx);
}

/** Tells every process to forget what it remembers of these organizations; for whoever writes rows of theirs without `store`. */
export function announceChange(ctx: Ctx, organizationIds: readonly string[] = [ctx.organization_id]): void {
  const tx = transactionOf(ctx);
  const told = announced.get(tx) ?? new Set();
  announced.set(tx, told);
  for (const id of organizationIds) {
    if (told.has(id)) continue;
    told.add(id);
    write(ctx, { text: "select pg_notify($1, $2)", values: [announcements, id], name: "announce" });
    tx.afterCommit(() => ctx.forget(id));
  }
}
