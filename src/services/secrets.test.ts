import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSecrets, type Place, secretKey } from "./secrets.ts";

const place: Place = { table: "webhook", column: "signature_key", organization_id: "orga_1", id: "whk_1" };
const key = "k".repeat(32);

test("what is sealed opens in its own place, and never looks the same twice", () => {
  const secrets = openSecrets(key);

  const sealed = secrets.seal("whsec_ä", place);

  assert.equal(secrets.open(sealed, place), "whsec_ä");
  assert.ok(!sealed.includes("whsec"));
  assert.notEqual(secrets.seal("whsec_ä", place), sealed);
});

test("a sealed value that is moved to another row, column, table or organization does not open", () => {
  const secrets = openSecrets(key);
  const sealed = secrets.seal("whsec_x", place);

  for (const other of [{ id: "whk_2" }, { column: "token" }, { table: "credential" }, { organization_id: "orga_2" }])
    assert.throws(() => secrets.open(sealed, { ...place, ...other }));
});

test("a changed or cut value does not open, nor one of another form", () => {
  const secrets = openSecrets(key);
  const sealed = secrets.seal("whsec_x", place);
  const parts = sealed.split(".");
  const data = Buffer.from(parts[3]!, "base64url");
  data[0]! ^= 1;

  assert.throws(() => secrets.open([...parts.slice(0, 3), data.toString("base64url")].join("."), place));
  assert.throws(() => secrets.open([...parts.slice(0, 3), data.subarray(0, 4).toString("base64url")].join("."), place));
  assert.throws(() => secrets.open("whsec_x", place), /unknown form/);
});

test("another SECRET_KEY is named as the reason", () => {
  const sealed = openSecrets(key).seal("whsec_x", place);

  assert.throws(() => openSecrets("o".repeat(32)).open(sealed, place), /another SECRET_KEY/);
});

test("a key that is not configured is created once, readable only by its owner, whichever process starts first", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-secrets-"));
  const dataDir = join(folder, "data");

  const keys = await Promise.all(Array.from({ length: 8 }, () => secretKey(null, dataDir)));
  const later = await secretKey(null, dataDir);
  const { mode } = await stat(join(dataDir, "secret_key"));

  assert.equal(new Set([...keys, later]).size, 1);
  assert.ok(later.length >= 32);
  if (process.platform !== "win32") assert.equal(mode & 0o777, 0o600);
  assert.equal((await readFile(join(dataDir, "secret_key"), "utf8")).trim(), later);
  assert.equal(await secretKey(key, dataDir), key);
  await rm(folder, { recursive: true });
});

test("a damaged key file stops the start instead of being replaced", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-secrets-"));
  await writeFile(join(folder, "secret_key"), "");

  await assert.rejects(secretKey(null, folder), /holds no key/);
  await rm(folder, { recursive: true });
});
