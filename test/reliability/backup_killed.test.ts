// `kill -9` in the middle of a backup and of a restore: there is a whole one or none, and the next try works.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { createDatabase } from "../support/database.ts";
import { organization } from "../support/given.ts";
import { command, dataDir, launch, until } from "../support/processes.ts";
import { service } from "../support/service.ts";

/** Runs a command, and kills it while it waits for a table in its middle, which somebody else holds. */
async function killed(args: string[], env: Record<string, string>): Promise<void> {
  const holder = new pg.Client({ connectionString: env.DATABASE_URL });
  await holder.connect();
  await holder.query("begin; lock table opportunity in access exclusive mode");
  const child = launch(args, env);
  let said = "";
  child.stderr!.on("data", (text) => (said += text));
  const watcher = new pg.Client({ connectionString: env.DATABASE_URL });
  await watcher.connect();
  const waits =
    "select 1 from pg_stat_activity where application_name = $1 and datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => {
    assert.equal(child.exitCode, null, said);
    return (await watcher.query(waits, [`headwater ${args[0]}`])).rowCount !== 0;
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  await holder.query("rollback");
  await Promise.all([holder.end(), watcher.end()]);
}

test("after a backup and a restore were killed in the middle, the next ones are whole", async (t) => {
  const acme = await organization(await service());
  const deal = await acme.opportunity();
  const archive = join(dataDir(), "all.tar");
  const from = { DATABASE_URL: acme.service.databaseUrl, DATA_DIR: dataDir() };

  await killed(["backup", archive], from);
  assert.ok(!existsSync(archive), "there is no half of a backup under its name");
  const taken = await command(["backup", archive], from);
  assert.deepEqual([taken.code, existsSync(`${archive}.partial`)], [0, false], taken.err);

  const database = await createDatabase();
  t.after(() => database.drop());
  const to = { ...from, DATABASE_URL: database.url, DATA_DIR: dataDir() };
  await killed(["restore", archive], to);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const count = async (table: string) => (await client.query(`/* a test */ select count(*)::int as n from ${table}`)).rows[0].n;
  assert.deepEqual([await count("organization"), await count("lead")], [0, 0], "nothing of a restore that did not end is there");
  const started = await command(["start"], to);
  assert.match(started.err, /A restore into this database has not ended: run `headwater restore` again/);
  assert.deepEqual([started.code, await count("organization")], [1, 0], "nobody takes it for a new service");
  const restored = await command(["restore", archive], to);
  assert.equal(restored.code, 0, restored.err);
  const { rows } = await client.query("/* a test */ select id from opportunity where id = $1", [deal.id]);
  assert.equal(rows.length, 1);
  await client.end();
});
