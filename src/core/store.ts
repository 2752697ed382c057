// Writing rows: one statement each, with its event, sent without waiting for the commit.
import type { Statement } from "../db/database.ts";
import { join, name, sql, statement } from "../db/sql.ts";
import { type Ctx, transactionOf, write } from "./context.ts";
import { announcements } from "./directory.ts";
import { changedFields, emit } from "./event.ts";
import type { Field } from "./field.ts";
import { newId } from "./id.ts";
import { removeRows } from "./references.ts";
import type { Resource, Row, Values } from "./resource.ts";
import { parameterOf, same } from "./row.ts";

/** Writes rows of one's own area, with their events. Other areas' records go through `createRecord` and its siblings. */
export const store = {
  /** Inserts a record. It is known at once: nothing waits for the database before the commit. */
  insert<R extends Resource>(ctx: Ctx, of: R, values: Values<R>, meta?: Record<string, unknown>): Row<R> {
    const row = completeRow(ctx, of, values);
    write(ctx, insertStatement(of, row));
    emit(ctx, of, { action: "created", after: row, meta });
    touched(ctx, of);
    return row;
  },

  /** Writes what differs from `before`, which must be locked. No difference: no write, no event. */
  update<R extends Resource>(ctx: Ctx, of: R, before: Row<R>, values: Values<R>, meta?: Record<string, unknown>): Row<R> {
    const after = derived(ctx, of, { ...before, ...values, version: before.version + 1 });
    const columns = of.columns.filter(([key]) => !same((before as any)[key], (after as any)[key]));
    if (columns.length === 0) return before;
    const shown = changedFields(of, before as Record<string, unknown>, after as Record<string, unknown>);
    if (shown.length > 0) Object.assign(after, { date_updated: ctx.now.toISOString(), updated_by: ctx.actor.user_id });

    write(ctx, updateStatement(ctx, of, before, after));
    if (shown.length > 0) emit(ctx, of, { action: "updated", before, after, changed: shown, meta });
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
  const { columns } = of;
  let kept = insertTexts.get(of);
  if (kept === undefined) {
    const keys = columns.map(([key]) => name(key).sql).join(", ");
    const places = columns.map(([, field], i) => `$${i + 1}${field.type === "tsvector" ? "::text::tsvector" : ""}`).join(", ");
    insertTexts.set(
      of,
      (kept = {
        text: `insert into ${name(of.table).sql} (${keys}) values (${places})`,
        name: `${of.name}.insert`,
      }),
    );
  }
  return { ...kept, values: columns.map(([key, field]) => parameterOf(field, (row as any)[key])) };
}

function updateStatement<R extends Resource>(ctx: Ctx, of: R, before: Row<R>, after: Row<R>): Statement {
  const changed = of.columns.filter(([key]) => !same((before as any)[key], (after as any)[key]));
  const assignments = changed.map(([key, field]) => {
    const value = parameterOf(field, (after as any)[key]);
    return field.type === "tsvector" ? sql`${name(key)} = ${value}::text::tsvector` : sql`${name(key)} = ${value}`;
  });
  const set = join([...assignments, sql`version = version + 1`], ", ");
  return statement(
    sql`update ${name(of.table)} set ${set} where organization_id = ${ctx.organization_id} and id = ${(before as any).id}`,
  );
}

const announced = new WeakSet<object>();

/** A change of what the directory keeps is announced to every process with the commit, and forgotten here before anyone asks again. */
export function touched(ctx: Ctx, of: Resource): void {
  if (of.cached) announceChange(ctx);
}

export function announceChange(ctx: Ctx): void {
  const tx = transactionOf(ctx);
  if (announced.has(tx)) return;
  announced.add(tx);
  write(ctx, {
    text: "select pg_notify($1, $2)",
    values: [announcements, ctx.organization_id],
    name: "announce",
  });
  tx.afterCommit(() => ctx.forgetDirectory(ctx.organization_id));
}
