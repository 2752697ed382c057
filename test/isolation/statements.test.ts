// Every statement about a tenant table names the organization, as a value and at each level, so that a cluster sends it to the
// machine with this organization. In a run with other files, it checks everything that all of them made the service send to
// PostgreSQL.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { operations } from "../../src/resources/index.ts";
import { faultsOf, type Known } from "../support/bound.ts";
import { organization } from "../support/given.ts";
import { heard } from "../support/heard.ts";
import { createdResources, sampleRecord, verbsOf } from "../support/samples.ts";
import { service } from "../support/service.ts";

/** How a statement across all organizations starts, with the reason, and how a test's own statement starts. */
const crossing = "/* across organizations: ";
const ofTest = "/* a test */";

test("a table is bound by a value at its own level, and by nothing from outside of it", () => {
  const known = { tables: new Set(["lead", "contact"]), unsteady: new Set(["now", "to_char"]) };
  const bound = [
    "select id from lead where organization_id = $1",
    "select from lead l left join contact c on c.organization_id = l.organization_id where l.organization_id = $1::text",
    "select from lead where (organization_id = $1 and id = $2) or (organization_id = $1 and name = $3)",
    'select from lead where organization_id = $1 collate "default"',
    "select from lead l where l.organization_id = $1 and exists (select from contact c where c.organization_id = $1 and c.lead_id = l.id)",
    "with lead as (select 1 as id) select id from lead",
    "insert into lead (id, organization_id) values ($2, $1) on conflict do nothing",
    "insert into lead (id, organization_id) select id, organization_id from contact where organization_id = $1",
    "update lead l set name = n.name from unnest($2::text[]) n(name) where l.organization_id = $1",
    "update lead set date_updated = now() where organization_id = $1 returning lower(name)",
  ];
  const unbound = {
    "select id from lead": ["lead"],
    "select from lead where organization_id = $1 or id = $2": ["lead"],
    "select from contact c left join lead l on c.organization_id = $1 and l.organization_id = $1": ["contact c"],
    "select from lead l where l.organization_id = $1 and exists (select from contact c where c.organization_id = l.organization_id)":
      ["contact c"],
    "select from lead l cross join lateral (select from contact c where c.organization_id = l.organization_id) c where l.organization_id = $1":
      ["contact c"],
    "with found as (select id from lead) delete from contact where organization_id = $1 and lead_id in (select id from found)": [
      "lead",
    ],
    "with lead as (select id from lead) select id from lead": ["lead"],
    "select id from lead where organization_id = $1 union select id from contact": ["contact"],
    "insert into lead (organization_id) select organization_id from json_populate_recordset(null::lead, $1)": [
      "insert into lead",
    ],
    "delete from lead using contact where contact.organization_id = $1": ["lead"],
    "select * from lead where organization_id = $1": [
      "select *: name the columns, for a prepared statement cannot answer others",
    ],
    "update lead set name = to_char(date_created, 'YYYY') where organization_id = $1": [
      "to_char() on columns of what is changed: compute it before, or read it after",
    ],
    "delete from lead where organization_id = $1 returning now()": [
      "now() in what a change answers: compute it before, or read it after",
    ],
    "set constraints all deferred": ["set constraints reaches only the machine that was asked"],
    "select 1; select 2": ["several statements in one text"],
  };

  for (const text of bound) assert.deepEqual(faultsOf(text, known), [], text);
  for (const [text, faults] of Object.entries(unbound)) assert.deepEqual(faultsOf(text, known), faults, text);
});

test("no statement asks a table of organizations without the organization", async () => {
  await useEverything();
  const known = await whatIsKnown();
  const texts = heard().filter((text) => !text.startsWith(crossing) && !text.startsWith(ofTest));
  const faults = texts.flatMap((text) => {
    const found = faultsOf(text, known);
    return found.length > 0 ? [`${found.join(", ").slice(0, 200)}: ${text.slice(0, 1000)}`] : [];
  });

  assert.ok(texts.length > 500, `${texts.length} statements were heard`);
  assert.equal(faults.length, 0, `${faults.length} of ${texts.length} statements:\n\n${faults.slice(0, 20).join("\n\n")}`);
});

test("what is asked of all organizations stands in few files", () => {
  const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));

  const saying = files.filter((file) => readFileSync(file, "utf8").includes(crossing));

  assert.deepEqual(saying.sort(), [
    "src/auth/unscoped.ts",
    "src/auth/unscoped_files.ts",
    "src/auth/unscoped_mailboxes.ts",
    "src/auth/unscoped_oauth.ts",
    "src/auth/unscoped_sign_in.ts",
    "src/auth/unscoped_state.ts",
    "src/auth/unscoped_work.ts",
    "src/db/old_months.ts",
    "src/services/sealing_key.ts",
  ]);
});

/** The tenant tables, and the functions that are not immutable, from the catalog. */
async function whatIsKnown(): Promise<Known> {
  const { app } = await service();
  const read = async (text: string) => new Set((await app.db.unscoped({ text, values: [] })).map(([name]) => name!));
  return {
    tables: await read(`select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and c.relkind in ('r', 'p', 'v') and c.relname <> 'organization'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')`),
    unsteady: await read("select proname from pg_proc group by proname having bool_and(provolatile <> 'i')"),
  };
}

/** Lists, reads, changes and deletes one of each kind, and tries every other operation. */
async function useEverything(): Promise<void> {
  const acme = await organization();
  for (const of of createdResources(operations)) {
    const verbs = verbsOf(operations, of);
    const { path } = await sampleRecord(acme, of);
    const list = path.replace(/[^/]+\/$/, "");
    if (verbs.list) await acme.ask("GET", `${list}?_count=exact&_order_by=-date_updated&_skip=1001`);
    if (verbs.get) await acme.ask("GET", path);
    if (verbs.update) await acme.ask("PUT", path, { body: { name: "Another", label: "Another" } });
    if (verbs.delete) await acme.ask("DELETE", path);
  }
  for (const operation of operations.filter((one) => one.verb === null))
    await acme.ask(operation.method, operation.path.replace(/\{[^}]+\}/g, acme.id), operation.body ? { body: {} } : {});
}
