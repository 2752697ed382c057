// The published description and the database match the definitions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import pg from "pg";
import type { Field } from "../../src/core/field.ts";
import { buildRegistry } from "../../src/core/registry.ts";
import type { Resource } from "../../src/core/resource.ts";
import { describeSchema } from "../../src/db/describe_schema.ts";
import { eventsOf } from "../../src/http/about_operation.ts";
import { eventsLeft } from "../../src/http/events_left.ts";
import { buildDescription } from "../../src/http/openapi.ts";
import { purposes } from "../../src/http/when_to_use.ts";
import { eventPattern } from "../../src/resources/events/event_names.ts";
import { operations, silentResources } from "../../src/resources/index.ts";
import { createDatabase } from "../support/database.ts";

const generated = (file: string) => readFileSync(new URL(`../../generated/${file}`, import.meta.url), "utf8");
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

test("the committed description is that of the operations", () => {
  const fresh = `${JSON.stringify(buildDescription(operations, { version }), null, 1)}\n`;

  // Not `equal`, which would print both: megabytes.
  assert.ok(
    generated("openapi.json") === fresh,
    "generated/openapi.json is stale: run `npm run generate` and review what changed",
  );
});

test("every reference within the description leads somewhere", () => {
  const description = buildDescription(operations, { version }) as any;

  for (const [, pointer] of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer!.split("/").reduce((at, key) => at?.[key.replaceAll("~1", "/")], description);
    assert.ok(target !== undefined, `#/${pointer}`);
  }
});

test("every operation that is not one of the five verbs says when to use it, and every other what its records are", () => {
  const isSaid = (one: (typeof operations)[number]) => purposes.has(one.name) || (one.verb !== null && one.resource !== null);

  const silent = operations.filter((one) => !isSaid(one)).map((one) => one.name);
  assert.deepEqual(silent, [], "say it in src/http/when_to_use.ts");
  const known = new Set(operations.map((one) => one.name));
  assert.deepEqual(
    [...purposes.keys()].filter((name) => !known.has(name)),
    [],
    "src/http/when_to_use.ts names operations that there are not",
  );
});

test("every event that an operation may leave is one that can be subscribed to", () => {
  const known = new Set(operations.map((one) => one.name));
  assert.deepEqual(
    [...eventsLeft.keys()].filter((name) => !known.has(name)),
    [],
    "src/http/events_left.ts names operations that there are not",
  );
  for (const operation of operations)
    for (const name of eventsOf(operation)) assert.ok(eventPattern(name), `${operation.name} names ${name}`);
});

describe("the database", () => {
  async function withDatabase(work: (client: pg.Pool) => Promise<void>): Promise<void> {
    const database = await createDatabase();
    const pool = new pg.Pool({ connectionString: database.url });
    // An idle connection may lose its database before it has been closed.
    pool.on("error", () => {});
    try {
      await work(pool);
    } finally {
      await pool.end();
      await database.drop();
    }
  }

  test("has the committed shape", () =>
    withDatabase(async (pool) => {
      // PostgreSQL writes the same definition slightly differently in different versions. The committed text is from version 18.
      const { rows } = await pool.query("show server_version_num");
      if (Number(rows[0].server_version_num) < 180000) return;

      assert.equal(
        generated("schema.sql"),
        await describeSchema(pool),
        "generated/schema.sql is stale: run `npm run generate` and review what changed",
      );
    }));

  test("has a column of the right type for every stored field", () =>
    withDatabase(async (pool) => {
      const types: Record<Field["type"], string[]> = {
        text: ["text", "bytea"], // what is hashed is bytes
        integer: ["bigint", "integer"],
        number: ["double precision"],
        boolean: ["boolean"],
        timestamp: ["timestamp with time zone"],
        date: ["date"],
        json: ["jsonb", "json"],
        texts: ["ARRAY"],
        tsvector: ["tsvector"],
      };
      const { rows } = await pool.query(
        "select c.table_name, column_name, data_type, is_nullable, table_type from information_schema.columns c join information_schema.tables using (table_schema, table_name) where table_schema = 'public'",
      );
      const columns = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row]));

      for (const resource of resources) {
        for (const [key, field] of resource.columns) {
          const column = columns.get(`${resource.table}.${key}`);
          assert.ok(column, `${resource.name}.${key} has no column in ${resource.table}`);
          assert.ok(
            types[field.type].includes(column.data_type),
            `${resource.table}.${key} is ${column.data_type}, the field is ${field.type}`,
          );
          // A row of a shared table lacks the columns of other kinds, and the columns of a view are never declared as filled.
          const unsaid = resource.only || resource.kinds || column.table_type === "VIEW";
          if (!unsaid && column.is_nullable === "YES")
            assert.ok(field.nullable || field.hidden, `${resource.table}.${key} may be null, the field may not`);
        }
      }
    }));

  test("points by composite keys within the organization wherever a field refers to another record", () =>
    withDatabase(async (pool) => {
      const { rows } = await pool.query(
        `select c.relname as table, pg_get_constraintdef(k.oid) as text from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'f'`,
      );

      for (const resource of resources.filter((one) => !views.has(one.table))) {
        for (const [key, field] of resource.columns) {
          // The author of a change stays when a record moves to an organization that does not know them.
          const author = field.ref?.onDelete === "keep" && field.ref.onMove === "keep" && field.mode === "read";
          if (field.ref === null || author || unchecked.has(`${resource.table}.${key}`)) continue;
          const found = rows.some(
            (row) => row.table === resource.table && row.text.startsWith(`FOREIGN KEY (organization_id, ${key}) REFERENCES`),
          );
          assert.ok(
            found,
            `${resource.table}.${key} refers to ${field.ref.to} without a composite foreign key: add \`call reference(…)\` to its migration`,
          );
        }
      }
    }));

  test("keeps every tenant table by its organization: in the key, in every reference, and by a policy", () =>
    withDatabase(async (pool) => {
      const { rows } = await pool.query(
        `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
                (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'p') as key,
                array(select format('%s to %s: %s / %s', p.polname, array_to_string(p.polroles::regrole[], ', '),
                  pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
                  from pg_policy p where p.polrelid = c.oid order by 1) as policies,
                (select count(*)::int from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'
                  and pg_get_constraintdef(k.oid) not like 'FOREIGN KEY (organization_id%' and k.confrelid not in ('"user"'::regclass, 'account'::regclass, 'organization'::regclass)) as loose
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')`,
      );

      const own = "(organization_id = current_setting('app.organization_id'::text))";
      const everything = "system to headwater_system: true / true";
      assert.ok(rows.length >= 10);
      for (const row of rows) {
        assert.match(row.key ?? "", /^PRIMARY KEY \(organization_id, /, `${row.name}: its key begins with the organization`);
        const advice = `${row.name}: call tenant_table('${row.name}') in its migration, and no policy of its own`;
        assert.ok(row.forced, advice);
        assert.deepEqual(row.policies, [`organization to headwater_app: ${own} / ${own}`, everything], advice);
        assert.equal(row.loose, 0, `${row.name} has a foreign key that could leave the organization`);
      }
    }));

  test("excepts nobody from any policy: who owns a table is bound by it, and the roles the service acts as own nothing and are nobody else", () =>
    withDatabase(async (pool) => {
      const { rows: free } = await pool.query("select relname from pg_class where relrowsecurity and not relforcerowsecurity");
      const { rows: roles } = await pool.query(
        `select rolname as name, rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb as mighty,
                exists (select from pg_class c where c.relowner = r.oid) as owns, exists (select from pg_auth_members m where m.member = r.oid) as other
         from pg_roles r where rolname in ('headwater_app', 'headwater_system') order by 1`,
      );

      assert.deepEqual(free, []);
      const plain = { mighty: false, owns: false, other: false };
      assert.deepEqual(roles, [
        { name: "headwater_app", ...plain },
        { name: "headwater_system", ...plain },
      ]);
    }));

  test("lets no function run with more rights than its caller, but for those that are listed", () =>
    withDatabase(async (pool) => {
      const { rows } = await pool.query(
        "select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1",
      );

      assert.deepEqual(
        rows.map((row) => row.proname),
        definers,
      );
    }));
});

const { resources } = buildRegistry(operations, silentResources) as { resources: readonly Resource[] };

/** Resources read through a view: its columns are never "not null", and the tables behind it have the keys. */
const views = new Set(["member", "stored_event"]);

/** References that no foreign key can check, with the reason. */
const unchecked = new Set<string>([
  "task.assigned_to", // a member or a group
  "sequence_subscription.sequence_id", // keeps its value when the sequence is deleted
  "activity.template_id", // a template of e-mails or of text messages; sent messages outlive it
  "membership.user_id", // others refer to this table
]);

/** Functions with more rights than their caller. Each starts by comparing the organization. */
const definers: string[] = [
  // Changes a default, which only the owner of the table may do. Does nothing on a server that was not restarted.
  "begin_event_epoch",
];
