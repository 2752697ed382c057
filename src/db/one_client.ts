// A connection of its own for commands and long readings. The service's pools are in pool.ts.
import pg from "pg";

/** The session reads and writes times in UTC, whatever the server's zone is. */
export const inUtc = { options: "-c timezone=UTC" };

/**
 * Connects under a name that an operator sees in `pg_stat_activity`, does the work, and ends the connection however that went. What was not
 * committed is rolled back by it.
 */
export async function withClient<T>(
  url: string,
  application_name: string,
  work: (client: pg.Client) => Promise<T>,
  config: pg.ClientConfig = {},
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name, ...config });
  // A connection that is lost fails the statement that waits, or the next one.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
