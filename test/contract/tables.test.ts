// What every table promises: all rows of an organization can be on their own server, apart from those of others. So no check of
// the database and no trigger may need the rows of two organizations.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { createDatabase } from "../support/database.ts";

/** Tables that are copied to every server. */
const copied = [
  "account",
  "event_epoch",
  "organization",
  "user",
  // What belongs to people.
  "oauth_client",
  "client_grant",
  "oauth_artifact",
  "session",
  "password_link",
  "sign_in_failure",
  "recovery_code",
  "passkey",
  "passkey_answer",
];
/** Tables about the database itself. */
const itsOwn = ["migration", "sealing_key", "timer", "worker", "backup"];

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;
let tables: { name: string; has_organization: boolean }[];
let tenantTables: string[];

before(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `select c.relname as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as has_organization
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  tables = rows;
  tenantTables = tables.map(({ name }) => name).filter((name) => ![...copied, ...itsOwn].includes(name));
});

after(async () => {
  await client.end();
  await database.drop();
});

test("every table belongs to an organization, is copied, or is about the database itself", () => {
  const others = tables.filter((one) => tenantTables.includes(one.name) && !one.has_organization);

  assert.deepEqual(
    others.map(({ name }) => name),
    [],
    "give the table an organization_id",
  );
});

test("every key and every unique index of an organization's table names the organization", async () => {
  const { rows } = await client.query(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and (i.indisunique or i.indisexclusion) and not exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
         and a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1]))`,
    [tenantTables],
  );

  assert.deepEqual(
    rows.map((row) => row.name),
    [],
    "add organization_id to the index; where a secret is looked up without its organization, behind the secret",
  );
});

test("every reference stays within its organization or leads to a table that is copied", async () => {
  const { rows } = await client.query(
    `select k.conname as name, f.relname as "from", t.relname as "to", coalesce((
       select bool_or(x.attname = 'organization_id' and y.attname = 'organization_id')
       from unnest(k.conkey, k.confkey) pair(x, y)
       join pg_attribute x on x.attrelid = f.oid and x.attnum = pair.x
       join pg_attribute y on y.attrelid = t.oid and y.attnum = pair.y), false) as within
     from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and k.conparentid = 0 and f.relnamespace = 'public'::regnamespace`,
  );
  const allowed = (row: any) => copied.includes(row.to) || (row.within && !copied.includes(row.from));

  assert.ok(rows.length > 100, "references were found");
  assert.deepEqual(
    rows.filter((row) => !allowed(row)).map((row) => row.name),
    [],
    "make the reference by `call reference(…)`, or by organization_id and id",
  );
});

test("every trigger touches rows of the same organization only, or reads a copied table", async () => {
  const { rows } = await client.query(
    `select distinct p.proname as name, p.prosrc as text from pg_trigger t join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and p.pronamespace = 'public'::regnamespace`,
  );
  const elsewhere = [...tenantTables, ...itsOwn].join("|");
  // A copied table may be read, but not written to.
  const asks = new RegExp(
    `\\b(from|join)\\s+"?(${elsewhere})\\b|\\b(into|update|delete from)\\s+"?(${elsewhere}|${copied.join("|")})\\b`,
  );
  const staysWithin = new RegExp(
    `\\borganization_id = (new|old)\\.organization_id\\b|insert into (${tenantTables.join("|")}) \\(organization_id\\b[^)]*\\) values \\((new|old)\\.organization_id\\b`,
  );
  const statements = rows.flatMap(({ name, text }) => text.split(";").map((one: string) => ({ name, text: one.trim() })));
  const asking = statements.filter(({ text }) => asks.test(text));

  assert.ok(asking.length >= 3, "statements were found");
  assert.deepEqual(
    asking.filter(({ text }) => !staysWithin.test(text)),
    [],
    "name the organization of the row that fires the trigger",
  );
});

test("no default is taken from the transactions that a server counts: a trigger takes it where the row lies", async () => {
  const { rows } = await client.query(
    `select d.adrelid::regclass::text || '.' || a.attname as name
     from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
     where pg_get_expr(d.adbin, d.adrelid) ~ 'xact|snapshot|txid'`,
  );

  assert.deepEqual(
    rows.map((row) => row.name),
    [],
    "see place_event in migrations/0003_events.sql",
  );
});

test("every organization_id has the same collation", async () => {
  const { rows } = await client.query(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'organization_id'
       and a.attcollation <> (select oid from pg_collation where collname = 'C' and collnamespace = 'pg_catalog'::regnamespace)`,
  );

  assert.deepEqual(rows, [], 'declare it `organization_id text collate "C"`');
});
