// Changes a row: one statement with its event, sent without waiting for the answer.

import { type Ctx, transactionOf, userOf, write } from "../core/context.ts";
import { announcements, readDirectory } from "../core/directory.ts";
import type { Field } from "../core/field.ts";
import type { Resource, Row, Values } from "../core/resource.ts";
import type { Statement } from "../db/database.ts";
import { join, name, sql, statement } from "../db/sql.ts";
import { same } from "../values/same.ts";
import { parameterOf } from "./columns.ts";
import { customTypeOf, deletedValues } from "./custom_fields.ts";
import { changedFields, emit, emitAll } from "./event.ts";
import { renderedText } from "./rendered.ts";
import { inTurns } from "./turns.ts";

/** Writes the columns that differ from `before`, which must be locked. If nothing differs there is no write and no event. */
export function updateRow<R extends Resource>(
  ctx: Ctx,
  of: R,
  before: Row<R>,
  values: Values<R>,
  meta?: Record<string, unknown>,
  action: string | null = "updated",
): Row<R> {
  const { after, columns, changed } = changeOf(ctx, of, before, values);
  if (columns.length === 0) return before;

  const join = (rows: readonly Row<R>[]) => updateManyStatement(ctx, of, rows, columns);
  write(ctx, { ...updateStatement(ctx, of, after, columns), one: { row: after, join } });
  if (changed.length > 0 && action !== null) emit(ctx, of, { action, before, after, changed, meta });
  touched(ctx, of);
  return after;
}

/** The same for many rows, in turns. Rows whose same columns change are written by one statement. */
export async function updateRows<R extends Resource>(
  ctx: Ctx,
  of: R,
  rows: readonly { before: Row<R>; values: Values<R> }[],
  meta?: Record<string, unknown>,
): Promise<Row<R>[]> {
  if (rows.length === 1) return [updateRow(ctx, of, rows[0]!.before, rows[0]!.values, meta)];
  const afters: Row<R>[] = [];
  await inTurns(rows, (piece) => {
    const changes = piece.map(({ before, values }) => ({
      before,
      action: "updated",
      meta,
      ...changeOf(ctx, of, before, values),
    }));
    const written = changes.filter(({ columns }) => columns.length > 0);
    for (const alike of Map.groupBy(written, ({ columns }) => columns.map(([key]) => key).join()).values())
      write(
        ctx,
        updateManyStatement(
          ctx,
          of,
          alike.map(({ after }) => after),
          alike[0]!.columns,
        ),
      );
    emitAll(
      ctx,
      of,
      written.filter(({ changed }) => changed.length > 0),
    );
    afters.push(...changes.map(({ before, after, columns }) => (columns.length === 0 ? before : after)));
  });
  touched(ctx, of);
  return afters;
}

interface RowChange<R> {
  after: Row<R>;
  columns: readonly (readonly [string, Field])[];
  /** The names of the fields that changed, as a reader sees them. */
  changed: string[];
}

function changeOf<R extends Resource>(ctx: Ctx, of: R, before: Row<R>, values: Values<R>): RowChange<R> {
  // Derived columns are compared as they are derived now.
  const present = derived(ctx, of, { ...before }, before);
  const after = derived(ctx, of, withoutDeleted(ctx, of, { ...before, ...values, version: before.version + 1 }), before);
  const differs = ([key]: readonly [string, Field]) => !same((present as any)[key], (after as any)[key]);
  if (!of.columns.some(differs)) return { after, columns: [], changed: [] };
  const changed = changedFields(of, before as Record<string, unknown>, after as Record<string, unknown>);
  if (changed.length > 0) Object.assign(after, { date_updated: ctx.now.toISOString(), ...updatedBy(ctx) });
  return { after, columns: of.columns.filter(differs), changed };
}

/** What the service does by itself leaves the last user there. */
const updatedBy = (ctx: Ctx) => (userOf(ctx) === null ? {} : { updated_by: userOf(ctx) });

/** The row without values that are deleted and that the job which removes them has not come to yet. */
function withoutDeleted<R extends Resource>(ctx: Ctx, of: R, row: Row<R>): Row<R> {
  const deleted = of.custom === undefined ? none : deletedValues(ctx.directory, of.custom, customTypeOf(row));
  if (deleted.size === 0) return row;
  return { ...row, custom: Object.fromEntries(Object.entries(row.custom!).filter(([name]) => !deleted.has(name))) };
}

const none: ReadonlySet<string> = new Set();

/** The row with its derived columns computed from the others. */
export function derived<R extends Resource>(ctx: Ctx, of: R, row: Row<R>, before?: Row<R>): Row<R> {
  for (const [key, field] of of.columns) if (field.derive) (row as any)[key] = field.derive(row, ctx.directory, before);
  return row;
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

/** The rows as one JSON list of objects. PostgreSQL reads it by the types of the table. */
function updateManyStatement<R extends Resource>(
  ctx: Ctx,
  of: R,
  rows: readonly Row<R>[],
  columns: readonly (readonly [string, Field])[],
): Statement {
  const keys = [...columns.map(([key]) => key), ...(of.rendered === undefined ? [] : ["rendered"])];
  const objects = rows.map((row) => ({
    id: row.id,
    ...Object.fromEntries(columns.map(([key]) => [key, (row as any)[key] ?? null])),
    ...(of.rendered === undefined ? {} : { rendered: renderedText(of, row) }),
  }));
  const set = join([...keys.map((key) => sql`${name(key)} = m.${name(key)}`), sql`version = t.version + 1`], ", ");
  return statement(sql`update ${name(of.table)} t set ${set}
    from json_populate_recordset(null::${name(of.table)}, ${JSON.stringify(objects)}::json) m
    where t.organization_id = ${ctx.organization_id} and t.id = m.id`);
}

const updateNames = new Map<string, string>();

// Updates of a few fields recur: prepared, such an update costs half. Beyond 200 texts they are not prepared.
function updateName(of: Resource, text: string): string | undefined {
  if (!updateNames.has(text) && updateNames.size < 200) updateNames.set(text, `${of.name}.update.${updateNames.size}`);
  return updateNames.get(text);
}

const announced = new WeakMap<object, Set<string>>();

/** Announces a change of the directory to every process with the commit. This process forgets it before the next read. */
export function touched(ctx: Ctx, of: Resource): void {
  if (of.cached) announceChange(ctx);
}

/** Tells every process to forget what it remembers of these organizations. For code that writes such rows without `store`. */
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

/** Shows the running request the small records that its own transaction has written. */
export async function refreshDirectory(ctx: Ctx): Promise<void> {
  const tx = transactionOf(ctx);
  const cached = ctx.registry.resources.filter((resource) => resource.cached);
  ctx.directory = await readDirectory({ read: (_, statement) => tx.read(statement) }, cached, ctx.organization_id);
}
