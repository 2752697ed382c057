// Removes the bytes of deleted files. A trigger announces them, whatever deleted the file.
import { type BytesToRemove, claimStoredBytes, forgetStoredBytes } from "../../auth/unscoped_files.ts";
import type { Database } from "../../db/database.ts";
import type { Timer } from "../../jobs/timer.ts";
import type { Storage } from "../../services/storage.ts";

/**
 * Several processes may sweep at once, because each claims what it removes. Bytes that cannot be removed do not hold up the
 * others, and are tried again.
 */
export async function sweepStoredBytes(db: Database, storage: Storage): Promise<void> {
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

export const storedBytesTimer: Timer = {
  name: "stored_bytes",
  doc: "Removes the bytes of deleted files.",
  everySeconds: 10,
  run: ({ db, settings }) => sweepStoredBytes(db, settings.storage),
};
