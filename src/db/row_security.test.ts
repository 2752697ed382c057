import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createDatabase } from "../../test/support/database.ts";

const sample = `
  create table sample (organization_id text collate "C", name text, search tsvector, custom jsonb, tags text[]);
  call tenant_table('sample');
  insert into sample select 'orga_1', 'n' || n, array_to_tsvector(array['w' || n]), jsonb_build_object('f', n), array['t' || n]
    from generate_series(1, 5000) n;
  create index sample_name on sample (organization_id, sort_key(name));
  create index sample_search on sample using gin (search);
  create index sample_custom on sample using gin (custom jsonb_path_ops);
  create index sample_tags on sample using gin (tags);
  analyze sample;
  select set_config('app.organization_id', 'orga_1', false)`;

const filters = {
  sample_name: "sort_key(name) = sort_key('N7')",
  sample_search: "search @@ 'w7'",
  sample_custom: `custom @> '{"f": 7}'`,
  sample_tags: "tags @> array['t7'] and tags && array['t7', 't8']",
};

/** The policies of the system also serve an owner who is not a superuser, even with row-level security off. */
const roles = ["headwater_app", "headwater_system"];

test("under row-level security, what is filtered by is looked up in its index", async () => {
  const { url, drop } = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sample);
    for (const [role, [index, filter]] of roles.flatMap((one) => Object.entries(filters).map((other) => [one, other] as const))) {
      await client.query(`set role ${role}`);
      const { rows } = await client.query({
        text: `explain select from sample where organization_id = 'orga_1' and ${filter}`,
        rowMode: "array",
      });
      const plan = rows.flat().join("\n");

      const condition = /Index Cond: (.*)/.exec(plan)?.[1] ?? "";
      assert.match(plan, new RegExp(`${index} `), plan);
      assert.match(condition, / (=|@@|@>|&&) /, plan);
      assert.doesNotMatch(plan, /Filter: .*(sort_key|lower|@@|@>|&&)/, plan);
    }
  } finally {
    await client.end();
    await drop();
  }
});
