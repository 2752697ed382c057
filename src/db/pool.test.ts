import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./pool.ts";

test("more prepared reads than connections take at once are each given their own answer, or their own failure", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  const ask = (by: number) => db.query("orga_x", { name: "share", text: "select 720720 / $1::int", values: [by] });

  const answers = await Promise.allSettled(Array.from({ length: 150 }, (_, i) => ask(i % 15)));

  answers.forEach((answer, i) => {
    if (i % 15 === 0) assert.equal(answer.status, "rejected");
    else assert.deepEqual(answer, { status: "fulfilled", value: [[String(Math.trunc(720720 / (i % 15)))]] });
  });
  const { total, idle, waiting } = db.usage();
  assert.ok(total > 1, "those that are shared are counted");
  assert.deepEqual({ idle, waiting }, { idle: total, waiting: 0 });
  await db.close();
  await drop();
});

test("work that others keep getting in the way of is tried three times, and then asked to come again", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  let tries = 0;

  const done = db.transaction("orga_x", async (tx) => {
    tries++;
    await tx.read({ text: "do $$ begin raise exception 'in the way' using errcode = 'deadlock_detected'; end $$", values: [] });
  });

  await assert.rejects(done, { status: 503 });
  assert.equal(tries, 3);
  await db.close();
  await drop();
});
