// `headwater start`: the whole service. The port opens only when data, migrations and the first organization are in place.
import cluster from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { createPartitions } from "../db/partitions.ts";
import { createLog } from "../http/log.ts";
import { heedDefects } from "./defects.ts";
import { prepare } from "./prepare.ts";
import { say } from "./say.ts";
import { type Serving, serve } from "./serve.ts";
import { heedSignals } from "./signals.ts";
import { version } from "./version.ts";
import { restartPauseMs, startWorkers, work } from "./workers.ts";

const dayMs = 24 * 3600 * 1000;

export async function run(config: Config): Promise<void> {
  if (cluster.isWorker) return work(config);
  const signals = heedSignals();
  // Loaded here: a worker has no use for it.
  const { lockDataDir } = await import("../db/embedded/index.ts");
  const lock = lockDataDir(config.data_dir);
  const log = createLog(config.log_level);
  say(`Headwater ${version}`);
  const database = await openDatabase(config, log);
  await prepare(config, database.url);
  const partitioning = setInterval(() => partition(database.url, log), dayMs);

  const service =
    config.web_concurrency > 1 ? await startWorkers(config, database.url, log) : await serveAnew(config, database.url, log);
  say(`Listening on http://${shownHost(config.host)}:${service.port} (documentation at /docs/)`);

  const signal = await signals.asked();
  clearInterval(partitioning);
  // Ctrl-C comes from somebody who waits, and whose clients no balancer sends elsewhere.
  await service.stop(signal === "SIGINT" ? 0 : config.shutdown_delay_seconds);
  await database.stop();
  lock.release();
}

/** The service in this process. After a defect what runs is finished and all is opened anew; the data stays where it is. */
async function serveAnew(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  let stopping = false;
  let renewing: Promise<void> | null = null;
  const defects = heedDefects(log, () => {
    renewing ??= renew().finally(() => (renewing = null));
  });
  let service: Serving | null = await serve(config, databaseUrl, log, defects);
  const { port } = service;

  async function renew(): Promise<void> {
    await service?.stop(config.shutdown_delay_seconds);
    service = null;
    while (service === null && !stopping) {
      service = await serve({ ...config, port }, databaseUrl, log, defects).catch(async (error) => {
        log.error({ err: error }, "the service could not start again");
        await sleep(restartPauseMs);
        return null;
      });
    }
  }
  return {
    port,
    async stop(delaySeconds) {
      stopping = true;
      await renewing;
      await service?.stop(delaySeconds);
    },
  };
}

async function openDatabase(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.database_url !== null) {
    say(`The data lies in the database of DATABASE_URL, the rest in ${config.data_dir}`);
    return { url: config.database_url, stop: async () => {} };
  }
  const { startEmbedded } = await import("../db/embedded/index.ts");
  const embedded = await startEmbedded({ dataDir: config.data_dir, log: (line) => log.warn(line) });
  say(`The data lies in ${embedded.directory}`);
  return embedded;
}

async function partition(databaseUrl: string, log: Logger): Promise<void> {
  try {
    await createPartitions(databaseUrl, new Date());
  } catch (error) {
    log.error({ err: error }, "partitions of the event table");
  }
}

const shownHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
