// Removes the files of all exports, at once. They can be made again.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { removeBytes } from "../files/stored_bytes.ts";
import type { CopiesRemoved } from "../shared/copies_removed.ts";
import { exportResource } from "./export.ts";

/** Also waits for those that are about to end. */
export async function removeExportedFiles(ctx: Ctx): Promise<CopiesRemoved> {
  const which = sql`(t.storage_key is not null or t.status in ('started', 'in_progress'))`;
  const rows = await lockToChange(ctx, exportResource, which);
  const kept = rows.filter(({ storage_key }) => storage_key !== null);
  for (const row of kept) {
    store.update(ctx, exportResource, row, { storage_key: null, expires_at: ctx.now.toISOString() }, undefined, null);
    transactionOf(ctx).afterCommit(() => void removeBytes(ctx, row.storage_key!, true));
  }
  return { removed: kept.length, under_way: rows.length - kept.length };
}
