// Opens the database that a command works on: the configured one, or else the built-in one of DATA_DIR, which is started if
// needed.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../app.ts";
import { type Config, replicaOf } from "../config.ts";
import { beginEpoch } from "../db/epoch.ts";
import { listening } from "../db/listen.ts";
import { migrate } from "../db/migrate.ts";
import { withClient } from "../db/one_client.ts";
import { refusePooler } from "../db/pooler.ts";
import { s3Shelf } from "../services/s3.ts";
import { refuseOtherKey } from "../services/sealing_key.ts";
import { openSecrets, secretKey } from "../services/secrets.ts";
import { openStorage, type Storage } from "../services/storage.ts";
import { complain, Mistake } from "./say.ts";
import { version } from "./version.ts";

/** Keeps the database running while the command works. */
export async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  if (config.database_url !== null) {
    await refusePooler(config.database_url);
    return work(config.database_url);
  }
  const { joinOrStart } = await import("../db/embedded/index.ts");
  const embedded = await joinOrStart(config.data_dir, complain);
  try {
    return await work(embedded.url);
  } finally {
    await embedded.stop();
  }
}

/** True if there is nothing in DATA_DIR that holds a database or says where it lies. */
export const isWithoutDatabase = ({ database_url, data_dir }: Config): boolean =>
  database_url === null && !["postgres", "postgres.path"].some((name) => existsSync(join(data_dir, name)));

/** What to do about stored files where nobody looks for them any more, or null. A bucket does not take over what lies in DATA_DIR. */
export function filesLeftBehind({ s3, data_dir }: Config): string | null {
  const kept = join(filesDirOf(data_dir), "kept");
  if (s3 === null || !existsSync(kept) || readdirSync(kept).length === 0) return null;
  return `with S3_BUCKET they are looked for in the bucket ${s3.bucket}, and there are some in ${kept}: leave S3_BUCKET unset (backups to s3:// do without it), move them by the drill "moved house", or remove that folder if they have moved`;
}

/** For what needs one that is there: to open it would make one, and a key. */
export function refuseWithoutDatabase(config: Config): void {
  if (isWithoutDatabase(config))
    throw new Mistake(
      `There is no database in ${config.data_dir}: is that the DATA_DIR of the service? If its database lies elsewhere, set DATABASE_URL.`,
    );
}

/** The same where DATABASE_URL names a database that nobody has begun. */
export async function refuseBlank(url: string): Promise<void> {
  const { rows } = await withClient(url, "headwater command", (client) =>
    client.query("select to_regclass('public.migration') is not null as begun"),
  );
  if (!rows[0].begun) throw new Mistake("There is nothing of Headwater in the database: is DATABASE_URL that of the service?");
}

/** Refuses commands that must not run beside the service. */
export async function refuseWhileServing(url: string, instead: string): Promise<void> {
  const { rowCount } = await withClient(url, "headwater command", (client) =>
    client.query("select 1 from pg_stat_activity where datname = current_database() and application_name = any($1) limit 1", [
      ["headwater", ...Object.values(listening)],
    ]),
  );
  if (rowCount !== 0) throw new Mistake(`The service is running: ${instead}.`);
}

/** Opens the service's core on the migrated database, without its server. It is loaded here: most commands do without it. */
export function withApp<T>(config: Config, work: (app: App) => Promise<T>): Promise<T> {
  return withDatabase(config, async (databaseUrl) => {
    await migrate(databaseUrl);
    const options = await appOptions(config, databaseUrl);
    await refuseOtherKey(databaseUrl, openSecrets(options.secretKey));
    await beginEpoch(databaseUrl);
    const { openApp } = await import("../app.ts");
    const app = await openApp(options);
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  });
}

/** The stored files, for commands that need nothing else of the core. */
export const filesOf = ({ data_dir, s3 }: Config): Storage =>
  s3 === null ? openStorage(filesDirOf(data_dir)) : openStorage(filesDirOf(data_dir), s3Shelf(s3));

const filesDirOf = (dataDir: string) => join(dataDir, "files");

export const appOptions = async (config: Config, databaseUrl: string) => ({
  databaseUrl,
  poolerUrl: config.database_pooler_url,
  release: version,
  rls: config.database_rls,
  replica: replicaOf(config),
  baseUrl: config.base_url,
  secretKey: await secretKey(config.secret_key, config.data_dir),
  outboundAllowCidrs: config.outbound_allow_cidrs,
  outboundPorts: config.outbound_ports,
  filesDir: filesDirOf(config.data_dir),
  s3: config.s3,
  listSources: config.list_sources,
  smtpUrl: config.smtp_url,
  oauth: config.oauth,
  peopleDataLabs: config.people_data_labs,
  ai: config.ai,
});
