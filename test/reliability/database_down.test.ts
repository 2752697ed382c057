// The database goes away and comes back: the service says so, and goes on by itself.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbedded } from "../../src/db/embedded/index.ts";
import { migrate } from "../../src/db/migrate.ts";
import { organization } from "../support/given.ts";
import { startService } from "../support/service.ts";

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
    assert.ok(took < 2000, `answered within two seconds, not ${took}`);
    assert.equal((await ask("GET", "/healthz")).status, 200);
    for (const answer of answers.slice(0, 3)) {
      assert.ok(answer.headers.get("retry-after"));
      assert.deepEqual(Object.keys((await answer.json()) as object), ["error", "field-errors"]);
    }

    database = await startEmbedded({ dataDir, settings: { fsync: "off" } });
    let answer = await ask("GET", `/api/v1/lead/${lead.id}/`);
    for (let i = 0; i < 40 && answer.status !== 200; i++) {
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
