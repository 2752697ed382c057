// Who points at whom, and what follows from it: deleting takes children along, merging moves them. A new child resource takes
// part in both by declaring its reference.
import { and, empty, name, sql, statement } from "../db/sql.ts";
import { type Ctx, query, write } from "./context.ts";
import { invalid } from "./errors.ts";
import { emit } from "./event.ts";
import type { Pointer } from "./registry.ts";
import { from, type Resource, type Row } from "./resource.ts";
import { allColumns, rowReader } from "./row.ts";

/** Deletes rows with what belongs to them, deepest first. Every deleted record leaves its whole last state in its event. */
export async function removeRows(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  meta?: Record<string, unknown>,
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id as string);
  const pointers = ctx.registry.pointersTo(of.name);
  await refuseWhileUsed(ctx, pointers, ids);
  const children = await Promise.all(
    pointers
      .filter((pointer) => pointer.rule.onDelete === "cascade")
      .map(async (pointer) => [pointer.from, await lockPointing(ctx, pointer, ids)] as const),
  );
  for (const [child, found] of children) await removeRows(ctx, child, found, meta);
  for (const pointer of pointers) if (pointer.rule.onDelete === "clear") clear(ctx, pointer, ids);

  write(
    ctx,
    statement(
      sql`delete from ${name(of.table)} where organization_id = ${ctx.organization_id} and id = any(${ids})`,
      `${of.table}.delete`,
    ),
  );
  for (const row of rows) emit(ctx, of, { action: "deleted", before: row, meta });
}

async function refuseWhileUsed(ctx: Ctx, pointers: readonly Pointer[], ids: readonly string[]): Promise<void> {
  for (const { from: child, field, rule } of pointers) {
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

const withArticle = (noun: string) => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;

/** The rows that point at any of `ids`, locked. Visibility does not matter here: what belongs to a record goes where it goes. */
export async function lockPointing(
  ctx: Ctx,
  { from: child, field }: Pick<Pointer, "from" | "field">,
  ids: readonly string[],
  limit?: number,
): Promise<Row<Resource>[]> {
  const conditions = [sql`t.organization_id = ${ctx.organization_id}`, sql`t.${name(field)} = any(${ids})`];
  const rows = await query(
    ctx,
    statement(sql`select ${allColumns(child)} from ${from(child, "t")} where ${and(conditions)} order by t.id
      ${limit === undefined ? empty : sql`limit ${limit}`} for update of t`),
  );
  return rows.map(rowReader(child));
}

function clear(ctx: Ctx, { from: child, field }: Pointer, ids: readonly string[]): void {
  write(
    ctx,
    statement(sql`update ${name(child.table)} set ${name(field)} = null, version = version + 1
      where organization_id = ${ctx.organization_id} and ${name(field)} = any(${ids})`),
  );
}

/** Makes everything that points at `source` point at `destination`, with an `updated` event for each record that moved. */
export async function repoint(
  ctx: Ctx,
  of: Resource,
  source: string,
  destination: string,
  meta?: Record<string, unknown>,
): Promise<void> {
  for (const pointer of ctx.registry.pointersTo(of.name)) {
    const { from: child, field } = pointer;
    const rows = await lockPointing(ctx, pointer, [source]);
    if (rows.length === 0) continue;
    const now = ctx.now.toISOString();
    write(
      ctx,
      statement(sql`update ${name(child.table)} set ${name(field)} = ${destination}, date_updated = ${now}, updated_by = ${ctx.actor.user_id}, version = version + 1
        where organization_id = ${ctx.organization_id} and ${name(field)} = ${source}`),
    );
    for (const before of rows) {
      const after = {
        ...before,
        [field]: destination,
        date_updated: now,
        updated_by: ctx.actor.user_id,
        version: (before.version as number) + 1,
      };
      emit(ctx, child, { action: "updated", before, after, changed: [field], meta });
    }
  }
}
