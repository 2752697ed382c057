// An upgrade while the service is used: the release before goes on on the database that the new one migrates, and nobody is refused.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { listMigrations, migrate, migrationsFolder } from "../../src/db/migrate.ts";
import { withClient } from "../../src/db/one_client.ts";
import { createBlankDatabase } from "../support/database.ts";
import { startLoad } from "../support/load.ts";
import { command, dataDir, launch, start, startAt, until } from "../support/processes.ts";
import { releaseBefore } from "../support/release_before.ts";

/** The release after this one: a column, a table and two indexes more. */
async function releaseAfter(folder: string): Promise<URL> {
  const path = join(folder, "release-after");
  mkdirSync(path);
  cpSync(migrationsFolder, path, { recursive: true });
  const number = (await listMigrations()).length + 1;
  const file = (later: number, name: string, text: string) =>
    writeFileSync(join(path, `${String(number + later).padStart(4, "0")}_${name}.sql`), text);
  file(
    0,
    "vehicles",
    `alter table lead add column vehicles integer not null default 0;
     alter table event add column vehicle_id text;
     create table vehicle (organization_id text collate "C" not null references organization (id), id text collate "C" not null, primary key (organization_id, id));
     call tenant_table('vehicle');`,
  );
  file(
    1,
    "lead_vehicles",
    `-- concurrently
     create index concurrently lead_vehicles_idx on lead (organization_id, vehicles);
     create index concurrently event_vehicle_idx on event (organization_id, vehicle_id) where vehicle_id is not null;`,
  );
  return pathToFileURL(`${path}/`);
}

test("an upgrade under load refuses no request: the API and the worker of before go on beside the new ones, and so they do beside the next", async (t) => {
  const folder = dataDir();
  const before = releaseBefore(folder);
  t.diagnostic(`the release before is ${before.name}, with ${before.migrations} migrations`);
  const url = await createBlankDatabase();
  await migrate(url, { count: before.migrations });
  const key = "the-key-of-an-upgrade-under-load";
  const env = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT: "off",
    SHUTDOWN_DELAY_SECONDS: "1",
  };
  const old = await startAt(before.main, env, "api");
  const oldWorker = launch(["worker"], env, before.main);
  const places = [old.url];
  let turn = 0;
  const load = startLoad(() => places[turn++ % places.length]!, key);
  await load.answered(100);

  const migrated = await command(["migrate"], env);
  await load.answered(100);
  const fresh = await start(env, "api");
  const worker = launch(["worker"], env);
  places.push(fresh.url);
  await load.answered(150);
  places.shift();
  oldWorker.kill("SIGTERM");
  assert.equal(await old.stop(), 0);
  const applied = await migrate(url, { folder: await releaseAfter(folder) });
  await load.answered(100);
  const { requests, created, failures, repeated } = await load.end();
  t.diagnostic(`${requests} requests, ${repeated} of them asked twice`);

  assert.deepEqual(failures, []);
  assert.equal(migrated.code, 0, migrated.err);
  assert.equal(applied.length, 2);
  const { rows } = await withClient(url, "test", (client) =>
    client.query(`select count(*)::int as leads, (select count(*)::int from pg_index where not indisvalid) as broken from lead`),
  );
  assert.deepEqual(rows, [{ leads: created.length, broken: 0 }]);
  // What the old worker did not do, the new one does.
  await until(async () => (await waitingJobs(url)) === 0);
  worker.kill("SIGTERM");
  await fresh.stop();
});

const waitingJobs = async (url: string): Promise<number> => {
  const { rows } = await withClient(url, "test", (client) =>
    client.query("select count(*)::int as n from job where state = 'ready'"),
  );
  return rows[0].n;
};
