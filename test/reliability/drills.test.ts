// The drills of ops/drills/, each run as an operator runs it, one after the other on one service.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listMigrations } from "../../src/db/migrate.ts";
import { withClient } from "../../src/db/one_client.ts";
import { createDatabase } from "../support/database.ts";
import { freePort } from "../support/free_port.ts";
import { type House, headwater, openHouse } from "../support/house.ts";
import { command, dataDir, main, roomy, startAt, until } from "../support/processes.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { startS3 } from "../support/s3_server.ts";
import { type MailServer, startMailServer } from "../support/smtp.ts";

const admin = "ada@acme.example";
let house: House;
let hook: Receiver;
let mail: MailServer;
const closing: (() => unknown)[] = [];

before(async () => {
  house = await openHouse({
    DATA_DIR: dataDir(),
    BACKUP_TO: join(dataDir(), "backups"),
    BOOTSTRAP_API_KEY: "the-key-of-all-of-the-drills",
    BOOTSTRAP_EMAIL: admin,
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    RATE_LIMIT_READ: "2000/2",
  });
  [hook, mail] = await Promise.all([receiver(), startMailServer()]);
  closing.push(() => mail.close());
  await house.acts.start!();
  await house.ask("POST", "/webhook/", { url: hook.url, events: ["lead.created"] });
  await house.ask("POST", "/connected_account/", { email: admin, smtp: mail.smtp });
});
after(async () => {
  for (const close of closing) await close();
});

const lead = (name: string, more: object = {}): Promise<any> => house.ask("POST", "/lead/", { name, ...more });

/** The receiver has heard of them, and the service has noted that: after a restore they are not told again. */
async function told(ids: readonly string[]): Promise<void> {
  await until(() => ids.every((id) => hook.objects().includes(id)));
  const [webhook] = (await house.ask("GET", "/webhook/")).data;
  const deliveries = async (): Promise<any[]> => (await house.ask("GET", `/webhook/${webhook.id}/delivery/`)).data;
  await until(async () => (await deliveries()).every(({ status }) => status === "succeeded"));
}

async function succeeds(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { code, out, err } = await house.drill(args, more);
  assert.equal(code, 0, `${args.join(" ")}\n${out}${err}`);
  return out;
}

async function headwaterDoes(...args: string[]): Promise<void> {
  const { code, err } = await command(args, house.settings);
  assert.equal(code, 0, err);
}

/** A database for a service that moves into it. */
async function emptyDatabase(): Promise<string> {
  const database = await createDatabase();
  closing.push(() => database.drop());
  return database.url;
}

test("lost disk: what the last good backup had is there again, the feed and webhooks go on, and nothing is delivered twice", async () => {
  const kept = await lead("Kept");
  await told([kept.id]);
  const { cursor_previous } = await house.ask("GET", "/event/");
  await headwaterDoes("backup");
  await house.acts.stop!();
  rmSync(house.settings.DATA_DIR!, { recursive: true });
  const without = await house.drill(["lost_disk.sh"], { BACKUP_TO: dataDir() });
  house.settings.DATA_DIR = dataDir();

  const out = await succeeds(["lost_disk.sh"]);

  assert.equal(without.code, 1, "no backup is no restore");
  assert.match(out, /The newest backup is .*headwater-.*\.tar[\s\S]*The service is back\.\n$/);
  assert.equal((await house.ask("GET", `/lead/${kept.id}/`)).name, "Kept");
  const next = await lead("Next");
  await told([next.id]);
  assert.deepEqual(hook.objects(), [kept.id, next.id]);
  await until(async () => {
    const { data } = await house.ask("GET", `/event/?_cursor=${encodeURIComponent(cursor_previous)}`);
    const created = data.filter((one: any) => one.event === "lead.created").map((one: any) => one.object_id);
    return created.length > 0 && created.every((id: string) => id === next.id);
  });
});

test("lost disk: a service that starts with other settings, as a unit does, is not taken for the one that was put in place", async () => {
  await headwaterDoes("backup");
  const unit = { ...house.settings };
  house.settings.DATA_DIR = dataDir();
  const start = house.acts.start!;
  house.acts.start = async () => {
    house.settings = unit;
    await start();
  };

  const { code, out, err } = await house.drill(["lost_disk.sh"]);
  house.acts.start = start;

  assert.equal(code, 1);
  assert.match(err, /works on another database than that of the DATA_DIR [\s\S]*The service was stopped again/);
  assert.doesNotMatch(out, /The service is back/);
  await assert.rejects(fetch(house.url), "it does not run on without what was put in place");
  await house.acts.start!();
});

test("wrong bulk edit: it is found and undone, what was not undone is named; after 30 days a copy of before beside gives the values back", async () => {
  const leads = await Promise.all(["One", "Two", "Three"].map((name) => lead(name, { industry: "Steel" })));
  const archive = join(dataDir(), "before.tar");
  await headwaterDoes("backup", archive);
  const edit = async () => {
    const fields = { industry: "Wood" };
    const { id } = await house.ask("POST", "/bulk_action/edit/", { type: "set_fields", object_type: "lead", fields, all: true });
    await until(async () => (await house.ask("GET", `/bulk_action/${id}/`)).status === "done");
    await house.ask("PUT", `/lead/${leads[2].id}/`, { industry: "Glass" });
    return id;
  };
  const industries = () =>
    Promise.all(leads.map(async ({ id }: any) => (await house.ask("GET", `/lead/${id}/`)).industry as string));
  const API_KEY = house.settings.BOOTSTRAP_API_KEY!;
  const wrong = await edit();

  const found = await succeeds(["wrong_bulk_edit.mjs", "find"], { API_KEY });
  const undone = await succeeds(["wrong_bulk_edit.mjs", "undo", wrong], { API_KEY });

  assert.match(found, new RegExp(`${wrong} .* edit set_fields .*to be undone until`));
  assert.match(undone, new RegExp(`not undone: ${leads[2].id}: industry: changed since\\n[\\s\\S]*undone, 1 not\\.`));
  assert.deepEqual(await industries(), ["Steel", "Steel", "Glass"]);
  assert.equal((await house.drill(["wrong_bulk_edit.mjs", "undo", wrong], { API_KEY })).code, 1, "once is enough");

  await edit();
  const { organizations } = await house.ask("GET", "/me/");
  const given = { ARCHIVE: archive, ORGANIZATION: organizations[0].id, ADMIN: admin };
  const beside = await succeeds(["workspace_beside.sh"], {
    ...given,
    SCRATCH: dataDir(),
    SCRATCH_DATABASE_URL: await emptyDatabase(),
  });
  const [, COPY_KEY = ""] = /^key +(\S+)$/m.exec(beside) ?? [];
  const before = { API_KEY, COPY_KEY, WRONG: "Wood" };
  const shown = await succeeds(["wrong_bulk_edit.mjs", "put_back", "industry"], before);
  assert.deepEqual(await industries(), ["Wood", "Wood", "Glass"]);
  await succeeds(["wrong_bulk_edit.mjs", "put_back", "industry"], { ...before, APPLY: "yes" });

  assert.match(shown, new RegExp(`left alone: ${leads[2].id} Three: Glass by now, Steel then`));
  assert.deepEqual(await industries(), ["Steel", "Steel", "Glass"]);
  const moved = (await house.ask("GET", "/me/", undefined, COPY_KEY)).organization_id;
  await house.ask("DELETE", `/organization/${moved}/`, undefined, COPY_KEY);
});

test("runaway tenant: it is found by the metrics, limited, suspended and given back, and others notice nothing of it", async (t) => {
  const { out } = await command(["organization", "create", "--name", "Noisy", "--email", "noisy@example.com"], house.settings);
  const [, id = "", key = ""] = /(orga_\w+)[\s\S]*(api_\w+)/.exec(out) ?? [];
  const noisy = () =>
    house.ask("GET", "/lead/?_limit=1", undefined, key).then(
      () => 200,
      (error) => error.status as number,
    );
  const hasEnded = new AbortController();
  const noise = Array.from({ length: 4 }, async () => {
    while (!hasEnded.signal.aborted) if ((await noisy()) !== 200) await sleep(50);
  });
  t.after(() => hasEnded.abort());

  const who = await succeeds(["runaway_tenant.mjs", "who"], { SECONDS: "1" });
  const limited = await succeeds(["runaway_tenant.mjs", "limit", id, "1"], { SECONDS: "1" });
  const is = async (status: number) => until(async () => (await noisy()) === status);
  await is(429);
  await house.ask("GET", "/lead/");
  await succeeds(["runaway_tenant.mjs", "limit", id, "0"], { SECONDS: "0.1" });
  await is(403);
  await house.ask("GET", "/lead/");
  hasEnded.abort();
  await Promise.all(noise);
  await succeeds(["runaway_tenant.mjs", "give_back", id]);
  await is(200);

  assert.match(who, new RegExp(`longer than .* s\\n +${id} +\\d+ % of the time[\\s\\S]*In the background[\\s\\S]*ok +workers`));
  assert.match(limited, new RegExp(`${id} \\(Noisy\\) has 1 % of the usual limits`));
  assert.equal((await house.drill(["runaway_tenant.mjs", "limit", "orga_nobody"], { SECONDS: "0.1" })).code, 1);
});

test("lost key: everything else goes on in a new place, and what has to be entered again is listed", async () => {
  const kept = await lead("Kept without its secrets");
  await told([kept.id]);
  rmSync(join(house.settings.DATA_DIR!, "secret_key"));
  const [NEW_DATA_DIR, NEW_DATABASE_URL] = [dataDir(), await emptyDatabase()];
  house.acts.switch = async () => {
    Object.assign(house.settings, { DATA_DIR: NEW_DATA_DIR, DATABASE_URL: NEW_DATABASE_URL });
  };

  const out = await succeeds(["lost_key.sh"], {
    ARCHIVE: join(dataDir(), "rest.tar"),
    NEW_DATA_DIR,
    NEW_DATABASE_URL,
    SWITCH: house.commandFor("switch"),
  });

  assert.match(out, new RegExp(`webhook whk_\\w+ +${hook.url} +give its receiver the new signing key, and activate it`));
  assert.equal((await house.ask("GET", `/lead/${kept.id}/`)).name, kept.name);
  const [webhook] = (await house.ask("GET", "/webhook/")).data;
  assert.equal(webhook.status, "paused");
  await house.ask("PUT", `/webhook/${webhook.id}/`, { status: "active" });
  const next = await lead("After the new key");
  await told([next.id]);
});

test("moved house: another database, files in S3; what became due on the way is sent there, once, and nothing twice", async () => {
  const { id: lead_id } = await lead("Whom we write to");
  const write = (to: string, more: object) =>
    house.ask("POST", "/activity/email/", { lead_id, to: [to], subject: "Our offer", body_text: "Dear Ann", ...more });
  const form = new FormData();
  form.set("file", new Blob(["Our offer"], { type: "text/plain" }), "offer.txt");
  const headers = { authorization: `Bearer ${house.settings.BOOTSTRAP_API_KEY}` };
  const file: any = await (await fetch(`${house.url}/api/v1/file/`, { method: "POST", headers, body: form })).json();
  await write("before@client.example", { status: "outbox" });
  await until(() => mail.received.length === 1);
  const date_scheduled = new Date(Date.now() + 3_600_000).toISOString();
  const due = await write("on-the-way@client.example", { status: "scheduled", date_scheduled });
  const ARCHIVE = join(dataDir(), "house.tar");
  await told([lead_id]);
  const heard = hook.received.length;
  const stop = house.acts.stop!;
  house.acts.stop = async () => {
    await stop();
    await hourGoesBy(due.id);
  };

  const left = await succeeds(["moved_house.sh", "leave"], { ARCHIVE });
  house.acts.stop = stop;
  const s3 = await startS3();
  closing.push(() => s3.close());
  Object.assign(house.settings, { DATA_DIR: dataDir(), DATABASE_URL: await emptyDatabase(), ...s3.env });
  const arrived = await succeeds(["moved_house.sh", "arrive"], { ARCHIVE });

  const [counts] = /backup_\w+ of .*/.exec(left)!;
  assert.ok(arrived.includes(counts), arrived);
  assert.match(arrived, /The service lives here now/);
  await until(async () => (await house.ask("GET", `/activity/email/${due.id}/`)).status === "sent");
  assert.deepEqual(
    mail.received.flatMap(({ recipients }) => recipients),
    ["before@client.example", "on-the-way@client.example"],
  );
  const download = await fetch(`${house.url}/api/v1/file/${file.id}/download/`, { headers });
  assert.equal(await download.text(), "Our offer");
  const next = await lead("In the new house");
  await told([next.id]);
  assert.equal(hook.received.length, heard + 1);
});

/** For a scheduled mail, while no service runs. */
const hourGoesBy = (id: string) =>
  withClient(house.settings.DATABASE_URL!, "test", (client) =>
    client.query(
      `with mail as (update activity set date_scheduled = now(), send_after = now() where id = $1 returning id)
       update job set due_at = now() where object_id in (select id from mail)`,
      [id],
    ),
  );

test("failed upgrade: the new release migrates and does not start; the present one goes on with the new schema", async () => {
  const folder = dataDir();
  const next = await releaseAfter(folder);
  const port = await freePort();
  house.acts.start_new = () =>
    startAt(next, { ...house.settings, DATA_DIR: dataDir(), PORT: `${port}`, NODE_OPTIONS: failing }, "start");
  house.acts.stop_new = async () => {};

  const out = await succeeds(["failed_upgrade.sh"], {
    OLD: headwater,
    NEW: [process.execPath, ...roomy, next].join(" "),
    ARCHIVE: join(folder, "before.tar"),
    START_NEW: house.commandFor("start_new"),
    STOP_NEW: house.commandFor("stop_new"),
    NEW_URL: `http://127.0.0.1:${port}`,
    WAIT: "1",
  });

  assert.match(out, /_vehicles\.sql\n[\s\S]*1 would be applied\. Nothing was changed\.[\s\S]*applied \d+_vehicles\.sql/);
  assert.match(out, /The present release goes on, with the new schema/);
  const made = await lead("On the new schema");
  await told([made.id]);
  await house.acts.stop!();
  await house.acts.start!();
  assert.equal((await house.ask("GET", `/lead/${made.id}/`)).name, made.name);
});

/** A defect that nobody saw before. */
const failing = `--import=data:text/javascript,${encodeURIComponent(`throw new Error("the new release has a defect")`)}`;

/** Its start file. It is this one with a migration more. */
async function releaseAfter(folder: string): Promise<string> {
  const root = new URL("../..", import.meta.url).pathname;
  const place = join(folder, "release-after");
  const sources = relative(root, dirname(main));
  mkdirSync(join(place, dirname(sources)), { recursive: true });
  for (const one of [sources, "migrations"]) cpSync(join(root, one), join(place, one), { recursive: true });
  for (const one of ["node_modules", "package.json", "generated", "docs"]) symlinkSync(join(root, one), join(place, one));
  const number = String((await listMigrations()).length + 1).padStart(4, "0");
  writeFileSync(
    join(place, "migrations", `${number}_vehicles.sql`),
    "alter table lead add column vehicles integer not null default 0;\n",
  );
  return join(place, relative(root, main));
}
