// What webhook tests share: an organization whose operator allows this machine's addresses, and a worker.
import { readFileSync } from "node:fs";
import pg from "pg";
import type { Worker } from "../../src/jobs/worker.ts";
import { withConnection } from "./feed.ts";
import { organization, type Workspace } from "./given.ts";
import { outboundService } from "./outbound.ts";
import type { Receiver } from "./receiver.ts";
import { withWorker } from "./worker.ts";

export const workspace = async (): Promise<Workspace> => organization(await outboundService());

export const subscribe = (ws: Workspace, { url }: Receiver, body: object = {}): Promise<any> =>
  ws.post("/webhook/", { url, events: ["lead.created"], ...body });

/** Does everything that is due. */
export const drained = (ws: Workspace): Promise<void> => withWorker(ws.service, (worker) => worker.drained());

/** Does what is due, moves the clock, and does what is due then. A turn whose claim expired is taken by another worker. */
export async function pass(ws: Workspace, worker: Worker, seconds: number): Promise<void> {
  await worker.drained();
  skip(ws, seconds);
  await worker.drained();
}

/** Moves the clock. */
export function skip({ service: { clock } }: Workspace, seconds: number): void {
  clock.now = new Date((clock.now ?? new Date()).getTime() + seconds * 1000);
}

export const leads = async (ws: Workspace, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await ws.lead()).id);
  return ids;
};

/** The deliveries of a webhook as listed, newest first. */
export const deliveriesOf = async (ws: Workspace, webhookId: string, query = ""): Promise<any[]> =>
  (await ws.get(`/webhook/${webhookId}/delivery/${query}`)).data;

/** How many deliveries a webhook has, counted by PostgreSQL. */
export async function rowsOf(ws: Workspace, webhookId: string): Promise<number> {
  const [row] = await ws.service.app.db.query(ws.id, {
    text: "select count(*) from webhook_delivery where organization_id = $1 and webhook_id = $2",
    values: [ws.id, webhookId],
  });
  return Number(row![0]);
}

const migration = readFileSync(new URL("../../migrations/0033_webhook_deliveries.sql", import.meta.url), "utf8");

/** The database as the release before webhook deliveries left it, and then its migration: nobody followed the log before. */
export async function webhooksAsUpgraded(ws: Workspace): Promise<void> {
  await withConnection(ws, async (client) => {
    await client.query("/* a test */ delete from consumer where organization_id = $1", [ws.id]);
    await client.query("begin");
    for (const statement of migration.slice(migration.indexOf("set local role")).split(";"))
      if (statement.trim()) await client.query(statement);
    await client.query("commit");
  });
}

/** A transaction that has written something, as any other client of the server may have one open. */
export async function openTransaction({ service }: Workspace): Promise<{ commit(): Promise<void> }> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query("begin");
  await client.query("select pg_current_xact_id()");
  return {
    async commit() {
      await client.query("commit");
      await client.end();
    },
  };
}
