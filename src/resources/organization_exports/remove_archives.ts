// Removes all archives of a workspace, at once. They can be made again.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { removeBytes } from "../files/stored_bytes.ts";
import type { CopiesRemoved } from "../shared/copies_removed.ts";
import { organizationExport } from "./organization_export.ts";

/** Also waits for one that is about to end. */
export async function removeArchives(ctx: Ctx): Promise<CopiesRemoved> {
  const rows = await lockToChange(ctx, organizationExport, sql`(t.storage_key is not null or t.status = 'running')`);
  const kept = rows.filter(({ storage_key }) => storage_key !== null);
  for (const row of kept) {
    store.update(ctx, organizationExport, row, { storage_key: null, expires_at: ctx.now.toISOString() }, undefined, null);
    transactionOf(ctx).afterCommit(() => void removeBytes(ctx, row.storage_key!, true));
  }
  return { removed: kept.length, under_way: rows.length - kept.length };
}
