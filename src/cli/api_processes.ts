// Runs several API processes on one port when WEB_CONCURRENCY is above 1. This process owns the data and supervises them.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { createLog } from "../http/log.ts";
import { heedDefects, restartPauseMs } from "./defects.ts";
import { Mistake } from "./say.ts";
import type { Serving } from "./serve.ts";

/** Starts the processes, and replaces those that end. */
export async function startProcesses(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  let stopping = false;
  const fork = () => cluster.fork({ DATABASE_URL: databaseUrl });
  const workers = Array.from({ length: config.web_concurrency }, fork);
  const ports = await Promise.all(workers.map(portOf));

  cluster.on("exit", async (worker, code, signal) => {
    if (stopping) return;
    log.error({ pid: worker.process.pid, code, signal }, "a process of the API ended; starting another");
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

/** The port, once the worker listens. A worker that ends instead has logged the reason. */
async function portOf(worker: Worker): Promise<number> {
  const listening = once(worker, "listening").then(([address]) => address.port as number);
  const ended = once(worker, "exit").then(() => Promise.reject(new Mistake("A process of the API could not start.")));
  return Promise.race([listening, ended]);
}

/** This process owns the port and closes it after the last worker has closed. Connections that arrive before that are reset. */
async function tellWhenAllClosed(workers: readonly Worker[]): Promise<void> {
  await Promise.all(workers.map((worker) => Promise.race([once(worker, "message"), once(worker, "exit")])));
  for (const worker of workers) if (worker.isConnected()) worker.send(closed, () => {});
}

/** A worker sends this when it no longer listens, and receives it when no worker does. */
const closed = "closed";
/** How long a worker waits for the others. */
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
 * The life of a worker. It ends when told to, when the supervisor is gone, or after a defect, and is then replaced. The
 * supervisor handles signals.
 */
export async function work(config: Config): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const ending = new AbortController();
  const end = (code: number, delaySeconds: number) => ending.abort({ code, delaySeconds });
  process.once("message", (delaySeconds: number) => end(0, delaySeconds));
  process.once("disconnect", () => end(0, 0));
  const log = createLog(config.log_level);
  const { serve } = await import("./serve.ts");
  const defects = heedDefects(log, () => end(1, config.shutdown_delay_seconds));

  const service = await serve(config, config.database_url!, log, defects);
  if (!ending.signal.aborted) await once(ending.signal, "abort");
  const { code, delaySeconds } = ending.signal.reason;
  // After a defect the other workers keep listening, so there is nothing to wait for.
  await service.stop(delaySeconds, code === 0 ? allClosed : undefined);
  process.exit(code);
}
