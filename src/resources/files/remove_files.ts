// Removes files with their bytes, also those that the service made and nobody may delete.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { file } from "./file.ts";
import { removeBytes } from "./stored_bytes.ts";

/** Returns how many were there. The bytes go after the commit. */
export async function removeFiles(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const rows = await lockWhere(ctx, file, sql`t.id = any(${ids})`);
  await store.remove(ctx, file, rows);
  for (const { storage_key } of rows) transactionOf(ctx).afterCommit(() => void removeBytes(ctx, storage_key, true));
  return rows.length;
}
