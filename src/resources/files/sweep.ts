// Removes the bytes of files that are gone: whatever deleted a file, a trigger wrote it down.
import { type BytesToRemove, claimStoredBytes, forgetStoredBytes } from "../../auth/unscoped.ts";
import type { PostgresDatabase } from "../../db/pool.ts";
import type { Storage } from "../../services/storage.ts";

/** Several processes may sweep at once: each claims what it removes. What cannot be removed does not hold the others up; it is tried again. */
export async function sweepStoredBytes(db: PostgresDatabase, storage: Storage): Promise<void> {
  const failures: Error[] = [];
  for (;;) {
    const claimed = await claimStoredBytes(db);
    if (claimed.length === 0) break;
    const removed: BytesToRemove[] = [];
    for (const one of claimed) {
      await storage.remove(one.storage_key).then(
        () => removed.push(one),
        (error) => failures.push(error),
      );
    }
    await forgetStoredBytes(db, removed);
  }
  if (failures.length > 0) throw failures[0];
}
