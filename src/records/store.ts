// Writes rows: one statement each, with its event, sent without waiting for the answer.

import { type Ctx, transactionOf, userOf, write } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import type { Resource, Row, Values } from "../core/resource.ts";
import type { Statement } from "../db/database.ts";
import { name } from "../db/sql.ts";
import { newId } from "../values/id.ts";
import { derived, touched, updateRow, updateRows } from "./change.ts";
import { parameterOf } from "./columns.ts";
import { emit, emitInTurns } from "./event.ts";
import { idMoment } from "./rehearse.ts";
import { removeRows } from "./removal.ts";
import { renderedText } from "./rendered.ts";
import { inTurns } from "./turns.ts";

/** Writes rows of one's own area, with their events. Records of other areas go through `createRecord` and its siblings. */
export const store = {
  /** Inserts a record and returns it without waiting for the database. With `action` null the caller writes the event. */
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

  /** Inserts many records, a batch in one statement, and returns them without waiting for the database. */
  async insertAll<R extends Resource>(
    ctx: Ctx,
    of: R,
    values: readonly Values<R>[],
    meta?: Record<string, unknown>,
  ): Promise<Row<R>[]> {
    if (values.length === 1) return [this.insert(ctx, of, values[0]!, meta)];
    const made: Row<R>[] = [];
    await inTurns(values, (piece) => {
      const rows = piece.map((one) => completeRow(ctx, of, one));
      write(ctx, insertManyStatement(of, rows));
      made.push(...rows);
    });
    await emitInTurns(
      ctx,
      of,
      made.map((after) => ({ action: "created", after, meta })),
    );
    touched(ctx, of);
    return made;
  },

  /** Inserts a record unless one with its unique values exists; then returns null and writes nothing. Waits for the database. */
  async insertNew<R extends Resource>(ctx: Ctx, of: R, values: Values<R>): Promise<Row<R> | null> {
    const row = completeRow(ctx, of, values);
    const { text, name: as, values: given } = insertStatement(of, row);
    const made = await transactionOf(ctx).read({
      values: given,
      text: `${text} on conflict do nothing returning id`,
      name: `${as}_new`,
    });
    if (made.length === 0) return null;
    emit(ctx, of, { action: "created", after: row });
    touched(ctx, of);
    return row;
  },

  /**
   * Inserts records without events. `onConflict` says what happens if a record with the same unique values exists, so `values`
   * must not hold two such records. Waits for nothing.
   */
  insertOr<R extends Resource>(ctx: Ctx, of: R, values: readonly Values<R>[], onConflict: string): void {
    if (values.length === 0) return;
    const {
      text,
      name: as,
      ...rest
    } = insertManyStatement(
      of,
      values.map((one) => completeRow(ctx, of, one)),
    );
    write(ctx, { ...rest, text: `${text} ${onConflict}`, name: `${as}_or` });
    touched(ctx, of);
  },

  /** Inserts removed records as they were, with their ids. */
  async bringBack<R extends Resource>(ctx: Ctx, of: R, rows: readonly Row<R>[]): Promise<void> {
    const again = rows.map((row) => ({ ...row, version: row.version + 1 }));
    await inTurns(again, (piece) => write(ctx, insertManyStatement(of, piece)));
    await emitInTurns(
      ctx,
      of,
      again.map((after) => ({ action: "created", after })),
    );
    touched(ctx, of);
  },

  update: updateRow,

  /** Writes the columns that differ, of many records. Records that change alike share a statement. */
  updateAll: updateRows,

  /** Deletes records and what belongs to them, children first, each with its event. */
  async remove<R extends Resource>(ctx: Ctx, of: R, rows: readonly Row<R>[], meta?: Record<string, unknown>): Promise<void> {
    await removeRows(ctx, of, rows as readonly Row<Resource>[], meta);
    touched(ctx, of);
  },
};

function completeRow<R extends Resource>(ctx: Ctx, of: R, values: Values<R>): Row<R> {
  const now = ctx.now.toISOString();
  const row: Record<string, unknown> = {
    id: newId(of.prefix, idMoment(ctx)),
    organization_id: ctx.organization_id,
    created_by: userOf(ctx),
    updated_by: userOf(ctx),
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

const insertTexts = new WeakMap<Resource, { text: string; name: string; isRow: true }>();

function insertStatement<R extends Resource>(of: R, row: Row<R>): Statement {
  let kept = insertTexts.get(of);
  if (kept === undefined) insertTexts.set(of, (kept = { text: insertText(of), name: `${of.name}.insert`, isRow: true }));
  const values = of.columns.map(([key, field]) => parameterOf(field, (row as any)[key]));
  if (of.rendered !== undefined) values.push(renderedText(of, row));
  return { ...kept, values, one: { row, join: (rows) => insertManyStatement(of, rows) } };
}

/** The rows as one JSON list of objects. PostgreSQL reads it by the types of the table. */
function insertManyStatement<R extends Resource>(of: R, rows: readonly Row<R>[]): Statement {
  const keys = insertedKeys(of);
  const objects = rows.map((row) => ({
    ...Object.fromEntries(of.columns.map(([key]) => [key, (row as any)[key] ?? null])),
    ...(of.rendered === undefined ? {} : { rendered: renderedText(of, row) }),
  }));
  const table = name(of.table).sql;
  const read = keys.map((key) => (key === "organization_id" ? "$2" : key));
  return {
    name: `${of.name}.insert_many`,
    text: `insert into ${table} (${keys.join(", ")}) select ${read.join(", ")} from json_populate_recordset(null::${table}, $1::json)`,
    values: [JSON.stringify(objects), rows[0]!.organization_id],
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
