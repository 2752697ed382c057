// More load than the service can carry: long work waits or is refused, and everything else is served as usual.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { organization, type Workspace } from "../support/given.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let acme: Workspace;
let lead: { id: string };
let holder: pg.Client;

before(async () => {
  service = await startService({ gate: { budgetMs: 300 } });
  acme = await organization(service);
  lead = await acme.lead({ name: "Acme" });
  holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
});
after(async () => {
  await holder.end();
  await service.close();
});

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; retryAfter: string | null }> {
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
}

const everyProject = { query: { type: "object_type", object_type: "project" }, include_counts: true };
const heavy: [string, string, unknown?][] = [
  ["POST", "/data/search/", { ...everyProject, sort: "name" }],
  ["POST", "/data/search/", everyProject],
  ["GET", "/project/?_count=exact"],
  ["GET", "/project/?name__in=a,b"],
  ["GET", "/project/?_skip=2000"],
];

test("however many reads take long, writes and plain reads are served, and what does not fit is refused soon", async () => {
  // Every read of a project takes as long as the test wants, and keeps its connection.
  await holder.query("begin");
  await holder.query("lock table project in access exclusive mode");
  const answers: { status: number; retryAfter: string | null }[] = [];
  const asked = Array.from({ length: 300 }, async (_, i) => {
    const [method, path, body] = heavy[i % heavy.length]!;
    answers.push(await ask(method, path, body));
  });

  for (let i = 0; i < 5; i++) {
    assert.equal((await ask("POST", "/lead/", { name: `Beside ${i}` })).status, 201);
    assert.equal((await ask("PUT", `/lead/${lead.id}/`, { name: `Acme ${i}` })).status, 200);
    assert.equal((await ask("GET", `/lead/${lead.id}/`)).status, 200);
    assert.equal((await ask("GET", "/lead/")).status, 200);
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  }
  // Requests that wait for the lock time out after five seconds. Most are refused before.
  for (let i = 0; i < 200 && answers.length < 250; i++) await sleep(20);
  const refused = answers.slice();
  await holder.query("commit");
  await Promise.all(asked);

  assert.ok(refused.length >= 250, `${refused.length} of 300 were refused`);
  for (const { status, retryAfter } of refused) {
    assert.equal(status, 503);
    assert.ok(retryAfter);
  }
  for (const [method, path, body] of heavy) assert.equal((await ask(method, path, body)).status, 200, `${path} afterwards`);
  assert.equal(service.app.db.usage().waiting, 0);
});
