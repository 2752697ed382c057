// The configuration: the environment, parsed once. All mistakes are named together. Values are not repeated, because some are
// secrets.
import type { z } from "zod";
import type { PlaceName } from "./backup/place.ts";
import { bucketOf, environment, type LogLevel, mistakesOf, type RateLimits } from "./environment.ts";
import { type AiSettings, aiFormats } from "./services/ai_formats.ts";
import type { OauthType, ProviderSettings } from "./services/oauth_providers.ts";
import type { PeopleDataLabsAccount } from "./services/people_data_labs.ts";
import type { S3Place } from "./services/s3.ts";

export type { LogLevel, RateLimit, RateLimits } from "./environment.ts";
export { bucketOf } from "./environment.ts";

export interface Config {
  host: string;
  port: number;
  /** The address of the service from outside, without a slash at the end. */
  base_url: string;
  data_dir: string;
  /** Null: the embedded PostgreSQL in `data_dir`. */
  database_url: string | null;
  /** A pooler in transaction mode before that database, for requests and work; or null. */
  database_pooler_url: string | null;
  /** A replica for reports, or null. */
  database_replica_url: string | null;
  /** The most seconds it may be behind. */
  database_replica_lag_seconds: number;
  database_rls: boolean;
  /** Null: generated into `data_dir`. */
  secret_key: string | null;
  /** The previous key, while sealed values are changed to the new one. */
  secret_key_old: string | null;
  /** Null: files are stored in `data_dir`. */
  s3: S3Place | null;
  /** The server for system mail, or null. */
  smtp_url: string | null;
  /** The providers for connecting accounts at Google and Microsoft. */
  oauth: Readonly<Record<OauthType, ProviderSettings>>;
  /** The operator's account for enrichment, or null. */
  people_data_labs: PeopleDataLabsAccount | null;
  /** The model that writes for the helpers, and its limits. */
  ai: AiSettings;
  /** Null: off. */
  rate_limits: RateLimits | null;
  /** Private networks that requests to addresses chosen by users may reach. */
  outbound_allow_cidrs: readonly string[];
  /** The ports for such requests to public addresses. */
  outbound_ports: readonly number[];
  /** Proxies whose `x-forwarded-for` is trusted. */
  trust_proxy: readonly string[];
  /** The services that contacts' profiles are synced from. The first is the default. */
  list_sources: readonly string[];
  web_concurrency: number;
  backup: BackupSettings | null;
  /** Who is told by mail when something of the service itself fails, or null. */
  operator_email: string | null;
  bootstrap: { organization: string | null; email: string; password: string | null; api_key: string | null };
  metrics_token: string | null;
  log_level: LogLevel;
  /** How long a service that is shutting down keeps answering while not ready, and how long running requests may take. */
  shutdown_delay_seconds: number;
  shutdown_grace_seconds: number;
}

/** Where backups go, by themselves or by `headwater backup`. */
export interface BackupSettings {
  to: PlaceName;
  /** A cron expression in UTC. Null: only by the command. */
  schedule: string | null;
  /** How many of the newest stay. */
  keep: number;
}

/** The replica for reports, in the form that the database takes. */
export const replicaOf = ({ database_replica_url: url, database_replica_lag_seconds: lagSeconds }: Config) =>
  url === null ? null : { url, lagSeconds };

/** Throws one error that lists every mistake. A variable that is set to nothing counts as not set. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
  const result = environment.safeParse(given);
  const mistakes = [
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`),
    ...mistakesOf(given),
  ];
  if (!result.success || mistakes.length > 0) throw new Error(message(mistakes));
  return configOf(result.data);
}

const message = (mistakes: readonly string[]) =>
  `The configuration has ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:\n${mistakes.map((line) => `  ${line}`).join("\n")}`;

function configOf(env: z.output<typeof environment>): Config {
  return {
    host: env.HOST,
    port: env.PORT,
    base_url: (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ""),
    data_dir: env.DATA_DIR,
    database_url: env.DATABASE_URL ?? null,
    database_pooler_url: env.DATABASE_POOLER_URL ?? null,
    database_replica_url: env.DATABASE_REPLICA_URL ?? null,
    database_replica_lag_seconds: env.DATABASE_REPLICA_LAG_SECONDS,
    database_rls: env.DATABASE_RLS,
    secret_key: env.SECRET_KEY ?? null,
    secret_key_old: env.SECRET_KEY_OLD ?? null,
    s3: env.S3_BUCKET === undefined ? null : s3Of(env),
    smtp_url: env.SMTP_URL ?? null,
    oauth: oauthOf(env),
    people_data_labs: env.PDL_API_KEY === undefined ? null : { api_key: env.PDL_API_KEY, base_url: env.PDL_BASE_URL ?? null },
    ai: aiOf(env),
    rate_limits: env.RATE_LIMIT ? rateLimitsOf(env) : null,
    outbound_allow_cidrs: env.OUTBOUND_ALLOW_CIDRS,
    outbound_ports: env.OUTBOUND_PORTS,
    trust_proxy: env.TRUST_PROXY,
    list_sources: env.LIST_SOURCES,
    web_concurrency: env.WEB_CONCURRENCY,
    backup:
      env.BACKUP_TO === undefined
        ? null
        : { to: backupPlaceOf(env, env.BACKUP_TO), schedule: env.BACKUP_SCHEDULE ?? null, keep: env.BACKUP_KEEP },
    operator_email: env.OPERATOR_EMAIL ?? null,
    bootstrap: {
      organization: env.BOOTSTRAP_ORGANIZATION ?? null,
      email: env.BOOTSTRAP_EMAIL,
      password: env.BOOTSTRAP_PASSWORD ?? null,
      api_key: env.BOOTSTRAP_API_KEY ?? null,
    },
    metrics_token: env.METRICS_TOKEN ?? null,
    log_level: env.LOG_LEVEL,
    shutdown_delay_seconds: env.SHUTDOWN_DELAY_SECONDS,
    shutdown_grace_seconds: env.SHUTDOWN_GRACE_SECONDS,
  };
}

function backupPlaceOf(env: z.output<typeof environment>, to: string): PlaceName {
  const found = bucketOf(to);
  return found === null ? { folder: to } : { s3: { ...s3Of(env), bucket: found.bucket }, prefix: found.prefix };
}

const s3Of = (env: z.output<typeof environment>): S3Place => ({
  endpoint: env.S3_ENDPOINT ?? null,
  region: env.S3_REGION,
  bucket: env.S3_BUCKET!,
  access_key_id: env.S3_ACCESS_KEY_ID!,
  secret_access_key: env.S3_SECRET_ACCESS_KEY!,
  force_path_style: env.S3_FORCE_PATH_STYLE,
});

const aiOf = (env: z.output<typeof environment>): AiSettings => ({
  account:
    env.AI_PROVIDER === undefined
      ? null
      : {
          provider: env.AI_PROVIDER,
          api_key: env.AI_API_KEY ?? null,
          model: env.AI_MODEL ?? aiFormats[env.AI_PROVIDER].usualModel,
          base_url: env.AI_BASE_URL ?? null,
        },
  seconds: env.AI_TIMEOUT_SECONDS,
  tokens: env.AI_MAX_TOKENS,
  tokens_per_day: env.AI_TOKENS_PER_DAY,
});

const oauthOf = (env: z.output<typeof environment>): Config["oauth"] => ({
  google: {
    application: applicationOf(env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET, "common"),
    base_url: env.GOOGLE_BASE_URL?.replace(/\/+$/, "") ?? null,
    imap: env.GOOGLE_IMAP_URL,
    smtp: env.GOOGLE_SMTP_URL,
  },
  microsoft: {
    application: applicationOf(env.MICROSOFT_CLIENT_ID, env.MICROSOFT_CLIENT_SECRET, env.MICROSOFT_TENANT),
    base_url: env.MICROSOFT_BASE_URL?.replace(/\/+$/, "") ?? null,
    imap: env.MICROSOFT_IMAP_URL,
    smtp: env.MICROSOFT_SMTP_URL,
  },
});

const applicationOf = (client_id: string | undefined, client_secret: string | undefined, tenant: string) =>
  client_id === undefined || client_secret === undefined ? null : { client_id, client_secret, tenant };

const rateLimitsOf = (env: z.output<typeof environment>): RateLimits => ({
  read: env.RATE_LIMIT_READ,
  write: env.RATE_LIMIT_WRITE,
  search: env.RATE_LIMIT_SEARCH,
  report: env.RATE_LIMIT_REPORT,
  bulk: env.RATE_LIMIT_BULK,
  ai: env.RATE_LIMIT_AI,
  auth: env.RATE_LIMIT_AUTH,
  oauth: env.RATE_LIMIT_OAUTH,
  sign_in: env.RATE_LIMIT_SIGN_IN,
  hook: env.RATE_LIMIT_HOOK,
  provider: env.RATE_LIMIT_PROVIDER,
  link: env.RATE_LIMIT_LINK,
});
