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
      const living = Object.values(cluster.workers ?? {}).filter(
        (worker) => worker !== undefined && !worker.isDead(),
      ) as Worker[];
      await Promise.all([tellWhenAllClosed(living), ...living.map((worker) => stop(worker, delaySeconds))]);
    },
  };
}

/** What a worker says when it listens; one that ends instead has said why. */
async function portOf(worker: Worker): Promise<number> {
  const listening = once(worker, "listening").then(([address]) => address.port as number);
  const ended = once(worker, "exit").then(() => Promise.reject(new Mistake("A worker could not start.")));
  return Promise.race([listening, ended]);
}

/** The port is this process's, which closes it when the last worker has: what comes until then is nobody's, and is reset. */
async function tellWhenAllClosed(workers: readonly Worker[]): Promise<void> {
  await Promise.all(workers.map((worker) => Promise.race([once(worker, "message"), once(worker, "exit")])));
  for (const worker of workers) if (worker.isConnected()) worker.send(closed, () => {});
}

/** What a worker says that listens no more, and hears when none does. */
const closed = "closed";
/** So long it waits for the others. */
const othersMs = 2000;

async function allClosed(): Promise<void> {
  if (!process.connected) return;
  process.send!(closed);
  await Promise.race([once(process, "message"), sleep(othersMs, null, { ref: false })]);
}

async function stop(worker: Worker, delaySeconds: number): Promise<void> {
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
  const { code, delaySeconds } = ending.signal.reason;
  // After a defect the others go on.
  await service.stop(delaySeconds, code === 0 ? allClosed : undefined);
  process.exit(code);
}
