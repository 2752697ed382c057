// Bytes and records live in two places, and a process may end between any two steps. So bytes are announced in
// `stored_bytes_removal` before they are kept, and the record's own transaction takes the announcement back: whatever happens, bytes
// without a record are removed, and bytes with one are not.
import { type Ctx, write } from "../../core/context.ts";
import { unavailable } from "../../core/errors.ts";
import type { Received } from "../../services/storage.ts";
import { newStorageKey } from "../../services/storage.ts";
import { lookAt, type Media } from "./media.ts";

/** What keeping bytes takes of a context. */
export type Keeper = Pick<Ctx, "db" | "organization_id" | "settings">;

/** Bytes in the storage that belong to no record yet. */
export interface KeptBytes extends Media {
  storage_key: string;
  size: number;
  sha256: string;
}

/** Long enough for any transaction that makes a record of them. */
const grace = "1 hour";
/** For so long nobody else tries to remove the same bytes. */
const claim = "10 minutes";

/** Keeps what was received; `mimes` is what was said of it, who is believed first in front. Not meant for within a transaction: the storage may be far away. */
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

/** Within the transaction that writes files of this organization in another: their deletion here announced their bytes. */
export function keepMovedBytes(ctx: Ctx, storageKeys: readonly string[]): void {
  write(ctx, {
    name: "stored_bytes.keep",
    text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
    values: [ctx.organization_id, storageKeys],
  });
}

/**
 * Removes bytes that are announced for removal, and leaves others alone: when the answer to a commit was lost, the announcement
 * says whether it came about. What fails here is left to the sweep.
 */
export async function removeBytes(ctx: Keeper, storageKey: string): Promise<void> {
  const { db, organization_id, settings } = ctx;
  try {
    const [mine] = await db.transaction(organization_id, (tx) =>
      tx.read({
        name: "stored_bytes.remove",
        text: `update stored_bytes_removal set due = now() + interval '${claim}'
               where organization_id = $1 and storage_key = $2 returning 1`,
        values: [organization_id, storageKey],
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
    // It is still in the table.
  }
}
