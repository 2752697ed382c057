// Tests only the plan, because the packaged database is a single server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { createDatabase } from "../../test/support/database.ts";
import { type Catalogue, copiedTables, planOf, readCatalogue, refuseWithoutCluster } from "./distribute.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let catalogue: Catalogue;
before(async () => {
  database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  catalogue = await readCatalogue(client);
  await client.end();
});
after(() => database.drop());

const tenants = () => catalogue.tables.filter(({ isTenant }) => isTenant).map(({ name }) => name);
const plan = () => planOf(catalogue, 8);

describe("the plan to spread the tables", () => {
  const placeOf = (text: string) => plan().findIndex((statement) => statement.includes(text));
  const placeOfTable = (name: string) => placeOf(`_table('"${name}"'`);

  test("copies what all organizations refer to, and spreads every table of organizations beside the first", () => {
    const spread = plan().filter((one) => one.includes("create_distributed_table"));
    const copied = plan().filter((one) => one.includes("create_reference_table"));

    assert.ok(tenants().length > 50);
    assert.equal(spread.length, tenants().length);
    assert.match(spread[0]!, /'organization_id', shard_count => 8\)$/);
    for (const one of spread.slice(1)) assert.match(one, /'organization_id', colocate_with => '"\w+"'\)$/);
    assert.equal(copied.length, copiedTables.length);
    for (const name of [...tenants(), ...copiedTables]) assert.ok(placeOfTable(name) >= 0, name);
  });

  test("leaves nothing on the coordinator alone that a table of organizations refers to, and partitions to their table", () => {
    const known = new Set([...tenants(), ...copiedTables]);

    for (const { from, to } of catalogue.keys) assert.ok(known.has(from) && known.has(to), `${from} refers to ${to}`);
    assert.ok(!tenants().some((name) => /^event_(\d|default)/.test(name)));
    assert.ok(tenants().includes("event"));
  });

  test("takes every foreign key off before a table moves and puts it back afterwards, those to copied tables first", () => {
    const dropped = catalogue.keys.map(({ name }) => placeOf(`drop constraint "${name}"`));
    const added = (isCopied: boolean) =>
      catalogue.keys
        .filter(({ to }) => copiedTables.includes(to) === isCopied)
        .map(({ name }) => placeOf(`add constraint "${name}"`));
    const moved = [...tenants(), ...copiedTables].map(placeOfTable);

    assert.ok(catalogue.keys.length > 100);
    assert.ok(Math.min(...dropped) >= 0 && Math.max(...dropped) < Math.min(...moved));
    assert.ok(Math.max(...moved) < Math.min(...added(true)) && Math.max(...added(true)) < Math.min(...added(false)));
  });

  test("moves a table behind those it refers to", () => {
    for (const { from, to } of catalogue.keys) {
      const isOneWay = from !== to && !catalogue.keys.some((back) => back.from === to && back.to === from);
      if (isOneWay && !inCircle(from, to)) assert.ok(placeOfTable(to) < placeOfTable(from), `${from} refers to ${to}`);
    }
  });

  test("brings the functions that run where the rows lie", () => {
    for (const name of ["forget_rendering()", "place_event()", "sort_key(text)", "defer_constraints()", "check_constraints()"])
      assert.ok(placeOf(`create_distributed_function('${name}')`) >= 0, name);
  });

  test("is empty where everything is spread, and is of the new table alone where one came later", () => {
    const all = { ...catalogue, tables: catalogue.tables.map((table) => ({ ...table, isSpread: true })) };
    const later = { name: "branch", isTenant: true, isSpread: false };
    const key = { name: "branch_lead_id_fkey", from: "branch", to: "lead", definition: "foreign key …" };

    assert.deepEqual(planOf(all, 8), []);
    const more = planOf({ ...all, tables: [...all.tables, later], keys: [...all.keys, key] }, 8);
    assert.equal(more.filter((one) => /create_\w+_table/.test(one)).length, 1);
    assert.ok(more.some((one) => /create_distributed_table\('"branch"', 'organization_id', colocate_with/.test(one)));
    assert.deepEqual(
      more.filter((one) => one.startsWith("alter table")),
      [
        'alter table "branch" drop constraint "branch_lead_id_fkey"',
        'alter table "branch" add constraint "branch_lead_id_fkey" foreign key …',
      ],
    );
  });
});

/** Whether the table can be reached from one that it refers to. Then one of them has to come first. */
function inCircle(from: string, to: string, seen = new Set<string>()): boolean {
  if (to === from) return true;
  if (seen.has(to)) return false;
  seen.add(to);
  return catalogue.keys.some((key) => key.from === to && key.to !== to && inCircle(from, key.to, seen));
}

test("names of tables and constraints leave room for the number of a shard", () => {
  for (const { name, from } of catalogue.keys) assert.ok(name.length <= 54 && from.length <= 54, name);
});

test("where there is no Citus, it says what is missing and how to get it", async () => {
  await assert.rejects(refuseWithoutCluster(database.url), /has no Citus[\s\S]*shared_preload_libraries[\s\S]*citus_add_node/);
});
