// The verbs of files.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { file, hasEnded } from "./file.ts";
import { vacate } from "./slots.ts";
import { checkSubtype, newLink } from "./store_file.ts";
import { removeBytes } from "./stored_bytes.ts";

type File = Row<typeof file>;

/** An update never changes the bytes. */
export async function updateFile(ctx: Ctx, before: File, patch: Patch<typeof file>): Promise<File> {
  const after = { ...before, ...patch };
  checkSubtype(ctx, after.subtype, after.type);
  const moves = after.outreach_channel !== before.outreach_channel || after.subtype !== before.subtype;
  if (moves) await vacate(ctx, after, before.id);
  // An expired link never works again. A later expiry creates a new link, so that people with the old one stay out.
  const link =
    hasEnded(before, ctx.now) && !hasEnded({ ...after, share_token: "" }, ctx.now) ? newLink(ctx, before.storage_key) : {};
  return store.update(ctx, file, before, { ...patch, ...link });
}

/** The link ends with the record. The bytes are removed after the commit. */
export async function deleteFile(ctx: Ctx, before: File): Promise<void> {
  if (before.is_system) throw invalid({}, "This file was made by the service and cannot be deleted.");
  await store.remove(ctx, file, [before]);
  transactionOf(ctx).afterCommit(() => void removeBytes(ctx, before.storage_key, true));
}
