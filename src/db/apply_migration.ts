// Applies one migration beside a running service. An ordinary file is one transaction, which never waits long for a lock, because
// everybody else would wait behind it. A file whose first line is `-- concurrently` builds indexes while rows are written; it goes on
// where it was interrupted.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export interface Migration {
  version: number;
  file: string;
}

export type Tell = (line: string) => void;

/** Requests wait for a lock for five seconds before they are refused. */
const patience = "1s";
/** How long to rest before the next attempt, and how long to go on trying. */
const restMs = 500;
const triesMost = 400;
/** How often somebody is told, in attempts. */
const toldEvery = 10;

const lockNotAvailable = "55P03";
const deadlock = "40P01";

export async function applyMigration(client: pg.Client, { version, file }: Migration, text: string, tell: Tell): Promise<void> {
  const contracts = contractsOf(text);
  const done = async () => {
    await client.query("insert into migration (version, file) values ($1, $2)", [version, file]);
    if (contracts !== null && (await isRecorded(client)))
      await client.query("update migration set contracts = $2 where version = $1", [version, contracts]);
  };
  try {
    if (isConcurrent(text)) {
      for (const index of indexesOf(text)) await change(client, index, (line) => tell(`${file} ${line}`));
      await done();
    } else {
      await patiently(
        client,
        async () => {
          await client.query(text);
          await done();
        },
        (line) => tell(`${file} ${line}`),
      );
    }
  } catch (error) {
    throw new Error(`migrations/${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** The column came with a migration. Releases that do not know it start on no newer schema. */
async function isRecorded(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'migration'::regclass and attname = 'contracts'",
  );
  return rowCount === 1;
}

/** A line of the file says that it takes away only what the release before does not use any more. */
export const contractsOf = (text: string): string | null => /^-- contracts: (.+)$/m.exec(text)?.[1] ?? null;

/** Does work in a transaction, again and again while a lock that it needs is held by somebody else. */
async function patiently(client: pg.Client, work: () => Promise<void>, tell: Tell): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = '${patience}'`);
      await work();
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      const { code } = error as { code?: string };
      if (code !== lockNotAvailable && code !== deadlock) throw error;
      if (attempt === triesMost)
        throw new Error(`it did not get its locks, because of ${await holder(client)}`, { cause: error });
      if (attempt % toldEvery === 1) tell(`waits for ${await holder(client)}, and is tried again`);
    }
    await sleep(restMs);
  }
}

/** Who has been in a transaction for longest, and so is likely to hold the lock. */
async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    `select application_name as name, pid, extract(epoch from now() - xact_start)::int as seconds from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null order by xact_start limit 1`,
  );
  if (rows.length === 0) return "somebody who has gone";
  const [{ name, pid, seconds }] = rows;
  return `"${name}" (process ${pid} of PostgreSQL), in a transaction for ${seconds} s`;
}

// --- indexes that are built beside writes ---

interface Index {
  name: string;
  /** What is built, or null to drop it. */
  build: { unique: string; table: string; rest: string } | null;
}

export const isConcurrent = (text: string): boolean => /^-- concurrently\b/.test(text);

const building = /^create (unique )?index concurrently (\w+) on "?(\w+)"?\s*(.+)$/is;
const dropping = /^drop index concurrently (?:if exists )?(\w+)$/i;

/** The indexes of such a file, which holds nothing else. */
export function indexesOf(text: string): Index[] {
  const statements = text.replace(/^\s*--.*$/gm, "").split(/;\s*$/m);
  return statements
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [, unique = "", name, table, rest] = building.exec(one) ?? [];
      if (name !== undefined) return { name, build: { unique, table: table!, rest: rest! } };
      const [, dropped] = dropping.exec(one) ?? [];
      if (dropped !== undefined) return { name: dropped, build: null };
      throw new Error(
        `a file that begins with "-- concurrently" has only "create index concurrently NAME on TABLE …" and "drop index concurrently NAME", and not "${one.slice(0, 60)}"`,
      );
    });
}

async function change(client: pg.Client, { name, build }: Index, tell: Tell): Promise<void> {
  if (build === null) return void (await client.query(`drop index concurrently if exists ${name}`));
  const { unique, table, rest } = build;
  const parts = await partsOf(client, table);
  if (parts === null) return buildBeside(client, name, `create ${unique}index concurrently ${name} on "${table}" ${rest}`);
  if ((await stateOf(client, name)) === "valid") return;

  // PostgreSQL builds none of a partitioned table concurrently, but takes over those that its parts have already.
  for (const part of parts) {
    const own = `${name.slice(0, longestName - part.length - 1)}_${part}`;
    await buildBeside(client, own, `create ${unique}index concurrently ${own} on "${part}" ${rest}`);
  }
  await patiently(client, async () => void (await client.query(`create ${unique}index ${name} on "${table}" ${rest}`)), tell);
}

const longestName = 63;

/** The parts that hold the rows of a partitioned table; null for any other. */
async function partsOf(client: pg.Client, table: string): Promise<string[] | null> {
  const { rows } = await client.query(
    `select array(select t.relid::regclass::text from pg_partition_tree(c.oid) t where t.isleaf) as parts
     from pg_class c where c.oid = to_regclass(quote_ident($1)) and c.relkind = 'p'`,
    [table],
  );
  return rows.length === 0 ? null : rows[0].parts;
}

/** Builds an index, unless it is there. One whose building was interrupted is there and not valid. */
async function buildBeside(client: pg.Client, name: string, statement: string): Promise<void> {
  for (;;) {
    const state = await stateOf(client, name);
    if (state === "valid") return;
    if (state === "invalid") await client.query(`drop index concurrently if exists ${name}`);
    try {
      await client.query(statement);
    } catch (error) {
      // Somebody waited for us while we waited for them.
      if ((error as { code?: string }).code !== deadlock) throw error;
    }
  }
}

async function stateOf(client: pg.Client, name: string): Promise<"valid" | "invalid" | null> {
  const { rows } = await client.query("select indisvalid from pg_index where indexrelid = to_regclass(quote_ident($1))", [name]);
  return rows.length === 0 ? null : rows[0].indisvalid ? "valid" : "invalid";
}
