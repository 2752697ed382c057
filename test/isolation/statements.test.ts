// Every statement about a tenant table names the organization.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statement } from "../../src/db/database.ts";
import { operations } from "../../src/resources/index.ts";
import { organization } from "../support/given.ts";
import { createdResources, sampleRecord, verbsOf } from "../support/samples.ts";
import { service } from "../support/service.ts";

test("no operation sends a statement about an organization's table that does not name the organization", async () => {
  const { app } = await service();
  const sent = new Set<string>();
  listenIn(app.core.db, sent);
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
  for (const operation of operations.filter((one) => one.verb === null)) {
    await acme.ask(operation.method, operation.path.replace(/\{[^}]+\}/g, acme.id), operation.body ? { body: {} } : {});
  }

  const tables = await app.db.unscoped({
    text: `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and not c.relispartition
             and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') and c.relkind in ('r', 'p', 'v')`,
    values: [],
  });
  const names = tables.map((row) => row[0]!);
  assert.ok(sent.size > 20, "statements were heard");
  for (const text of sent) {
    const about = names.filter((name) => new RegExp(`(from|join|into|update)\\s+"?${name}"?\\b`, "i").test(text));
    if (about.length > 0)
      assert.match(text, /organization_id|\bo\.id\b|organization where id/, `about ${about.join(", ")}: ${text}`);
  }
});

function listenIn(db: { read: any; search: any; query: any; transaction: any }, sent: Set<string>): void {
  const { read, search, query, transaction } = db;
  const heard = (statement: Statement) => (sent.add(statement.text), statement);
  db.read = (organizationId: string, statement: Statement) => read(organizationId, heard(statement));
  db.search = (organizationId: string, statement: Statement) => search(organizationId, heard(statement));
  db.query = (organizationId: string, statement: Statement) => query(organizationId, heard(statement));
  const listening = (tx: any): any => ({
    write: (statement: Statement) => tx.write(heard(statement)),
    read: (statement: Statement) => tx.read(heard(statement)),
    afterCommit: (act: () => void) => tx.afterCommit(act),
    actingFor: (organizationId: string | null) =>
      organizationId === null ? tx.actingFor(null) : listening(tx.actingFor(organizationId)),
  });
  db.transaction = (organizationId: string, run: (tx: any) => Promise<unknown>) =>
    transaction(organizationId, (tx: any) => run(listening(tx)));
}
