// A backup by the schedule: taken, read whole from where it lies, written down, and the oldest ones removed.
import type pg from "pg";
import { isPast } from "../auth/unscoped_state.ts";
import { withClient } from "../db/one_client.ts";
import { newId } from "../values/id.ts";
import { readArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { nameAt, type Place, untilNow } from "./place.ts";
import { type Source, takeBackup } from "./take.ts";

export interface Outcome {
  name: string;
  /** What is in it, or why there is none. */
  taken: Manifest | Error;
  /** The one before had failed. */
  failedBefore: boolean;
}

/** How many stay, and whether files whose bytes are lost are known to be lost for good. */
export interface Rules {
  keep: number;
  despiteMissing?: boolean;
}

/** Takes one and removes all but the newest. Null: another process is taking one. */
export const takeScheduled = (source: Source, place: Place, rules: Rules, clock: () => Date): Promise<Outcome | null> =>
  withClient(source.url, "headwater backup schedule", async (client) => {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as mine", [scheduleLock]);
    if (!rows[0].mine) return null;
    const id = newId("backup");
    const { name, failedBefore, good } = await begin(client, id, clock());
    try {
      const { manifest, bytes } = await take(source, place, name);
      const missing = manifest.files.missing.count;
      const isWorse = good !== null && missing > good.missing && !rules.despiteMissing;
      await removeOldest(place, rules.keep, isWorse ? good.name : name, clock());
      if (isWorse) throw new Error(lostSince(manifest, good.missing));
      await end(client, id, clock(), { bytes, missing });
      return { name, taken: manifest, failedBefore };
    } catch (error) {
      await end(client, id, clock(), { error: error as Error });
      return { name, taken: error as Error, failedBefore };
    }
  });

/** Held while one is taken, by one process of all. */
const scheduleLock = 7241012;

async function take(source: Source, place: Place, name: string): Promise<{ manifest: Manifest; bytes: number }> {
  // Also makes the folder, and finds out before the work whether the bucket can be reached.
  await place.list();
  const bytes = await place.add(name, async (path) => void (await takeBackup(path, source)));
  try {
    return { manifest: await readArchive(await place.read(name), source.secrets, {}), bytes };
  } catch (error) {
    await place.remove(name);
    throw error;
  }
}

/** The last good one stays, however old it is. */
async function removeOldest(place: Place, keep: number, good: string, now: Date): Promise<void> {
  for (const name of untilNow(await place.list(), now).slice(0, -keep)) if (name !== good) await place.remove(name);
}

const lostSince = ({ files: { missing } }: Manifest, before: number): string =>
  `${missing.count} files have a record and no bytes, at the last good backup ${before} (${missing.keys.slice(0, 3).join(", ")}): is the disk with DATA_DIR/files there, is S3_BUCKET right? This archive of the rest is kept, and so is the last good one. If they are lost for good, run \`headwater backup --despite-missing\``;

// --- what is told of it ---

interface Begun {
  name: string;
  failedBefore: boolean;
  good: { name: string; missing: number } | null;
}

async function begin(client: pg.Client, id: string, now: Date): Promise<Begun> {
  // We hold the lock, so the process of one that is still running is gone.
  await client.query("update backup set state = 'failed', ended_at = $1, error = $2 where state = 'running'", [
    now,
    "its process ended in the middle",
  ]);
  const past = `from backup where ${isPast}`;
  const { rows } = await client.query(`select state ${past} order by started_at desc, id desc limit 1`, [now]);
  const { rows: done } = await client.query(
    `select name, missing_files as missing ${past} and state = 'done' order by started_at desc, id desc limit 1`,
    [now],
  );
  await client.query("delete from backup where started_at < $1::timestamptz - interval '400 days'", [now]);
  const name = await nameFor(client, now);
  await client.query("insert into backup (id, name, state, started_at) values ($1, $2, 'running', $3)", [id, name, now]);
  return { name, failedBefore: rows[0]?.state === "failed", good: done[0] ?? null };
}

/** Names tell seconds. One that is begun in the second of another takes the next: it must not take the other's place. */
async function nameFor(client: pg.Client, now: Date): Promise<string> {
  const { rows } = await client.query<{ name: string }>("select name from backup where name >= $1", [nameAt(now)]);
  const given = new Set(rows.map(({ name }) => name));
  let at = now;
  while (given.has(nameAt(at))) at = new Date(at.getTime() + 1000);
  return nameAt(at);
}

type Ended = { bytes: number; missing: number } | { error: Error };

async function end(client: pg.Client, id: string, now: Date, as: Ended): Promise<void> {
  const values =
    "error" in as ? ["failed", now, null, as.error.message || as.error.name, 0] : ["done", now, as.bytes, null, as.missing];
  await client.query("update backup set state = $2, ended_at = $3, bytes = $4, error = $5, missing_files = $6 where id = $1", [
    id,
    ...values,
  ]);
}
