// A worker that is told to end in the middle of a job, as an operator does it: `headwater worker` and SIGTERM. It finishes the
// job, or gives it back for others to do at once.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import pg from "pg";
import { createDatabase } from "../support/database.ts";
import { dataDir, launch, type Running, start, until } from "../support/processes.ts";
import { type Receiver, receiver } from "../support/receiver.ts";

const key = "a-worker-that-ends-with-a-job";

let database: Awaited<ReturnType<typeof createDatabase>>;
let env: Record<string, string>;
let api: Running;

before(async () => {
  database = await createDatabase();
  env = {
    DATA_DIR: dataDir(),
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT: "off",
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
  };
  api = await start(env, "api");
});
after(async () => {
  await api.stop();
  await database.drop();
});

async function ask(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path} answered ${response.status}`);
  return response.json();
}

/** A receiver that reports its first request, and holds its response until told. */
async function slowReceiver(): Promise<{ slow: Receiver; webhook: any; lead: any; asked: Promise<ServerResponse> }> {
  const asked = Promise.withResolvers<ServerResponse>();
  const slow = await receiver((_received, response) => asked.resolve(response));
  const webhook = await ask("POST", "/webhook/", { url: slow.url, events: ["lead.created"] });
  const lead = await ask("POST", "/lead/", { name: "Acme" });
  return { slow, webhook, lead, asked: asked.promise };
}

const deliveriesOf = async ({ id }: { id: string }) =>
  (await ask("GET", `/webhook/${id}/delivery/`)).data.map((one: any) => [one.status, one.attempt_count]);

/** The existing jobs: their states, and whether they are claimed. */
async function jobs(): Promise<[string, boolean][]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select state, claim is not null as claimed from job");
  await client.end();
  return rows.map(({ state, claimed }) => [state, claimed]);
}

test("what can be finished is finished, once, and nothing new is begun", async () => {
  const { slow, webhook, lead, asked } = await slowReceiver();
  const worker = launch(["worker"], { ...env, SHUTDOWN_GRACE_SECONDS: "60" });
  const ended = once(worker, "exit");
  const response = await asked;

  worker.kill("SIGTERM");
  const later = await ask("POST", "/lead/", { name: "Later" });
  assert.equal(worker.exitCode, null, "it is still at it");
  response.writeHead(200).end();

  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(slow.objects(), [lead.id]);
  assert.deepEqual(await deliveriesOf(webhook), [["succeeded", 1]]);
  slow.answers = 200;
  const next = launch(["worker"], env);
  await until(() => slow.objects().includes(later.id));
  next.kill("SIGTERM");
  assert.deepEqual(await once(next, "exit"), [0, null]);
  assert.deepEqual(slow.objects(), [lead.id, later.id]);
  await ask("DELETE", `/webhook/${webhook.id}/`);
});

test("what takes longer than its grace is given back, and another worker does it at once", async () => {
  const { slow, webhook, lead, asked } = await slowReceiver();
  const worker = launch(["worker"], { ...env, SHUTDOWN_GRACE_SECONDS: "1" });
  const ended = once(worker, "exit");
  await asked;

  worker.kill("SIGTERM");

  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(await jobs(), [["ready", false]]);
  assert.deepEqual(await deliveriesOf(webhook), []);
  slow.answers = 200;
  const next = launch(["worker"], env);
  await until(async () => (await deliveriesOf(webhook)).length > 0);
  next.kill("SIGTERM");
  assert.deepEqual(await once(next, "exit"), [0, null]);
  assert.deepEqual(await deliveriesOf(webhook), [["succeeded", 1]]);
  assert.deepEqual(await jobs(), []);
  // The receiver may already have it. It recognizes the repetition by the id.
  const ids = slow.received.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([slow.objects(), new Set(ids).size], [[lead.id, lead.id], 1]);
});
