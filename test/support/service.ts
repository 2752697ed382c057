// The real service for tests: its own database, and the real server on its own port. It starts on first use.

import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach } from "node:test";
import pino from "pino";
import { type App, openApp } from "../../src/app.ts";
import { workspacesOf } from "../../src/auth/workspaces.ts";
import { parseConfig, replicaOf } from "../../src/config.ts";
import type { Statement } from "../../src/db/database.ts";
import type { HttpApp } from "../../src/http/http_app.ts";
import { createServer } from "../../src/http/server.ts";
import type { GateLimits } from "../../src/http/shed.ts";
import { backgroundMetrics } from "../../src/jobs/background_metrics.ts";
import { addOauth } from "../../src/oauth/routes.ts";
import { openReference } from "../../src/reference/index.ts";
import { publicRoutes } from "../../src/resources/index.ts";
import { signInPages } from "../../src/signin/index.ts";
import { createDatabase } from "./database.ts";

export interface Service {
  app: App;
  url: string;
  databaseUrl: string;
  /** The folder with the files of this service. */
  filesDir: string;
  /** The service's clock, which tests move. */
  clock: { now: Date | null };
  close(): Promise<void>;
}

export interface ServiceOptions {
  baseUrl?: string;
  env?: Record<string, string>;
  databaseUrl?: string;
  /** A folder with files that are there already. */
  filesDir?: string;
  gate?: Partial<GateLimits>;
  extendAgents?: HttpApp["extendAgents"];
}

/** Each connection plans every statement anew, and tests seldom write in more than a few transactions at a time. */
const few = { connections: 6, heavy: 4 };

/** The secret key that processes of one test share. */
export const testSecretKey = "the secret key of all of the tests";

/** Starts a service. The `DATABASE_RLS` of the test run applies to it. */
export async function startService({
  env = {},
  databaseUrl,
  filesDir: given,
  gate,
  baseUrl = "http://localhost",
  extendAgents,
}: ServiceOptions = {}): Promise<Service> {
  const database = databaseUrl === undefined ? await createDatabase() : null;
  const config = parseConfig({ RATE_LIMIT: "off", LOG_LEVEL: "silent", DATABASE_RLS: process.env.DATABASE_RLS ?? "off", ...env });
  const clock: Service["clock"] = { now: null };
  const filesDir = given ?? (await mkdtemp(join(tmpdir(), "headwater-files-")));
  const app = await openApp({
    databaseUrl: databaseUrl ?? database!.url,
    rls: config.database_rls,
    replica: replicaOf(config),
    own: few,
    baseUrl,
    release: "test",
    secretKey: testSecretKey,
    outboundAllowCidrs: config.outbound_allow_cidrs,
    outboundPorts: config.outbound_ports,
    filesDir,
    s3: config.s3,
    listSources: config.list_sources,
    smtpUrl: config.smtp_url,
    oauth: config.oauth,
    peopleDataLabs: config.people_data_labs,
    ai: config.ai,
    clock: () => clock.now ?? new Date(),
  });
  // A test may read across organizations. The service does so only where it says why.
  const unscoped = (asked: Statement) => app.db.unscoped({ ...asked, text: `/* a test */ ${asked.text}` });
  // A machine that runs two test files at a time is slow, not overloaded.
  const server = createServer(
    {
      config,
      core: app.core,
      operations: app.core.registry.operations,
      publicRoutes: [...publicRoutes, ...signInPages],
      authenticate: app.authenticator.authenticate,
      workspacesOf: (authorization) => workspacesOf(app.authenticator, authorization),
      defects: { count: 0 },
      log: pino({ level: process.env.TEST_LOG ?? "silent" }),
      ready: async () => true,
      version: "test",
      extendAgents,
      reference: openReference({ registry: app.core.registry, baseUrl, version: "test", limits: config.rate_limits }),
      background: () => backgroundMetrics(app.core),
    },
    { loopDelayMs: Number.POSITIVE_INFINITY, budgetMs: 20_000, ...gate },
  );
  addOauth(server, app.core);
  await server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = server.server.address() as AddressInfo;
  return {
    app: { ...app, db: { ...app.db, unscoped } },
    url: `http://127.0.0.1:${port}`,
    databaseUrl: databaseUrl ?? database!.url,
    filesDir,
    clock,
    async close() {
      await server.close();
      await app.close();
      await rm(filesDir, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

let shared: Promise<Service> | null = null;

// Registered while the file is loaded, so that it belongs to all tests and not only to the first one that needs the service.
after(async () => (await shared)?.close());

// Test files share a process and its service. A moved clock must not affect the next file.
beforeEach(async () => {
  if (shared !== null) (await shared).clock.now = null;
});

/** The service of this test process. It is stopped and its database dropped when the tests are done. */
export function service(): Promise<Service> {
  shared ??= startService();
  return shared;
}
