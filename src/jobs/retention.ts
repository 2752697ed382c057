// Deletes rows with a limited lifetime. There are no events for this.
import { oldRows } from "../auth/unscoped_work.ts";
import type { Core } from "../core/core.ts";
import { join, name, sql, statement } from "../db/sql.ts";

export interface Kept {
  table: string;
  /** The columns that identify a row within its organization. */
  key: readonly string[];
  /** How long it is kept after its `date_created`, which has an index to find the oldest. */
  seconds: number;
}

/** The most rows of one transaction, and how often the oldest are looked up. The rest waits for the next time. */
const chunk = 200;
const looks = 100;

/** Several processes may do this at once: rows deleted by one are not found by others. */
export async function dropOld(core: Core, kept: Kept): Promise<void> {
  const before = new Date(core.clock().getTime() - kept.seconds * 1000);
  for (let i = 0; i < looks; i++) {
    const found = await oldRows(core.db, kept, before);
    for (const [organizationId, keys] of Map.groupBy(found, ([organizationId]) => organizationId!))
      for (let from = 0; from < keys.length; from += chunk)
        await drop(core, kept, organizationId, keys.slice(from, from + chunk), before);
    if (found.length < oldRows.most) return;
  }
}

/** Checks each row again, because a key may have been used again. */
async function drop(
  core: Core,
  { table, key }: Kept,
  organizationId: string,
  keys: readonly (readonly (string | null)[])[],
  before: Date,
): Promise<void> {
  const values = key.map((_, i) => sql`${keys.map((one) => one[i + 1])}::text[]`);
  const columns = join(
    key.map((column) => name(column)),
    ", ",
  );
  const same = join(
    key.map((column) => sql`t.${name(column)}::text = old.${name(column)}`),
    " and ",
  );
  await core.db.transaction(organizationId, async (tx) =>
    tx.write(
      statement(
        sql`delete from ${name(table)} t using unnest(${join(values, ", ")}) old(${columns})
          where t.organization_id = ${organizationId} and ${same} and t.date_created < ${before}::timestamptz`,
        `${table}.drop_old`,
      ),
    ),
  );
}
