// Runs one process that answers requests.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { openApp } from "../app.ts";
import { workspacesOf } from "../auth/workspaces.ts";
import type { Config } from "../config.ts";
import { lifeOf } from "../db/epoch.ts";
import { listening } from "../db/listen.ts";
import { hasMigrations, listMigrations } from "../db/migrate.ts";
import { createServer, drain } from "../http/server.ts";
import { backgroundMetrics } from "../jobs/background_metrics.ts";
import { addOauth } from "../oauth/routes.ts";
import { openReference } from "../reference/index.ts";
import { publicRoutes } from "../resources/index.ts";
import { signInPages } from "../signin/index.ts";
import { appOptions } from "./database.ts";
import type { Defects } from "./defects.ts";
import { giveBack, makeYoung } from "./heap.ts";
import { Mistake } from "./say.ts";
import { shareLimits } from "./share_limits.ts";
import { startTracing } from "./tracing.ts";
import { version } from "./version.ts";

export interface Serving {
  port: number;
  /** Keeps serving for `delaySeconds` while clients move elsewhere, lets running requests finish, and releases everything. */
  stop(delaySeconds: number, othersClosed?: () => Promise<void>): Promise<void>;
}

export async function serve(config: Config, databaseUrl: string, log: Logger, defects: Defects): Promise<Serving> {
  makeYoung();
  const endTracing = await startTracing(process.env, "api");
  const onError = (error: Error) => log.error({ err: error }, "database");
  const app = await openApp({ ...(await appOptions(config, databaseUrl)), listensAs: listening.api, onError });
  // Of the running release, whatever is put into its folder later.
  const migrations = (await listMigrations()).length;
  const server = createServer({
    config,
    core: app.core,
    operations: app.core.registry.operations,
    publicRoutes: [...publicRoutes, ...signInPages],
    authenticate: app.authenticator.authenticate,
    workspacesOf: (authorization) => workspacesOf(app.authenticator, authorization),
    log,
    defects,
    ready: () => hasMigrations(app.db, migrations),
    database: () => lifeOf(app.db),
    version,
    reference: openReference({ registry: app.core.registry, baseUrl: config.base_url, version, limits: config.rate_limits }),
    background: () => backgroundMetrics(app.core),
    // To make it anew takes seconds in which this process answers nobody.
    ...(existsSync(description) && { description: () => readFile(description) }),
  });
  addOauth(server, app.core);
  await server.ready();
  const endSharing = await shareLimits(server, app.db, log);
  giveBack();
  await listen(server, config);

  return {
    port: (server.server.address() as AddressInfo).port,
    async stop(delaySeconds, othersClosed) {
      await drain(server, { delaySeconds, graceSeconds: config.shutdown_grace_seconds, othersClosed });
      endSharing();
      await app.close();
      await endTracing();
      await new Promise<void>((done) => log.flush(() => done()));
    },
  };
}

/** A test fails when it is not of this release. */
const description = new URL("../../generated/openapi.json", import.meta.url);

async function listen(server: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Mistake(`Port ${port} is in use: stop what listens there, or set PORT to another one.`);
    if (code === "EACCES") throw new Mistake(`Port ${port} may not be opened by this user: set PORT to one above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") throw new Mistake(`HOST ${host} is no address of this machine.`);
    throw error;
  }
}
