// `headwater api`: answers requests and runs no background work. `headwater worker` does that, here or on another machine.
import cluster from "node:cluster";
import type { Config } from "../config.ts";
import { createLog } from "../http/log.ts";
import { work } from "./api_processes.ts";
import { withDatabase } from "./database.ts";
import { prepare } from "./prepare.ts";
import { delayOf, serveApi } from "./serve_api.ts";
import { heedSignals } from "./signals.ts";

export async function run(config: Config): Promise<void> {
  if (cluster.isWorker) return work(config);
  const signals = heedSignals();
  const log = createLog(config.log_level);
  await withDatabase(config, async (url) => {
    await prepare(config, url);
    const api = await serveApi(config, url, log);
    await api.stop(delayOf(await signals.asked(), config));
  });
}
