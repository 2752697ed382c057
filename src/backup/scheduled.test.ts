// Backups by the schedule: in a folder and in a bucket, and what an operator is told of them.
import assert from "node:assert/strict";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { organization } from "../../test/support/given.ts";
import { command, dataDir, start, until } from "../../test/support/processes.ts";
import { startS3 } from "../../test/support/s3_server.ts";
import { service, startService, testSecretKey } from "../../test/support/service.ts";
import { startMailServer } from "../../test/support/smtp.ts";
import { latestBackup } from "../auth/unscoped_state.ts";
import { parseConfig } from "../config.ts";
import { withClient } from "../db/one_client.ts";
import { openSecrets } from "../services/secrets.ts";
import { openPlace } from "./open_place.ts";
import { type Place, untilNow } from "./place.ts";
import { isDue } from "./schedule.ts";
import { takeScheduled } from "./scheduled.ts";

const bucket = await startS3();
const mail = await startMailServer();
after(async () => {
  bucket.close();
  await mail.close();
});

test("the first backup is due at once, later ones at their times in UTC, and a failed one after an hour", () => {
  const nightly = "0 3 * * *";
  const at = (time: string) => new Date(`2026-03-0${time}Z`);
  const latest = (time: string, state: "running" | "done" | "failed") => ({ started_at: at(time), state });

  const due = [
    isDue(nightly, null, at("1T12:00:00")),
    isDue(nightly, latest("1T12:00:00", "done"), at("2T02:59:59")),
    isDue(nightly, latest("1T12:00:00", "done"), at("2T03:00:00")),
    isDue(nightly, latest("1T03:00:00", "done"), at("9T12:00:00")),
    isDue(nightly, latest("9T12:00:00", "done"), at("9T12:00:01")),
    isDue(nightly, latest("1T03:00:00", "failed"), at("1T03:59:59")),
    isDue(nightly, latest("1T03:00:00", "failed"), at("1T04:00:00")),
    isDue(nightly, latest("1T03:00:00", "running"), at("1T04:00:00")),
  ];

  assert.deepEqual(due, [true, false, true, true, false, false, true, true]);
});

test("in a bucket, the newest stay, one is taken at a time, and what cannot be read whole is no backup", async () => {
  const acme = await organization(await service());
  await acme.lead();
  const { databaseUrl: url, app } = acme.service;
  const { backup } = parseConfig({ ...bucket.env, BACKUP_TO: "s3://safe/nightly" });
  const place = await openPlace(backup!.to, dataDir());
  const source = {
    url,
    storage: app.core.settings.storage,
    secrets: openSecrets(testSecretKey),
    key: null,
    withSecrets: true,
    release: "test",
    organization_id: null,
  };
  const take = (minute: number, where: Place = place) =>
    takeScheduled(source, where, { keep: 2 }, () => new Date(Date.UTC(2026, 2, 1, 3, minute)));
  const inBucket = () => [...bucket.objects.keys()];
  bucket.objects.set("safe/nightly/somebody-elses.tar", Buffer.from("x"));

  const both = await Promise.all([take(1), take(1)]);
  for (const minute of [2, 3]) await take(minute);

  assert.equal(both.filter((one) => one === null).length, 1, "the second of two at once finds the first at work");
  const kept = ["somebody-elses.tar", "headwater-20260301T030200Z.tar", "headwater-20260301T030300Z.tar"];
  assert.deepEqual(inBucket().sort(), kept.map((name) => `safe/nightly/${name}`).sort());

  const cut: Place = {
    ...place,
    async add(name, write) {
      const size = await place.add(name, write);
      bucket.objects.set(`safe/nightly/${name}`, bucket.objects.get(`safe/nightly/${name}`)!.subarray(0, 5000));
      return size;
    },
  };
  const spoiled = await take(4, cut);
  assert.match(String(spoiled?.taken), /ends too early|is missing/);
  assert.deepEqual(inBucket().length, 3, "the archive that was cut is gone, and none of the good ones");

  bucket.down = true;
  const failed = await take(5);
  bucket.down = false;
  assert.ok(failed?.taken instanceof Error && failed.failedBefore);
  const again = await take(6);
  assert.ok(again?.failedBefore && !(again.taken instanceof Error));
});

test("after a clock that was ahead, backups go on at their times, and the one of the future is not the last good one", async (t) => {
  const { databaseUrl: url, app, close } = await startService();
  t.after(close);
  const { backup } = parseConfig({ BACKUP_TO: dataDir() });
  const place = await openPlace(backup!.to, dataDir());
  const secrets = openSecrets(testSecretKey);
  const { storage } = app.core.settings;
  const source = { url, storage, secrets, key: null, withSecrets: true, release: "test", organization_id: null };
  const at = (day: number, minute: number) => new Date(Date.UTC(2026, 2, day, 3, minute));
  const take = (when: Date) => takeScheduled(source, place, { keep: 2 }, () => when);
  const latest = (when: Date) => latestBackup(app.db, when);

  await take(at(1, 1));
  await take(at(8, 0));
  const before = await latest(at(1, 2));
  for (const minute of [2, 3]) await take(at(1, minute));

  assert.deepEqual([before?.started_at, isDue("* * * * *", before, at(1, 2))], [at(1, 1), true]);
  assert.deepEqual((await latest(at(1, 3)))?.started_at, at(1, 3));
  const kept = ["20260301T030200Z", "20260301T030300Z", "20260308T030000Z"];
  assert.deepEqual(
    await place.list(),
    kept.map((time) => `headwater-${time}.tar`),
  );
  assert.equal(untilNow(await place.list(), at(1, 3)).at(-1), "headwater-20260301T030300Z.tar");
});

test("while files are lost that the last backup had, none is good: that one stays, the operator hears of it, and may accept it", async (t) => {
  const DATA_DIR = dataDir();
  const files = join(DATA_DIR, "files");
  const on = await startService({ filesDir: files });
  t.after(() => on.close());
  const acme = await organization(on);
  for (const name of ["a.txt", "b.txt"]) await acme.post("/file/", { name, content_base64: "eA==" });
  const BACKUP_TO = join(dataDir(), "backups");
  const told = { ...mail.env, OPERATOR_EMAIL: "files@acme.example" };
  const env = { DATABASE_URL: on.databaseUrl, DATA_DIR, SECRET_KEY: testSecretKey, BACKUP_TO, BACKUP_KEEP: "2", ...told };
  const take = async (...more: string[]) => {
    const done = await command(["backup", ...more], env);
    return { ...done, there: readdirSync(BACKUP_TO).sort() };
  };

  const whole = await take();
  renameSync(files, `${files}.away`);
  const lost = [await take(), await take(), await take()];
  const doctor = await command(["doctor"], env);
  renameSync(`${files}.away`, files);
  const mended = await take();
  renameSync(files, `${files}.away`);
  const accepted = await take("--despite-missing");
  const after = await take();

  assert.equal(whole.code, 0, whole.err);
  for (const { code, err } of lost) {
    assert.equal(code, 1);
    assert.match(err, /2 files have a record and no bytes, at the last good backup 0 \(.*is the disk with DATA_DIR\/files there/);
  }
  assert.deepEqual([lost[2]!.there.length, lost[2]!.there[0]], [3, whole.there[0]], "two of the rest, and the last good one");
  assert.match(doctor.out, /wrong +backups: .*3 failed since \(2 files have a record/);
  assert.deepEqual([mended.code, mended.there.length], [0, 2], mended.err);
  assert.deepEqual([accepted.code, after.code], [0, 0], `${accepted.err}${after.err}`);
  const subjects = mail.to("files@acme.example").map(({ subject }) => subject?.replace(/ \(.*/, ""));
  assert.deepEqual(subjects, ["A backup failed", "Backups work again"]);
});

test("an archive is verified and restored from the bucket where it lies, and one that is not there is named", async () => {
  // The bytes of what other tests stored are not in this bucket.
  const alone = await startService();
  const acme = await organization(alone);
  const lead = await acme.lead();
  const env = {
    ...bucket.env,
    DATA_DIR: dataDir(),
    DATABASE_URL: acme.service.databaseUrl,
    SECRET_KEY: testSecretKey,
  };
  const nightly = { ...env, BACKUP_TO: "s3://restored/nightly" };
  const taken = await command(["backup"], nightly);
  assert.equal(taken.code, 0, taken.err);
  const [key] = [...bucket.objects.keys()].filter((one) => one.startsWith("restored/"));
  const elsewhere = await createDatabase();

  const verified = await command(["verify", `s3://${key}`], nightly);
  const absent = await command(["restore", "s3://restored/nightly/sunday.tar"], { ...env, DATABASE_URL: elsewhere.url });
  const restored = await command(["restore", `s3://${key}`], { ...env, DATABASE_URL: elsewhere.url });

  assert.equal(verified.code, 0, verified.err);
  assert.match(verified.out, /lead +\d+\n/);
  assert.match(absent.err, /s3:\/\/restored\/nightly\/sunday\.tar cannot be read: /);
  assert.equal(restored.code, 0, restored.err);
  const found = await withClient(elsewhere.url, "a test", (client) =>
    client.query("select id from lead where id = $1", [lead.id]),
  );
  assert.deepEqual(found.rows, [{ id: lead.id }]);
  await Promise.all([elsewhere.drop(), alone.close()]);
});

test("the worker takes backups by itself, and when one fails, the operator hears of it by mail, doctor and metrics", async () => {
  const database = await createDatabase();
  const folder = join(dataDir(), "backups");
  const env = {
    DATA_DIR: dataDir(),
    DATABASE_URL: database.url,
    BACKUP_TO: folder,
    BACKUP_SCHEDULE: "0 3 * * *",
    ...mail.env,
    OPERATOR_EMAIL: "ops@acme.example",
  };
  const running = await start({ ...env, METRICS_TOKEN: "the token of the metrics" });
  const told = () => mail.to("ops@acme.example").map(({ subject }) => subject?.replace(/ \(.*/, ""));
  const metrics = async () => {
    const answer = await fetch(`${running.url}/metrics`, { headers: { authorization: "Bearer the token of the metrics" } });
    return (await answer.text()).split("\n").filter((line) => /^headwater_(disk_bytes|backup_failures|backup_bytes)/.test(line));
  };
  try {
    await until(async () => (await metrics()).some((line) => /backup_bytes [1-9]/.test(line)));
    assert.match((await metrics()).join("\n"), /headwater_disk_bytes [1-9]/);
    assert.match((await command(["doctor"], env)).out, /ok +backups: the last good one is \d+ s old/);

    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, "a disk that is no folder any more");
    for (let i = 0; i < 2; i++) assert.match((await command(["backup"], env)).err, /The backup to .* failed: .*EEXIST|ENOTDIR/);
    assert.deepEqual(told(), ["A backup failed"], "not once more for each attempt");
    assert.match((await command(["doctor"], env)).out, /wrong +backups: .*2 failed since/);
    assert.deepEqual((await metrics()).at(-1), "headwater_backup_failures 2");

    renameSync(folder, `${folder}.file`);
    renameSync(`${folder}.away`, folder);
    const mended = await command(["backup"], env);
    assert.equal(mended.code, 0, mended.err);
    assert.deepEqual(told(), ["A backup failed", "Backups work again"]);
    assert.equal(readdirSync(folder).length, 2);
  } finally {
    await running.stop();
    await database.drop();
  }
});
