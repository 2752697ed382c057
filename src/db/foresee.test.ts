import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { foresee } from "./foresee.ts";
import { listMigrations, migrationsFolder } from "./migrate.ts";

/** From here on, every migration is one that the release before can live with. */
const from = 138;

test("the release before can live with every migration, and none makes writers of a table that may be large wait", async () => {
  for (const { version, file } of await listMigrations()) {
    if (version < from) continue;
    const { breaks, contracts } = foresee(readFileSync(new URL(file, migrationsFolder), "utf8"));
    assert.ok(
      breaks.length === 0 || contracts !== null,
      `migrations/${file}: ${breaks.join("; ")}. The release before runs on beside it. Add what is new now, and take away what is old in a later release, with a line "-- contracts: what the release before has left alone". Build indexes of existing tables in a file of their own that begins with "-- concurrently". See "Upgrades" in docs/operations.md.`,
    );
  }
});

const examples: [sql: string, breaks: string[]][] = [
  ["alter table lead drop column url", ["lead: the column url is dropped"]],
  ["alter table lead rename column url to site", ["lead: url is renamed to site"]],
  ["alter table lead rename to company", ["lead: it is renamed to company"]],
  ["alter table lead alter column url type varchar(20)", ["lead: the column url gets another type"]],
  ["alter table lead alter column url set not null", ["lead: the column url must not be empty any more"]],
  ["alter table lead add column age integer not null", ["lead: the new column age must not be empty and has no default"]],
  ["drop table lead, contact", ["lead: it is dropped", "contact: it is dropped"]],
  ["drop function sort_key(text)", ["sort_key: it is dropped"]],
  ["create index lead_age_idx on lead (age)", ["lead: lead_age_idx is built while writes wait"]],
  ["-- concurrently\ncreate index concurrently lead_age_idx on lead (age)", []],
  ["alter table lead add column age integer, add column born date not null default now()", []],
  [
    "create table pet (id text not null, name text); create index pet_name_idx on pet (name); alter table pet drop column name",
    [],
  ],
  ["alter table lead drop constraint lead_age_check, add constraint lead_age_check check (age > 0) not valid", []],
];

for (const [sql, breaks] of examples)
  test(`${breaks.length === 0 ? "the release before lives with" : "the release before cannot live with"} \`${sql}\``, () => {
    assert.deepEqual(foresee(sql).breaks, breaks);
  });

test("what takes long is foreseen, with the table and who waits", () => {
  const kindsOf = (sql: string) => foresee(sql).effects.map(({ table, kind, of }) => `${table} ${kind} ${of}`.trim());

  assert.deepEqual(kindsOf("-- concurrently\ncreate index concurrently a_idx on lead (a)"), ["lead beside a_idx"]);
  assert.deepEqual(kindsOf("create index a_idx on only public.lead (a)"), ["lead index a_idx"]);
  assert.deepEqual(kindsOf("alter table lead add column a timestamptz default now()"), []);
  assert.deepEqual(kindsOf("alter table lead add column a uuid default gen_random_uuid()"), ["lead rewrite a"]);
  assert.deepEqual(kindsOf("alter table lead add column a text generated always as (lower(name)) stored"), ["lead rewrite a"]);
  assert.deepEqual(kindsOf("alter table lead add constraint one unique (a), add constraint two check (a > 1)"), [
    "lead key one",
    "lead check two",
  ]);
  assert.deepEqual(kindsOf("alter table lead validate constraint two; update lead set a = 1"), ["lead look two", "lead rows"]);
  assert.equal(foresee("do $$ begin end $$").isOpaque, true);
});
