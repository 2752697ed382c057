// Files across organizations: bytes to be removed, and files that are shared by a link with a secret.
import type { Database } from "../db/database.ts";
import { isLiving } from "./unscoped.ts";

/** Stored bytes to be removed, and the organization whose file they were. */
export interface BytesToRemove {
  organization_id: string;
  storage_key: string;
}

/** Held while a backup copies stored files. What is due then is removed after it, for the backup's rows may still name it. */
export const backupLock = 7241011;

/**
 * Claims bytes that are due for removal for ten minutes, so that no other process tries. Bytes that a file still uses are kept.
 */
export async function claimStoredBytes(db: Database): Promise<BytesToRemove[]> {
  const due = await db.unscoped({
    text: `/* across organizations: whatever is due anywhere */
           select organization_id, storage_key from stored_bytes_removal where due <= now()
             and not exists (select from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1
               and database = (select oid from pg_database where datname = current_database())) order by due limit 100`,
    values: [backupLock],
  });
  const used = await db.unscoped({
    text: `/* across organizations: a file that moved to another one has left its bytes where they were */
           select storage_key from file where storage_key = any($1)`,
    values: [due.map((row) => row[1])],
  });
  const inUse = used.map((row) => row[0]!);
  const claimed: BytesToRemove[] = [];
  for (const [organization_id, rows] of Map.groupBy(due, (row) => row[0]!)) {
    const keys = rows.map((row) => row[1]!);
    const mine = await db.unscopedTransaction(async (tx) => {
      tx.write({
        text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
        values: [organization_id, keys.filter((key) => inUse.includes(key))],
      });
      return tx.read({
        text: `update stored_bytes_removal set due = now() + interval '10 minutes'
               where organization_id = $1 and storage_key = any($2) and due <= now() returning storage_key`,
        values: [organization_id, keys],
      });
    });
    claimed.push(...mine.map((row) => ({ organization_id, storage_key: row[0]! })));
  }
  return claimed;
}

export async function forgetStoredBytes(db: Database, removed: readonly BytesToRemove[]): Promise<void> {
  for (const [organization_id, all] of Map.groupBy(removed, (one) => one.organization_id)) {
    await db.unscopedTransaction(async (tx) =>
      tx.write({
        text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
        values: [organization_id, all.map((one) => one.storage_key)],
      }),
    );
  }
}

/** What a link leads to. */
export interface SharedFile {
  name: string;
  mime: string;
  size: number;
  sha256: string;
  storage_key: string;
}

/** The file whose link has the secret with this hash, in any organization. Null when there is none. */
export async function findSharedFile(db: Database, hash: string, now: Date): Promise<SharedFile | null> {
  const [row] = await db.unscoped({
    name: "file.shared",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select name, mime, size, sha256, storage_key from file
           where share_hash = $1 and (share_expires_at is null or share_expires_at > $2) and ${isLiving("organization_id")}`,
    values: [hash, now],
  });
  if (row === undefined) return null;
  return { name: row[0]!, mime: row[1]!, size: Number(row[2]), sha256: row[3]!, storage_key: row[4]! };
}
