// PgBouncer in transaction mode between the service and PostgreSQL: each transaction may come to another connection.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withClient } from "../../src/db/one_client.ts";
import { createDatabase } from "../support/database.ts";
import { needProgram, runProgram } from "../support/debian.ts";
import { freePort } from "../support/free_port.ts";
import { startLoad } from "../support/load.ts";
import { command, dataDir, launch, start, until } from "../support/processes.ts";
import { receiver } from "../support/receiver.ts";

const pgbouncer = "/usr/sbin/pgbouncer";
/** As few connections as possible, so that clients meet each other on them. */
const connections = 4;

const configuration = (to: URL, port: number) => `
[databases]
* = host=${to.hostname} port=${to.port} user=${to.username} password=${decodeURIComponent(to.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`;

/** It refuses to run as root. */
const nobody = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};

test("behind a pooler in transaction mode everything works over a few connections, and a DATABASE_URL that leads to it is refused in plain words", async () => {
  needProgram("pgbouncer", pgbouncer);
  const database = await createDatabase();
  const port = await freePort();
  const folder = dataDir();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "pgbouncer.ini"), configuration(new URL(database.url), port));
  const pooler = runProgram(pgbouncer, [join(folder, "pgbouncer.ini")], nobody);
  const through = Object.assign(new URL(database.url), { host: `127.0.0.1:${port}` }).href;
  await until(() => /process up/.test(pooler.said()));
  const key = "the-key-of-those-behind-a-pooler";
  const env = {
    DATABASE_URL: database.url,
    DATABASE_POOLER_URL: through,
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: key,
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    RATE_LIMIT: "off",
  };

  const refused = await command(["api"], { ...env, DATABASE_URL: through });
  const api = await start(env, "api");
  const worker = launch(["worker"], env);
  const hook = await receiver();
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${api.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answer: any = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  };
  await ask("POST", "/webhook/", { url: hook.url, events: [{ object_type: "lead", action: "created" }] });
  const load = startLoad(() => api.url, key);
  await load.answered(300);
  const report = await ask("POST", "/report/aggregate/", { object_type: "lead", group_by: ["status_id"] });
  const { rows: open } = await withClient(database.url, "test", (client) =>
    client.query(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'headwater'",
    ),
  );
  const { failures, created } = await load.end();
  const found = await ask("GET", "/lead/?query=load&_limit=1");
  await until(() => hook.received.length >= created.length);

  assert.equal(refused.code, 1);
  assert.match(refused.err, /^DATABASE_URL leads through a pooler .* DATABASE_POOLER_URL to the pooler/);
  assert.deepEqual(failures, []);
  assert.ok(report && found.data.length === 1);
  // Those of the pooler, and one of each process that asks PostgreSQL itself for a sign of life.
  assert.ok(open[0].n <= connections + 2, `${open[0].n}`);
  assert.deepEqual(new Set(hook.objects()), new Set(created));
  worker.kill("SIGTERM");
  await api.stop();
  await pooler.stop();
  await database.drop();
});
