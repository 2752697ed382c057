// Removes the tables of all mailing exports to CSV, at once. They can be made again.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { removeFiles } from "../files/remove_files.ts";
import type { CopiesRemoved } from "../shared/copies_removed.ts";
import { mailingExport } from "./mailing_export.ts";

/** Also waits for those that are about to end. */
export async function removeContactFiles(ctx: Ctx): Promise<CopiesRemoved> {
  const which = sql`t.platform = 'csv' and (t.file_id is not null or t.status = 'running')`;
  const rows = await lockToChange(ctx, mailingExport, which);
  const ids = rows.flatMap(({ file_id }) => file_id ?? []);
  return { removed: await removeFiles(ctx, ids), under_way: rows.length - ids.length };
}
