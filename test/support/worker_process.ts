// A worker in its own process, to be killed: at any moment, or at a statement that it is about to send or has just seen answered.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { claimMs } from "../../src/jobs/job.ts";
import { roomy } from "./processes.ts";
import { type Service, testSecretKey } from "./service.ts";

/** `npm test` has bundled the worker too, so that a worker starts in half of the time. */
const { TEST_BUNDLE } = process.env;
const script = TEST_BUNDLE ? join(TEST_BUNDLE, "killed_worker.js") : join(import.meta.dirname, "killed_worker.ts");

export interface WorkerSettings {
  databaseUrl: string;
  /** Networks in which receivers may be. */
  outboundAllowCidrs?: readonly string[];
  /** Further settings of its operator. */
  env?: Record<string, string>;
  /**
   * It kills itself by SIGKILL before it sends the first (or nth) statement of this name, or after the transaction with it was
   * committed.
   */
  dies?: { before: string; nth?: number } | { after: string };
  /** Its clock at this moment of the real one, and how fast it runs. */
  clock?: { at: number; real: number; rate: number };
}

export interface WorkerProcess {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended, with the signal that ended it. */
  ended: Promise<NodeJS.Signals | null>;
  /** Failures of background work, as far as they were reported. */
  failures: string[];
  stop(): Promise<void>;
}

/** Resolves when it looks for work. A worker that cannot start, because the database is away, is started again. */
export async function startWorker(settings: WorkerSettings): Promise<WorkerProcess> {
  for (;;) {
    const worker = await forkWorker(settings);
    if (worker !== null) return worker;
  }
}

/** A worker that may reach the local servers of a test. */
export const startOutbound = (
  { databaseUrl }: Pick<Service, "databaseUrl">,
  more: Partial<WorkerSettings> = {},
): Promise<WorkerProcess> => startWorker({ databaseUrl, outboundAllowCidrs: ["127.0.0.0/8"], ...more });

/** Two other workers, for whose clocks the claims of a dead worker have expired. */
export function startSuccessors(service: Pick<Service, "databaseUrl">): Promise<WorkerProcess[]> {
  const clock = { at: Date.now() + claimMs + 31_000, real: Date.now(), rate: 10 };
  return Promise.all([startOutbound(service, { clock }), startOutbound(service, { clock })]);
}

async function forkWorker(settings: WorkerSettings): Promise<WorkerProcess | null> {
  const child: ChildProcess = fork(script, [JSON.stringify({ ...settings, secretKey: testSecretKey })], { execArgv: roomy });
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  const failures: string[] = [];
  child.on("message", (said) => typeof said === "string" && said !== "working" && failures.push(said));
  const isWorking = await Promise.race([once(child, "message").then(() => true), ended.then((signal) => signal !== null)]);
  if (!isWorking) return null;
  return {
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
    ended,
    failures,
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.connected) child.send("stop", () => {});
      await ended;
    },
  };
}
