// Removes files with their bytes, also those that the service made and nobody may delete.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { file } from "./file.ts";
import { hashesIn } from "./file_at_lead.ts";
import { removeBytes } from "./stored_bytes.ts";

/** Returns how many were there. The bytes go after the commit. */
export const removeFiles = (ctx: Ctx, ids: readonly string[]): Promise<number> => removeWhere(ctx, sql`t.id = any(${ids})`);

/** The same for files by links to them. Links to elsewhere are left alone. */
export const removeFilesOfLinks = (ctx: Ctx, links: readonly string[]): Promise<number> =>
  removeWhere(ctx, sql`t.share_hash = any(${hashesIn(links)}::text[])`);

async function removeWhere(ctx: Ctx, which: Sql): Promise<number> {
  const rows = await lockWhere(ctx, file, which);
  await store.remove(ctx, file, rows);
  for (const { storage_key } of rows) transactionOf(ctx).afterCommit(() => void removeBytes(ctx, storage_key, true));
  return rows.length;
}
