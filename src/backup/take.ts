// Takes a backup: one snapshot of all tables while others write, and the stored files that its rows name.

import { createHash } from "node:crypto";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { backupLock } from "../auth/unscoped_files.ts";
import { inUtc, withClient } from "../db/one_client.ts";
import { sealedColumns } from "../services/sealed_columns.ts";
import { otherKey, sealedByOthers } from "../services/sealing_key.ts";
import type { Secrets } from "../services/secrets.ts";
import { Missing, type Storage } from "../services/storage.ts";
import { newId } from "../values/id.ts";
import { type Chunks, tellFile } from "./archive.ts";
import { quoted, type StoredTable, tablesOf, withFiles } from "./catalog.ts";
import { formatVersion, type Head, type Manifest, signManifest, type TableEntry } from "./manifest.ts";
import { type ArchivedTable, archivedTables } from "./organization/archived.ts";
import { type ArchiveWriter, writeArchive } from "./write_archive.ts";

export interface Source {
  url: string;
  storage: Storage;
  secrets: Secrets;
  /** The key to put into the archive, or null where the operator keeps it. */
  key: string | null;
  /** Sealed secrets are in the archive. */
  withSecrets: boolean;
  release: string;
  /** The only organization to take, or null for all of them. Its secrets are left out. */
  organization_id: string | null;
}

/** Writes an archive that appears only when it is whole, and returns what is in it. */
export const takeBackup = (path: string, source: Source): Promise<Manifest> =>
  writeArchive(path, (archive) => takeInto(archive, source));

/** Puts everything into an archive that somebody else keeps. */
export async function takeInto(archive: ArchiveWriter, source: Source): Promise<Manifest> {
  const take = async (client: pg.Client) => {
    // Before the snapshot: what is removed afterwards may belong to its rows.
    await client.query("select pg_advisory_lock_shared($1)", [backupLock]);
    await client.query("begin isolation level repeatable read read only");
    if (source.organization_id !== null) await refuseUnlessLiving(client, source.organization_id);
    return fill(archive, client, source);
  };
  return withClient(source.url, "headwater backup", take, inUtc);
}

async function refuseUnlessLiving(client: pg.Client, organizationId: string): Promise<void> {
  const { rowCount } = await client.query("select from organization where id = $1 and erased_at is null", [organizationId]);
  if (rowCount === 0) throw new Error(`There is no organization ${organizationId} here.`);
}

async function fill(archive: ArchiveWriter, client: pg.Client, source: Source): Promise<Manifest> {
  if (source.withSecrets) await refuseSealedByOthers(client, source.secrets);
  const head = await headOf(client, source);
  await archive.head(head);
  if (source.withSecrets && source.key !== null) await archive.key(source.key);
  const found = await whatIsIn(client, source);
  const tables: TableEntry[] = [];
  for (const table of found) tables.push(await addTable(archive, client, table));
  const manifest = { ...head, tables, files: await addFiles(archive, client, withFiles(found), source) };
  await archive.manifest(signManifest(manifest, source.secrets));
  return manifest;
}

/** An archive says with which key its secrets open. */
async function refuseSealedByOthers(client: pg.Client, { key_id }: Secrets): Promise<void> {
  const others = await sealedByOthers(client, key_id);
  if (others !== null) throw new Error(`${otherKey(others, key_id)} \`--without-secrets\` takes everything else.`);
}

async function headOf(client: pg.Client, source: Source): Promise<Head> {
  const { release, secrets, key, withSecrets, organization_id } = source;
  const { rows } = await client.query("select version, file, now() as at from migration order by version desc limit 1");
  return {
    format: "headwater backup",
    format_version: formatVersion,
    id: newId("backup"),
    release,
    taken_at: (rows[0].at as Date).toISOString(),
    migrations: { count: rows[0].version, last: rows[0].file },
    organization_id,
    signed_by: secrets.key_id,
    secrets: withSecrets ? { key_id: secrets.key_id, has_key: key !== null } : null,
  };
}

async function whatIsIn(client: pg.Client, { organization_id, withSecrets }: Source): Promise<ArchivedTable[]> {
  if (organization_id !== null) return archivedTables(client, organization_id);
  return (await tablesOf(client)).map((table) => ({ ...table, select: selectOf(table, withSecrets) }));
}

function selectOf({ name, columns }: StoredTable, withSecrets: boolean): string {
  const sealed = new Set(withSecrets ? [] : sealedColumns.filter((one) => one.table === name).map(({ column }) => column));
  // An empty text is no sealed value, and says that one was here.
  const selected = columns.map((one) => (sealed.has(one) ? `case when ${quoted(one)} is not null then '' end` : quoted(one)));
  return `select ${selected.join(", ")} from ${quoted(name)}`;
}

async function addTable(archive: ArchiveWriter, client: pg.Client, table: ArchivedTable): Promise<TableEntry> {
  const { name, columns, partitions, counter, select } = table;
  const rows = client.query(copyTo(`copy (${select}) to stdout`));
  const measured = await archive.add(`tables/${name}`, rows as Chunks);
  const value = counter && (await client.query(`select last_value::text as value from ${counter.sequence}`)).rows[0].value;
  return {
    name,
    columns,
    partitions,
    counter: counter && { column: counter.column, value },
    rows: rows.rowCount ?? 0,
    ...measured,
  };
}

type Files = Manifest["files"];
/** So many keys of files are read at a time. */
const chunk = 1000;

async function addFiles(
  archive: ArchiveWriter,
  client: pg.Client,
  tables: readonly StoredTable[],
  { storage, organization_id }: Source,
): Promise<Files> {
  const hash = createHash("sha256");
  const found = { count: 0, bytes: 0, missing: { count: 0, keys: [] as string[] } };
  // A file that moved to another organization has its row there; bytes that are kept for an undo have none but their announcement.
  const whose = organization_id === null ? "" : ` and organization_id = ${client.escapeLiteral(organization_id)}`;
  const keys = tables.map(
    ({ name }) =>
      `select storage_key, ${name !== "stored_bytes_removal"} as needed from ${quoted(name)} where storage_key is not null${whose}`,
  );
  await client.query(
    `declare stored_file no scroll cursor for
     select storage_key, bool_or(needed) as needed from (${keys.join(" union all ")}) k group by storage_key order by storage_key`,
  );
  for (;;) {
    const { rows } = await client.query(`fetch ${chunk} from stored_file`);
    if (rows.length === 0) break;
    for (const { storage_key: key, needed } of rows) {
      const bytes = await bytesOf(storage, key);
      if (bytes === null) {
        if (needed && ++found.missing.count <= 100) found.missing.keys.push(key);
        continue;
      }
      const measured = await archive.add(`files/${key}`, bytes);
      tellFile(hash, key, measured);
      found.count++;
      found.bytes += measured.bytes;
    }
  }
  return { ...found, sha256: hash.digest("hex") };
}

async function bytesOf(storage: Storage, key: string): Promise<Chunks | null> {
  try {
    return await storage.read(key);
  } catch (error) {
    if (error instanceof Missing) return null;
    throw error;
  }
}
