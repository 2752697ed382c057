import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase } from "../../test/support/database.ts";
import { organization } from "../../test/support/given.ts";
import { startService } from "../../test/support/service.ts";
import { startEmbedded } from "./embedded/index.ts";
import { Progress } from "./replica.ts";

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A service with an organization that has sent one e-mail, and the figures of its report. */
async function given(replicaUrl: string) {
  const service = await startService({ env: { DATABASE_REPLICA_URL: replicaUrl } });
  const acme = await organization(service);
  const lead_id = (await acme.lead()).id;
  await acme.post("/activity/email/", { lead_id, status: "sent", to: ["ann@example.com"], body_text: "Hello" });
  const report = async () => {
    const { status, headers, body, text } = await acme.ask("POST", "/report/sent_emails/", { body: {} });
    assert.equal(status, 200, text);
    return { sent: body.sent_email_stats[0].total, as_of: headers.get("x-data-as-of") };
  };
  return { service, report };
}

/** Read from the database itself: current, including the latest write. */
const own = { sent: 1, as_of: null };

describe("with a replica", () => {
  // An empty database plays the replica: what it does not know shows which one was read.
  test("reports are read there and say of when they are, and from the database itself when it goes away", async () => {
    const replica = await createDatabase();
    const { service, report } = await given(replica.url);

    try {
      let answer = await report();
      for (const until = Date.now() + 20_000; answer.as_of === null && Date.now() < until; answer = await report())
        await sleep(50);
      assert.equal(answer.sent, 0);
      assert.ok(Date.now() - Date.parse(answer.as_of!) < 10_000, answer.as_of!);

      await replica.drop();
      assert.deepEqual(await report(), own);
    } finally {
      await service.close();
    }
  });

  test("that was never there, reports are read from the database itself", async () => {
    const { service, report } = await given("postgres://nobody@127.0.0.1:1/nothing");

    try {
      assert.deepEqual(await report(), own);
    } finally {
      await service.close();
    }
  });

  test("that has not come so far, reports are read from the database itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "headwater-behind-"));
    folders.push(folder);
    chmodSync(folder, 0o711); // when run as root, the server's own user must be able to enter it
    const behind = await startEmbedded({ dataDir: folder });
    folders.push(dirname(behind.directory));
    const { service, report } = await given(behind.url);

    try {
      await sleep(2500);
      assert.deepEqual(await report(), own);
    } finally {
      await service.close();
      await behind.stop();
    }
  });
});

test("a replica shows what was written until the last moment whose place in the log it has reached", () => {
  const progress = new Progress();
  progress.wrote("0/FFFFFFF0", 1000);
  progress.wrote("1/10", 2000);
  progress.wrote("1/10", 3000);
  progress.wrote("1/20", 4000);

  assert.equal(progress.shows("0/FFFFFFEF"), null);
  assert.equal(progress.shows("0/FFFFFFFF"), 1000);
  assert.equal(progress.shows("1/1F"), 3000);
  assert.equal(progress.shows("1/1F"), 3000);
  assert.equal(progress.shows("2/0"), 4000);
});
