// Waits for the feed: events are readable once every transaction that began earlier has ended, even those of other tests.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Service } from "./service.ts";

/** Anything that has a service. */
type At = { service: Pick<Service, "databaseUrl"> };

/** Waits until everything committed so far is in the feed. */
export async function settled(ws: At): Promise<void> {
  await withConnection(ws, async (client) => {
    const { rows } = await client.query("select pg_snapshot_xmax(pg_current_snapshot())::text as count");
    const isOver = "select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as over";
    while (!(await client.query(isOver, [rows[0].count])).rows[0].over) await sleep(5);
  });
}

/** A separate connection to the database of the service. */
export async function withConnection<T>(ws: At, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ws.service.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
