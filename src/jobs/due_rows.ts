// Changes records that have become due. They are found across organizations by an index, oldest first. Then each organization's
// rows are locked, checked again, and changed by the service itself: their events name no user.
import { type DueRow, dueRows } from "../auth/unscoped_work.ts";
import type { Ctx } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Directory } from "../core/directory.ts";
import type { Resource, Row } from "../core/resource.ts";
import { type Sql, sql } from "../db/sql.ts";
import { asSystem } from "../records/acting.ts";
import { lockFree, readRows } from "../records/references.ts";
import { newId } from "../values/id.ts";

export interface Due<R extends Resource = any> {
  of: R;
  /** The condition for rows due by an instant, on the alias `t`. An index must serve it, so its constants are not parameters. */
  when(now: Date): Sql;
  /** The expression that the index is sorted by. */
  since: Sql;
  /** False for a row that is due in some time zone, but not yet in this organization's. Checked before anything is locked. */
  isDue?(directory: Directory, since: string, now: Date): boolean;
  /**
   * True if `act` only gives the rows jobs. Then nothing is locked. Two timers over the same rows would otherwise leave each other
   * none, because each skips what the other has locked.
   */
  onlyWakes?: true;
  /** Handles due rows of one organization, locked unless `onlyWakes`, in one transaction. */
  act(ctx: Ctx, rows: readonly Row<R>[]): Promise<void> | void;
}

/** The most rows of one transaction. */
const chunk = 200;

/**
 * Several processes may do this at once: each takes the rows that it can lock. A failure does not hold up the others, and is
 * tried again.
 */
export async function actOnDue(core: Core, due: Due): Promise<void> {
  const failures: Error[] = [];
  for (let after: DueRow | null = null; ; ) {
    const found = await dueRows(core.db, { ...due, when: due.when(core.clock()) }, after);
    for (const [organizationId, rows] of Map.groupBy(found, (row) => row.organization_id))
      failures.push(...(await actIn(core, due, organizationId, rows)));
    if (found.length < dueRows.most) break;
    after = found.at(-1)!;
  }
  if (failures.length > 0) throw failures[0];
}

async function actIn(core: Core, due: Due, organizationId: string, rows: readonly DueRow[]): Promise<Error[]> {
  const failures: Error[] = [];
  try {
    const directory = await core.directories.of(organizationId);
    const ripe = rows.filter(({ since }) => due.isDue?.(directory, since, core.clock()) ?? true);
    const ids = ripe.map(({ id }) => id);
    for (let i = 0; i < ids.length; i += chunk)
      failures.push(...(await actOnSome(core, due, organizationId, ids.slice(i, i + chunk))));
  } catch (error) {
    failures.push(error as Error);
  }
  return failures;
}

/** Handles all of them, or after a failure each by itself, so that one bad row does not affect the others. */
async function actOnSome(core: Core, due: Due, organizationId: string, ids: readonly string[]): Promise<Error[]> {
  const request = { id: newId("req"), method: "", path: `clock ${due.of.name}` };
  try {
    await asSystem(core, organizationId, request, async (ctx) => {
      const rows = await (due.onlyWakes ? readRows : lockFree)(ctx, due.of, sql`t.id = any(${ids}) and ${due.when(ctx.now)}`);
      if (rows.length > 0) await due.act(ctx, rows);
    });
    return [];
  } catch (error) {
    if (ids.length === 1) return [error as Error];
    const failures: Error[] = [];
    for (const id of ids) failures.push(...(await actOnSome(core, due, organizationId, [id])));
    return failures;
  }
}
