// The configuration: the environment, parsed once. All mistakes are named together. Values are not repeated, because some are
// secrets.
import { isIP } from "node:net";
import { z } from "zod";
import type { PlaceName } from "./backup/place.ts";
import type { OpenGroup, RateGroup } from "./core/operation.ts";
import { type AiSettings, aiFormats, aiProviders } from "./services/ai_formats.ts";
import { senderOf } from "./services/mail.ts";
import type { MailPlace, OauthType, ProviderSettings } from "./services/oauth_providers.ts";
import type { PeopleDataLabsAccount } from "./services/people_data_labs.ts";
import { webPorts } from "./services/public_address.ts";
import type { S3Place } from "./services/s3.ts";
import { problemOfCron } from "./values/cron.ts";

export interface Config {
  host: string;
  port: number;
  /** The address of the service from outside, without a slash at the end. */
  base_url: string;
  data_dir: string;
  /** Null: the embedded PostgreSQL in `data_dir`. */
  database_url: string | null;
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

/** A number of requests in a number of seconds. */
export interface RateLimit {
  limit: number;
  seconds: number;
}

/** For one key; an organization as a whole has three times that. Without a key, for one address or what it reaches. */
export type RateLimits = Readonly<Record<RateGroup | OpenGroup, RateLimit>>;

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

const defaultRateLimits: Record<keyof RateLimits, string> = {
  read: "200/10",
  write: "100/10",
  search: "40/10",
  report: "40/10",
  bulk: "20/10",
  ai: "20/10",
  auth: "60/10",
  oauth: "100/10",
  sign_in: "60/10",
  hook: "100/10",
  provider: "60/10",
  link: "200/10",
};

/** Throws one error that lists every mistake. A variable that is set to nothing counts as not set. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
  const result = environment.safeParse(given);
  const mistakes = [
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`),
    ...unknownNames(given),
    ...s3Mistakes(given),
    ...oauthMistakes(given),
    ...aiMistakes(given),
    ...backupMistakes(given),
  ];
  if (!result.success || mistakes.length > 0) throw new Error(message(mistakes));
  return configOf(result.data);
}

const message = (mistakes: readonly string[]) =>
  `The configuration has ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:\n${mistakes.map((line) => `  ${line}`).join("\n")}`;

const must = (what: string) => ({ error: `must be ${what}` });

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, must(`a whole number from ${min} to ${max}`))
    .transform(Number)
    .refine((value) => value >= min && value <= max, must(`a whole number from ${min} to ${max}`));

const address = (schemes: readonly string[]) =>
  z.string().refine((text) => schemes.includes(schemeOf(text)), must(`an address that begins with ${schemes.join("// or ")}//`));

/** For a mail server: with an `s` at the end, the scheme requires TLS, by STARTTLS on ports such as 587. */
const mailPlace = (protocol: "imap" | "smtp") =>
  address([`${protocol}s:`, `${protocol}:`])
    .transform(placeOf)
    .refine(({ host }) => host !== "", must(`an address such as ${protocol}s://${protocol}.example.com`));

const onOff = z.enum(["on", "off"], must("on or off")).transform((value) => value === "on");

const networks = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every(isNetwork), must("a list of networks separated by commas, such as 10.0.0.0/8,::1/128"));

const ports = z
  .string()
  .transform((text) => text.split(",").map((part) => Number(part.trim())))
  .refine(
    (parts) => parts.every((port) => Number.isInteger(port) && port > 0 && port <= 65_535),
    must("a list of ports separated by commas, such as 80,443"),
  );

const names = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => /^[a-z][a-z0-9_]{0,49}$/.test(part)),
    must("names separated by commas, such as crm,newsletter"),
  );

const rate = z
  .string()
  .regex(/^[1-9]\d{0,6}\/[1-9]\d{0,3}$/, must("a number of requests and of seconds, such as 200/10"))
  .transform((text): RateLimit => {
    const [limit, seconds] = text.split("/").map(Number) as [number, number];
    return { limit, seconds };
  });

const emailAddress = z.string().regex(/^[^\s@]+@[^\s@]+$/, must("an e-mail address"));

const environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: wholeNumber(0, 65535).default(4000),
  BASE_URL: address(["http:", "https:"]).optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: address(["postgres:", "postgresql:"]).optional(),
  DATABASE_REPLICA_URL: address(["postgres:", "postgresql:"]).optional(),
  DATABASE_REPLICA_LAG_SECONDS: wholeNumber(1, 3600).default(10),
  DATABASE_RLS: onOff.default(false),
  SECRET_KEY: z.string().min(32, must("32 characters or more")).optional(),
  SECRET_KEY_OLD: z.string().min(32, must("32 characters or more")).optional(),
  S3_ENDPOINT: address(["http:", "https:"]).optional(),
  S3_REGION: z.string().default("us-east-1"),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: onOff.default(false),
  SMTP_URL: address(["smtp:", "smtps:"])
    .refine(
      (url) => !URL.canParse(url) || !/[?&]from=/.test(url) || senderOf(url) !== null,
      must("an address whose from= is an e-mail address"),
    )
    .optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_BASE_URL: address(["http:", "https:"]).optional(),
  GOOGLE_IMAP_URL: mailPlace("imap").prefault("imaps://imap.gmail.com"),
  GOOGLE_SMTP_URL: mailPlace("smtp").prefault("smtps://smtp.gmail.com"),
  MICROSOFT_CLIENT_ID: z.string().optional(),
  MICROSOFT_CLIENT_SECRET: z.string().optional(),
  MICROSOFT_TENANT: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,255}$/, must("common, organizations, consumers, or the id or domain of a tenant"))
    .default("common"),
  MICROSOFT_BASE_URL: address(["http:", "https:"]).optional(),
  MICROSOFT_IMAP_URL: mailPlace("imap").prefault("imaps://outlook.office365.com"),
  MICROSOFT_SMTP_URL: mailPlace("smtp").prefault("smtps://smtp.office365.com:587"),
  PDL_API_KEY: z.string().optional(),
  PDL_BASE_URL: address(["http:", "https:"]).optional(),
  AI_PROVIDER: z.enum(aiProviders, must(`one of ${aiProviders.join(", ")}`)).optional(),
  AI_API_KEY: z.string().optional(),
  AI_MODEL: z.string().max(255, must("255 characters or fewer")).optional(),
  AI_BASE_URL: address(["http:", "https:"]).optional(),
  AI_TIMEOUT_SECONDS: wholeNumber(1, 100).default(30),
  AI_MAX_TOKENS: wholeNumber(100, 100_000).default(8000),
  AI_TOKENS_PER_DAY: wholeNumber(0, 999_999_999).default(500_000),
  RATE_LIMIT: onOff.default(true),
  RATE_LIMIT_READ: rate.prefault(defaultRateLimits.read),
  RATE_LIMIT_WRITE: rate.prefault(defaultRateLimits.write),
  RATE_LIMIT_SEARCH: rate.prefault(defaultRateLimits.search),
  RATE_LIMIT_REPORT: rate.prefault(defaultRateLimits.report),
  RATE_LIMIT_BULK: rate.prefault(defaultRateLimits.bulk),
  RATE_LIMIT_AI: rate.prefault(defaultRateLimits.ai),
  RATE_LIMIT_AUTH: rate.prefault(defaultRateLimits.auth),
  RATE_LIMIT_OAUTH: rate.prefault(defaultRateLimits.oauth),
  RATE_LIMIT_SIGN_IN: rate.prefault(defaultRateLimits.sign_in),
  RATE_LIMIT_HOOK: rate.prefault(defaultRateLimits.hook),
  RATE_LIMIT_PROVIDER: rate.prefault(defaultRateLimits.provider),
  RATE_LIMIT_LINK: rate.prefault(defaultRateLimits.link),
  OUTBOUND_ALLOW_CIDRS: networks.default([]),
  OUTBOUND_PORTS: ports.default([...webPorts]),
  TRUST_PROXY: networks.default([]),
  LIST_SOURCES: names.default(["mailchimp", "brevo", "external"]),
  WEB_CONCURRENCY: wholeNumber(1, 128).default(1),
  BACKUP_TO: z
    .string()
    .refine(
      (text) => !/^\w+:\/\//.test(text) || bucketOf(text) !== null,
      must("a folder, or an address such as s3://bucket/prefix"),
    )
    .optional(),
  BACKUP_SCHEDULE: z
    .string()
    .refine((text) => problemOfCron(text) === null, must('a cron expression in UTC such as "0 3 * * *"'))
    .optional(),
  BACKUP_KEEP: wholeNumber(1, 1000).default(14),
  OPERATOR_EMAIL: emailAddress.optional(),
  BOOTSTRAP_ORGANIZATION: z.string().max(255, must("255 characters or fewer")).optional(),
  BOOTSTRAP_EMAIL: emailAddress.default("admin@localhost"),
  BOOTSTRAP_PASSWORD: z.string().min(10, must("10 to 128 characters")).max(128, must("10 to 128 characters")).optional(),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{24,128}$/, must("24 to 128 characters of A-Z, a-z, 0-9, _ and -"))
    .optional(),
  METRICS_TOKEN: z.string().min(16, must("16 characters or more")).optional(),
  LOG_LEVEL: z.enum(logLevels, must(`one of ${logLevels.join(", ")}`)).default("info"),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 3600).default(5),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 3600).default(25),
});

// Otherwise `RATE_LIMIT_RAED` would be a limit that is silently not set.
const ourPrefixes = ["RATE_LIMIT", "S3_", "BOOTSTRAP_", "DATABASE_", "AI_", "OUTBOUND_", "SHUTDOWN_", "BACKUP_"];

const unknownNames = (given: Record<string, unknown>): string[] =>
  Object.keys(given)
    .filter((name) => ourPrefixes.some((prefix) => name.startsWith(prefix)) && !Object.hasOwn(environment.shape, name))
    .map((name) => {
      const prefix = ourPrefixes.find((one) => name.startsWith(one))!;
      const known = Object.keys(environment.shape).filter((one) => one.startsWith(prefix));
      return `${name} is not known; known are ${known.join(", ")}`;
    });

function s3Mistakes(given: Record<string, unknown>): string[] {
  const set = Object.keys(given).filter(
    (name) => name.startsWith("S3_") || (name === "BACKUP_TO" && bucketOf(given.BACKUP_TO) !== null),
  );
  if (set.length === 0) return [];
  // Backups name their bucket themselves. Files may lie in the folder nevertheless.
  const needed = [...(bucketOf(given.BACKUP_TO) === null ? ["S3_BUCKET"] : []), "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  return needed.filter((name) => !(name in given)).map((name) => `${name} is required because ${set[0]} is set`);
}

/** An id without its secret would be an application that no provider knows. */
function oauthMistakes(given: Record<string, unknown>): string[] {
  const pairs = ["GOOGLE", "MICROSOFT"].map((one) => [`${one}_CLIENT_ID`, `${one}_CLIENT_SECRET`] as const);
  return pairs
    .flatMap(([id, secret]) => [[id, secret] as const, [secret, id] as const])
    .filter(([one, other]) => one in given && !(other in given))
    .map(([one, other]) => `${other} is required because ${one} is set`);
}

/** A model on the operator's own machine needs no key, but an address. */
function aiMistakes(given: Record<string, unknown>): string[] {
  const set = ["AI_API_KEY", "AI_MODEL", "AI_BASE_URL"].find((name) => name in given);
  if (!("AI_PROVIDER" in given)) return set === undefined ? [] : [`AI_PROVIDER is required because ${set} is set`];
  const isKeyless = given.AI_PROVIDER === "openai" && "AI_BASE_URL" in given;
  return isKeyless || "AI_API_KEY" in given ? [] : ["AI_API_KEY is required because AI_PROVIDER is set"];
}

const backupMistakes = (given: Record<string, unknown>): string[] =>
  ["BACKUP_SCHEDULE", "BACKUP_KEEP"]
    .filter((name) => name in given && !("BACKUP_TO" in given))
    .map((name) => `BACKUP_TO is required because ${name} is set`);

function configOf(env: z.output<typeof environment>): Config {
  return {
    host: env.HOST,
    port: env.PORT,
    base_url: (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ""),
    data_dir: env.DATA_DIR,
    database_url: env.DATABASE_URL ?? null,
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

/** The parts of `s3://bucket/prefix`. Keys begin with the prefix and a slash. Null: it is no such address. */
function bucketOf(text: unknown): { bucket: string; prefix: string } | null {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/\s]+)(?:\/(\S*))?$/.exec(String(text)) ?? [];
  if (bucket === undefined) return null;
  return { bucket, prefix: prefix === "" ? "" : `${prefix.replace(/\/+$/, "")}/` };
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

const mailPorts: Readonly<Record<string, number>> = { "imaps:": 993, "imap:": 143, "smtps:": 465, "smtp:": 587 };

function placeOf(text: string): MailPlace {
  const { hostname, port, protocol } = new URL(text);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || mailPorts[protocol]), use_ssl: protocol.endsWith("s:") };
}

const schemeOf = (text: string): string => (URL.canParse(text) ? new URL(text).protocol : "");

/** An address, optionally with a prefix length. */
function isNetwork(text: string): boolean {
  const [ip = "", bits, ...rest] = text.split("/");
  const family = isIP(ip);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
