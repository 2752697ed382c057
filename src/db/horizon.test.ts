// No transaction holds up the readers of the log for longer than a minute.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createDatabase } from "../../test/support/database.ts";
import type { Transaction } from "./database.ts";
import { natureOf } from "./distribute.ts";
import { endLongTransactions, longestMs, withoutValues } from "./horizon.ts";
import { openDatabase } from "./pool.ts";

/** Another connection, with a transaction that has written and then does nothing. */
async function writing(url: string, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name });
  client.on("error", () => {});
  await client.connect();
  await client.query("begin");
  await client.query("select pg_current_xact_id()");
  await client.query("select 'a secret', 4711");
  return client;
}

test("of the transactions that write too long the service's own are ended, and those of others only told of", async () => {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  const [ours, theirs, migration] = await Promise.all(
    ["headwater", "somebody else", "headwater migrate"].map((name) => writing(url, name)),
  );
  await sleep(60);

  const early = await endLongTransactions(db, 3_600_000);
  const found = await endLongTransactions(db, 50);

  const database = new URL(url).pathname.slice(1);
  assert.deepEqual(
    early.filter((one) => one.database === database),
    [],
  );
  assert.deepEqual(
    found
      .filter((one) => one.database === database)
      .map(({ application, statement, isEnded }) => [application, statement, isEnded])
      .sort(),
    [
      ["headwater migrate", "select …", false],
      ["headwater", "select …", true],
      ["somebody else", "select …", false],
    ],
  );
  await assert.rejects(ours!.query("commit"));
  await theirs!.query("commit");
  await migration!.query("commit");
  await Promise.all([theirs!.end(), migration!.end(), db.close()]);
  await drop();
});

test("a transaction that takes longer than it may fails as if the database were busy, and the next one does not", async () => {
  const { url, drop } = await createDatabase();
  const nature = await natureOf(url);
  const db = openDatabase({ url, rls: false, ...nature });
  const isLimited = nature.version >= 17;
  const setting = { text: "select current_setting('transaction_timeout', true)", values: [] };
  const takes = (act: (tx: Transaction) => void | Promise<unknown>) =>
    db.transaction("orga_x", async (tx) => {
      await tx.read({ text: "select pg_current_xact_id()", values: [] });
      await act(tx);
      return tx.read({ text: "select pg_sleep(0.2)", values: [] });
    });
  const limited = (tx: Transaction) => {
    // A running limit cannot be changed, only a new one started.
    for (const limit of ["0", "50ms"]) tx.write({ text: "select set_config('transaction_timeout', $1, true)", values: [limit] });
  };

  const [[usual]] = (await db.query("orga_x", setting)) as [[string | null]];

  assert.equal(usual, isLimited ? `${longestMs / 60_000}min` : null);
  if (isLimited) await assert.rejects(takes(limited), { status: 503 });
  // An older server has no such limit: there a worker ends the transaction, and may do so anywhere.
  await assert.rejects(
    takes(() => endLongTransactions(db, 0)),
    { status: 503 },
  );
  assert.equal((await takes(() => {})).length, 1);
  await db.close();
  await drop();
});

test("a statement is told without what it was about", () => {
  const told = {
    "insert into lead (id, name) values ($1, $2)": "insert into lead (id, name) values ($1, $2)",
    "update t1 set a = 4711.5 where id = 'x' and b = 3": "update t1 set a = ? where id = …",
    "do $body$ begin perform 1; end $body$": "do …",
    "select\n  1": "select ?",
  };

  for (const [statement, without] of Object.entries(told)) assert.equal(withoutValues(statement), without);
});
