// The database goes down and comes back: the service reports it, and continues by itself.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startEmbedded } from "../../src/db/embedded/index.ts";
import { migrate } from "../../src/db/migrate.ts";
import { organization, type Workspace } from "../support/given.ts";
import { type Service, startService } from "../support/service.ts";

// A part of the time limit is slack for the machine that runs the tests, on which others work too.
const roomMs = 2000;

test("while the database is down requests are answered 503 within two seconds, and afterwards as before", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-down-"));
  chmodSync(dataDir, 0o711);
  let database = await startEmbedded({ dataDir, settings: { fsync: "off" } });
  await migrate(database.url);
  const service = await startService({ databaseUrl: database.url });
  try {
    const acme = await organization(service);
    const lead = await acme.lead();
    const key = { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` };
    const ask = (method: string, path: string) =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { ...key, "content-type": "application/json" },
        body: method === "POST" ? "{}" : undefined,
      });

    await database.stop();
    const begun = performance.now();
    const answers = await Promise.all([
      ask("GET", `/api/v1/lead/${lead.id}/`),
      ask("GET", "/api/v1/lead/?name=x"),
      ask("POST", "/api/v1/lead/"),
      ask("GET", "/readyz"),
    ]);
    const took = performance.now() - begun;

    for (const answer of answers) assert.equal(answer.status, 503, answer.url);
    assert.ok(took < 2000 + roomMs, `answered within two seconds, not ${took}`);
    assert.equal((await ask("GET", "/healthz")).status, 200);
    for (const answer of answers.slice(0, 3)) {
      assert.ok(answer.headers.get("retry-after"));
      assert.deepEqual(Object.keys((await answer.json()) as object), ["error", "field-errors"]);
    }

    database = await startEmbedded({ dataDir, settings: { fsync: "off" } });
    let answer = await ask("GET", `/api/v1/lead/${lead.id}/`);
    for (let i = 0; i < 400 && answer.status !== 200; i++) {
      await sleep(100);
      answer = await ask("GET", `/api/v1/lead/${lead.id}/`);
    }
    assert.equal(answer.status, 200);
    assert.equal((await ask("POST", "/api/v1/lead/")).status, 201);
    assert.equal(service.app.db.usage().waiting, 0);
  } finally {
    await service.close();
    await database.stop();
    for (const place of [dirname(database.directory), dataDir]) rmSync(place, { recursive: true, force: true });
  }
});

/** A service on its own database, which a test may stop: its processes stay, but do not respond until they are continued. */
async function onItsOwnDatabase(test: (service: Service, acme: Workspace, database: Stoppable) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-silent-"));
  chmodSync(dataDir, 0o711);
  const database = await startEmbedded({ dataDir, settings: { fsync: "off" } });
  const signal = (name: NodeJS.Signals) => processesOf(database.directory).forEach((pid) => process.kill(pid, name));
  const stoppable = { url: database.url, stop: () => signal("SIGSTOP"), wake: () => signal("SIGCONT") };
  await migrate(database.url);
  const service = await startService({ databaseUrl: database.url });
  try {
    await test(service, await organization(service), stoppable);
  } finally {
    stoppable.wake();
    await service.close();
    await database.stop();
    for (const place of [dirname(database.directory), dataDir]) rmSync(place, { recursive: true, force: true });
  }
}

interface Stoppable {
  url: string;
  stop(): void;
  wake(): void;
}

/** The server and its child processes. The server is stopped first, so that it starts no more of them. */
function processesOf(directory: string): number[] {
  const server = Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [server, ...children.map(Number)];
}

test("while the database says nothing every request is answered 503 within two seconds, and afterwards as before", async () => {
  await onItsOwnDatabase(async (service, acme, database) => {
    const lead = await acme.lead({ name: "Silence" });
    const headers = { authorization: `Bearer ${acme.key}`, "content-type": "application/json" };
    const ask = (method: string, path: string, body?: unknown) =>
      fetch(`${service.url}/api/v1${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const requests: [string, string, unknown?][] = [
      ["GET", `/lead/${lead.id}/`],
      ["GET", "/lead/"],
      ["GET", "/lead/?query=silence"],
      ["GET", "/lead/?name__in=a,b&_count=exact"],
      ["POST", "/data/search/", { query: { type: "object_type", object_type: "lead" }, include_counts: true }],
      ["POST", "/report/activity/", {}],
      ["POST", "/lead/", { name: "Never said" }],
      ["PUT", `/lead/${lead.id}/`, { name: "Changed" }],
      ["POST", "/lead/", {}],
    ];
    const askAll = () =>
      Promise.all(
        [...requests, ...requests, ...requests].map(async ([method, path, body]) => {
          const begun = performance.now();
          const { status } = await ask(method, path, body);
          return { what: `${method} ${path}`, status, ms: performance.now() - begun };
        }),
      );
    for (const { what, status } of await askAll()) assert.ok(status < 300, `${what}: ${status}`);

    database.stop();
    for (const when of ["at first", "later"]) {
      for (const { what, status, ms } of await askAll()) {
        assert.equal(status, 503, `${what} ${when}`);
        assert.ok(ms < 2000 + roomMs, `${what} ${when} took ${ms} ms`);
      }
    }
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);

    database.wake();
    for (let i = 0; i < 400 && (await ask("GET", "/lead/")).status !== 200; i++) await sleep(100);
    for (let round = 0; round < 3; round++)
      for (const { what, status } of await askAll()) assert.ok(status < 300, `${what} afterwards: ${status}`);
    assert.equal(service.app.db.usage().waiting, 0);
    for (const { id, name } of await acme.all("/lead/"))
      assert.equal((await acme.events(id)).filter((one) => one.action === "created").length, 1, `${name} has its event`);
  });
});

test("what the database is at goes on for as long as it takes, while it answers others", async () => {
  await onItsOwnDatabase(async (_service, acme, database) => {
    const lead = await acme.lead();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin");
    await other.query("select from lead where id = $1 for update", [lead.id]);

    const changed = acme.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Patience" } });
    await sleep(3500);
    await other.query("commit");

    assert.equal((await changed).status, 200);
    await other.end();
  });
});
