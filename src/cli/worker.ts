// `headwater worker`: does the background work. Several may run, on one or more machines.
import { once } from "node:events";
import { hostname, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { openApp } from "../app.ts";
import { forgetWorker, tellOfWorker } from "../auth/unscoped_work.ts";
import type { Config } from "../config.ts";
import type { Core } from "../core/core.ts";
import { endLongTransactions } from "../db/horizon.ts";
import { hasMigrations, listMigrations } from "../db/migrate.ts";
import { dropOldMonths } from "../db/old_months.ts";
import { createPartitions } from "../db/partitions.ts";
import type { PostgresDatabase } from "../db/pool.ts";
import { createLog } from "../http/log.ts";
import type { Timer } from "../jobs/timer.ts";
import { openWorker } from "../jobs/worker.ts";
import { background } from "../resources/background.ts";
import { refuseOtherKey } from "../services/sealing_key.ts";
import { openSecrets, secretKey } from "../services/secrets.ts";
import { randomId } from "../values/id.ts";
import { backups } from "./backups_timer.ts";
import { appOptions, withDatabase } from "./database.ts";
import { type Defects, heedDefects, restartPauseMs } from "./defects.ts";
import { giveBack } from "./heap.ts";
import { logBackground } from "./log_background.ts";
import { say } from "./say.ts";
import { heedSignals } from "./signals.ts";
import { startTracing } from "./tracing.ts";

export async function run(config: Config): Promise<void> {
  const log = createLog(config.log_level);
  if (isKept()) setPriority(besideApi);
  const endTracing = await startTracing(process.env, "worker");
  logBackground(log);
  const asked = isKept() ? askedByParent() : heedSignals().asked();
  let renew = () => {};
  const defects = heedDefects(log, () => renew());

  await withDatabase(config, async (url) => {
    // After a defect it finishes running work and opens everything again, as the API does.
    for (let isFirst = true, isAsked = false; !isAsked; isFirst = false) {
      const defect = new Promise<false>((resolve) => (renew = () => resolve(false)));
      isAsked = await work(config, url, log, defects, Promise.race([asked.then(() => true), defect])).catch(async (error) => {
        if (isFirst) throw error;
        log.error({ err: error }, "the worker could not start again");
        return Promise.race([asked.then(() => true), sleep(restartPauseMs, false)]);
      });
    }
  });
  await endTracing();
  await new Promise<void>((done) => log.flush(() => done()));
  process.exit(0);
}

/** When both need the same cores, API requests go first, and background work takes the rest. */
const besideApi = 5;

/** Works until `ended` resolves, and returns its value. */
async function work(config: Config, url: string, log: Logger, defects: Defects, ended: Promise<boolean>): Promise<boolean> {
  const app = await openApp({
    ...(await appOptions(config, url)),
    onError: (error) => log.error({ err: error }, "database"),
  });
  try {
    // Migrations may still be running.
    const migrations = (await listMigrations()).length;
    while (!(await hasMigrations(app.db, migrations).catch(() => false))) {
      const early = await Promise.race([ended, sleep(migratedMs, null)]);
      if (early !== null) return early;
    }
    await refuseOtherKey(url, openSecrets(await secretKey(config.secret_key, config.data_dir)));
    const timers = [...background.timers, ...ownTimers(config, url, app.db, log)];
    const worker = openWorker(app.core, { ...background, timers }, (error, job) =>
      log.error({ ...job, err: error }, "background"),
    );
    giveBack();
    if (!isKept()) say("Working");
    const life = keepTelling(app.core, log, defects);
    const isAsked = await ended;
    await worker.stop(config.shutdown_grace_seconds * 1000);
    await life.end();
    return isAsked;
  } finally {
    // Work that did not finish in time holds a connection. It ends with the process.
    await Promise.race([app.close(), sleep(closedMs, null, { ref: false })]);
  }
}

/** Reports that this process is alive, for `doctor` and the metrics. */
function keepTelling({ db, clock }: Core, log: Logger, defects: Defects): { end(): Promise<void> } {
  const self = { id: randomId("worker"), host: hostname(), pid: process.pid, started_at: clock() };
  const tell = () =>
    tellOfWorker(db, { ...self, defects: defects.count }, clock()).catch((error) => log.error({ err: error }, "database"));
  let telling = tell();
  const timer = setInterval(() => (telling = tell()), tellMs);
  return {
    async end() {
      clearInterval(timer);
      await telling;
      await forgetWorker(db, { ...self, defects: 0 }).catch(() => {});
    },
  };
}

const tellMs = 10_000;
const closedMs = 2000;
const migratedMs = 500;

/** Timers for the database itself rather than for an organization. */
export const ownTimers = (config: Pick<Config, "backup">, url: string, db: PostgresDatabase, log: Logger): Timer[] => [
  partitions(url),
  horizon(db, log),
  backups(config, url, log),
];

/** The only timer that runs as the owner of the tables. */
export const partitions = (url: string): Timer => ({
  name: "partitions",
  doc: "Creates the tables for events and deliveries of coming months. Drops those older than 30 days, or 90 days while a reader still needs them.",
  everySeconds: 24 * 3600,
  async run({ clock }) {
    await createPartitions(url, clock());
    await dropOldMonths(url, clock());
  },
});

function horizon(db: PostgresDatabase, log: Logger): Timer {
  let told = new Set<number>();
  return {
    name: "horizon",
    doc: "Ends transactions that write for more than a minute, and logs those of other programs, because readers of the log wait for them.",
    everySeconds: 10,
    async run() {
      const found = await endLongTransactions(db);
      for (const { isEnded, ...one } of found) {
        if (isEnded) log.error(one, "ended a transaction that wrote for too long");
        else if (!told.has(one.pid)) log.warn(one, "webhooks and streams wait for somebody else's transaction: end it");
      }
      told = new Set(found.map(({ pid }) => pid));
    },
  };
}

/** True when `headwater start` started this process, even if it has ended since. */
const isKept = (): boolean => process.send !== undefined;

/** The process that started this one handles signals. This process ends when told to, or when its parent is gone. */
async function askedByParent(): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  if (process.connected) await Promise.race([once(process, "message"), once(process, "disconnect")]);
}
