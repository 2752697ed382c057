// Restores an archive into an empty database. It is read twice: once to see that it is whole, before anything is touched, and once
// to load it. All rows come in one transaction, so an interrupted restore leaves an empty database and can be tried again.

import type pg from "pg";
import { listMigrations, markRestored, migrate } from "../db/migrate.ts";
import { inUtc, withClient } from "../db/one_client.ts";
import { createPartition, monthOf, partitioned, type Table } from "../db/partitions.ts";
import { sealedByOthers } from "../services/sealing_key.ts";
import type { Secrets } from "../services/secrets.ts";
import type { Storage } from "../services/storage.ts";
import { type Opening, readArchive } from "./archive.ts";
import { goOn } from "./go_on.ts";
import { beginLoading } from "./load.ts";
import type { Head, Manifest } from "./manifest.ts";
import { type LostSecret, leaveOutSecrets } from "./secrets.ts";

export interface Target {
  url: string;
  storage: Storage;
  /** The secrets of this service. */
  secrets: Secrets;
  /** Sealed secrets of the archive can be opened here, or sealed again. Otherwise they are left out. */
  withSecrets: boolean;
  /** The service that it was taken of had been stopped before, and did nothing since. */
  wasStopped?: boolean;
}

/** No file is longer; an archive's hashes are checked anyway. */
export const fileMost = 2 ** 40;

/** Puts everything in its place, and returns what was left out. The archive must have been read whole before. */
export async function restoreArchive(open: Opening, manifest: Manifest, target: Target): Promise<LostSecret[]> {
  if (manifest.organization_id !== null)
    throw new Error("The archive is of one organization: put it into a database with others by restore --organization.");
  await withClient(target.url, "headwater restore", refuseForeign);
  await migrate(target.url, { count: manifest.migrations.count, toRestore: true });
  const load = async (client: pg.Client) => {
    await refuseUnlessEmpty(client, manifest);
    await client.query(markRestored(true));
    await makePartitions(client, manifest);
    await client.query("begin");
    const loading = await beginLoading(client, manifest);
    await readArchive(await open(), null, {
      table: loading.table,
      async file(key, chunks) {
        const received = await target.storage.receive(chunks, fileMost);
        await target.storage.keep(received, key);
      },
    });
    await loading.finish();
    const lost = target.withSecrets ? [] : await leaveOutSecrets(client, target.secrets);
    if (target.withSecrets) await refuseFalseSeals(client, manifest);
    await goOn(client, manifest, target.wasStopped === true);
    await client.query(markRestored(false));
    await client.query("commit");
    return lost;
  };
  const lost = await withClient(target.url, "headwater restore", load, inUtc);
  await migrate(target.url);
  return lost;
}

/** Early releases wrote down the key of their settings, which need not be the one that had sealed. */
async function refuseFalseSeals(client: pg.Client, { secrets }: Manifest): Promise<void> {
  const others = await sealedByOthers(client, secrets!.key_id);
  if (others !== null)
    throw new Error(
      `The secrets of the archive are not sealed with the key that it says, ${secrets!.key_id} (${others}): leave them out by --without-secrets.`,
    );
}

/** An archive of a newer release, or of a history that this one does not know, is refused before anything is touched. */
export async function refuseUnknown({ migrations, release }: Head): Promise<void> {
  const known = await listMigrations();
  if (migrations.count > known.length)
    throw new Error(
      `The archive is of a newer release (${release}, with ${migrations.count} migrations; known here are ${known.length}): use that release or a later one.`,
    );
  if (known[migrations.count - 1]?.file !== migrations.last)
    throw new Error(
      `The archive is of a release with other migrations (${migrations.last}): use the release that it was taken with, ${release}.`,
    );
}

/** Tables of another program, before ours come beside them. */
async function refuseForeign(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
       and to_regclass('public.migration') is null
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by relname limit 3`,
  );
  if (rows.length > 0)
    throw new Error(
      `The database is not empty: it has tables of something else (${rows.map(({ relname }) => relname).join(", ")}). Restore into an empty one, by another DATABASE_URL.`,
    );
}

async function refuseUnlessEmpty(client: pg.Client, { migrations }: Manifest): Promise<void> {
  const { rows } = await client.query(
    `select (select max(version) from migration) as version, exists (select from organization) or exists (select from "user") as used`,
  );
  if (rows[0].used)
    throw new Error(
      "The database is not empty, and nothing of an archive is mixed with what is there: restore into an empty one, with another DATA_DIR or DATABASE_URL, and let the service use that. What is here stays as it is.",
    );
  if (rows[0].version > migrations.count)
    throw new Error(
      "The database is of a newer release than the archive: restore into one without tables. It is brought up to date afterwards.",
    );
}

export async function makePartitions(client: pg.Client, { tables }: Manifest): Promise<void> {
  for (const name of tables.flatMap(({ partitions }) => partitions)) {
    const [, table, year, month] = /^([a-z_]+)_(\d{4})_(\d{2})$/.exec(name) ?? [];
    if (table === undefined || !Object.hasOwn(partitioned, table))
      throw new Error(`The archive names a month that there is not: ${name}.`);
    await createPartition(client, monthOf(new Date(Date.UTC(Number(year), Number(month) - 1)), 0, table as Table));
  }
}
