// The tables of events and deliveries have a partition for each month, made ahead of time, so that an old month can be dropped as
// a whole. The bounds are ids, because an id begins with its time. Rows without a partition go to the default one, which is no
// error.

import type pg from "pg";
import { firstIdAt } from "../values/id.ts";
import { withClient } from "./one_client.ts";

/** How many months after the present one have a partition. */
const monthsAhead = 2;

/** The tables, each with the prefix of its ids. */
export const partitioned = { event: "ev", webhook_delivery: "dlv" };
export type Table = keyof typeof partitioned;

export interface Partition {
  table: Table;
  name: string;
  from: string;
  to: string;
}

/** The partitions that should exist at an instant. */
export const partitionsAt = (now: Date): Partition[] =>
  (Object.keys(partitioned) as Table[]).flatMap((table) =>
    Array.from({ length: monthsAhead + 1 }, (_, i) => monthOf(now, i, table)),
  );

/** The partition of an instant's month, or of the month `later` months after it. */
export function monthOf(instant: Date, later = 0, table: Table = "event"): Partition {
  const firstOf = (months: number) => new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + months, 1));
  return {
    table,
    name: `${table}_${firstOf(later).toISOString().slice(0, 7).replace("-", "_")}`,
    from: firstIdAt(partitioned[table], firstOf(later)),
    to: firstIdAt(partitioned[table], firstOf(later + 1)),
  };
}

/** Creates missing partitions and returns their names. Several processes may do so at once. */
export async function createPartitions(url: string, now: Date): Promise<string[]> {
  const create = async (client: pg.Client) => {
    await client.query("select pg_advisory_lock(7241007)");
    const made: string[] = [];
    for (const partition of partitionsAt(now)) if (await createPartition(client, partition)) made.push(partition.name);
    return made;
  };
  return withClient(url, "headwater partitions", create, { options: "-c lock_timeout=3000" });
}

const checkViolation = "23514";
const lockNotAvailable = "55P03";

/**
 * Creates a partition, unless it is there. Attaching a finished table does not wait for writers, while creating it in place does.
 */
export async function createPartition(client: pg.Client, { table, name, from, to }: Partition): Promise<boolean> {
  const { rows } = await client.query("select to_regclass($1) as present", [name]);
  if (rows[0].present !== null) return false;
  try {
    await client.query("begin");
    await client.query(`create table ${name} (like ${table} including defaults including constraints)`);
    await client.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback");
    // Rows of this month are in the default partition already, or the table is busy. The next attempt is tomorrow.
    const { code } = error as { code?: string };
    if (code === checkViolation || code === lockNotAvailable) return false;
    throw error;
  }
}
