// `headwater doctor`: checks everything that the service depends on. Each line says what is wrong and what to do.

import { accessSync, constants, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { type Config, parseConfig } from "../config.ts";
import { listMigrations } from "../db/migrate.ts";
import { withClient } from "../db/one_client.ts";
import { partitionsAt } from "../db/partitions.ts";
import { missingRoles } from "../db/roles.ts";
import { otherKey, sealedByOthers } from "../services/sealing_key.ts";
import { presentSecrets } from "../services/secrets.ts";
import { isNoRoom } from "../values/no_room.ts";
import { filesLeftBehind, isWithoutDatabase, withDatabase } from "./database.ts";
import { examineBackground } from "./doctor_background.ts";
import { say } from "./say.ts";

/** What is wrong and what to do, or null. */
type Finding = string | null;

export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  let healthy = true;
  const report = (what: string, finding: Finding) => {
    if (finding !== null) healthy = false;
    say(`${finding === null ? "ok   " : "wrong"}  ${what}${finding === null ? "" : `: ${finding}`}`);
  };

  report(`Node ${process.versions.node}`, checkNode());
  const config = readConfig(env);
  report("configuration", config instanceof Error ? config.message : null);
  if (!(config instanceof Error)) await examine(config, report);
  if (!healthy) process.exitCode = 1;
}

function checkNode(): Finding {
  const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
  return major > 24 || (major === 24 && minor >= 7) ? null : "install Node 24.7 or later";
}

function readConfig(env: NodeJS.ProcessEnv): Config | Error {
  try {
    return parseConfig(env);
  } catch (error) {
    return error as Error;
  }
}

async function examine(config: Config, report: (what: string, finding: Finding) => void): Promise<void> {
  report(`data directory ${config.data_dir}`, checkFolder(config.data_dir));
  report("disk with the data directory", checkDisk(config.data_dir));
  report("stored files", filesLeftBehind(config));
  if (isWithoutDatabase(config)) return report("database", "there is none yet: `headwater start` makes it");
  try {
    await withDatabase(config, (url) =>
      examineDatabase(url, [...checks, keyCheck(config), ...(config.database_rls ? rowSecurityChecks : [])], report),
    );
  } catch (error) {
    const first = (error as Error).cause ?? error;
    const cause = (first as Error).message || (first as { code?: string }).code;
    const remedy = isNoRoom(error)
      ? "make room on its disk: older backups, a larger disk, files in S3"
      : config.database_url === null
        ? `its log is ${join(config.data_dir, "postgres.log")}`
        : "is DATABASE_URL right, and does it run?";
    report("database", `cannot be reached: ${cause}: ${remedy}`);
  }
}

/** As for the alert. A tenth of a large disk lasts for long. */
const leastFree = { share: 0.1, bytes: 10e9 };

function checkDisk(folder: string): Finding {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    if (bavail / blocks >= leastFree.share || bavail * bsize >= leastFree.bytes) return null;
    const left = `${Math.floor((bavail * bsize) / 2 ** 20)} MB of ${Math.floor((blocks * bsize) / 2 ** 20)}`;
    return `${left} are free: make room before PostgreSQL stops: older backups, a larger disk, files in S3`;
  } catch {
    return null; // the folder was found wanting before
  }
}

const keyCheck = ({ secret_key, data_dir }: Config): Check => [
  "secrets and their key",
  async (client) => {
    const ours = (await presentSecrets(secret_key, data_dir))?.key_id ?? null;
    const others = await sealedByOthers(client, ours);
    return others === null ? null : otherKey(others, ours ?? "none");
  },
];

function checkFolder(folder: string): Finding {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${(error as Error).message}: make it writable for this user, or set DATA_DIR to another folder`;
  }
}

async function examineDatabase(
  url: string,
  checks: readonly Check[],
  report: (what: string, finding: Finding) => void,
): Promise<void> {
  const examine = async (client: pg.Client) => {
    for (const [what, check] of checks) report(what, await check(client));
    for (const [what, finding] of await examineBackground(client)) report(what, finding);
  };
  await withClient(url, "headwater doctor", examine, { connectionTimeoutMillis: 5000 });
}

type Check = [string, (client: pg.Client) => Promise<Finding>];

const checks: readonly Check[] = [
  ["PostgreSQL 15 or later", checkVersion],
  ["migrations", checkMigrations],
  ["extensions", checkExtensions],
  ["roles for row-level security", checkRoles],
  ["policies on the tables of organizations", checkPolicies],
  ["monthly tables of events and deliveries", checkPartitions],
  ["clocks of this machine and the database", checkClock],
];

const rowSecurityChecks: readonly Check[] = [["indexes under row-level security", checkLeakproof]];

async function checkVersion(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(
    "select current_setting('server_version') as name, current_setting('server_version_num')::int as number",
  );
  return rows[0].number >= 150_000 ? null : `this is ${rows[0].name}: upgrade it`;
}

async function checkMigrations(client: pg.Client): Promise<Finding> {
  const wanted = (await listMigrations()).length;
  const { rows } = await client.query("select to_regclass('migration') is not null as present");
  const present = rows[0].present
    ? (await client.query("select coalesce(max(version), 0) as version from migration")).rows[0].version
    : 0;
  if (present > wanted) {
    const taken = await client.query("select from migration where version > $1 and contracts is not null", [wanted]);
    return taken.rowCount === 0
      ? null
      : `the database is at ${present} and this release at ${wanted}, which it does not fit any more: use the newer release`;
  }
  return present === wanted ? null : `the database is at ${present} of ${wanted}: run \`headwater migrate\``;
}

async function checkExtensions(client: pg.Client): Promise<Finding> {
  const missing = await client.query(
    "select name from unnest(array['unaccent', 'btree_gin', 'pg_trgm']) as name where not exists (select from pg_extension where extname = name)",
  );
  const names = missing.rows.map((row) => row.name);
  return names.length === 0
    ? null
    : `${names.join(", ")} missing: run \`create extension …\` as a superuser, from the package postgresql-contrib`;
}

async function checkRoles(client: pg.Client): Promise<Finding> {
  const missing = await missingRoles(client);
  return missing.length === 0 ? null : `not there or not ours to act as: run \`${missing.join("; ")}\``;
}

async function checkPolicies(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(
    `select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
       and not (c.relforcerowsecurity and c.relrowsecurity
         and array(select p.polname::text from pg_policy p where p.polrelid = c.oid) @> array['organization', 'system'])`,
  );
  return rows.length === 0
    ? null
    : `not all on ${rows.map((row) => row.relname).join(", ")}: drop what is there and run \`call tenant_table('…')\` for each`;
}

async function checkLeakproof(client: pg.Client): Promise<Finding> {
  const { rows: known } = await client.query("select to_regprocedure('leaky_functions()') is not null as present");
  if (!known[0].present) return "not known before all migrations are there: run `headwater migrate`";
  const { rows } = await client.query("select function from leaky_functions() function");
  const statements = rows.map((row) => `alter function ${row.function} leakproof`);
  return rows.length === 0 ? null : `searches read every row: as a superuser, run \`${statements.join("; ")}\``;
}

const clocksDifferMs = 5000;

async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query("select extract(epoch from clock_timestamp())::float8 * 1000 as now");
  const ahead = (before + Date.now()) / 2 - rows[0].now;
  if (Math.abs(ahead) < clocksDifferMs) return null;
  const by = `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? "ahead of" : "behind"}`;
  return `this machine is ${by} the database: let both follow NTP, or what is due comes too ${ahead > 0 ? "early" : "late"}`;
}

async function checkPartitions(client: pg.Client): Promise<Finding> {
  const wanted = partitionsAt(new Date()).map((partition) => partition.name);
  const { rows } = await client.query("select name from unnest($1::text[]) as name where to_regclass(name) is null", [wanted]);
  return rows.length === 0 ? null : `${rows.map((row) => row.name).join(", ")} missing: \`headwater start\` makes them`;
}
