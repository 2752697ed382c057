// The variables of the environment: what each may be, and what it is without one. Mistakes that several of them make together are
// found here too.
import { isIP } from "node:net";
import { z } from "zod";
import type { OpenGroup, RateGroup } from "./core/operation.ts";
import { aiProviders } from "./services/ai_formats.ts";
import { senderOf } from "./services/mail.ts";
import type { MailPlace } from "./services/oauth_providers.ts";
import { webPorts } from "./services/public_address.ts";
import { problemOfCron } from "./values/cron.ts";

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

export const environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: wholeNumber(0, 65535).default(4000),
  BASE_URL: address(["http:", "https:"]).optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: address(["postgres:", "postgresql:"]).optional(),
  DATABASE_POOLER_URL: address(["postgres:", "postgresql:"]).optional(),
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

/** What is wrong with several variables together, or with a name. */
export const mistakesOf = (given: Record<string, unknown>): string[] => [
  ...unknownNames(given),
  ...s3Mistakes(given),
  ...oauthMistakes(given),
  ...aiMistakes(given),
  ...backupMistakes(given),
  ...("DATABASE_POOLER_URL" in given && !("DATABASE_URL" in given)
    ? ["DATABASE_URL is required because DATABASE_POOLER_URL is set: PostgreSQL itself, for what needs a session"]
    : []),
];

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

/** The parts of `s3://bucket/prefix`. Keys begin with the prefix and a slash. Null: it is no such address. */
export function bucketOf(text: unknown): { bucket: string; prefix: string } | null {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/\s]+)(?:\/(\S*))?$/.exec(String(text)) ?? [];
  if (bucket === undefined) return null;
  return { bucket, prefix: prefix === "" ? "" : `${prefix.replace(/\/+$/, "")}/` };
}

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
