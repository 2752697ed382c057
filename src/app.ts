// The composition root: configuration and a database become a running core. Nothing else builds these parts.
import { type Authenticator, openAuthenticator } from "./auth/authenticate.ts";
import type { Core, Settings } from "./core/core.ts";
import { announcements, openDirectories } from "./core/directory.ts";
import { buildRegistry } from "./core/registry.ts";
import { isSpread } from "./db/distribute.ts";
import { listen } from "./db/listen.ts";
import { openDatabase, type PoolOptions, type PostgresDatabase } from "./db/pool.ts";
import { followMeetings } from "./resources/activities/meetings_by_clock.ts";
import { sweepStoredBytes } from "./resources/files/sweep.ts";
import { operations, silentResources } from "./resources/index.ts";
import { expireQuotes } from "./resources/quotes/expire.ts";
import { checkSearches } from "./search/check.ts";
import { publicAddresses } from "./services/public_address.ts";
import { repeat } from "./services/repeat.ts";
import { type S3Place, s3Shelf } from "./services/s3.ts";
import { openSecrets } from "./services/secrets.ts";
import { openStorage } from "./services/storage.ts";

export interface App {
  core: Core;
  db: PostgresDatabase;
  authenticator: Authenticator;
  close(): Promise<void>;
}

export interface AppOptions {
  databaseUrl: string;
  /** A replica for reports, and how many seconds it may be behind. */
  replica?: PoolOptions["replica"];
  rls: boolean;
  baseUrl: string;
  /** See `secretKey` of `services/secrets.ts`. */
  secretKey: string;
  outboundAllowCidrs?: readonly string[];
  outboundPorts?: readonly number[];
  /** Where files lie, and where they arrive. */
  filesDir: string;
  /** In place of the folder: where files are kept. */
  s3?: S3Place | null;
  listSources?: readonly string[];
  clock?: () => Date;
  onError?: (error: Error) => void;
}

/** Opens the pools and listens for changes; the database must be migrated. */
export async function openApp(options: AppOptions): Promise<App> {
  const clock = options.clock ?? (() => new Date());
  const { databaseUrl: url, rls, replica, onError } = options;
  const db = openDatabase({ url, rls, replica, spread: await isSpread(url), onError });
  const registry = buildRegistry(operations, silentResources);
  checkSearches(registry);
  const directories = openDirectories(db, registry.resources);
  const authenticator = openAuthenticator(db, clock);

  const caches = [directories, authenticator];
  const forget = (organizationId: string) => caches.forEach((cache) => cache.forget(organizationId));
  const listener = await listen(options.databaseUrl, announcements, {
    message: forget,
    down: () => caches.forEach((cache) => cache.bypass(true)),
    up: () => caches.forEach((cache) => cache.bypass(false)),
  });
  const flushing = setInterval(() => authenticator.flush().catch((error) => options.onError?.(error)), 5_000);
  flushing.unref();
  const settings = settingsOf(options);
  const core = { db, directories, forget, registry, settings, clock };
  const repeated = [
    repeat(() => sweepStoredBytes(db, settings.storage), 10_000, options.onError),
    repeat(() => expireQuotes(core), 60_000, options.onError),
    repeat(() => followMeetings(core), 10_000, options.onError),
  ];

  return {
    core,
    db,
    authenticator,
    async close() {
      clearInterval(flushing);
      await Promise.all(repeated.map((one) => one.stop()));
      await authenticator.flush().catch(() => {});
      await listener.close();
      await db.close();
    },
  };
}

const settingsOf = ({
  baseUrl,
  secretKey,
  outboundAllowCidrs = [],
  outboundPorts,
  filesDir,
  s3 = null,
  listSources = [],
}: AppOptions): Settings => ({
  base_url: baseUrl,
  addresses: publicAddresses(outboundAllowCidrs, outboundPorts),
  secrets: openSecrets(secretKey),
  storage: s3 === null ? openStorage(filesDir) : openStorage(filesDir, s3Shelf(s3)),
  list_sources: listSources,
});
