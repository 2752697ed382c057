// The order of records that users sort: statuses, pipelines, line items.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { name, sql, statement } from "../../db/sql.ts";

/** Far more than anybody sorts by hand, and far below the limit of the column. */
export const positionMax = 1_000_000;

/** The position after all others: the default `position` of a record that is kept in the directory. */
export const atEnd =
  (resource: string) =>
  (ctx: Ctx): number =>
    behind(ctx.directory.all(resource) as unknown as { position: number }[]);

/**
 * Locks the order of records of this kind, so that of two concurrent creates the second sees the first. Call it before locking
 * any record.
 */
export function lockPlaces(ctx: Ctx, of: Resource): void {
  const values = [`${ctx.organization_id} ${of.name}.position`];
  write(ctx, { text: "select pg_advisory_xact_lock(hashtextextended($1, 0))", values, name: "positions.lock" });
}

/** The position after all others, which nobody else gets at the same time. */
export async function placeBehind(ctx: Ctx, of: Resource): Promise<number> {
  lockPlaces(ctx, of);
  const [row] = await query(
    ctx,
    statement(sql`select coalesce(max(position) + 1, 0) from ${name(of.table)} where organization_id = ${ctx.organization_id}`),
  );
  return Number(row![0]);
}

/** The position after all of these. */
export const behind = (rows: readonly { position: number }[]): number =>
  rows.reduce((end, { position }) => Math.max(end, position + 1), 0);

/** Makes `position` free: returns which other records must move back, and where to. All others stay. */
export function pushedBack<T extends { id: string; position: number }>(others: readonly T[], position: number): [T, number][] {
  const moves: [T, number][] = [];
  const behindIt = others.filter((row) => row.position >= position);
  let free = position + 1;
  for (const row of behindIt.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))) {
    if (row.position >= free) break;
    moves.push([row, free++]);
  }
  return moves;
}
