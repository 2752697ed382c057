import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./pool.ts";

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
