// `?dry_run=true` on any write says what it would do, and leaves nothing behind.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Operation } from "../../src/core/operation.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { digestsOf } from "../support/rows.ts";
import { collectionPath, createdResources, minimalBody, sampleRecord, verbsOf } from "../support/samples.ts";

interface Try {
  operation: Operation;
  path: string;
  body?: Record<string, unknown>;
}

/** A create, an update and a deletion of each resource that has them. All that they need exists already. */
async function everyVerb(acme: Workspace): Promise<Try[]> {
  const tries: Try[] = [];
  for (const of of createdResources(operations)) {
    const verbs = verbsOf(operations, of);
    const record = await sampleRecord(acme, of);
    const [path, body] = [await collectionPath(acme, of), await minimalBody(acme, of)];
    tries.push({ operation: verbs.create!, path, body });
    if (verbs.update && !verbs.update.previews) tries.push({ operation: verbs.update, path: record.path, body: {} });
    if (verbs.delete && of.name !== "organization") tries.push({ operation: verbs.delete, path: record.path });
  }
  return tries;
}

const dry = (acme: Workspace, { operation, path, body }: Try) =>
  acme.ask(operation.method, `${path}?dry_run=true`, body === undefined ? {} : { body });

const eventsOf = (events: readonly any[]) => events.map((one) => [one.event, one.changed_fields.toSorted()]);

describe("a dry run", () => {
  test("of every create, update and deletion answers what the write then answers, and leaves no row", async () => {
    const acme = await organization();
    const tries = await everyVerb(acme);
    const before = await digestsOf(acme);

    const said: Awaited<ReturnType<typeof dry>>[] = [];
    for (const one of tries) said.push(await dry(acme, one));

    assert.deepEqual(await digestsOf(acme), before);
    for (const [i, { operation, path, body }] of tries.entries()) {
      const { status, body: told, text } = said[i]!;
      if (status === 400) {
        const real = await acme.ask(operation.method, path, { body });
        assert.deepEqual([real.status, real.body.error], [400, told.error], operation.name);
        continue;
      }
      assert.equal(status, 200, `${operation.name}: ${text}`);
      assert.deepEqual([told.dry_run, told.status], [true, operation.status], operation.name);
      if (operation.verb !== "create") continue;
      const real = await acme.ask("POST", path, { body });
      assert.equal(real.status, 201, real.text);
      assert.deepEqual(Object.keys(told.result), Object.keys(real.body), operation.name);
      const { data } = await acme.get(`/event/?request_id=${real.headers.get("x-request-id")}`);
      assert.deepEqual(eventsOf(told.events), eventsOf(data.reverse()), operation.name);
    }
  });

  test("tells what goes with a deletion, in the order of its events", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const contact = await acme.contact({ lead_id: lead.id });

    const { body } = await acme.ask("DELETE", `/lead/${lead.id}/?dry_run=true`);

    assert.deepEqual(
      body.events.map((one: any) => [one.event, one.object_id]),
      [
        ["contact.deleted", contact.id],
        ["activity.created.deleted", body.events[1].object_id],
        ["lead.deleted", lead.id],
      ],
    );
    assert.equal((await acme.get(`/lead/${lead.id}/`)).id, lead.id);
  });

  test("refuses what the write would refuse, with the same words", async () => {
    const acme = await organization();
    const body = { name: 12 };

    const [tried, written] = [
      await acme.ask("POST", "/lead/?dry_run=true", { body }),
      await acme.ask("POST", "/lead/", { body }),
    ];

    assert.deepEqual([tried.status, tried.body], [400, written.body]);
  });

  test("uses no idempotency key", async () => {
    const acme = await organization();
    const headers = { "idempotency-key": "once" };

    const tried = await acme.ask("POST", "/lead/?dry_run=true", { body: { name: "Tried" }, headers });
    const written = await acme.ask("POST", "/lead/", { body: { name: "Written" }, headers });

    assert.deepEqual([tried.status, tried.body.result.name, tried.body.status], [200, "Tried", 201]);
    assert.deepEqual([written.status, written.body.name], [201, "Written"]);
  });

  test("queues nothing that leaves, and names fields that it ignored", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const body = { lead_id: lead.id, status: "outbox", to: ["ann@example.com"], subject: "Hello", body_text: "Hi", no_such: 1 };
    const before = await digestsOf(acme);

    const { status, headers } = await acme.ask("POST", "/activity/email/?dry_run=true", { body });

    assert.equal(headers.get("x-ignored-fields"), status === 200 ? "no_such" : null);
    assert.deepEqual(await digestsOf(acme), before);
  });

  test("of work on many answers its preview", async () => {
    const acme = await organization();
    await acme.lead();

    const { status, body } = await acme.ask("POST", "/bulk_action/delete/?dry_run=true", { body: { all: true } });

    assert.deepEqual([status, body.dry_run, body.n_objects], [200, true, 1]);
    assert.deepEqual((await acme.get("/bulk_action/")).data, []);
  });

  test("is not asked for in the body of a write that would ignore it there", async () => {
    const acme = await organization();
    const lead = await acme.lead();

    for (const method of ["POST", "PUT", "DELETE"])
      await acme.refused(400, method, method === "POST" ? "/lead/" : `/lead/${lead.id}/`, { dry_run: true }, "dry_run");
  });

  test("is true or false, and belongs to writes", async () => {
    const acme = await organization();

    await acme.refused(400, "POST", "/lead/?dry_run=yes", { name: "Acme" }, "dry_run");
    await acme.refused(400, "GET", "/lead/?dry_run=true", undefined, "dry_run");
    assert.equal((await acme.ask("POST", "/lead/?dry_run=false", { body: { name: "Acme" } })).status, 201);
  });
});
