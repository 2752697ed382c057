// `headwater start`: the whole service. The port opens only when the database, the migrations and the first organization are
// ready.
import cluster from "node:cluster";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { refusePooler } from "../db/pooler.ts";
import { createLog } from "../http/log.ts";
import { work } from "./api_processes.ts";
import { prepare } from "./prepare.ts";
import { say } from "./say.ts";
import { delayOf, serveApi } from "./serve_api.ts";
import { heedSignals } from "./signals.ts";
import { version } from "./version.ts";
import { keepWorker } from "./worker_process.ts";

export async function run(config: Config): Promise<void> {
  if (cluster.isWorker) return work(config);
  const signals = heedSignals();
  // Loaded here, because API processes do not need it.
  const { lockDataDir } = await import("../db/embedded/index.ts");
  const lock = lockDataDir(config.data_dir);
  const log = createLog(config.log_level);
  say(`Headwater ${version}`);
  const database = await openDatabase(config, log);
  await prepare(config, database.url);

  // The order matters: a start waits only for what it needs to answer requests.
  const api = await serveApi(config, database.url, log);
  const worker = keepWorker(database.url, config.shutdown_grace_seconds, log);
  const signal = await signals.asked();
  await Promise.all([worker.stop(), api.stop(delayOf(signal, config))]);
  await database.stop();
  lock.release();
}

async function openDatabase(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.database_url !== null) {
    await refusePooler(config.database_url);
    say(`The data lies in the database of DATABASE_URL, the rest in ${config.data_dir}`);
    return { url: config.database_url, stop: async () => {} };
  }
  const { startEmbedded } = await import("../db/embedded/index.ts");
  const embedded = await startEmbedded({ dataDir: config.data_dir, log: (line) => log.warn(line) });
  say(`The data lies in ${embedded.directory}`);
  if (embedded.barrier !== undefined)
    say(`It is outside of DATA_DIR, because ${embedded.barrier} is closed to the user that PostgreSQL runs as instead of root.`);
  return embedded;
}
