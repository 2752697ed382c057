// A backup taken while the service works, and a service on what was restored from it.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "../../test/support/client.ts";
import { createDatabase } from "../../test/support/database.ts";
import { settled } from "../../test/support/feed.ts";
import { organization, Workspace } from "../../test/support/given.ts";
import { outboundService } from "../../test/support/outbound.ts";
import { command } from "../../test/support/processes.ts";
import { receiver } from "../../test/support/receiver.ts";
import { startService, testSecretKey } from "../../test/support/service.ts";
import { startMailServer } from "../../test/support/smtp.ts";
import { drained, subscribe } from "../../test/support/webhooks.ts";
import { openSecrets } from "../services/secrets.ts";
import { openStorage } from "../services/storage.ts";
import { readArchive } from "./archive.ts";
import { refuseUnknown, restoreArchive } from "./restore.ts";
import { takeBackup } from "./take.ts";

const folder = await mkdtemp(join(tmpdir(), "headwater-backup-"));
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
  await rm(folder, { recursive: true, force: true });
});
const secrets = openSecrets(testSecretKey);
const env = { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,::1/128" };

const backup = async (ws: Workspace, name: string, key: string | null = testSecretKey) => {
  const path = join(folder, name);
  const { app, databaseUrl: url } = ws.service;
  await takeBackup(path, {
    url,
    storage: app.core.settings.storage,
    secrets,
    key,
    withSecrets: true,
    release: "test",
    organization_id: null,
  });
  return path;
};

/** A service on another database and another folder, with what is in an archive. */
async function restored(ws: Workspace, path: string, withSecrets = true) {
  const database = await createDatabase();
  const filesDir = await mkdtemp(join(tmpdir(), "headwater-restored-"));
  const manifest = await readArchive(path, secrets, {});
  await restoreArchive(async () => path, manifest, { url: database.url, storage: openStorage(filesDir), secrets, withSecrets });
  const there = await startService({ databaseUrl: database.url, filesDir, env });
  closing.push(async () => {
    await there.close();
    await database.drop();
  });
  return new Workspace(there, ws.key, ws.id, ws.userId);
}

test("what was there at the moment of the backup is there again, and readers of the feed and webhooks go on", async () => {
  const acme = await organization(await outboundService());
  const target = await receiver();
  const hook = await subscribe(acme, target);
  const lead = await acme.lead({ name: "Tab\tand \\ and\nline" });
  const file = await acme.post("/file/", { name: "a.txt", content_base64: Buffer.alloc(5_000_000, "x").toString("base64") });
  await drained(acme);
  await settled(acme);
  const before = await acme.get("/event/");

  const path = await backup(acme, "whole");
  const lost = await acme.lead();
  await acme.delete(`/file/${file.id}/`);
  const there = await restored(acme, path);

  assert.equal((await there.get(`/lead/${lead.id}/`)).name, lead.name);
  await there.refused(404, "GET", `/lead/${lost.id}/`);
  assert.equal((await there.ask("GET", `/file/${file.id}/download/`)).text.length, 5_000_000);
  const next = await there.lead();
  await drained(there);
  const after = await there.get(`/event/?_cursor=${encodeURIComponent(before.cursor_previous)}`);
  assert.deepEqual(
    after.data.filter((one: any) => one.event === "lead.created").map((one: any) => one.object_id),
    [next.id],
  );
  assert.deepEqual(target.objects(), [lead.id, next.id], "the event of the lead that is lost was never sent from here");
  assert.equal((await there.get(`/webhook/${hook.id}/`)).status, "active");
});

test("mail that was due at the backup may have left since: it is not sent a second time, and what was due later is sent", async () => {
  const mail = await startMailServer();
  closing.push(() => mail.close());
  const acme = await organization(await outboundService());
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: mail.smtp });
  const { id: lead_id } = await acme.lead();
  const write = (to: string, more: object) =>
    acme.post("/activity/email/", { lead_id, to: [to], subject: "Our offer", body_text: "Dear Ann", ...more });
  const due = await write("ann@client.example", { status: "outbox" });
  const later = await write("bob@client.example", { status: "scheduled", date_scheduled: "2040-01-02T10:00:00Z" });

  const there = await restored(acme, await backup(acme, "outbox"));
  there.service.clock.now = new Date("2040-01-02T10:00:01Z");
  await drained(there);

  const doubtful = await there.get(`/activity/email/${due.id}/`);
  assert.equal(doubtful.status, "error");
  assert.match(doubtful.send_attempts[0].error_message, /It may have been sent to ann@client.example/);
  assert.equal((await there.get(`/activity/email/${later.id}/`)).status, "sent");
  assert.deepEqual(
    mail.received.flatMap(({ recipients }) => recipients),
    ["bob@client.example"],
  );
});

test("after a restore people sign in again, keys of after the backup are dead, and a request may be repeated under its key", async () => {
  const acme = await organization(await outboundService());
  const path = await backup(acme, "keys");
  const newer = await acme.post("/api_key/", { name: "After the backup", scopes: ["read"] });
  const ask = (ws: Workspace) => ws.post("/lead/", { name: "Repeated" }, { "idempotency-key": "import-7" });
  const lost = await ask(acme);

  const there = await restored(acme, path);

  const again = await ask(there);
  assert.notEqual(again.id, lost.id, "the lead of after the backup is gone, so it is created");
  assert.equal((await new Client(there.service, newer.key).ask("GET", "/me/")).status, 401);
  const rows = await there.service.app.db.unscoped({ text: "/* a test */ select count(*) from session", values: [] });
  assert.deepEqual(rows, [["0"]]);
});

test("without its secrets, a webhook waits with a new signing key for whoever activates it", async () => {
  const acme = await organization(await outboundService());
  const hook = await subscribe(acme, await receiver());

  const there = await restored(acme, await backup(acme, "sealed"), false);

  const again = await there.get(`/webhook/${hook.id}/`);
  assert.deepEqual([again.status, again.pause_reason], ["paused", "api"]);
  assert.equal((await there.put(`/webhook/${hook.id}/`, { status: "active" })).status, "active");
});

test("an archive that is cut off, changed, or of a newer release is refused", async () => {
  const acme = await organization(await outboundService());
  await acme.lead({ name: "A lead of the archive" });
  const path = await backup(acme, "good");
  const changed = async (name: string, change: (bytes: Buffer) => Buffer) => {
    const other = join(folder, name);
    await writeFile(other, change(await readFile(path)));
    return readArchive(other, secrets, { head: refuseUnknown });
  };
  const replaced = (from: string, to: string) => (bytes: Buffer) => {
    const at = bytes.indexOf(from);
    assert.ok(at > 0);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + from.length)]);
  };

  for (const share of [0, 0.01, 0.5, 0.99])
    await assert.rejects(
      changed("cut", (bytes) => bytes.subarray(0, bytes.length * share)),
      /cut off|ends too early|no (whole )?archive/,
    );
  await assert.rejects(
    changed("noise", () => Buffer.alloc(100, "noise")),
    /This is no archive of Headwater/,
  );
  await assert.rejects(
    changed("longer", (bytes) => Buffer.concat([bytes, Buffer.from("appended")])),
    /something comes after its end/,
  );
  await assert.rejects(
    changed("forged", replaced("A lead of the archive", "A lead of somebody.. ")),
    /the table \w+ is not what/,
  );
  await assert.rejects(
    changed("hash", replaced('"sha256": "', '"sha256": "0').bind(null)),
    /cannot be read|too early|no (whole )?archive/,
  );
  await assert.rejects(
    changed("signed", replaced('"missing": {\n        "count": 0', '"missing": {\n        "count": 7')),
    /not the one that was signed/,
  );
  const forgedWhole = replaced('"missing": {\n        "count": 0', '"missing": {\n        "count": 7');
  const withoutOurs = async (bytes: Buffer) => {
    await writeFile(join(folder, "forged-whole"), bytes);
    return readArchive(join(folder, "forged-whole"), null, {});
  };
  await assert.rejects(withoutOurs(forgedWhole(await readFile(path))), /not the one that was signed/, "by the key in it");
  const ids = [`"signed_by": "${secrets.key_id}"`, '"signed_by": "another8"'] as const;
  const disowned = Buffer.from((await readFile(path)).toString("latin1").replaceAll(...ids), "latin1");
  await assert.rejects(withoutOurs(disowned), /not the one that was signed/, "what sealed it has signed it");
  await assert.rejects(changed("newer", replaced('"format_version": 1', '"format_version": 9')), /of a newer release/);
  await assert.rejects(takeAgain(acme, path), /is there already: an archive takes nothing's place/);
  await assert.rejects(backup(acme, "nowhere/good"), /There is no folder for .*: make it first/);
  const manifest = await readArchive(path, secrets, {});
  const { databaseUrl: url, app } = acme.service;
  await assert.rejects(
    restoreArchive(async () => path, manifest, { url, storage: app.core.settings.storage, secrets, withSecrets: true }),
    /not empty/,
  );
});

test("verify says when nobody here has the key that signed an archive, and checks it with a key from anywhere", async () => {
  const acme = await organization(await outboundService());
  const [alone, withKey] = [await backup(acme, "alone", null), await backup(acme, "with-key")];
  const verify = (path: string, SECRET_KEY = "") => command(["verify", path], { DATA_DIR: join(folder, "nobody"), SECRET_KEY });

  const unchecked = await verify(alone);
  const [checked, byItsOwn] = [await verify(alone, testSecretKey), await verify(withKey)];

  assert.equal(unchecked.code, 0);
  assert.match(
    unchecked.err,
    new RegExp(`signature was not checked: the key that signed it \\(${secrets.key_id}\\) is not here`),
  );
  for (const { code, err } of [checked, byItsOwn]) assert.deepEqual([code, err], [0, ""]);
});

const takeAgain = async (ws: Workspace, path: string) => backup(ws, path.slice(folder.length + 1));
