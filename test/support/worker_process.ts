// A worker in its own process, to be killed: at any moment, or at a statement that it is about to send or has just seen answered.
// Forked by tests; see `startWorker`.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import type { Statement, Transaction } from "../../src/db/database.ts";
import { claimMs } from "../../src/jobs/job.ts";
import { openWorker } from "../../src/jobs/worker.ts";
import { background } from "../../src/resources/background.ts";
import { roomy } from "./processes.ts";
import { type Service, testSecretKey } from "./service.ts";

/** `npm test` has bundled this file too, so that a worker starts in half of the time. */
const { TEST_BUNDLE } = process.env;
const script = TEST_BUNDLE ? join(TEST_BUNDLE, "worker_process.js") : import.meta.filename;

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
  const child: ChildProcess = fork(script, [JSON.stringify(settings)], { execArgv: roomy });
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

if (process.argv[1] === import.meta.filename) await work(JSON.parse(process.argv[2]!)).catch(() => process.exit(1));

async function work({ databaseUrl, outboundAllowCidrs = [], env = {}, dies, clock }: WorkerSettings): Promise<void> {
  const filesDir = mkdtempSync(join(tmpdir(), "headwater-worker-"));
  const say = (text: string) => process.connected && process.send!(text, () => {});
  const app = await openApp({
    databaseUrl,
    rls: process.env.DATABASE_RLS === "on",
    baseUrl: "http://localhost",
    secretKey: testSecretKey,
    outboundAllowCidrs,
    oauth: parseConfig(env).oauth,
    ai: parseConfig(env).ai,
    filesDir,
    clock: clock && (() => new Date(clock.at + (Date.now() - clock.real) * clock.rate)),
    onError: (error) => say(error.message),
  });
  if (dies !== undefined) dieAt(app.core.db, dies);
  const worker = openWorker(app.core, background, (error) => say(error.stack ?? error.message));
  say("working");
  process.once("disconnect", () => process.exit());
  await once(process, "message");
  await worker.stop();
  await app.close();
  rmSync(filesDir, { recursive: true, force: true });
  process.exit();
}

/** Listens to the statements of transactions as they are sent. */
function dieAt(db: { transaction: any; once: any }, dies: NonNullable<WorkerSettings["dies"]>): void {
  const die = () => process.kill(process.pid, "SIGKILL");
  let passed = 0;
  const { transaction } = db;
  db.once = (organizationId: string, statement: Statement) =>
    db.transaction(organizationId, (tx: Transaction) => tx.read(statement));
  db.transaction = async (organizationId: string, run: (tx: Transaction) => Promise<unknown>, asker: unknown) => {
    let hasSent = false;
    const heard = ({ name }: Statement) => {
      if ("before" in dies && name === dies.before && ++passed === (dies.nth ?? 1)) die();
      if ("after" in dies && name === dies.after) hasSent = true;
    };
    const listening = (tx: Transaction): Transaction => ({
      ...tx,
      write: (statement) => (heard(statement), tx.write(statement)),
      read: (statement) => (heard(statement), tx.read(statement)),
    });
    const result = await transaction(organizationId, (tx: Transaction) => run(listening(tx)), asker);
    if (hasSent) die();
    return result;
  };
}
