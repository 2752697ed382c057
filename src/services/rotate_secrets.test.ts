// After a change of the key, everything opens with the new key and nothing with the old one.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { organization } from "../../test/support/given.ts";
import { writeGrant } from "../resources/accounts/oauth/grants.ts";
import { rotateSecrets } from "./rotate_secrets.ts";
import { sealedColumns } from "./sealed_columns.ts";
import { nextSecretKey, openSecrets, type Secrets, secretKey } from "./secrets.ts";

const oldKey = openSecrets("the secret key of all of the tests");
const newKey = openSecrets("n".repeat(32));

/** Stores a secret in every area that has some. */
async function withSecrets() {
  const acme = await organization();
  await acme.post("/webhook/", { url: "https://93.184.216.34/hook", events: ["lead.created"] }, { "idempotency-key": "once" });
  const server = { host: "93.184.216.34", password: "hunter2" };
  for (let i = 0; i < 5; i++) await acme.post("/connected_account/", { email: `a${i}@example.com`, smtp: server, imap: server });
  await acme.put("/credentials/peopledatalabs/", { api_key: "0123456789abcdef" });
  const grant = { provider: "google", client_id: "app", subject: acme.id, refresh_token: "refresh", access_tokens: {} } as const;
  await acme.inside(async (ctx) => writeGrant(ctx, { organization_id: acme.id, id: "emailacct_gone" }, grant));
  return acme;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Opens every sealed value. */
async function openable(client: pg.Client, secrets: Secrets): Promise<string[]> {
  const texts: string[] = [];
  for (const of of sealedColumns) {
    const columns = [...of.key, ...(of.besides ?? []), of.column].map((one) => `"${one}"`).join(", ");
    const { rows } = await client.query(`select ${columns} from "${of.table}" where ${of.column} is not null`);
    for (const row of rows) {
      try {
        texts.push(`${of.table}.${of.column} ${secrets.open(row[of.column], of.place(row))}`);
      } catch {
        // sealed with another key
      }
    }
  }
  return texts.sort();
}

test("everything opens with the new key, nothing with the old one, whatever the size of a batch", async () => {
  const acme = await withSecrets();
  const client = await connect(acme.service.databaseUrl);
  const before = await openable(client, oldKey);

  const count = await rotateSecrets(client, oldKey, newKey, 2);

  assert.ok(before.some((one) => one.endsWith("hunter2")) && before.some((one) => one.startsWith("idempotency_key")));
  assert.equal(count, before.length);
  assert.deepEqual(await openable(client, newKey), before);
  assert.deepEqual(await openable(client, oldKey), []);
  assert.equal(await rotateSecrets(client, oldKey, newKey), 0);
  assert.equal(await rotateSecrets(client, newKey, oldKey), before.length);
  await client.end();
});

test("a change that stops half-way names what it stopped at, keeps what is done, and goes on from there", async () => {
  const acme = await withSecrets();
  const client = await connect(acme.service.databaseUrl);
  const before = await openable(client, oldKey);
  const { rows } = await client.query("select id, sealed_values from credential where organization_id = $1", [acme.id]);
  await client.query("update credential set sealed_values = 'v1.none.x.y' where id = $1", [rows[0].id]);

  await assert.rejects(
    rotateSecrets(client, oldKey, newKey, 2),
    /credential\.sealed_values of orga_\S+ cred_\S+ cannot be opened/,
  );
  const done = await openable(client, newKey);
  await client.query("update credential set sealed_values = $2 where id = $1", [rows[0].id, rows[0].sealed_values]);
  await rotateSecrets(client, oldKey, newKey, 2);

  assert.ok(done.length > 0 && done.length < before.length);
  assert.deepEqual(await openable(client, newKey), before);
  await rotateSecrets(client, newKey, oldKey);
  await client.end();
});

test("the list has every column whose name says that it is sealed, and only columns that exist", async () => {
  const acme = await organization();
  const client = await connect(acme.service.databaseUrl);
  const { rows } = await client.query(
    "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'",
  );
  await client.end();
  const present = rows.map((row) => row.name as string);
  const listed = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`));

  const missing = present.filter((name) => /\.sealed_/.test(name) && !listed.has(name));
  assert.deepEqual(missing, [], "add them to src/services/sealed_columns.ts, or a changed SECRET_KEY loses them");
  for (const name of listed) assert.ok(present.includes(name), name);
});

test("the next key of a data directory is made once, keeps the service from starting half-way, and takes the other's place", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-rotate-"));
  await assert.rejects(nextSecretKey(folder), /nothing has been sealed/);
  const first = await secretKey(null, folder);

  const begun = await nextSecretKey(folder);
  const again = await nextSecretKey(folder);
  await assert.rejects(secretKey(null, folder), /--rotate-secret/);
  await again.finish();

  assert.deepEqual([begun.from, begun.to], [first, again.to]);
  assert.notEqual(begun.to, first);
  assert.equal(await secretKey(null, folder), begun.to);
  assert.equal((await readFile(join(folder, "secret_key"), "utf8")).trim(), begun.to);
  if (process.platform !== "win32") assert.equal((await stat(join(folder, "secret_key"))).mode & 0o777, 0o600);
  await rm(folder, { recursive: true });
});
