// The process of `startWorker`. It loads only what a worker needs, because tests start it a hundred times.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import type { Statement, Transaction } from "../../src/db/database.ts";
import { openWorker } from "../../src/jobs/worker.ts";
import { background } from "../../src/resources/background.ts";
import type { WorkerSettings } from "./worker_process.ts";

type Given = WorkerSettings & { secretKey: string };

await work(JSON.parse(process.argv[2]!)).catch(() => process.exit(1));

async function work({ databaseUrl, secretKey, outboundAllowCidrs = [], env = {}, dies, clock }: Given): Promise<void> {
  const filesDir = mkdtempSync(join(tmpdir(), "headwater-worker-"));
  const say = (text: string) => process.connected && process.send!(text, () => {});
  const app = await openApp({
    databaseUrl,
    rls: process.env.DATABASE_RLS === "on",
    baseUrl: "http://localhost",
    secretKey,
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
