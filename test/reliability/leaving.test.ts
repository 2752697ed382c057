// When a client disconnects, its work stops: the database does not work for nobody.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { organization, type Workspace } from "../support/given.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let acme: Workspace;
let lead: { id: string };
let holder: pg.Client;
let watcher: pg.Client;

before(async () => {
  service = await startService();
  acme = await organization(service);
  lead = await acme.lead({ name: "Acme", contacts: [{ name: "Anna" }] });
  holder = new pg.Client({ connectionString: service.databaseUrl });
  watcher = new pg.Client({ connectionString: service.databaseUrl });
  await Promise.all([holder.connect(), watcher.connect()]);
});
after(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await service.close();
});

const everyLead = { query: { type: "object_type", object_type: "lead" }, include_counts: true, sort: "name" };
const reads: [string, string, unknown?][] = [
  ["GET", "/lead/?name__in=a,b&_count=exact"],
  ["GET", "/lead/?_skip=2000"],
  ["POST", "/data/search/", everyLead],
  ["POST", "/report/sales/", {}],
];

/** Sends a request over its own connection, which `leave` breaks. The status is null for a client that has left. */
function ask([method, path, body]: (typeof reads)[number], url = service.url) {
  const headers = { authorization: `Bearer ${acme.key}`, "content-type": "application/json" };
  const asked = request(`${url}/api/v1${path}`, { method, headers, agent: false });
  const status = once(asked, "response").then(
    ([answer]) => answer.resume().statusCode as number,
    () => null,
  );
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  return { status, leave: () => asked.destroy() };
}

/** During `work`, every read of leads and deals takes as long as the test wants. */
async function held(work: () => Promise<void>): Promise<void> {
  await holder.query("begin");
  await holder.query("lock table lead, opportunity in access exclusive mode");
  try {
    await work();
  } finally {
    await holder.query("commit");
  }
}

const atWork = async (): Promise<number> => {
  const { rows } = await watcher.query(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].count;
};

async function until(holds: () => Promise<boolean> | boolean, seconds = 20): Promise<void> {
  for (const limit = Date.now() + seconds * 1000; !(await holds()); await sleep(20))
    if (Date.now() > limit) assert.fail(`it did not happen within ${seconds} seconds`);
}

test("the query of a client that left is cancelled within a second", async () => {
  for (const read of reads)
    await held(async () => {
      const { status, leave } = ask(read);
      await until(async () => (await atWork()) > 0);

      leave();

      // The locks that the queries wait for would time out after five seconds.
      await until(async () => (await atWork()) === 0, 4);
      await status;
    });
  for (const [method, path, body] of reads) assert.equal((await acme.ask(method, path, { body })).status, 200);
});

test("a query goes with the request that was told it takes too long", async () => {
  const hasty = await startService({ databaseUrl: service.databaseUrl, gate: { deadlineSeconds: 1 } });
  try {
    await held(async () => {
      const { status } = ask(reads[0]!, hasty.url);
      await until(async () => (await atWork()) > 0);

      assert.equal(await status, 503);

      await until(async () => (await atWork()) === 0, 4);
    });
  } finally {
    await hasty.close();
  }
});

test("what waits for its turn is dropped with whoever asked for it, and nobody else's is", async () => {
  const stays: ReturnType<typeof ask>[] = [];
  await held(async () => {
    const leaves = Array.from({ length: 40 }, (_, i) => ask(reads[i % reads.length]!));
    await until(() => service.app.db.usage().waiting > 0);
    stays.push(ask(reads[1]!), ask(["PUT", `/lead/${lead.id}/`, { name: "Stays" }]));

    for (const { leave } of leaves) leave();

    await until(() => service.app.db.usage().waiting === 0, 4);
    await Promise.all(leaves.map(({ status }) => status));
  });

  for (const { status } of stays) assert.equal(await status, 200);
});
