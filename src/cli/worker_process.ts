// Runs the worker in a child process, and starts a new one whenever it ends. Requests are not affected.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Logger } from "pino";
import { restartPauseMs } from "./defects.ts";

export interface KeptWorker {
  stop(): Promise<void>;
}

/**
 * For the process of a worker. V8 would let the young generation grow to 128 MB while an export or an import is at work, and keep it.
 * Requests need it; background work is not slower without.
 */
export const workerFlags: readonly string[] = ["--max-semi-space-size=8"];

/** `graceSeconds` is the time in which the worker may finish its current jobs. */
export function keepWorker(databaseUrl: string, graceSeconds: number, log: Logger): KeptWorker {
  let stopping = false;
  let child: ChildProcess;
  let restart: NodeJS.Timeout | null = null;

  function start(): void {
    const execArgv = [...process.execArgv, ...workerFlags];
    child = fork(process.argv[1]!, ["worker"], { execArgv, env: { ...process.env, DATABASE_URL: databaseUrl } });
    const again = (why: object) => {
      if (stopping) return;
      log.error({ pid: child.pid, ...why }, "the worker ended; starting another");
      restart = setTimeout(start, restartPauseMs);
    };
    child.once("exit", (code, signal) => again({ code, signal }));
    // The machine may have no room for another process at the moment.
    child.on("error", (error) => child.pid === undefined && again({ err: error }));
  }

  start();
  return {
    async stop() {
      stopping = true;
      if (restart !== null) clearTimeout(restart);
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      if (child.connected) child.send("stop", () => {});
      const late = setTimeout(() => child.kill("SIGKILL"), graceSeconds * 1000 + lateMs);
      await ended;
      clearTimeout(late);
    },
  };
}

/** How long after the grace period a worker that does not respond is killed. */
const lateMs = 5000;
