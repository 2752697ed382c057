// The feed is ordered by a server's transaction ids. When the data moves to another server, or the server crashes, they start
// again, and followers still get each event once.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Embedded, startEmbedded } from "../../src/db/embedded/index.ts";
import { beginEpoch } from "../../src/db/epoch.ts";
import { migrate } from "../../src/db/migrate.ts";
import { settled, withConnection } from "../support/feed.ts";
import { organization, Workspace } from "../support/given.ts";
import { type Service, startService } from "../support/service.ts";

const path = "/event/?event=lead.created";

test("a restored backup goes on behind every cursor, also those that were given out after it was made", async () => {
  const original = await startService();
  const server = await startServer();
  try {
    const acme = await organization(original);
    await acme.lead();
    const early = (await acme.get(path)).cursor_previous;
    await countTransactions(acme, 3000);
    const kept = await acme.lead();
    await copyDatabase(original.databaseUrl, server.url);
    await restart(acme);
    await acme.lead();
    const late = (await acme.get(path)).cursor_previous;

    await beginEpoch(server.url);
    const restored = await startService({ databaseUrl: server.url });
    try {
      const again = at(restored, acme);
      const { id } = await again.post("/lead/", { name: "After the restore" });

      assert.deepEqual(await follow(again, early), [kept.id, id]);
      assert.deepEqual(await follow(again, late), [id]);
    } finally {
      await restored.close();
    }
  } finally {
    await original.close();
    await server.close();
  }
});

test("what is written after PostgreSQL crashed beneath the service lies behind every cursor", async () => {
  const server = await startServer();
  await migrate(server.url);
  const service = await startService({ databaseUrl: server.url });
  try {
    const acme = await organization(service);
    await withConnection(acme, async (client) => {
      for (let i = 0; i < 20; i++) await client.query("begin; select pg_current_xact_id(); rollback");
    });
    const { cursor_previous } = await acme.get(path);

    await crash(acme);
    const { id } = await untilBack(() => acme.post("/lead/", { name: "After the crash" }));

    assert.deepEqual(await follow(acme, cursor_previous), [id]);
  } finally {
    await service.close();
    await server.close();
  }
});

/** A PostgreSQL with low transaction ids, which is slow to store those that were rolled back. */
async function startServer(): Promise<{ url: string; close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-elsewhere-"));
  chmodSync(dataDir, 0o711);
  const embedded: Embedded = await startEmbedded({ dataDir, settings: { fsync: "off", wal_writer_delay: "10s" } });
  return {
    url: embedded.url,
    async close() {
      await embedded.stop();
      for (const place of [dirname(embedded.directory), dataDir]) rmSync(place, { recursive: true, force: true });
    },
  };
}

/** What `pg_dump` and `pg_restore` do: the schema, then the rows, without triggers. */
async function copyDatabase(from: string, to: string): Promise<void> {
  await migrate(to);
  const [source, target] = [from, to].map((connectionString) => new pg.Client({ connectionString }));
  await Promise.all([source!.connect(), target!.connect()]);
  try {
    await target!.query("set session_replication_role = replica; delete from event_epoch");
    // Generated columns are computed again.
    const { rows: tables } = await source!.query(
      `select quote_ident(relname) as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
       from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migration'
       group by relname`,
    );
    for (const { name, columns } of tables) {
      const { rows } = await source!.query(`select coalesce(json_agg(t), '[]')::text as all from ${name} t`);
      await target!.query(
        `insert into ${name} (${columns}) overriding system value
           select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
        [rows[0].all],
      );
    }
    await target!.query("select setval(pg_get_serial_sequence('event', 'seq'), (select max(seq) from event))");
  } finally {
    await Promise.all([source!.end(), target!.end()]);
  }
}

const countTransactions = (ws: Workspace, count: number): Promise<unknown> =>
  withConnection(ws, (client) =>
    client.query(`do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`),
  );

/** The effect of a restart on the epoch, because these tests may not restart their server. */
const restart = (ws: Workspace): Promise<unknown> =>
  withConnection(ws, (client) => client.query("update event_epoch set server = 'an earlier life'; call begin_event_epoch()"));

/** The same organization in another service. */
const at = (service: Service, { key, id, userId }: Workspace): Workspace => new Workspace(service, key, id, userId);

async function crash(ws: Workspace): Promise<void> {
  await withConnection(ws, async (client) => {
    client.on("error", () => {});
    const { rows } = await client.query("select pg_backend_pid() as pid");
    process.kill(rows[0].pid, "SIGKILL");
    await client.query("select 1").catch(() => {});
  }).catch(() => {});
}

async function untilBack<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}

/** The leads whose creation is read from a cursor on. */
async function follow(ws: Workspace, from: string): Promise<string[]> {
  await settled(ws);
  const found: string[] = [];
  for (let cursor = from; ; ) {
    const page = await ws.get(`${path}&_limit=1&_cursor=${cursor}`);
    if (page.data.length === 0) return found;
    found.push(page.data[0].object_id);
    cursor = page.cursor_previous;
  }
}
