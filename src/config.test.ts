import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "./config.ts";

test("an empty environment is a whole configuration", () => {
  const config = parseConfig({});

  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.port, 4000);
  assert.equal(config.base_url, "http://localhost:4000");
  assert.equal(config.data_dir, "./data");
  assert.equal(config.database_url, null);
  assert.equal(config.database_rls, false);
  assert.equal(config.s3, null);
  assert.equal(config.web_concurrency, 1);
  assert.deepEqual([config.shutdown_delay_seconds, config.shutdown_grace_seconds], [5, 25]);
  assert.deepEqual(config.bootstrap, { organization: null, email: "admin@localhost", password: null, api_key: null });
  assert.deepEqual(config.rate_limits?.read, { limit: 200, seconds: 10 });
  assert.deepEqual(config.trust_proxy, []);
});

test("the base address follows the port, and loses its last slash", () => {
  assert.equal(parseConfig({ PORT: "8080" }).base_url, "http://localhost:8080");
  assert.equal(parseConfig({ BASE_URL: "https://crm.example.com/" }).base_url, "https://crm.example.com");
});

test("every mistake is named at once", () => {
  const env = {
    PORT: "70000",
    BASE_URL: "crm.example.com",
    DATABASE_URL: "mysql://localhost/crm",
    DATABASE_RLS: "yes",
    SECRET_KEY: "short",
    SMTP_URL: "localhost:25",
    RATE_LIMIT_READ: "many",
    TRUST_PROXY: "10.0.0.0/33",
    WEB_CONCURRENCY: "0",
    BOOTSTRAP_EMAIL: "admin",
    BOOTSTRAP_API_KEY: "too short",
    LOG_LEVEL: "loud",
  };

  assert.throws(
    () => parseConfig(env),
    (error: Error) => {
      assert.match(error.message, /^The configuration has 12 mistakes:\n/);
      for (const name of Object.keys(env)) assert.match(error.message, new RegExp(`^  ${name} must be `, "m"));
      return true;
    },
  );
});

test("a mistake never repeats what was given, for it may be a secret", () => {
  assert.throws(
    () => parseConfig({ DATABASE_URL: "postgres//user:hunter2@db/crm", BOOTSTRAP_API_KEY: "hunter2", METRICS_TOKEN: "hunter2" }),
    (error: Error) => !error.message.includes("hunter2"),
  );
});

test("a variable that is set to nothing counts as not set", () => {
  assert.equal(parseConfig({ PORT: "", DATABASE_URL: " ", S3_BUCKET: "" }).port, 4000);
});

test("a misspelled limit is a mistake, other people's variables are not", () => {
  assert.throws(
    () => parseConfig({ RATE_LIMIT_RAED: "1/1" }),
    /RATE_LIMIT_RAED is not known; known are RATE_LIMIT, RATE_LIMIT_READ/,
  );
  assert.throws(() => parseConfig({ BOOTSTRAP_EMIAL: "a@b" }), /BOOTSTRAP_EMIAL is not known/);
  assert.doesNotThrow(() => parseConfig({ PATH: "/bin", npm_config_registry: "x", HOSTNAME: "y" }));
});

test("rate limits are set by group or switched off", () => {
  const { rate_limits } = parseConfig({ RATE_LIMIT_READ: "500/60" });

  assert.deepEqual(rate_limits?.read, { limit: 500, seconds: 60 });
  assert.deepEqual(rate_limits?.write, { limit: 100, seconds: 10 });
  assert.equal(parseConfig({ RATE_LIMIT: "off" }).rate_limits, null);
});

test("a store for files needs its bucket and both halves of its key", () => {
  assert.throws(
    () => parseConfig({ S3_ENDPOINT: "https://s3.example.com", S3_BUCKET: "files" }),
    (error: Error) => {
      assert.match(error.message, /S3_ACCESS_KEY_ID is required because S3_\w+ is set/);
      assert.match(error.message, /S3_SECRET_ACCESS_KEY is required/);
      return true;
    },
  );
  assert.deepEqual(parseConfig({ S3_BUCKET: "files", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" }).s3, {
    endpoint: null,
    region: "us-east-1",
    bucket: "files",
    access_key_id: "id",
    secret_access_key: "secret",
    force_path_style: false,
  });
});

test("networks are lists of addresses with or without a prefix", () => {
  assert.deepEqual(parseConfig({ TRUST_PROXY: "10.0.0.0/8, ::1/128,192.168.1.1" }).trust_proxy, [
    "10.0.0.0/8",
    "::1/128",
    "192.168.1.1",
  ]);
  assert.throws(() => parseConfig({ OUTBOUND_ALLOW_CIDRS: "everywhere" }), /OUTBOUND_ALLOW_CIDRS must be a list of networks/);
});

test("ports are whole numbers, and those of the web where nothing is said", () => {
  assert.deepEqual(parseConfig({}).outbound_ports, [80, 443, 8080, 8443]);
  assert.deepEqual(parseConfig({ OUTBOUND_PORTS: "443, 3000" }).outbound_ports, [443, 3000]);
  for (const wrong of ["0", "65536", "web", "443,"])
    assert.throws(() => parseConfig({ OUTBOUND_PORTS: wrong }), /OUTBOUND_PORTS must be a list of ports/);
});

test("the first key is taken as it is, of 24 to 128 characters", () => {
  const api_key = "a-b_C4".repeat(4);

  assert.equal(parseConfig({ BOOTSTRAP_API_KEY: api_key }).bootstrap.api_key, api_key);
  assert.throws(() => parseConfig({ BOOTSTRAP_API_KEY: "x".repeat(23) }), /BOOTSTRAP_API_KEY must be 24 to 128 characters/);
  assert.throws(() => parseConfig({ BOOTSTRAP_API_KEY: "x".repeat(129) }), /BOOTSTRAP_API_KEY must be/);
});

test("an application at Google or Microsoft has an id and a secret, and their servers of mail are known", () => {
  const { google, microsoft } = parseConfig({ GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" }).oauth;
  const own = parseConfig({ GOOGLE_SMTP_URL: "smtp://[::1]:2525", MICROSOFT_IMAP_URL: "imaps://mail.example.com" }).oauth;

  assert.deepEqual(google.application, { client_id: "id", client_secret: "secret", tenant: "common" });
  assert.equal(microsoft.application, null);
  assert.deepEqual(google.smtp, { host: "smtp.gmail.com", port: 465, use_ssl: true });
  assert.deepEqual(microsoft.smtp, { host: "smtp.office365.com", port: 587, use_ssl: true });
  assert.deepEqual(own.google.smtp, { host: "::1", port: 2525, use_ssl: false });
  assert.deepEqual(own.microsoft.imap, { host: "mail.example.com", port: 993, use_ssl: true });
  assert.throws(
    () => parseConfig({ GOOGLE_CLIENT_ID: "id" }),
    /GOOGLE_CLIENT_SECRET is required because GOOGLE_CLIENT_ID is set/,
  );
  assert.throws(() => parseConfig({ MICROSOFT_CLIENT_SECRET: "x" }), /MICROSOFT_CLIENT_ID is required/);
  assert.throws(
    () => parseConfig({ GOOGLE_IMAP_URL: "https://imap.gmail.com" }),
    /GOOGLE_IMAP_URL must be an address that begins/,
  );
});

test("a model has a provider and a key, or an address of its own, and limits", () => {
  const { account, ...limits } = parseConfig({ AI_PROVIDER: "google", AI_API_KEY: "key" }).ai;
  const own = parseConfig({ AI_PROVIDER: "openai", AI_BASE_URL: "http://10.0.0.7:11434/v1", AI_MODEL: "llama3" }).ai;

  assert.deepEqual(account, { provider: "google", api_key: "key", model: "gemini-3.5-flash-lite", base_url: null });
  assert.deepEqual(limits, { seconds: 30, tokens: 8000, tokens_per_day: 500_000 });
  assert.deepEqual(own.account, { provider: "openai", api_key: null, model: "llama3", base_url: "http://10.0.0.7:11434/v1" });
  assert.equal(parseConfig({}).ai.account, null);
  assert.throws(() => parseConfig({ AI_PROVIDER: "anthropic" }), /AI_API_KEY is required because AI_PROVIDER is set/);
  assert.throws(() => parseConfig({ AI_API_KEY: "key" }), /AI_PROVIDER is required because AI_API_KEY is set/);
  assert.throws(() => parseConfig({ AI_PROVIDER: "skynet", AI_API_KEY: "key" }), /AI_PROVIDER must be one of openai/);
  assert.throws(() => parseConfig({ AI_TOKENS: "1" }), /AI_TOKENS is not known; known are AI_PROVIDER/);
});
