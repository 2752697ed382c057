// The order of events follows the server's transaction ids. They begin anew when a backup is restored or the server is replaced.
import { withClient } from "./one_client.ts";

/** Begins a new epoch of events if the database is on another server than before, or the server began a new life. */
export async function beginEpoch(url: string): Promise<void> {
  await withClient(url, "headwater epoch", (client) => client.query("call begin_event_epoch()"));
}
