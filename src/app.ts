// The composition root: configuration and a database become a running core. Nothing else builds these parts.
import { type Authenticator, openAuthenticator } from "./auth/authenticate.ts";
import { takeInto } from "./backup/take.ts";
import { archiveBytes } from "./backup/write_archive.ts";
import type { Config } from "./config.ts";
import type { Core, Settings } from "./core/core.ts";
import { announcements, openDirectories } from "./core/directory.ts";
import { buildRegistry } from "./core/registry.ts";
import { natureOf } from "./db/distribute.ts";
import { listen, listening } from "./db/listen.ts";
import { openDatabase, type PoolOptions, type PostgresDatabase } from "./db/pool.ts";
import { checkReferences } from "./records/check_references.ts";
import { operations, silentResources } from "./resources/index.ts";
import { checkSearches } from "./search/check.ts";
import { openMailer } from "./services/mail.ts";
import { openProviders } from "./services/oauth_providers.ts";
import { publicAddresses } from "./services/public_address.ts";
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
  /** A pooler in transaction mode before the database. */
  poolerUrl?: string | null;
  /** A replica for reports, and how many seconds it may be behind. */
  replica?: PoolOptions["replica"];
  own?: PoolOptions["own"];
  rls: boolean;
  baseUrl: string;
  /** See `secretKey` of `services/secrets.ts`. */
  secretKey: string;
  outboundAllowCidrs?: readonly string[];
  outboundPorts?: readonly number[];
  /** Named in archives. */
  release?: string;
  /** Where files and temporary files are stored. */
  filesDir: string;
  /** Where files are stored, instead of the folder. */
  s3?: S3Place | null;
  listSources?: readonly string[];
  /** The sender of system mail. Without one, none is sent. */
  smtpUrl?: string | null;
  /** The providers for connecting accounts at Google and Microsoft. */
  oauth: Config["oauth"];
  /** The operator's account for enrichment. */
  peopleDataLabs?: Config["people_data_labs"];
  /** The model that writes for the helpers. */
  ai: Config["ai"];
  clock?: () => Date;
  listensAs?: (typeof listening)[keyof typeof listening];
  onError?: (error: Error) => void;
}

/** Opens the pools and listens for changes. The database must be migrated. */
export async function openApp(options: AppOptions): Promise<App> {
  const clock = options.clock ?? (() => new Date());
  const { databaseUrl: url, poolerUrl: pooler, rls, replica, own, onError } = options;
  const db = openDatabase({ url, pooler, rls, replica, own, onError, ...(await natureOf(url)) });
  const registry = buildRegistry(operations, silentResources);
  checkReferences(registry);
  checkSearches(registry);
  const directories = openDirectories(db, registry.resources);
  const authenticator = openAuthenticator(db, clock, options.baseUrl);

  const caches = [directories, authenticator];
  const forget = (organizationId: string) => caches.forEach((cache) => cache.forget(organizationId));
  const listener = await listen(options.databaseUrl, options.listensAs ?? listening.other, announcements, {
    message: forget,
    down: () => caches.forEach((cache) => cache.bypass(true)),
    up: () => caches.forEach((cache) => cache.bypass(false)),
  });
  const flushing = setInterval(() => authenticator.flush().catch((error) => options.onError?.(error)), 5_000);
  flushing.unref();
  const settings = settingsOf(options);
  const core = { db, directories, forget, registry, settings, clock };

  return {
    core,
    db,
    authenticator,
    async close() {
      clearInterval(flushing);
      await authenticator.flush().catch(() => {});
      await listener.close();
      settings.mail?.close();
      await db.close();
    },
  };
}

const settingsOf = ({
  databaseUrl,
  release = "unknown",
  baseUrl,
  secretKey,
  outboundAllowCidrs = [],
  outboundPorts,
  filesDir,
  s3 = null,
  listSources = [],
  smtpUrl = null,
  oauth,
  peopleDataLabs = null,
  ai,
}: AppOptions): Settings => {
  const secrets = openSecrets(secretKey);
  const storage = s3 === null ? openStorage(filesDir) : openStorage(filesDir, s3Shelf(s3));
  return {
    base_url: baseUrl,
    addresses: publicAddresses(outboundAllowCidrs, outboundPorts),
    secrets,
    storage,
    archive: (organization_id) =>
      archiveBytes((archive) =>
        takeInto(archive, { url: databaseUrl, storage, secrets, key: null, withSecrets: false, release, organization_id }),
      ),
    mail: smtpUrl === null ? null : openMailer(smtpUrl, baseUrl),
    list_sources: listSources,
    oauth: openProviders(oauth),
    people_data_labs: peopleDataLabs,
    ai,
  };
};
