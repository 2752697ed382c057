// The event table has a partition for each month, made ahead of time, so that an old month can be dropped as a whole. The bounds
// are ids, because an id begins with its time. Rows that fit no partition go to `event_default`, and that is no error.
import pg from "pg";
import { firstIdAt } from "../values/id.ts";

/** How many months beside the present one have a partition. */
const monthsAhead = 2;

export interface Partition {
  name: string;
  from: string;
  to: string;
}

/** The partitions there should be at an instant. */
export const partitionsAt = (now: Date): Partition[] => Array.from({ length: monthsAhead + 1 }, (_, i) => monthOf(now, i));

/** The partition of an instant's month, or of a month so many later. */
export function monthOf(instant: Date, later = 0): Partition {
  const firstOf = (months: number) => new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + months, 1));
  return {
    name: `event_${firstOf(later).toISOString().slice(0, 7).replace("-", "_")}`,
    from: firstIdAt("ev", firstOf(later)),
    to: firstIdAt("ev", firstOf(later + 1)),
  };
}

/** Makes those that are missing and answers their names. Several processes may do so at once. */
export async function createPartitions(url: string, now: Date): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "headwater partitions",
    options: "-c lock_timeout=3000",
  });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(7241007)");
    const made: string[] = [];
    for (const partition of partitionsAt(now)) if (await create(client, partition)) made.push(partition.name);
    return made;
  } finally {
    await client.end();
  }
}

const checkViolation = "23514";
const lockNotAvailable = "55P03";

// Attaching a finished table, unlike creating it in place, does not wait for those who write events.
async function create(client: pg.Client, { name, from, to }: Partition): Promise<boolean> {
  const { rows } = await client.query("select to_regclass($1) as present", [name]);
  if (rows[0].present !== null) return false;
  try {
    await client.query("begin");
    await client.query(`create table ${name} (like event including defaults including constraints)`);
    await client.query(`alter table event attach partition ${name} for values from ('${from}') to ('${to}')`);
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback");
    // Events of this month lie in the default partition already, or somebody is busy there: tomorrow is early enough.
    const { code } = error as { code?: string };
    if (code === checkViolation || code === lockNotAvailable) return false;
    throw error;
  }
}
