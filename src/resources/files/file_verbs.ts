// What creating, changing and deleting a file does besides writing the row.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { file } from "./file.ts";
import { vacate } from "./slots.ts";
import { checkSubtype } from "./store_file.ts";
import { removeBytes } from "./stored_bytes.ts";

type File = Row<typeof file>;

/** Never its bytes. */
export async function updateFile(ctx: Ctx, before: File, patch: Patch<typeof file>): Promise<File> {
  const after = { ...before, ...patch };
  checkSubtype(ctx, after.subtype, after.type);
  const moves = after.outreach_channel !== before.outreach_channel || after.subtype !== before.subtype;
  if (moves) await vacate(ctx, after, before.id);
  return store.update(ctx, file, before, patch);
}

/** The link ends with the record; the bytes go once that is certain. */
export async function deleteFile(ctx: Ctx, before: File): Promise<void> {
  if (before.is_system) throw invalid({}, "This file was made by the service and cannot be deleted.");
  await store.remove(ctx, file, [before]);
  transactionOf(ctx).afterCommit(() => void removeBytes(ctx, before.storage_key));
}
