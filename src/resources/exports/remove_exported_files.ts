// Removes the files of all exports, at once. They can be made again.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { removeBytes } from "../files/stored_bytes.ts";
import { exportResource } from "./export.ts";

/** Returns how many there were. */
export async function removeExportedFiles(ctx: Ctx): Promise<number> {
  const rows = await lockToChange(ctx, exportResource, sql`t.storage_key is not null`);
  for (const row of rows) {
    store.update(ctx, exportResource, row, { storage_key: null, expires_at: ctx.now.toISOString() }, undefined, null);
    transactionOf(ctx).afterCommit(() => void removeBytes(ctx, row.storage_key!, true));
  }
  return rows.length;
}
