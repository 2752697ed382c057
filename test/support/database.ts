// Gives every test process a database of its own: a clone of a migrated template, which takes about a tenth of a second. On a
// cluster (`TEST_CITUS_NODES` names the workers beside the coordinator of TEST_DATABASE_URL) it is built and distributed each
// time.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after } from "node:test";
import pg from "pg";
import { distribute } from "../../src/db/distribute.ts";
import { listMigrations, migrate, migrationsFolder } from "../../src/db/migrate.ts";

/** Creates a database for this process and returns its URL. `npm test` sets TEST_DATABASE_URL. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined)
    throw new Error("TEST_DATABASE_URL is not set: run the tests with `npm test`, which starts a database for them");
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const workers = workersOf(server);
  if (workers.length > 0) await createSpread(server, workers, name);
  else {
    const template = await ensureTemplate(server);
    await withClient(server, (client) => clone(client, name, template));
  }
  return {
    url: on(server, name),
    async drop() {
      for (const one of [server, ...workers])
        await withClient(one, async (client) => void (await client.query(`drop database if exists ${name} with (force)`)));
    },
  };
}

/** One without tables, which goes with the tests. */
export async function createBlankDatabase(): Promise<string> {
  const server = process.env.TEST_DATABASE_URL!;
  const name = `blank_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  await withClient(server, async (client) => void (await client.query(`create database ${name}`)));
  after(() => withClient(server, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))));
  return on(server, name);
}

/** Each `host:port` of TEST_CITUS_NODES as a URL like the coordinator's. */
function workersOf(coordinator: string): string[] {
  const nodes = process.env.TEST_CITUS_NODES?.split(",") ?? [];
  return nodes.map((host) => Object.assign(new URL(coordinator), { host: host.trim() }).href);
}

/** Enough to have organizations on every worker. More shards make tests slower. */
const shards = 4;

async function createSpread(coordinator: string, workers: readonly string[], name: string): Promise<void> {
  for (const server of [coordinator, ...workers]) {
    await withClient(server, async (client) => void (await client.query(`create database ${name}`)));
    await withClient(on(server, name), async (client) => void (await client.query("create extension citus")));
  }
  await withClient(on(coordinator, name), async (client) => {
    const place = (server: string) => [new URL(server).hostname, Number(new URL(server).port || 5432)];
    await client.query("select citus_set_coordinator_host($1, $2)", place(coordinator));
    for (const worker of workers) await client.query("select citus_add_node($1, $2)", place(worker));
  });
  await migrate(on(coordinator, name));
  await distribute(on(coordinator, name), shards);
}

// The template's name contains a hash of the migrations, so that an old one is never used.
async function ensureTemplate(server: string): Promise<string> {
  const hash = createHash("sha256");
  for (const { file } of await listMigrations()) hash.update(await readFile(new URL(file, migrationsFolder)));
  const name = `template_${hash.digest("hex").slice(0, 16)}`;
  await withClient(server, async (client) => {
    await client.query("select pg_advisory_lock(7241004)");
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return;
    await client.query(`create database ${name}_new`);
    await migrate(on(server, `${name}_new`));
    await client.query(`alter database ${name}_new rename to ${name}`);
  });
  return name;
}

async function clone(client: pg.Client, name: string, template: string): Promise<void> {
  await client.query("select pg_advisory_lock(7241005)");
  await client.query(`create database ${name} template ${template}`);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function on(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
