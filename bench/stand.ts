// What a benchmark runs against: a database with data, the service as a user starts it, and the floor beside it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type App, openApp } from "../src/app.ts";
import { workerFlags } from "../src/cli/worker_process.ts";
import { parseConfig } from "../src/config.ts";
import type { Statement, Transaction } from "../src/db/database.ts";
import { startEmbedded } from "../src/db/embedded/index.ts";
import { migrate } from "../src/db/migrate.ts";
import { createAccount, findOrCreateUser, foundOrganization } from "../src/resources/organization/found.ts";
import type { Recorded } from "./recorded.ts";

export interface Stand {
  databaseUrl: string;
  app: App;
  close(): Promise<void>;
}

/** A PostgreSQL of our own with durable commits, or the one of BENCH_DATABASE_URL (its database is filled with data). */
export async function openStand(settings: Record<string, string> = {}): Promise<Stand> {
  const given = process.env.BENCH_DATABASE_URL;
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-bench-"));
  chmodSync(dataDir, 0o711);
  const server = given
    ? null
    : await startEmbedded({
        dataDir,
        settings: { shared_buffers: "512MB", max_connections: "200", max_wal_size: "4GB", ...settings },
      });
  const databaseUrl = given ?? server!.url;
  await migrate(databaseUrl);
  const app = await openApp({ ...appOptions, databaseUrl });
  return {
    databaseUrl,
    app,
    async close() {
      await app.close();
      await server?.stop();
      for (const place of [server && dirname(server.directory), dataDir])
        if (place) rmSync(place, { recursive: true, force: true });
    },
  };
}

const appOptions = {
  rls: false,
  baseUrl: "http://localhost",
  secretKey: "the secret key of the bench",
  oauth: parseConfig({}).oauth,
  ai: parseConfig({}).ai,
  filesDir: join(tmpdir(), "headwater-bench-files"),
};

export interface Organization {
  id: string;
  key: string;
  userId: string;
}

export async function foundBenchOrganization(app: App, name: string): Promise<Organization> {
  const now = new Date();
  return app.db.unscopedTransaction(async (tx) => {
    const userId = await findOrCreateUser(tx, { email: `${name}@bench.example`, first_name: "Bench", now });
    const accountId = createAccount(tx, { name, ownerId: userId, now });
    const founded = foundOrganization(tx, { name, userId, accountId, keyName: "bench", now });
    return { id: founded.organization_id, key: founded.api_key, userId };
  });
}

export interface Running {
  url: string;
  process: ChildProcess;
  /** Resident memory in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** The service on the stand's database, by default as `headwater start` starts it; `api` is the service without a worker. */
export async function startService(
  databaseUrl: string,
  env: Record<string, string> = {},
  command: "start" | "api" = "start",
): Promise<Running> {
  const running = await start(["src/main.ts", command], await freePort(), settingsOf(databaseUrl, env));
  await answering(`${running.url}/readyz`);
  return running;
}

/** A worker of its own. It is at work when this resolves. */
export async function startWorker(databaseUrl: string): Promise<Running> {
  const flags = process.env.BENCH_WORKER_FLAGS?.split(" ") ?? workerFlags;
  const running = await start([...flags, "src/main.ts", "worker"], await freePort(), settingsOf(databaseUrl));
  await once(running.process.stdout!, "data");
  return running;
}

const settingsOf = (databaseUrl: string, env: Record<string, string> = {}): Record<string, string> => ({
  // The flags that `npm start` uses.
  NODE_COMPILE_CACHE: join(process.cwd(), "node_modules/.cache/node"),
  DATABASE_URL: databaseUrl,
  DATA_DIR: mkdtempSync(join(tmpdir(), "headwater-bench-service-")),
  RATE_LIMIT: "off",
  LOG_LEVEL: "warn",
  ...env,
});

/** The bare floor, with its own tables in the same database. */
export async function startBare(databaseUrl: string): Promise<Running> {
  const running = await start(["bench/bare.ts"], await freePort(), { BARE: databaseUrl });
  await once(running.process.stdout!, "data");
  return running;
}

export async function startFloor(databaseUrl: string, recorded: Recorded): Promise<Running> {
  const port = await freePort();
  const running = await start(["bench/floor.ts"], port, { FLOOR: JSON.stringify({ url: databaseUrl, recorded }) });
  await once(running.process.stdout!, "data");
  return running;
}

async function start(args: string[], port: number, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout!.resume();
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    memory: () => residentMegabytes(child.pid!),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Math.round(Number(kilobytes) / 1024);
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

/** Runs `act` on the app and returns the statements it sent in transactions and on its own connections. */
export async function record(app: App, act: () => Promise<unknown>): Promise<{ written: Statement[]; queried: Statement[] }> {
  const written: Statement[] = [];
  const queried: Statement[] = [];
  const { transaction, search, query } = app.core.db;
  app.core.db.transaction = (organizationId, run) =>
    transaction(organizationId, (tx) => {
      const heard: Transaction = { ...tx, write: (statement) => (written.push(statement), tx.write(statement)) };
      return run(heard);
    });
  app.core.db.search = (organizationId, statement) => (queried.push(statement), search(organizationId, statement));
  app.core.db.query = (organizationId, statement) => (queried.push(statement), query(organizationId, statement));
  try {
    await act();
  } finally {
    Object.assign(app.core.db, { transaction, search, query });
  }
  return { written, queried };
}
