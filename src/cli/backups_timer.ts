// Takes scheduled backups, in a process of their own: hashes and a whole snapshot must not hold up background work.
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Logger } from "pino";
import { latestBackup } from "../auth/unscoped_state.ts";
import { isDue } from "../backup/schedule.ts";
import type { Config } from "../config.ts";
import type { Timer } from "../jobs/timer.ts";
import { workerFlags } from "./worker_process.ts";

export const backups = ({ backup }: Pick<Config, "backup">, url: string, log: Logger): Timer => ({
  name: "backups",
  doc: "Takes a backup at the times of `BACKUP_SCHEDULE`, where it is set.",
  everySeconds: 60,
  async run({ db, clock }) {
    if (backup?.schedule == null || !isDue(backup.schedule, await latestBackup(db, clock()), clock())) return;
    const child = fork(process.argv[1]!, ["backup"], {
      execArgv: [...process.execArgv, ...workerFlags],
      env: { ...process.env, DATABASE_URL: url },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    // It ends with the worker. The next worker tries again.
    const stop = () => void child.kill();
    process.once("exit", stop);
    const said: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text) => said.push(String(text).trim()));
    const [code] = await once(child, "exit");
    process.off("exit", stop);
    if (code === 0) log.info({ said }, "took a backup");
    else throw new Error(said.join(" ") || `The process of the backup ended (${code}).`);
  },
});
