// Following events: they are there as soon as every transaction that began before theirs is over, those of other tests among them.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Workspace } from "./given.ts";

/** Waits until what has been committed can be followed. */
export async function settled(ws: Workspace): Promise<void> {
  await withConnection(ws, async (client) => {
    const { rows } = await client.query("select pg_snapshot_xmax(pg_current_snapshot())::text as count");
    const isOver = "select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as over";
    while (!(await client.query(isOver, [rows[0].count])).rows[0].over) await sleep(5);
  });
}

/** A connection of one's own to the database of the service. */
export async function withConnection<T>(ws: Workspace, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ws.service.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
