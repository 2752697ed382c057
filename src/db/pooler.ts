// A pooler in transaction mode, such as PgBouncer, between the service and PostgreSQL: each transaction may come to another connection
// of the server. So nothing is kept on a connection: settings are made at the beginning of each transaction, and statements are prepared
// for one use.
import pg from "pg";
import type { Statement } from "./database.ts";
import { withClient } from "./one_client.ts";
import { PooledClient } from "./wire.ts";

/** How to connect to it, given how to connect to PostgreSQL: it takes no settings. */
export const pooledConfig = <T extends pg.PoolConfig>(direct: T, url: string): T => ({
  ...direct,
  connectionString: url,
  options: undefined,
  Client: PooledClient,
});

/** The settings that connections of our own are opened with (`-c name=value …`), as a statement for one transaction. */
export function settingsOf(options: string): Statement {
  const settings = [...options.matchAll(/-c ([\w.]+)=(\S+)/g)].filter(([, name]) => name !== "role");
  return {
    text: `select ${settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`).join(", ")}`,
    values: settings.flatMap(([, name, value]) => [name, value]),
  };
}

/** Cancels what a connection is about to do. Only the pooler knows on which connection of the server that is. */
export function cancelThrough(config: pg.ClientConfig, client: pg.ClientBase): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const { connection, port, host } = new pg.Client(config) as unknown as { connection: any; port: number; host: string };
  return new Promise((resolve) => {
    connection.once("connect", () => connection.cancel(processID, secretKey));
    connection.once("end", resolve).once("error", resolve);
    connection.connect(port, host);
  });
}

/**
 * Refuses a DATABASE_URL that leads to no database, or through such a pooler: migrations, commands and announcements need connections that
 * last.
 */
export async function refusePooler(url: string): Promise<void> {
  // A pooler takes no settings at the beginning of a connection, or forgets them.
  const config = { options: "-c statement_timeout=54321" };
  const keeps = (client: pg.Client) => client.query("select current_setting('statement_timeout') = '54321ms' as kept");
  try {
    const { rows } = await withClient(url, "headwater command", keeps, config);
    if (rows[0].kept) return;
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (nowhere.has(code)) {
      const words = "The database of DATABASE_URL cannot be reached: is that right, and does PostgreSQL run there?";
      throw new Error(`${words} (${message || code})`, { cause: error });
    }
    // Other errors are for whoever needs the database.
    if (code !== protocolViolation || !/startup parameter/.test(message)) return;
  }
  throw new Error(
    "DATABASE_URL leads through a pooler such as PgBouncer, which keeps no session: migrations, commands and LISTEN need one. " +
      "Set DATABASE_URL to PostgreSQL itself, and DATABASE_POOLER_URL to the pooler (PgBouncer with pool_mode = transaction).",
  );
}

const protocolViolation = "08P01";

/** No server, no such database, or nobody whom it lets in. */
const nowhere: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "3D000",
  "28000",
  "28P01",
]);
