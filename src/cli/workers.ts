// With WEB_CONCURRENCY above 1 this process owns the data and watches, and as many others answer requests on one port.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { createLog } from "../http/log.ts";
import { Mistake } from "./say.ts";
import { type Serving, serve } from "./serve.ts";

const restartPauseMs = 1000;

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

/** The life of a worker: it ends when it is asked to, or when nobody is left to ask. Signals are for the one who watches. */
export async function work(config: Config): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const asked = once(process, "message").then(([delaySeconds]) => delaySeconds as number);
  const left = once(process, "disconnect").then(() => 0);
  const service = await serve(config, config.database_url!, createLog(config.log_level));
  await service.stop(await Promise.race([asked, left]));
  process.exit(0);
}
