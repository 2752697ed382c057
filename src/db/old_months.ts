// Deletes old events and deliveries. They are kept for 30 days, and events that a reader has not read yet for up to 90. The table
// of a month is dropped as a whole, the oldest first, which takes a moment. It needs the owner of the tables, on a connection of
// its own.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { firstIdAt, madeAt } from "../values/id.ts";
import { withClient } from "./one_client.ts";
import { partitioned, type Table } from "./partitions.ts";

interface Retention {
  table: Table;
  /** How long every row is kept, and how long one that a reader has not read yet. */
  days: number;
  daysUnread: number;
  /** The readers that must have read a row before it is deleted early. */
  readers: readonly string[];
}

/** The service's own consumers, and active webhooks. */
const readersOfEvents = ["consumer r where true", "webhook r where r.status = 'active'"];

const retentions: readonly Retention[] = [
  { table: "event", days: 30, daysUnread: 90, readers: readersOfEvents },
  { table: "webhook_delivery", days: 30, daysUnread: 30, readers: [] },
];

/** Drops the tables that are old enough and returns their names. Several processes may do so at once. */
export async function dropOldMonths(url: string, now: Date): Promise<string[]> {
  return withClient(url, "headwater old months", async (client) => {
    await client.query("select pg_advisory_lock(7241007)");
    const dropped: string[] = [];
    for (const retention of retentions) {
      dropped.push(...(await dropMonths(client, retention, now)));
      await dropStrays(client, retention, now);
    }
    return dropped;
  });
}

async function dropMonths(client: pg.Client, retention: Retention, now: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const { name, end } of await monthsOf(client, retention.table)) {
    if (end > daysAgo(now, retention.days)) break;
    if (end > daysAgo(now, retention.daysUnread) && (await isBeingRead(client, name, retention.readers))) break;
    if (!(await drop(client, retention.table, name))) break;
    dropped.push(name);
  }
  return dropped;
}

const daysAgo = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

interface Month {
  name: string;
  /** The first moment after it. */
  end: Date;
}

/** The months that have a table, the oldest first. */
async function monthsOf(client: pg.Client, table: Table): Promise<Month[]> {
  const { rows } = await client.query(
    `select c.relname as name, substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([0-9a-z_]+)''\\)') as behind
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname <> $1 || '_default' order by 1`,
    [table],
  );
  return rows.map(({ name, behind }) => ({ name, end: madeAt(partitioned[table], behind)! }));
}

/** A month is dropped for all organizations at once, and only when every reader of it is done. */
const crossing = "/* across organizations: a month is everybody's */";

/** The reader `r` has not reached the event `e`. */
const unread = `r.organization_id = e.organization_id
  and (e.epoch, e.position, e.seq) > (r.cursor_epoch, r.cursor_position, r.cursor_seq)`;

async function isBeingRead(client: pg.Client, month: string, readers: readonly string[]): Promise<boolean> {
  for (const reader of readers) {
    const { rowCount } = await client.query(
      `${crossing} select 1 from ${reader} and exists (select from ${month} e where ${unread}) limit 1`,
    );
    if (rowCount! > 0) return true;
  }
  return false;
}

const lockNotAvailable = "55P03";
/** How long a writer of such a row waits for us at most, and the pause between our attempts. */
const lockMs = 200;
const tries = 5;

async function drop(client: pg.Client, table: Table, month: string): Promise<boolean> {
  for (let i = 0; i < tries; i++) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockMs}`);
      await client.query(`alter table ${table} detach partition ${month}`);
      await client.query(`drop table ${month}`);
      await client.query("commit");
      return true;
    } catch (error) {
      await client.query("rollback");
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      await sleep(lockMs);
    }
  }
  // A long read holds the table; it is dropped tomorrow.
  return false;
}

const chunk = 200;
const looks = 500;

/** Deletes rows of the default partition, which came before their month had a table. */
async function dropStrays(client: pg.Client, { table, days, daysUnread, readers }: Retention, now: Date): Promise<void> {
  const bounds = [daysUnread, days].map((count) => firstIdAt(partitioned[table], daysAgo(now, count)));
  const isRead = ["true", ...readers.map((reader) => `not exists (select from ${reader} and ${unread})`)].join(" and ");
  for (let i = 0; i < looks; i++) {
    const { rows } = await client.query(
      `${crossing} select e.organization_id, e.id from ${table}_default e where e.id < $1 or (e.id < $2 and ${isRead}) limit ${chunk}`,
      bounds,
    );
    for (const [organizationId, those] of Map.groupBy(rows, (row) => row.organization_id as string))
      await client.query(`delete from ${table}_default where organization_id = $1 and id = any($2)`, [
        organizationId,
        those.map(({ id }) => id),
      ]);
    if (rows.length < chunk) return;
  }
}
