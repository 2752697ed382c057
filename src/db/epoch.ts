// The order of events follows the server's transaction ids. They begin anew when a backup is restored or the server is replaced.
import type { Database } from "./database.ts";
import { withClient } from "./one_client.ts";

/** A name for the database and its present life, which no copy of it has once a service works there. It tells nothing else. */
export const lifeOfDatabase = `select left(encode(sha256(convert_to(concat_ws(' ', epoch, server, d.oid), 'UTF8')), 'hex'), 16) as life
  from event_epoch, pg_database d where d.datname = current_database()`;

/** The same, for a service that says it. */
export async function lifeOf(db: Database): Promise<string> {
  const [row] = await db.unscoped({ name: "database.life", text: lifeOfDatabase, values: [] });
  return row![0]!;
}

/** Begins a new epoch of events if the database is on another server than before, or the server began a new life. */
export async function beginEpoch(url: string): Promise<void> {
  await withClient(url, "headwater epoch", (client) => client.query("call begin_event_epoch()"));
}
