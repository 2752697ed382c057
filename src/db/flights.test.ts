import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import type { Asker } from "./database.ts";
import { openDatabase, type PostgresDatabase } from "./pool.ts";

const organization = "orga_x";

/** With two tables: rows of `child` name rows of `parent`. */
async function withFamily(
  act: (db: PostgresDatabase, born: (id: number, parent?: number, asker?: Asker) => Promise<void>) => Promise<void>,
) {
  const { url, drop } = await createDatabase();
  const db = openDatabase({ url, rls: false });
  await db.unscopedTransaction(async (tx) => {
    tx.write({ text: "create table parent (id int primary key)", values: [] });
    tx.write({
      text: "create table child (id int primary key, parent int references parent, xid xid8 default pg_current_xact_id())",
      values: [],
    });
    tx.write({ text: "insert into parent values (1), (2)", values: [] });
  });
  const text = "insert into child (id, parent) values ($1, $2)";
  const born = (id: number, parent = 1, asker?: Asker) =>
    db.transaction(organization, async (tx) => tx.write({ name: "child", text, values: [id, parent], isRow: true }), asker);
  await act(db, born);
  await db.close();
  await drop();
}

const all = async (db: PostgresDatabase) =>
  (await db.unscoped({ text: "select id, xid from child order by id", values: [] })).map(([id, xid]) => ({
    id: Number(id),
    xid,
  }));

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test("inserts that come while one is under way leave together, and all of them are there", () =>
  withFamily(async (db, born) => {
    const acts: number[] = [];

    await Promise.all(upTo(20).map((id) => born(id).then(() => acts.push(id))));

    const rows = await all(db);
    assert.deepEqual(
      rows.map(({ id }) => id),
      upTo(20),
    );
    assert.equal(acts.length, 20);
    assert.ok(new Set(rows.map(({ xid }) => xid)).size <= 5, "in few transactions");
  }));

test("of those that leave together, one that cannot be keeps nobody from being", () =>
  withFamily(async (db, born) => {
    const answers = await Promise.allSettled(upTo(16).map((id) => born(id, id % 4 === 3 ? 99 : 1)));

    answers.forEach((answer, id) => {
      if (id % 4 === 3) assert.equal(answer.status === "rejected" && answer.reason.code, "23503");
      else assert.equal(answer.status, "fulfilled");
    });
    assert.deepEqual(
      (await all(db)).map(({ id }) => id),
      upTo(16).filter((id) => id % 4 !== 3),
    );
  }));

test("of those that leave together, one that has to wait for a lock keeps nobody waiting", () =>
  withFamily(async (db, born) => {
    let waiting!: Promise<void>;

    await db.transaction(organization, async (tx) => {
      await tx.read({ text: "select from parent where id = 2 for update", values: [] });
      waiting = born(0, 2);
      const others = upTo(15).map((i) => born(i + 1, i === 7 ? 2 : 1));
      await Promise.all(others.filter((_, i) => i !== 7));
      waiting = Promise.all([waiting, others[7]]).then(() => {});
    });

    await waiting;
    assert.deepEqual(
      (await all(db)).map(({ id }) => id),
      upTo(16),
    );
  }));

test("of those that leave together, one who goes away takes nobody along", () =>
  withFamily(async (db, born) => {
    const asker = (hasLeft: boolean): Asker => ({
      isHeavy: false,
      hasBegun: false,
      patienceMs: 20_000,
      stepAside: () => {},
      stepOut: () => {},
      hasLeft,
      onLeave: () => () => {},
    });

    await Promise.all(
      upTo(16)
        .map((id) => born(id, 1, asker(false)).then(() => id))
        .concat(
          upTo(4).map((i) =>
            born(16 + i, 1, asker(true)).then(
              () => i,
              () => i,
            ),
          ),
        ),
    );

    const ids = (await all(db)).map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => id < 16),
      upTo(16),
    );
  }));

test("what a transaction writes before it reads is there when it reads", () =>
  withFamily(async (db, born) => {
    const seen = await db.transaction(organization, async (tx) => {
      tx.write({ name: "child", text: "insert into child (id, parent) values ($1, $2)", values: [1, 1], isRow: true });
      const [row] = await tx.read({ text: "select count(*) from child", values: [] });
      return row![0];
    });

    assert.equal(seen, "1");
    await assert.rejects(born(1), { code: "23505" });
  }));

test("what fails after a savepoint and is rolled back to it fails nothing else", () =>
  withFamily(async (db) => {
    const child = (id: number, parent: number) => ({
      text: "insert into child (id, parent) values ($1, $2)",
      values: [id, parent],
    });
    await db.transaction(organization, async (tx) => {
      tx.write(child(1, 1));
      await tx.read({ text: "savepoint one", values: [] });
      await assert.rejects(tx.read(child(2, 9)), { code: "23503" });
      tx.write({ text: "rollback to savepoint one", values: [] });
      tx.write(child(3, 2));
    });

    assert.deepEqual(
      (await all(db)).map(({ id }) => id),
      [1, 3],
    );
  }));

test("what fails before anything is sent leaves nothing, and what is to follow a commit does not", () =>
  withFamily(async (db) => {
    let followed = false;

    const failing = db.transaction(organization, async (tx) => {
      tx.write({ name: "child", text: "insert into child (id, parent) values ($1, $2)", values: [1, 1], isRow: true });
      tx.afterCommit(() => (followed = true));
      throw new Error("no");
    });

    await assert.rejects(failing, { message: "no" });
    assert.deepEqual([followed, await all(db)], [false, []]);
  }));
