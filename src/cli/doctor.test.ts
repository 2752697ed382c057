// What the doctor says before there is a database, and of a service whose settings are others than its own.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createBlankDatabase, createDatabase } from "../../test/support/database.ts";
import { command, dataDir, start } from "../../test/support/processes.ts";
import { withClient } from "../db/one_client.ts";

test("stored files in DATA_DIR beside a bucket, which nobody would find, are told of with what to do", async () => {
  const DATA_DIR = dataDir();
  const s3 = { S3_BUCKET: "crm", S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" };
  const before = await command(["doctor"], { DATA_DIR, ...s3 });
  mkdirSync(join(DATA_DIR, "files", "kept", "orga_1"), { recursive: true });
  writeFileSync(join(DATA_DIR, "files", "kept", "orga_1", "a"), "an offer");
  const beside = await command(["doctor"], { DATA_DIR, ...s3 });
  const without = await command(["doctor"], { DATA_DIR });

  for (const { out } of [before, without]) assert.match(out, /^ok +stored files$/m);
  assert.match(beside.out, /^wrong +stored files: .*the bucket crm, .*leave S3_BUCKET unset .*"moved house"/m);
  assert.equal(beside.code, 1);
});

test("the doctor tells a service on the same database from one on another, and from what is no service", async () => {
  const [one, other] = [await createDatabase(), await createDatabase()];
  const [DATA_DIR, elsewhere] = [dataDir(), dataDir()];
  const running = await start({ DATA_DIR, DATABASE_URL: one.url });
  const at = (url: string, DATABASE_URL: string, folder = elsewhere) =>
    command(["doctor", "--at", url], { DATA_DIR: folder, DATABASE_URL });

  try {
    const same = await at(running.url, one.url);
    const another = await at(running.url, other.url);
    const none = await at("http://127.0.0.1:1", one.url);

    assert.deepEqual([same.code, same.out], [0, `The service at ${running.url} works on the database of these settings.\n`]);
    assert.equal(another.code, 1);
    assert.match(another.err, /works on another database than that of DATABASE_URL: give the service the same settings/);
    assert.match(none.err, /Nothing answers at http:\/\/127\.0\.0\.1:1/);
  } finally {
    await running.stop();
    await Promise.all([one.drop(), other.drop()]);
  }
});

test("a command with a mistyped DATA_DIR says that there is no database, and makes none", async () => {
  const DATA_DIR = join(dataDir(), "typo");
  const env = { DATA_DIR };

  for (const args of [
    ["backup", join(dataDir(), "a.tar")],
    ["key", "create", "--email", "ada@acme.example"],
    ["account", "link", "--email", "ada@acme.example"],
    ["organization", "limit", "orga_1", "10"],
    ["migrate", "--check"],
    ["doctor", "--rotate-secret"],
    ["doctor", "--at", "http://127.0.0.1:1"],
  ]) {
    const { code, out, err } = await command(args, env);
    assert.deepEqual([code, out], [1, ""], args.join(" "));
    assert.match(err, /^There is no database in .*typo: is that the DATA_DIR of the service\? .*set DATABASE_URL\.\n$/);
  }
  assert.ok(!existsSync(DATA_DIR));
});

test("a DATABASE_URL that leads nowhere, or to a database of something else, is named as such", async () => {
  const [blank, DATA_DIR] = [await createBlankDatabase(), dataDir()];
  const none = Object.assign(new URL(blank), { pathname: "/nobody_made_this" }).href;
  const archive = join(dataDir(), "a.tar");
  const nowhere = /^The database of DATABASE_URL cannot be reached: is that right, .*\?.*\n$/;

  for (const DATABASE_URL of [none, "postgres://ada@127.0.0.1:1/crm"])
    for (const args of [["backup", archive], ["migrate"], ["start"]])
      assert.match((await command(args, { DATA_DIR, DATABASE_URL })).err, nowhere, args.join(" "));
  const nothing = await command(["backup", archive], { DATA_DIR, DATABASE_URL: blank });
  const doctor = await command(["doctor"], { DATA_DIR, DATABASE_URL: blank });

  assert.match(nothing.err, /^There is nothing of Headwater in the database: is DATABASE_URL that of the service\?\n$/);
  assert.match(
    doctor.out,
    /wrong +migrations: the database is at 0 of \d+: run `headwater migrate`\n[\s\S]*ok +secrets and their key\n/,
  );
});

test("nothing is restored beside the tables of another program", async () => {
  const [one, blank] = [await createDatabase(), await createBlankDatabase()];
  const archive = join(dataDir(), "a.tar");
  await command(["backup", archive], { DATA_DIR: dataDir(), DATABASE_URL: one.url });
  await withClient(blank, "a test", (client) => client.query("create table mine (id integer)"));

  const { code, err } = await command(["restore", archive], { DATA_DIR: dataDir(), DATABASE_URL: blank });

  assert.equal(code, 1);
  assert.match(err, /The database is not empty: it has tables of something else \(mine\)\. Restore into an empty one/);
  const { rows } = await withClient(blank, "a test", (client) =>
    client.query("select to_regclass('public.lead') is null as untouched"),
  );
  assert.ok(rows[0].untouched);
  await one.drop();
});
