// What was made of everybody's records and is kept as a file: exports, tables for mailing platforms, archives of the workspace. They hold the
// person, cannot be rewritten, and can be made again. What is being written does not end before this does, and begins anew: see `ErasedSince`.
import type { Ctx } from "../../core/context.ts";
import { removeExportedFiles } from "../exports/remove_exported_files.ts";
import { removeContactFiles } from "../mailing_exports/remove_contact_files.ts";
import { removeArchives } from "../organization_exports/remove_archives.ts";
import type { CopiesRemoved } from "../shared/copies_removed.ts";

export async function removeCopies(ctx: Ctx): Promise<CopiesRemoved> {
  const all: CopiesRemoved = { removed: 0, under_way: 0 };
  for (const remove of [removeExportedFiles, removeArchives, removeContactFiles]) {
    const { removed, under_way } = await remove(ctx);
    all.removed += removed;
    all.under_way += under_way;
  }
  return all;
}
