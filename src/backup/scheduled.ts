// A backup by the schedule: taken, read whole from where it lies, written down, and the oldest ones removed.
import type pg from "pg";
import { withClient } from "../db/one_client.ts";
import { newId } from "../values/id.ts";
import { readArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { nameAt, type Place } from "./place.ts";
import { type Source, takeBackup } from "./take.ts";

export interface Outcome {
  name: string;
  /** What is in it, or why there is none. */
  taken: Manifest | Error;
  /** The one before had failed. */
  failedBefore: boolean;
}

/** Takes one and removes all but the newest `keep`. Null: another process is taking one. */
export const takeScheduled = (source: Source, place: Place, keep: number, clock: () => Date): Promise<Outcome | null> =>
  withClient(source.url, "headwater backup schedule", async (client) => {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as mine", [scheduleLock]);
    if (!rows[0].mine) return null;
    const id = newId("backup");
    const name = nameAt(clock());
    const failedBefore = await begin(client, id, name, clock());
    try {
      const { manifest, bytes } = await take(source, place, name);
      await end(client, id, clock(), { bytes });
      await removeOldest(place, keep);
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

async function removeOldest(place: Place, keep: number): Promise<void> {
  for (const name of (await place.list()).slice(0, -keep)) await place.remove(name);
}

// --- what is told of it ---

async function begin(client: pg.Client, id: string, name: string, now: Date): Promise<boolean> {
  // We hold the lock, so the process of one that is still running is gone.
  await client.query("update backup set state = 'failed', ended_at = $1, error = $2 where state = 'running'", [
    now,
    "its process ended in the middle",
  ]);
  const { rows } = await client.query("select state from backup order by started_at desc, id desc limit 1");
  await client.query("delete from backup where started_at < $1::timestamptz - interval '400 days'", [now]);
  await client.query("insert into backup (id, name, state, started_at) values ($1, $2, 'running', $3)", [id, name, now]);
  return rows[0]?.state === "failed";
}

async function end(client: pg.Client, id: string, now: Date, as: { bytes: number } | { error: Error }): Promise<void> {
  const [state, bytes, error] = "error" in as ? ["failed", null, as.error.message || as.error.name] : ["done", as.bytes, null];
  await client.query("update backup set state = $2, ended_at = $3, bytes = $4, error = $5 where id = $1", [
    id,
    state,
    now,
    bytes,
    error,
  ]);
}
