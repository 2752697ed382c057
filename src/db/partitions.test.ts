import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createDatabase } from "../../test/support/database.ts";
import { firstIdAt } from "../values/id.ts";
import { createPartitions, partitionsAt } from "./partitions.ts";

const now = new Date("2026-12-15T12:00:00.000Z");

async function withDatabase(work: (url: string, client: pg.Client) => Promise<void>): Promise<void> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await work(database.url, client);
  } finally {
    await client.end();
    await database.drop();
  }
}

async function writeEvent(client: pg.Client, at: string): Promise<string> {
  const values = ["orga_1", firstIdAt("ev", new Date(at)), at];
  const { rows } = await client.query(
    `insert into event (organization_id, id, object_type, action, event, object_id, date_created, date_updated)
     values ($1, $2, 'lead', 'created', 'lead.created', 'lead_1', $3, $3) returning tableoid::regclass::text as place`,
    values,
  );
  return rows[0].place;
}

test("this month and the next two have a partition, once, whoever makes them at the same time", () =>
  withDatabase(async (url) => {
    const made = (await Promise.all([1, 2, 3].map(() => createPartitions(url, now)))).flat();

    const months = (table: string, ...of: string[]) => of.map((month) => `${table}_${month}`);
    assert.deepEqual(made.sort(), [
      ...months("event", "2026_12", "2027_01", "2027_02"),
      ...months("webhook_delivery", "2026_12", "2027_01", "2027_02"),
    ]);
    assert.deepEqual(await createPartitions(url, now), []);
    assert.deepEqual(await createPartitions(url, new Date("2027-01-01T00:00:00.000Z")), [
      ...months("event", "2027_03"),
      ...months("webhook_delivery", "2027_03"),
    ]);
  }));

test("an event lies in the partition of its month, to the millisecond", () =>
  withDatabase(async (url, client) => {
    await createPartitions(url, now);

    assert.equal(await writeEvent(client, "2026-12-01T00:00:00.000Z"), "event_2026_12");
    assert.equal(await writeEvent(client, "2026-12-31T23:59:59.999Z"), "event_2026_12");
    assert.equal(await writeEvent(client, "2027-01-01T00:00:00.000Z"), "event_2027_01");
    assert.equal(await writeEvent(client, "2027-03-01T00:00:00.000Z"), "event_default");
  }));

test("events that lie in the default partition already stay there, and are no error", () =>
  withDatabase(async (url, client) => {
    await writeEvent(client, "2027-01-10T00:00:00.000Z");

    const made = await createPartitions(url, now);

    assert.deepEqual(
      made.filter((one) => one.startsWith("event_")),
      ["event_2026_12", "event_2027_02"],
    );
    assert.equal((await client.query("select from event")).rowCount, 1);
  }));

test("partitions are read and written through the event table alone", () =>
  withDatabase(async (url, client) => {
    await createPartitions(url, now);

    const { rows } = await client.query("select has_table_privilege('headwater_app', 'event_2026_12', 'select') as may");

    assert.equal(rows[0].may, false);
    assert.equal(partitionsAt(now)[0]!.to, partitionsAt(now)[1]!.from);
  }));
