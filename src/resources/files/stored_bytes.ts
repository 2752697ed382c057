// Keeps bytes and records consistent, although they are in two places and a process may end between any two steps. Bytes are
// announced in `stored_bytes_removal` before they are stored, and the transaction of their record takes the announcement back. So
// bytes without a record are always removed, and bytes with one never are.
import { type Ctx, write } from "../../core/context.ts";
import { unavailable } from "../../core/errors.ts";
import type { Received } from "../../services/storage.ts";
import { newStorageKey } from "../../services/storage.ts";
import { lookAt, type Media } from "./media.ts";

/** The parts of a context that storing bytes needs. */
export type Keeper = Pick<Ctx, "db" | "organization_id" | "settings">;

/** Stored bytes that do not belong to a record yet. */
export interface KeptBytes extends Media {
  storage_key: string;
  size: number;
  sha256: string;
}

/** Longer than any transaction that writes their record. */
const grace = "1 hour";
/** For this long, no other process tries to remove the same bytes. */
const claim = "10 minutes";

/**
 * Stores received bytes. `mimes` are the declared types, the most trusted first. Do not call it within a transaction, because the
 * storage may be slow.
 */
export async function keepBytes(ctx: Keeper, received: Received, mimes: readonly (string | null)[]): Promise<KeptBytes> {
  const media = await lookAt(received.path, mimes);
  const storage_key = newStorageKey(ctx.organization_id);
  await ctx.db.transaction(ctx.organization_id, async (tx) =>
    tx.write({
      name: "stored_bytes.announce",
      text: `insert into stored_bytes_removal (organization_id, storage_key, due) values ($1, $2, now() + interval '${grace}')`,
      values: [ctx.organization_id, storage_key],
    }),
  );
  const kept = { storage_key, size: received.size, sha256: received.sha256, ...media };
  try {
    await ctx.settings.storage.keep(received, storage_key);
  } catch (error) {
    await removeBytes(ctx, storage_key);
    throw error;
  }
  return kept;
}

/** Within the transaction that writes their record: the bytes stay. */
export async function claimBytes(ctx: Ctx, storageKey: string): Promise<void> {
  const [mine] = await ctx.tx!.read({
    name: "stored_bytes.claim",
    text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = $2 and due > now() returning 1",
    values: [ctx.organization_id, storageKey],
  });
  if (mine === undefined) throw unavailable();
}

/**
 * Within a transaction that copies files of this organization to another: deleting them here has announced their bytes, and this
 * takes it back.
 */
export function keepMovedBytes(ctx: Ctx, storageKeys: readonly string[]): void {
  write(ctx, {
    name: "stored_bytes.keep",
    text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
    values: [ctx.organization_id, storageKeys],
  });
}

/**
 * Removes announced bytes and leaves others alone. If the result of a commit was lost, the announcement shows whether it
 * happened. Whatever fails here is left to the sweep. With `onlyDue`, bytes that are kept for an undo stay.
 */
export async function removeBytes(ctx: Keeper, storageKey: string, onlyDue = false): Promise<void> {
  const { db, organization_id, settings } = ctx;
  try {
    const [mine] = await db.transaction(organization_id, (tx) =>
      tx.read({
        name: "stored_bytes.remove",
        text: `update stored_bytes_removal set due = now() + interval '${claim}'
               where organization_id = $1 and storage_key = $2 and (due <= now() or not $3::boolean) returning 1`,
        values: [organization_id, storageKey, onlyDue],
      }),
    );
    if (mine === undefined) return;
    await settings.storage.remove(storageKey);
    await db.transaction(organization_id, async (tx) =>
      tx.write({
        name: "stored_bytes.removed",
        text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = $2",
        values: [organization_id, storageKey],
      }),
    );
  } catch {
    // It is still announced in the table.
  }
}
