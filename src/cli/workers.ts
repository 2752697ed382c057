// With WEB_CONCURRENCY above 1 this process owns the data and watches, and as many others answer requests on one port.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { createLog } from "../http/log.ts";
import { heedDefects } from "./defects.ts";
import { Mistake } from "./say.ts";
import { type Serving, serve } from "./serve.ts";

export const restartPauseMs = 1000;

/** Starts the workers, and new ones for those that end. */
export async function startWorkers(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  let stopping = false;
  const fork = () => cluster.fork({ DATABASE_URL: databaseUrl });
  const workers = Array.from({ length: config.web_concurrency }, fork);
  const ports = await Promise.all(workers.map(portOf));

  cluster.on("exit", async (worker, code, signal) => {
    if (stopping) return;
    log.error({ pid: worker.process.pid, code, signal }, "a worker ended; starting another");
    await sleep(restartPauseMs);
    if (!stopping) fork();
  });
  return {
    port: ports[0]!,
    async stop(delaySeconds) {
      stopping = true;
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => stop(worker, delaySeconds)));
    },
  };
}

/** What a worker says when it listens; one that ends instead has said why. */
async function portOf(worker: Worker): Promise<number> {
  const listening = once(worker, "listening").then(([address]) => address.port as number);
  const ended = once(worker, "exit").then(() => Promise.reject(new Mistake("A worker could not start.")));
  return Promise.race([listening, ended]);
}

async function stop(worker: Worker | undefined, delaySeconds: number): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const ended = once(worker, "exit");
  if (worker.isConnected()) worker.send(delaySeconds, () => {});
  await ended;
}

/**
 * The life of a worker: it ends when it is asked to, when nobody is left to ask, or after a defect, for another to take its place.
 * Signals are for the one who watches.
 */
export async function work(config: Config): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const ending = new AbortController();
  const end = (code: number, delaySeconds: number) => ending.abort({ code, delaySeconds });
  process.once("message", (delaySeconds: number) => end(0, delaySeconds));
  process.once("disconnect", () => end(0, 0));
  const log = createLog(config.log_level);
  const defects = heedDefects(log, () => end(1, config.shutdown_delay_seconds));

  const service = await serve(config, config.database_url!, log, defects);
  if (!ending.signal.aborted) await once(ending.signal, "abort");
  await service.stop(ending.signal.reason.delaySeconds);
  process.exit(ending.signal.reason.code);
}
