// The database is up but too busy: a request that waits too long is reported as the service's trouble, never as the caller's
// mistake.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import type { Operation } from "../../src/core/operation.ts";
import { organization } from "../support/given.ts";
import type { Service } from "../support/service.ts";

const tree = {
  type: "and",
  queries: [
    { type: "object_type", object_type: "lead" },
    { type: "text", value: "acme" },
    { type: "text", value: "anna" },
  ],
};

/** The lists that have a text query. */
const searched = ({ app }: Service): Operation[] =>
  app.core.registry.operations.filter((one) => one.verb === "list" && one.resource?.filters?.query !== undefined);

/** Valid searches that need the database already while they are parsed. */
function searches(service: Service): [method: string, path: string, body?: object][] {
  return [
    ...searched(service).map(({ path }): [string, string] => ["GET", `${path}?query=acme%20anna`]),
    ["GET", "/lead/?query=name:acme"],
    ["GET", "/lead/?query=contact(name:anna)&_count=exact"],
    ["GET", "/opportunity/?lead_query=acme%20anna"],
    ["POST", "/data/search/", { query: tree }],
    ["POST", "/data/search/", { query: tree, include_counts: true }],
  ];
}

test("a valid search that the database has no time for is answered 503, and not as if it were wrong", async () => {
  const acme = await organization();
  await acme.get("/lead/?query=acme");
  const { service } = acme;
  const other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
  await other.query("begin");
  const tables = new Set(searched(service).map((one) => one.resource!.table));
  await other.query(`lock table ${[...tables].join(", ")} in access exclusive mode`);

  const answers = await Promise.all(
    searches(service).map(async ([method, path, body]) => {
      const answer = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Basic ${btoa(`${acme.key}:`)}`, "content-type": "application/json" },
        body: body && JSON.stringify(body),
      });
      return `${answer.status} ${method} ${path}: ${await answer.text()}`;
    }),
  );
  await other.end();

  assert.deepEqual(
    answers.filter((answer) => !answer.startsWith("503")),
    [],
  );
  assert.equal((await acme.ask("GET", "/lead/?query=acme%20anna")).status, 200);
});
