import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import type { Asker } from "./database.ts";
import { openDatabase } from "./pool.ts";

test("more prepared searches than connections take at once are each given their own answer, or their own failure", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  const ask = (by: number) => db.search("orga_x", { name: "share", text: "select 720720 / $1::int", values: [by] });

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

/** A caller that waits for something that may take long. */
const asker = (): Asker => ({
  isHeavy: true,
  hasBegun: false,
  patienceMs: 20_000,
  stepAside: () => {},
  stepOut: () => {},
  hasLeft: false,
  onLeave: () => () => {},
});

test("whoever has begun goes before those who have not", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  await db.unscopedTransaction(async (tx) => tx.write({ text: "create sequence turn", values: [] }));
  const ask = (who: Asker, text: string) => db.query("orga_x", { text, values: [] }, who);
  const begun = asker();

  // The first is answered while many others have not started yet.
  const first = ask(begun, "select pg_sleep(0.1), nextval('turn')");
  const held = Array.from({ length: 100 }, () => ask(asker(), "select pg_sleep(0.1), nextval('turn')"));
  await first;
  const newcomers = Array.from({ length: 20 }, () => ask(asker(), "select nextval('turn')"));
  const again = ask(begun, "select nextval('turn')");

  const [[turn]] = (await again) as [[string]];
  const others = (await Promise.all(newcomers)).map(([row]) => Number(row![0]));
  assert.ok(others.every((other) => Number(turn) < other));
  await Promise.all(held);
  await db.close();
  await drop();
});

test("whoever has begun waits as long as it takes, and by no timer", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false, own: { connections: 1, heavy: 1 } });
  const warnings: Error[] = [];
  const heed = (warning: Error) => void warnings.push(warning);
  process.on("warning", heed);
  const ask = (who: Asker, text: string) => db.transaction("orga_x", (tx) => tx.read({ text, values: [] }), who);

  const held = ask(asker(), "select pg_sleep(0.2)");
  const patient = ask({ ...asker(), hasBegun: true, patienceMs: Number.POSITIVE_INFINITY }, "select 1");

  assert.deepEqual(await patient, [["1"]]);
  await held;
  process.off("warning", heed);
  assert.deepEqual(warnings, []);
  await db.close();
  await drop();
});

for (const rls of [false, true])
  test(`a snapshot sees nothing of what is committed meanwhile, and writes nothing${rls ? ", under row-level security too" : ""}`, async () => {
    const { url, drop } = await createDatabase();
    const db = openDatabase({ url, rls });
    const count = { text: "select count(*) from stored_bytes_removal where organization_id = $1", values: ["orga_x"] };
    const seen = await db.snapshot("orga_x", async (tx) => {
      const before = await tx.read(count);
      await db.transaction("orga_x", async (other) =>
        other.write({
          text: "insert into stored_bytes_removal (organization_id, storage_key, due) values ($1, 'x', now())",
          values: ["orga_x"],
        }),
      );
      return [before, await tx.read(count)];
    });

    assert.deepEqual([seen, await db.query("orga_x", count)], [[[["0"]], [["0"]]], [["1"]]]);
    await assert.rejects(
      db.snapshot("orga_x", async (tx) => {
        tx.write({ text: "delete from stored_bytes_removal where organization_id = $1", values: ["orga_x"] });
      }),
      /read-only/,
    );
    await db.close();
    await drop();
  });
