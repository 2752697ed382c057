// The order of events follows the server's count of transactions, which begins anew where a backup is restored or a server replaced.
import pg from "pg";

/** Begins a new epoch of events if the database lives on another server than before, or a new life of the same. */
export async function beginEpoch(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "headwater epoch" });
  await client.connect();
  try {
    await client.query("call begin_event_epoch()");
  } finally {
    await client.end();
  }
}
