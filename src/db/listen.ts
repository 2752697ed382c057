// Listens for announcements of other processes. It tells its owner when the connection is lost and announcements are missed.
import pg from "pg";

/** The names under which processes listen for announcements. By them they find each other. */
export const listening = { api: "headwater listen api", other: "headwater listen" } as const;

export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens on a channel for as long as the service runs, under a name that others see. `down` and `up` say when announcements may be
 * missed.
 */
export async function listen(
  url: string,
  application_name: string,
  channel: string,
  on: { message(payload: string): void; down(): void; up(): void },
): Promise<Listener> {
  let closed = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | null = null;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
    });
    next.on("notification", (message) => on.message(message.payload ?? ""));
    const lost = () => {
      if (client !== next) return;
      client = null;
      on.down();
      again();
    };
    next.on("error", lost);
    next.on("end", lost);
    await next.connect();
    await next.query(`listen ${channel}`);
    client = next;
    on.up();
  }

  function again(): void {
    if (closed) return;
    retry = setTimeout(() => connect().catch(again), 500);
    retry.unref();
  }

  await connect();
  return {
    async close() {
      closed = true;
      if (retry) clearTimeout(retry);
      const present = client;
      client = null;
      await present?.end().catch(() => {});
    },
  };
}
