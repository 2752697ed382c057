// One workspace leaves with everything that is its own, and comes in elsewhere or as a copy beside itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type pg from "pg";
import { type Forgery, forge } from "../../../test/support/forged_archive.ts";
import { organization, Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { launch, until } from "../../../test/support/processes.ts";
import { receiver } from "../../../test/support/receiver.ts";
import { collectionPath, createdResources, fullRecord, sampleRecord } from "../../../test/support/samples.ts";
import { type Service, startService, testSecretKey } from "../../../test/support/service.ts";
import { startMailServer } from "../../../test/support/smtp.ts";
import { drained, subscribe } from "../../../test/support/webhooks.ts";
import { withClient } from "../../db/one_client.ts";
import { background } from "../../resources/background.ts";
import { writeKey } from "../../resources/organization/found.ts";
import { openSecrets } from "../../services/secrets.ts";
import { openStorage } from "../../services/storage.ts";
import { readArchive } from "../archive.ts";
import type { Manifest } from "../manifest.ts";
import { takeBackup } from "../take.ts";
import { isSecret } from "./archived.ts";
import { restoreOrganization } from "./restore.ts";

const folder = await mkdtemp(join(tmpdir(), "headwater-organization-"));
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
  await rm(folder, { recursive: true, force: true });
});
const secrets = openSecrets(testSecretKey);

async function archive(ws: Workspace, name: string): Promise<{ path: string; manifest: Manifest }> {
  const path = join(folder, name);
  const manifest = await takeBackup(path, {
    url: ws.service.databaseUrl,
    storage: openStorage(ws.service.filesDir),
    secrets,
    key: null,
    withSecrets: false,
    release: "test",
    organization_id: ws.id,
  });
  return { path, manifest };
}

async function elsewhere(): Promise<Service> {
  const there = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,::1/128" } });
  closing.push(() => there.close());
  return there;
}

const kindsOfWork = background.works.map(({ kind }) => kind);
const targetOf = (there: Service) => ({
  url: there.databaseUrl,
  storage: openStorage(there.filesDir),
  secrets,
  kindsOfWork,
});

/** The workspace where an archive was put in, for its first admin. */
async function putIn(there: Service, path: string, newIds = false): Promise<Workspace> {
  const manifest = await readArchive(path, secrets, {});
  const id = await restoreOrganization(async () => path, manifest, targetOf(there), newIds);
  return withClient(there.databaseUrl, "a test", async (client) => {
    const { rows } = await client.query(
      "select user_id from membership where organization_id = $1 and role_id = 'admin' and status = 'active' order by date_created, id limit 1",
      [id],
    );
    const userId = rows[0].user_id;
    const { api_key } = await there.app.db.unscopedTransaction(async (tx) =>
      writeKey(tx, { organizationId: id, userId, name: "test", now: new Date() }),
    );
    return new Workspace(there, api_key, id, userId);
  });
}

/** What differs on purpose, because another service has it. */
const here = new Set([
  "organization.account_id",
  "organization.limit_percent",
  "consumer.cursor_epoch",
  "consumer.cursor_position",
  "consumer.cursor_seq",
  "webhook.cursor_epoch",
  "webhook.cursor_position",
  "webhook.cursor_seq",
  "webhook.status",
  "webhook.pause_reason",
  "webhook.latest_error",
  "webhook.begins_after",
  "notification.system_mail_id",
  "notification.group_key",
  "job.state",
  "job.claim",
  "job.claimed_until",
  "job.due_at",
  "job.failures",
  "sequence.status",
  "sequence_subscription.status",
  "sequence_subscription.status_reason",
  "sequence_subscription.paused_at",
  "sequence_subscription.next_step_at",
  "automation.status",
  "automation_run.status",
  "dialer.status",
  "import.status",
  "import.error",
  "import.date_completed",
  "contact.share_id",
  "contact.shared_at",
]);

/** All rows of a table as text, without what differs on purpose; ids by their first digits, which a copy keeps. */
async function rowsOf(client: pg.Client, table: string, columns: readonly string[], id: string): Promise<string[]> {
  const kept = columns.filter((one) => !here.has(`${table}.${one}`) && !isSecret(table, one) && one !== "rendered");
  const { rows } = await client.query(
    `select row(${kept.map((one) => `"${one}"`).join(", ")})::text as row from "${table}" where organization_id = $1`,
    [id],
  );
  return rows
    .map(({ row }) =>
      row
        .replaceAll(id, "(organization)")
        .replaceAll(id.slice(-8), "(mark)")
        .replaceAll(/([a-z]+)_([0-7][0-9a-z]{13})[0-9a-z]{12}(?![0-9A-Za-z])/g, "$1_$2"),
    )
    .sort();
}

async function assertSameRows(from: Workspace, to: Workspace, { tables }: Manifest): Promise<void> {
  const all = (ws: Workspace, table: string, columns: string[]) =>
    withClient(ws.service.databaseUrl, "a test", (client) => rowsOf(client, table, columns, ws.id), {
      options: "-c timezone=UTC",
    });
  const differences: string[] = [];
  for (const { name, columns } of tables.filter((one) => one.name !== "user")) {
    const [there, here] = [new Set(await all(from, name, columns)), new Set(await all(to, name, columns))];
    for (const row of there) if (!here.has(row)) differences.push(`${name} lost: ${row}`);
    for (const row of here) if (!there.has(row)) differences.push(`${name} new: ${row}`);
  }
  assert.deepEqual(differences, []);
}

test("a workspace with records of every kind is the same elsewhere, and as a copy beside itself, and others stay as they are", async () => {
  const acme = await organization(await outboundService());
  const other = await organization(acme.service);
  const lead = await acme.lead({ name: "Whirlwind\tand \\ and\nline" });
  const theirs = await other.lead({ name: "Nobody else's business" });
  for (const of of createdResources(acme.service.app.core.registry.operations))
    await fullRecord(acme, of, await collectionPath(acme, of)).catch(() => sampleRecord(acme, of));
  const file = await acme.post("/file/", { name: "a.txt", content_base64: Buffer.alloc(5_000_000, "x").toString("base64") });
  const note = await acme.note({ lead_id: lead.id, note: `See ${lead.id} and ${theirs.id}` });
  const field = await acme.customField("lead", { type: "number" });
  await acme.put(`/lead/${lead.id}/`, { [`custom.${field.id}`]: 7 });

  const { path, manifest } = await archive(acme, "whole");
  const bytes = await readFile(path, "latin1");
  const there = await elsewhere();
  await organization(there);
  const moved = await putIn(there, path);
  const copy = await putIn(acme.service, path, true);

  assert.ok(manifest.tables.filter(({ rows }) => rows > 0).length > 50, "records of every kind");
  assert.ok(!bytes.includes(other.id) && !bytes.includes("Nobody else's business"));
  assert.equal(moved.id, acme.id);
  await assertSameRows(acme, moved, manifest);
  await assertSameRows(acme, copy, manifest);
  for (const ws of [moved, copy]) {
    const { data } = await ws.get("/lead/?query=Whirlwind&_fields=_all");
    assert.deepEqual([data[0].name, Object.values(data[0]).includes(7)], [lead.name, true]);
    const [same] = (await ws.get(`/file/?name=a.txt&size=5000000`)).data;
    assert.equal((await ws.ask("GET", `/file/${same.id}/download/`)).text.length, 5_000_000);
    await ws.lead({ name: "After" });
  }
  const copied = (await copy.get("/lead/?query=Whirlwind")).data[0];
  assert.notEqual(copied.id, lead.id);
  const words = (await copy.get(`/activity/note/?lead_id=${copied.id}`)).data[0].note;
  assert.equal(words.split(" ")[1], copied.id, "an id in a text points to the copy");
  assert.equal((await acme.get(`/activity/note/${note.id}/`)).note, note.note);
  assert.deepEqual(
    (await other.get("/lead/")).data.map(({ id }: any) => id),
    [theirs.id],
  );
  await acme.delete(`/file/${file.id}/`);
  await copy.refused(404, "GET", `/lead/${lead.id}/`);
});

test("nothing is sent a second time: what was under way ends as an error that says so, and hooks wait with a new key", async () => {
  const mail = await startMailServer();
  closing.push(() => mail.close());
  const acme = await organization(await outboundService());
  const target = await receiver();
  const hook = await subscribe(acme, target);
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: mail.smtp });
  const { id: lead_id } = await acme.lead();
  const email = await acme.post("/activity/email/", {
    lead_id,
    to: ["ann@client.example"],
    subject: "Our offer",
    body_text: "Hi",
    status: "outbox",
  });

  const there = await elsewhere();
  const moved = await putIn(there, (await archive(acme, "outbox")).path);
  await drained(moved);

  const shown = await moved.get(`/activity/email/${email.id}/`);
  assert.equal(shown.status, "error");
  assert.match(shown.send_attempts[0].error_message, /it may have been done where it came from/);
  assert.deepEqual([mail.received.length, target.objects().length], [0, 0]);
  const waiting = await moved.get(`/webhook/${hook.id}/`);
  assert.deepEqual([waiting.status, waiting.pause_reason], ["paused", "api"]);
  await moved.put(`/webhook/${hook.id}/`, { status: "active" });
  const next = await moved.lead();
  await drained(moved);
  assert.deepEqual(target.objects(), [next.id]);
});

test("members are who they are there by their e-mail addresses", async () => {
  const acme = await organization(await outboundService());
  const { email } = await acme.get("/me/");
  const lead = await acme.lead();
  const there = await elsewhere();
  const theirs = await organization(there);
  await withClient(there.databaseUrl, "a test", (client) =>
    client.query(`update "user" set email = $2, email_key = $2 where id = $1`, [theirs.userId, email]),
  );

  const moved = await putIn(there, (await archive(acme, "members")).path);

  assert.equal(moved.userId, theirs.userId);
  const { created_by } = await moved.get(`/lead/${lead.id}/`);
  assert.equal(created_by, theirs.userId);
  assert.deepEqual((await moved.get("/me/")).organizations.map(({ id }: any) => id).sort(), [acme.id, theirs.id].sort());
});

test("an archive that was cut off or forged, or whose workspace is here already, is refused, and nothing of it stays", async () => {
  const acme = await organization(await outboundService());
  await acme.lead({ name: "A lead of the archive" });
  const { path, manifest } = await archive(acme, "good");
  const there = await elsewhere();
  const bytes = await readFile(path);
  const changedTo = async (change: (bytes: Buffer) => Buffer) => {
    const other = join(folder, "changed");
    await writeFile(other, change(bytes));
    return other;
  };
  const forged = (text: string, by: string) => (all: Buffer) =>
    Buffer.from(all.toString("latin1").replaceAll(text, by), "latin1");

  await assert.rejects(async () => putIn(there, await changedTo((all) => all.subarray(0, all.length / 2))), /ends too early/);
  await assert.rejects(
    async () => putIn(there, await changedTo(forged("A lead of the archive", "A lead of somebody.. "))),
    /is not what/,
  );
  await assert.rejects(
    async () => putIn(there, await changedTo(forged('"missing": {\n        "count": 0', '"missing": {\n        "count": 7'))),
    /not the one that was signed/,
  );
  const target = targetOf(there);
  const newer = { ...manifest, migrations: { ...manifest.migrations, count: manifest.migrations.count + 1 } };
  await assert.rejects(
    restoreOrganization(async () => path, newer, target, false),
    /another release.*restore it into an empty database/,
  );
  await assert.rejects(putIn(acme.service, path), /is here already: use --new-ids/);
  const rows = await withClient(there.databaseUrl, "a test", (client) =>
    client.query("select from organization union all select from lead"),
  );
  assert.equal(rows.rowCount, 0);
});

test("an archive that somebody forged reaches nobody else: no keys, no shares, no members who did not accept, no work", async () => {
  const acme = await organization(await outboundService());
  const { email } = await acme.get("/me/");
  await acme.contact({ name: "Theirs", lead_id: (await acme.lead()).id });
  const there = await elsewhere();
  const bob = await organization(there);
  const shared = await bob.contact({ name: "Ours", lead_id: (await bob.lead()).id });
  await withClient(there.databaseUrl, "a test", async (client) => {
    await client.query(`update "user" set email = $2, email_key = $2 where id = $1`, [bob.userId, email]);
    await client.query("update contact set share_id = 'share_known', shared_at = now() where id = $1", [shared.id]);
  });
  const { path } = await archive(acme, "honest");
  const stranger = openSecrets("the secret key of somebody else's service");
  const putForged = async (changes: Forgery) => {
    const forged = join(folder, "forged");
    await forge(path, forged, changes, stranger);
    return restoreOrganization(async () => forged, await readArchive(forged, secrets, {}), targetOf(there), false);
  };
  const key = { organization_id: acme.id, id: "key_1", user_id: acme.userId, key_hash: "x" };
  const job = {
    organization_id: acme.id,
    kind: "of_nobody",
    object_id: bob.id,
    state: "ready",
    due_at: "2020-01-01",
    lane: "",
    failures: "0",
    crashes: "0",
  };

  await assert.rejects(putForged({ api_key: () => [key] }), /nobody put the table api_key into it/);
  await assert.rejects(putForged({ organization: ([one]) => [one!, { ...one!, id: bob.id }] }), /other organizations/);
  await putForged({
    contact: (rows) => rows.map((row) => ({ ...row, share_id: "share_known", shared_at: "2026-01-01" })),
    job: ([one]) => [
      { ...one!, ...job },
      { ...one!, ...job, kind: "erasure" },
    ],
    organization: ([one]) => [{ ...one!, erased_at: "2026-01-01" }],
  });
  await drained(bob);

  assert.deepEqual(
    (await bob.get("/me/")).organizations.map(({ id }: any) => id),
    [bob.id],
  );
  const shares = await withClient(there.databaseUrl, "a test", (client) =>
    client.query("select from contact where share_id is not null"),
  );
  assert.equal(shares.rowCount, 1);
  const jobs = await withClient(there.databaseUrl, "a test", (client) =>
    client.query("select kind from job where organization_id = $1 and kind in ('of_nobody', 'erasure')", [acme.id]),
  );
  assert.deepEqual(jobs.rows, []);
  assert.equal((await bob.get(`/contact/${shared.id}/`)).name, "Ours");
});

test("a row that says its bytes lie elsewhere on the server is refused, and would lead to nothing", async () => {
  const acme = await organization(await outboundService());
  const lead = await acme.lead();
  const body = { lead_id: lead.id, name: "list.csv", content_base64: Buffer.from("Bob").toString("base64") };
  const { id } = await acme.post("/file/", body);
  await writeFile(join(acme.service.filesDir, "of_the_server"), "a secret");
  const { db } = acme.service.app;
  const [ours] = await db.unscoped({ text: "select storage_key from file where id = $1", values: [id] });
  const lies = (at: string) =>
    db.unscoped({ text: "update file set storage_key = $2 where id = $1 returning id", values: [id, at] });
  await lies("x/../../of_the_server");
  const { path } = await archive(acme, "elsewhere");
  const there = await elsewhere();

  await acme.refused(404, "GET", `/file/${id}/download/`);
  // Others take backups of the same database, which would miss these bytes.
  await lies(ours![0]!);
  for (const newIds of [false, true])
    await assert.rejects(putIn(there, path, newIds), /changed: x\/\.\.\/\.\.\/of_the_server is no stored file/);
});

test("kill -9 in the middle of it leaves nothing, and the same again works", async () => {
  const acme = await organization(await outboundService());
  const lead = await acme.lead();
  await acme.post("/file/", { name: "a.txt", content_base64: "eA==" });
  const { path } = await archive(acme, "killed");
  const there = await elsewhere();
  const env = {
    DATABASE_URL: there.databaseUrl,
    DATA_DIR: join(there.filesDir, ".."),
    SECRET_KEY: "a key of thirty-two characters or more",
  };
  const restore = () => launch(["restore", path, "--organization"], { ...env, DATA_DIR: join(folder, "data") });

  await withClient(there.databaseUrl, "a test", async (client) => {
    await client.query("begin");
    await client.query("lock table lead in share mode");
    const child = restore();
    const waits = async () =>
      (await client.query("select from pg_locks where not granted and relation = 'lead'::regclass")).rowCount === 1;
    await until(waits);
    child.kill("SIGKILL");
    await once(child, "exit");
    await client.query("commit");
  });
  const count = () =>
    withClient(there.databaseUrl, "a test", async (client) => {
      await client.query("select pg_sleep(0.1)");
      return (await client.query("select id from lead")).rows.map(({ id }) => id);
    });
  const left = await count();
  const again = restore();
  const [code] = await once(again, "exit");

  assert.deepEqual(left, []);
  assert.equal(code, 0);
  assert.deepEqual(await count(), [lead.id]);
});
