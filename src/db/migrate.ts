// Runs numbered SQL files, forward only. An advisory lock lets several processes start at once.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { applyMigration, type Migration, type Tell } from "./apply_migration.ts";
import type { Database } from "./database.ts";
import { withClient } from "./one_client.ts";
import { ensureRoles } from "./roles.ts";

export const migrationsFolder = new URL("../../migrations/", import.meta.url);

// A role may have a time limit for statements, which building an index exceeds. The last two concern only Citus: our triggers reach
// only rows of the same organization, which lie on the same server.
const options =
  "-c timezone=UTC -c statement_timeout=0 -c citus.enable_unsafe_triggers=on -c citus.multi_shard_modify_mode=sequential";

export async function listMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  files.forEach((file, i) => {
    if (Number(file.slice(0, 4)) !== i + 1)
      throw new Error(`migrations/${file}: its number should be ${String(i + 1).padStart(4, "0")}`);
  });
  return files.map((file) => ({ version: Number(file.slice(0, 4)), file }));
}

export const readMigration = ({ file }: Migration, folder: URL = migrationsFolder): Promise<string> =>
  readFile(new URL(file, folder), "utf8");

interface Wanted {
  folder?: URL;
  /** Only the first so many. */
  count?: number;
  /** A restore that was interrupted is begun again. */
  toRestore?: boolean;
  /** Told what a migration waits for. */
  tell?: Tell;
}

/** Brings the database to the newest version, or to the first `count` ones, and returns the files that were applied. */
export async function migrate(
  url: string,
  { folder = migrationsFolder, count, toRestore = false, tell = () => {} }: Wanted = {},
): Promise<string[]> {
  const bringUp = async (client: pg.Client) => {
    await takeTurn(client);
    await ensureRoles(client);
    await client.query(
      "create table if not exists migration (version integer primary key, file text not null, applied_at timestamptz not null default now())",
    );
    if (!toRestore) await refuseHalfRestored(client);
    const missing = await missingMigrations(client, folder, count);
    for (const migration of missing) await applyMigration(client, migration, await readMigration(migration, folder), tell);
    return missing.map((migration) => migration.file);
  };
  return withClient(url, "headwater migrate", bringUp, { options });
}

/** Said to the database before the rows of a restore come, and taken back with them. */
export const markRestored = (isHalf: boolean): string => `comment on table migration is ${isHalf ? `'${halfRestored}'` : "null"}`;

const halfRestored = "half restored";

/** Nobody takes a database for an empty one whose rows are still to come. */
async function refuseHalfRestored(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select obj_description('migration'::regclass) as said");
  if (rows[0].said === halfRestored)
    throw new Error(
      "A restore into this database has not ended: run `headwater restore` again. To begin with an empty service instead, use another DATA_DIR or DATABASE_URL.",
    );
}

/** The migrations that this release has and the database has not. */
export async function missingMigrations(client: pg.Client, folder = migrationsFolder, count?: number): Promise<Migration[]> {
  // The column came with a migration.
  const { rows: present } = await client.query<Present>(
    "select version, file, to_jsonb(m)->>'contracts' as contracts from migration m order by version",
  );
  const wanted = await listMigrations(folder);
  checkKnown(present, wanted);
  return wanted.slice(present.length, count);
}

interface Present extends Migration {
  /** What it has taken away that the release before it had left alone. */
  contracts: string | null;
}

/** True if the database has at least this many migrations. A newer release may have added some; the older one goes on running. */
export async function hasMigrations(db: Database, wanted: number): Promise<boolean> {
  const [row] = await db.unscoped({ name: "migration.version", text: "select max(version) from migration", values: [] });
  return Number(row![0]) >= wanted;
}

/** Asks again and again: who waits in a statement holds a snapshot, and to build an index concurrently waits for every snapshot. */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock(7241003) as taken");
    if (rows[0].taken) return;
    await sleep(100);
  }
}

/**
 * Throws if the database has another history, or if a newer release has taken away what this one may use. What newer ones have only added
 * is in nobody's way: while an upgrade goes on, or has failed, the release before may be started again.
 */
function checkKnown(present: readonly Present[], wanted: readonly Migration[]): void {
  const other = present.find(({ file }, i) => i < wanted.length && file !== wanted[i]!.file);
  if (other !== undefined)
    throw new Error(
      `The database was set up by other migrations (${other.file}, where this release has ${wanted[other.version - 1]!.file}): use an empty database.`,
    );
  const breaking = present.slice(wanted.length).find(({ contracts }) => contracts !== null);
  if (breaking !== undefined)
    throw new Error(
      `The database is at version ${present.length}, and this release knows versions up to ${wanted.length}: ${breaking.file} has taken away what this one may use (${breaking.contracts}). Use a newer release.`,
    );
}
