// The order of events follows the server's transaction ids. They begin anew when a backup is restored or the server is replaced.
import pg from "pg";

/** Begins a new epoch of events if the database is on another server than before, or the server began a new life. */
export async function beginEpoch(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "headwater epoch" });
  await client.connect();
  try {
    await client.query("call begin_event_epoch()");
  } finally {
    await client.end();
  }
}
