// Distributes the tables over the servers of a Citus cluster, by organization: all rows of an organization lie on one server.
// What every organization refers to is copied to all servers. It is done in one transaction or not at all; distributed tables
// stay as they are.

import pg from "pg";
import { withClient } from "./one_client.ts";

/** What belongs to people, who may be members of several organizations: their clients, grants and ways to sign in. */
const ofPeople = [
  "oauth_client",
  "client_grant",
  "oauth_artifact",
  "session",
  "password_link",
  "sign_in_failure",
  "recovery_code",
  "passkey",
  "passkey_answer",
];

/** Tables that are copied to every server: what several organizations share, and what every reader of the feed needs. */
export const copiedTables: readonly string[] = ["user", "account", "organization", "event_epoch", ...ofPeople];

export interface Table {
  name: string;
  /** It has a column with the organization. */
  isTenant: boolean;
  isSpread: boolean;
}

export interface ForeignKey {
  name: string;
  from: string;
  to: string;
  definition: string;
}

/** What the database says of its tables. Partitions and their keys are left out: they go with their table. */
export interface Catalogue {
  tables: readonly Table[];
  keys: readonly ForeignKey[];
  /** Our functions. Those of triggers, indexes and statements run on the server where the rows lie. */
  functions: readonly string[];
}

const application = "headwater distribute";

/** Distributes the tables that are not distributed yet, and returns their names. */
export const distribute = (url: string, shards: number): Promise<string[]> =>
  withClient(url, application, async (client) => {
    await client.query("begin");
    const catalogue = await readCatalogue(client);
    for (const statement of planOf(catalogue, shards)) await client.query(statement);
    await client.query("commit");
    return waiting(catalogue).map(({ name }) => name);
  });

/** What the service must know of a server before it opens its connections: whether the tables are distributed, and the version. */
export const natureOf = (url: string): Promise<{ spread: boolean; version: number }> =>
  withClient(url, application, async (client) => {
    const { rows } = await client.query("select current_setting('server_version_num')::int / 10000 as version");
    return { spread: (await spreadTables(client)).length > 0, version: rows[0].version };
  });

// --- the plan ---

/** The statements that distribute the remaining tables, in their order; none if nothing remains. */
export function planOf(catalogue: Catalogue, shards: number): string[] {
  const tables = waiting(catalogue);
  if (tables.length === 0) return [];
  const names = new Set(tables.map(({ name }) => name));
  const isCopied = ({ to }: ForeignKey) => copiedTables.includes(to);
  const keys = catalogue.keys.filter(({ from, to }) => names.has(from) || names.has(to));
  const again = [...keys.filter(isCopied), ...keys.filter((key) => !isCopied(key))];
  const anchor =
    catalogue.tables.find(({ isTenant, isSpread }) => isTenant && isSpread) ?? tables.find(({ isTenant }) => isTenant);

  return [
    // A transaction that has written a copied table must not open many shards in parallel.
    "set local citus.multi_shard_modify_mode = 'sequential'",
    // Our triggers reach only rows of the same organization, which lie on the same server.
    "set local citus.enable_unsafe_triggers = on",
    ...catalogue.functions.map((one) => `select create_distributed_function(${literal(one)})`),
    ...keys.map(({ from, name }) => `alter table ${quoted(from)} drop constraint ${quoted(name)}`),
    ...tables.map(({ name, isTenant }) => {
      const table = literal(quoted(name));
      if (!isTenant) return `select create_reference_table(${table})`;
      const beside = name === anchor!.name ? `shard_count => ${shards}` : `colocate_with => ${literal(quoted(anchor!.name))}`;
      return `select create_distributed_table(${table}, 'organization_id', ${beside})`;
    }),
    ...again.map(({ from, name, definition }) => `alter table ${quoted(from)} add constraint ${quoted(name)} ${definition}`),
  ];
}

/** The tables that are not distributed yet: copied tables first, then each table after those that it refers to. */
function waiting({ tables, keys }: Catalogue): Table[] {
  const copied = copiedTables.flatMap((name) => tables.find((one) => one.name === name) ?? []);
  const ordered = new Set<Table>(copied);
  const add = (table: Table, above: readonly Table[] = []) => {
    if (ordered.has(table) || above.includes(table)) return;
    for (const { to } of keys.filter(({ from }) => from === table.name))
      add(tables.find(({ name }) => name === to)!, [...above, table]);
    ordered.add(table);
  };
  for (const table of tables) if (table.isTenant) add(table);
  return [...ordered].filter((table) => !table.isSpread);
}

const quoted = (name: string): string => pg.escapeIdentifier(name);
const literal = (text: string): string => pg.escapeLiteral(text);

// --- the catalogue ---

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const spread = await spreadTables(client);
  const tables = await client.query(
    `select c.relname as name, c.relname <> all($1) and exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped) as tenant
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    [copiedTables],
  );
  const keys = await client.query(
    `select k.conname as name, c.relname as from, t.relname as to, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = 'public'::regnamespace order by 2, 1`,
  );
  const functions = await client.query(
    `select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by p.oid`,
  );
  return {
    tables: tables.rows.map(({ name, tenant }) => ({ name, isTenant: tenant, isSpread: spread.includes(name) })),
    keys: keys.rows,
    functions: functions.rows.map(({ name }) => name),
  };
}

async function spreadTables(client: pg.ClientBase): Promise<string[]> {
  if (!(await hasExtension(client))) return [];
  const { rows } = await client.query(
    "select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid",
  );
  return rows.map(({ name }) => name);
}

async function hasExtension(client: pg.ClientBase): Promise<boolean> {
  return (await client.query("select from pg_extension where extname = 'citus'")).rowCount === 1;
}

// --- what is missing ---

/** Says what is missing, and how to get it. */
export const refuseWithoutCluster = (url: string): Promise<void> =>
  withClient(url, application, async (client) => {
    if (!(await hasExtension(client))) {
      const { rowCount } = await client.query("select from pg_available_extensions where name = 'citus'");
      throw new Error(rowCount === 0 ? notInstalled : notCreated);
    }
    const { rows } = await client.query("select count(*) from pg_dist_node where noderole = 'primary' and shouldhaveshards");
    if (Number(rows[0].count) === 0) throw new Error(noWorkers);
  });

const addNodes = "select citus_add_node('worker-1.example', 5432)";
const inEach = "run `create extension citus` in the database of this name on each of them";
const notInstalled = `The PostgreSQL of DATABASE_URL has no Citus, so its tables stay on one server. To spread them:
  1. Install Citus on this server, the coordinator, and on every worker: https://docs.citusdata.com
  2. Put citus first in shared_preload_libraries of each, restart them, and ${inEach}.
  3. On the coordinator name the workers, one by one: \`${addNodes}\`.
Then run \`headwater distribute\` again. Nothing was changed.`;
const notCreated = `Citus is installed on this server, but not in this database: ${inEach}, name the workers on the coordinator (\`${addNodes}\`), and run \`headwater distribute\` again. Nothing was changed.`;
const noWorkers = `No server of the cluster takes shards: name the workers on the coordinator (\`${addNodes}\`), and run \`headwater distribute\` again. Nothing was changed.`;
