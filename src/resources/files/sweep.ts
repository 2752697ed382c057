// Removes the bytes of files that are gone: whatever deleted a file, a trigger wrote it down.
import { claimStoredBytes, forgetStoredBytes } from "../../auth/unscoped.ts";
import type { PostgresDatabase } from "../../db/pool.ts";
import type { Storage } from "../../services/storage.ts";

/** Several processes may sweep at once: each claims what it removes. What cannot be removed keeps no other there; it is tried again. */
export async function sweepStoredBytes(db: PostgresDatabase, storage: Storage): Promise<void> {
  const failures: Error[] = [];
  for (;;) {
    const keys = await claimStoredBytes(db);
    if (keys.length === 0) break;
    const removed: string[] = [];
    for (const key of keys) {
      await storage.remove(key).then(
        () => removed.push(key),
        (error) => failures.push(error),
      );
    }
    await forgetStoredBytes(db, removed);
  }
  if (failures.length > 0) throw failures[0];
}
