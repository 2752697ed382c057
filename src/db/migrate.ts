// Runs numbered SQL files, forward only, each in its own transaction. An advisory lock lets several processes start at once.

import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import type { Database } from "./database.ts";
import { withClient } from "./one_client.ts";
import { ensureRoles } from "./roles.ts";

export const migrationsFolder = new URL("../../migrations/", import.meta.url);

// The last two concern only Citus: our triggers reach only rows of the same organization, which lie on the same server.
const options = "-c timezone=UTC -c citus.enable_unsafe_triggers=on -c citus.multi_shard_modify_mode=sequential";

export interface Migration {
  version: number;
  file: string;
}

export async function listMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  files.forEach((file, i) => {
    if (Number(file.slice(0, 4)) !== i + 1)
      throw new Error(`migrations/${file}: its number should be ${String(i + 1).padStart(4, "0")}`);
  });
  return files.map((file) => ({ version: Number(file.slice(0, 4)), file }));
}

/** Brings the database to the newest version, or to the first `count` ones, and returns the files that were applied. */
export async function migrate(
  url: string,
  { folder = migrationsFolder, count }: { folder?: URL; count?: number } = {},
): Promise<string[]> {
  const bringUp = async (client: pg.Client) => {
    await client.query("select pg_advisory_lock(7241003)");
    await ensureRoles(client);
    await client.query(
      "create table if not exists migration (version integer primary key, file text not null, applied_at timestamptz not null default now())",
    );
    const present = await presentMigrations(client);
    const wanted = await listMigrations(folder);
    checkKnown(present, wanted);
    const missing = wanted.slice(present.length, count);
    for (const migration of missing) await apply(client, migration, await readFile(new URL(migration.file, folder), "utf8"));
    return missing.map((migration) => migration.file);
  };
  return withClient(url, "headwater migrate", bringUp, { options });
}

/** True if the database has at least this many migrations. A newer release may have added some; the older one goes on running. */
export async function hasMigrations(db: Database, wanted: number): Promise<boolean> {
  const [row] = await db.unscoped({ name: "migration.version", text: "select max(version) from migration", values: [] });
  return Number(row![0]) >= wanted;
}

async function presentMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<Migration>("select version, file from migration order by version");
  return rows;
}

/** Throws if the database has migrations that this release does not know: those of a newer one, or of another history. */
function checkKnown(present: readonly Migration[], wanted: readonly Migration[]): void {
  const other = present.find(({ file }, i) => i < wanted.length && file !== wanted[i]!.file);
  if (other !== undefined)
    throw new Error(
      `The database was set up by other migrations (${other.file}, where this release has ${wanted[other.version - 1]!.file}): use an empty database.`,
    );
  if (present.length > wanted.length)
    throw new Error(
      `The database is at version ${present.length}, and this release knows versions up to ${wanted.length}: use a newer release.`,
    );
}

async function apply(client: pg.Client, { version, file }: Migration, text: string): Promise<void> {
  try {
    await client.query("begin");
    await client.query(text);
    await client.query("insert into migration (version, file) values ($1, $2)", [version, file]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw new Error(`migrations/${file}: ${(error as Error).message}`, { cause: error });
  }
}
