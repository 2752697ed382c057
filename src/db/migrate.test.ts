import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { createDatabase } from "../../test/support/database.ts";
import { listMigrations, migrate, migrationsFolder } from "./migrate.ts";
import { withClient } from "./one_client.ts";

test("a release starts on what a newer one has only added, not on what it has taken away or where it went another way; these are told apart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-migrations-"));
  const { url, drop } = await createDatabase();
  const files = (await listMigrations()).map(({ file }) => file);
  const release = async (names: readonly string[]) => {
    const path = await mkdtemp(join(folder, "release-"));
    const textOf = (name: string) => (name.endsWith("_smaller.sql") ? "-- contracts: the doors\nselect" : "select");
    await Promise.all(names.map((name) => writeFile(join(path, name), textOf(name))));
    return migrate(url, { folder: pathToFileURL(`${path}/`) });
  };
  const later = (by: number, name: string) => `${String(files.length + by).padStart(4, "0")}_${name}.sql`;
  const [next, smaller] = [later(1, "vehicles"), later(2, "smaller")];

  assert.deepEqual(await release(files), []);
  assert.deepEqual(await release(files.slice(0, -1)), []);
  await assert.rejects(release(files.with(1, "0002_keys.sql")), {
    message: /0002_access\.sql, where this release has 0002_keys\.sql\): use an empty database/,
  });
  assert.deepEqual(await release([...files, next]), [next]);
  assert.deepEqual(await release(files), []);
  assert.deepEqual(await release([...files, next, smaller]), [smaller]);
  await assert.rejects(release(files), {
    message: /is at version \d+, and this release knows .*_smaller\.sql has taken away .*\(the doors\)\. Use a newer release/,
  });

  await drop();
  await rm(folder, { recursive: true });
});

/** A release whose migrations are these, after those that are there. */
async function releaseWith(migrations: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-migrations-"));
  await cp(migrationsFolder, folder, { recursive: true });
  let number = (await listMigrations()).length;
  for (const [name, text] of Object.entries(migrations))
    await writeFile(join(folder, `${String(++number).padStart(4, "0")}_${name}.sql`), text);
  return pathToFileURL(`${folder}/`);
}

async function withRelease(
  migrations: Record<string, string>,
  work: (url: string, folder: URL, client: pg.Client) => Promise<void>,
): Promise<void> {
  const [{ url, drop }, folder] = [await createDatabase(), await releaseWith(migrations)];
  try {
    await withClient(url, "test", (client) => work(url, folder, client));
  } finally {
    await drop();
    await rm(folder, { recursive: true });
  }
}

/** Ends the connection of a migration as a kill of its process does, once PostgreSQL is at a statement of it. */
async function killAt(client: pg.Client, statement: string): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'headwater migrate' and state = 'active' and query ~* $1`,
      [statement],
    );
    if (rowCount !== 0) return;
    await sleep(10);
  }
}

test("a migration that is killed in the middle leaves nothing behind, and the next attempt carries it out", async () => {
  const migrations = { vehicles: "create table vehicle (id text); select pg_sleep(0.5); create table wheel (id text);" };
  await withRelease(migrations, async (url, folder, client) => {
    const first = migrate(url, { folder }).catch((error: Error) => error.message);
    await killAt(client, "pg_sleep");

    assert.match(String(await first), /^migrations\/\d+_vehicles\.sql: /);
    const { rows } = await client.query("select to_regclass('vehicle') as made");
    assert.equal(rows[0].made, null);
    assert.equal((await migrate(url, { folder })).length, 1);
    assert.equal((await migrate(url, { folder })).length, 0);
  });
});

test("building indexes concurrently goes on where it was killed: what is whole stays, what is half is built again", async () => {
  const migrations = {
    indexes: `-- concurrently
      create index concurrently first_idx on lead (organization_id, description);
      create unique index concurrently second_idx on lead (organization_id, url, id);
      create index concurrently third_idx on event (organization_id, user_id);
      drop index concurrently lead_gone_idx;`,
  };
  const states = `select c.relname as name, indisvalid as valid, c.oid::int from pg_index join pg_class c on c.oid = indexrelid
    where c.relname ~ '^(first|second|third)_idx' order by 1`;
  await withRelease(migrations, async (url, folder, client) => {
    await client.query("create index lead_gone_idx on lead (organization_id, url)");
    await client.query("create index first_idx on lead (organization_id, description)");
    // Who builds an index waits for those who write, so the kill comes in the middle.
    const writer = await new pg.Pool({ connectionString: url, max: 1 }).connect();
    await writer.query("begin; lock table lead in row exclusive mode");
    const killed = migrate(url, { folder }).catch((error: Error) => error.message);
    let half: { name: string; valid: boolean; oid: number }[] = [];
    while (half.length < 2) half = (await client.query(states)).rows;
    await killAt(client, "second_idx on");
    await writer.query("commit");
    writer.release(true);
    await killed;

    const applied = await migrate(url, { folder });

    const { rows: whole } = await client.query(states);
    assert.equal(applied.length, 1);
    assert.deepEqual(
      half.map(({ valid }) => valid),
      [true, false],
    );
    assert.equal(whole[0].oid, half[0]!.oid);
    assert.ok(whole.length > 3 && whole.every(({ valid }) => valid), JSON.stringify(whole));
    assert.equal((await client.query("select to_regclass('lead_gone_idx') as left")).rows[0].left, null);
  });
});

test("a migration does not make everybody wait behind it for a lock: it lets go, says who holds it, and is tried again", async () => {
  await withRelease({ ages: "alter table lead add column age integer" }, async (url, folder, client) => {
    const said: string[] = [];
    await client.query("begin; select from lead limit 1");
    const migrating = migrate(url, { folder, tell: (line) => said.push(line) });
    while (said.length === 0) await sleep(20);

    await withClient(url, "reader", (other) => other.query("set lock_timeout = '3s'; select from lead limit 1"));
    await client.query("commit");

    assert.equal((await migrating).length, 1);
    assert.match(said[0]!, /^\d+_ages\.sql waits for "test" \(process \d+ of PostgreSQL\), in a transaction for \d+ s, and is/);
  });
});

test("a file of concurrent indexes with anything else in it is refused before it begins", async () => {
  const migrations = { mixed: "-- concurrently\ncreate index concurrently a_idx on lead (id);\nupdate lead set url = null;" };
  await withRelease(migrations, async (url, folder, client) => {
    await assert.rejects(migrate(url, { folder }), /has only "create index concurrently .* and not "update lead/);
    assert.equal((await client.query("select to_regclass('a_idx') as made")).rows[0].made, null);
  });
});
