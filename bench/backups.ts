// What a backup and a restore take beside PostgreSQL's own COPY of the same two tables, and what a backup costs requests. COPY goes
// through a client as ours does, to and from a file that is on the disk at the end; into the tables with their indexes, references unchecked.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { readArchive } from "../src/backup/archive.ts";
import { restoreArchive } from "../src/backup/restore.ts";
import { takeBackup } from "../src/backup/take.ts";
import { migrate } from "../src/db/migrate.ts";
import { openSecrets } from "../src/services/secrets.ts";
import { openStorage } from "../src/services/storage.ts";
import { copy, run, withoutIndexes } from "./copies.ts";
import type { Answers } from "./crowd.ts";
import { asking } from "./many_bench.ts";
import type { Organization, Stand } from "./stand.ts";

export interface BackupFigures {
  copyOut: number;
  backup: number;
  copyIn: number;
  /** Of an empty database. */
  migrations: number;
  restore: number;
  /** How many megabytes the process grew, at most. */
  backupMegabytes: number;
  restoreMegabytes: number;
}

const tables = ["lead", "activity"];
const secretKey = "the secret key of the bench, and of its backups";

/** Fills the organization by copies of one lead and one note. */
export async function fill(stand: Stand, url: string, to: Organization, leads: number, activities: number): Promise<void> {
  const request = asking(url, to);
  const { id: leadId } = await request("POST", "/lead/", { name: "Acme", description: "Makes anvils and more. ".repeat(5) });
  const note = await request("POST", "/activity/note/", { lead_id: leadId, note: "We spoke about the offer. ".repeat(4) });
  const idOf = (mark: string, n: string) => `'${mark}_' || lpad((${n})::text, 26, '0')`;
  await withoutIndexes(stand, tables, async () => {
    const lead = { id: idOf("lead", "n"), name: "'Acme ' || n" };
    await run(stand, await copy(stand, "lead", "$2", `generate_series(1, ${leads}) n`, lead), [to.id, leadId]);
    const activity = { id: idOf("acti", "n"), lead_id: idOf("lead", `n % ${leads} + 1`) };
    await run(stand, await copy(stand, "activity", "$2", `generate_series(1, ${activities}) n`, activity), [to.id, note.id]);
  });
  await run(stand, "vacuum analyze");
}

export async function measureBackups(stand: Stand): Promise<BackupFigures> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-bench-backups-"));
  await chmod(folder, 0o711);
  const archive = join(folder, "all.tar");
  const secrets = openSecrets(secretKey);
  const storage = openStorage(join(folder, "files"));
  const source = {
    url: stand.databaseUrl,
    storage,
    secrets,
    key: null,
    withSecrets: false,
    release: "bench",
    organization_id: null,
  };
  const [plain, there] = [await emptyDatabase(stand, "plain"), await emptyDatabase(stand, "there")];
  try {
    const copyOut = await seconds(() => eachTable(stand.databaseUrl, (client, table) => copyOutOf(client, table, folder)));
    const backup = await grown(() => takeBackup(archive, source));
    const migrations = await seconds(() => migrate(plain));
    const copyIn = await seconds(() => eachTable(plain, (client, table) => copyInto(client, table, folder)));
    const manifest = await readArchive(archive, secrets, {});
    const target = { url: there, storage, secrets, withSecrets: false };
    const restore = await grown(() => restoreArchive(async () => archive, manifest, target));
    return {
      copyOut,
      backup: backup.seconds,
      copyIn,
      migrations,
      restore: restore.seconds,
      backupMegabytes: backup.megabytes,
      restoreMegabytes: restore.megabytes,
    };
  } finally {
    for (const name of ["plain", "there"]) await run(stand, `drop database if exists ${name} with (force)`);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Requests while `headwater backup` runs, again and again until they end. */
export async function besideABackup({ databaseUrl }: Stand, crowd: () => Promise<Answers>): Promise<Answers> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-bench-beside-"));
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  const { PATH } = process.env;
  const env = { PATH, DATABASE_URL: databaseUrl, DATA_DIR: folder, SECRET_KEY: secretKey };
  let isOver = false;
  const backups = async () => {
    for (let n = 0; !isOver; n++) {
      const args = [main, "backup", join(folder, `${n}.tar`), "--without-secrets"];
      const [code] = await once(spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] }), "exit");
      if (code !== 0) throw new Error("the backup failed");
      await rm(join(folder, `${n}.tar`));
    }
  };
  const [answers] = await Promise.all([crowd().finally(() => (isOver = true)), backups()]);
  await rm(folder, { recursive: true, force: true });
  return answers;
}

async function emptyDatabase(stand: Stand, name: string): Promise<string> {
  await run(stand, `create database ${name}`);
  return Object.assign(new URL(stand.databaseUrl), { pathname: `/${name}` }).href;
}

async function eachTable(url: string, work: (client: pg.Client, table: string) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set session_replication_role = replica");
  for (const table of tables) await work(client, table);
  await client.end();
}

async function copyOutOf(client: pg.Client, table: string, folder: string): Promise<void> {
  const path = join(folder, table);
  await pipeline(client.query(copyTo(`copy ${table} (${await columnsOf(client, table)}) to stdout`)), createWriteStream(path));
  const file = await open(path);
  await file.sync();
  await file.close();
}

const copyInto = async (client: pg.Client, table: string, folder: string): Promise<void> =>
  pipeline(
    createReadStream(join(folder, table)),
    client.query(copyFrom(`copy ${table} (${await columnsOf(client, table)}) from stdin`)),
  );

async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0].names;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function grown(work: () => Promise<unknown>): Promise<{ seconds: number; megabytes: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const took = await seconds(work).finally(() => clearInterval(timer));
  return { seconds: took, megabytes: (most - before) / 2 ** 20 };
}
