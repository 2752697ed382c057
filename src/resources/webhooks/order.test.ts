// The events of one record: in order if requested, and several updates in one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Received, receiver } from "../../../test/support/receiver.ts";
import { deliveriesOf, drained, pass, subscribe, workspace } from "../../../test/support/webhooks.ts";
import { withWorker } from "../../../test/support/worker.ts";

const eventsOf = (received: readonly Received[]) => received.map(({ body }) => body.event);

describe("a webhook with ordering object", () => {
  test("gets each record's events in order: a failure holds back later events of the same record only", async () => {
    const acme = await workspace();
    const taken: any[] = [];
    let refusals = 3;
    const there = await receiver(({ body: { event } }, response) => {
      const isRefused = event.object_id === first.id && refusals > 0;
      if (isRefused) refusals--;
      else taken.push(event);
      response.writeHead(isRefused ? 500 : 200).end();
    });
    const first = await acme.lead();
    const second = await acme.lead();
    const { id } = await subscribe(acme, there, { events: ["lead.updated", "lead.deleted"], ordering: "object" });
    const change = async (lead: { id: string }, description: string) => acme.put(`/lead/${lead.id}/`, { description });

    await withWorker(acme.service, async (worker) => {
      for (const text of ["1", "2", "3"]) for (const lead of [first, second]) await change(lead, text);
      await pass(acme, worker, 0);
      assert.deepEqual(
        taken.map((event) => [event.object_id, event.data.description]),
        ["1", "2", "3"].map((text) => [second.id, text]),
      );
      await change(first, "4");
      await pass(acme, worker, 0);
      await acme.delete(`/lead/${first.id}/`);
      for (const seconds of [10, 40, 150, 700]) await pass(acme, worker, seconds);
    });

    const ofFirst = taken.filter((event) => event.object_id === first.id);
    assert.deepEqual(
      ofFirst.map((event) => event.data.description ?? event.action),
      ["1", "2", "3", "4", "deleted"],
    );
    assert.equal(there.received.length, 3 + 3 + 5, "each was sent once but for the three refusals");
    assert.equal((await acme.get(`/webhook/${id}/`)).counters.pending, 0);
  });

  test("keeps the order of many updates of many records, while one in three is refused", async () => {
    const acme = await workspace();
    const taken = new Map<string, string[]>();
    let count = 0;
    const there = await receiver(({ body: { event } }, response) => {
      if (++count % 3 === 0) return response.writeHead(500).end();
      taken.set(event.object_id, [...(taken.get(event.object_id) ?? []), event.data.description]);
      return response.end();
    });
    const leads = [await acme.lead(), await acme.lead(), await acme.lead(), await acme.lead()];
    await subscribe(acme, there, { events: ["lead.updated"], ordering: "object" });

    await withWorker(acme.service, async (worker) => {
      for (let i = 0; i < 12; i++) {
        for (const lead of leads) await acme.put(`/lead/${lead.id}/`, { description: String(i).padStart(2, "0") });
        if (i % 4 === 0) await pass(acme, worker, 10);
      }
      for (let i = 0; i < 12; i++) await pass(acme, worker, 3600);
    });

    for (const lead of leads)
      assert.deepEqual(
        taken.get(lead.id),
        Array.from({ length: 12 }, (_, i) => String(i).padStart(2, "0")),
      );
  });
});

describe("a webhook with coalesce_ms", () => {
  test("gets the updates of a record within that time as one: the latest, with all changes", async () => {
    const acme = await workspace();
    const { clock } = acme.service;
    const there = await receiver();
    const lead = await acme.lead({ name: "One", description: "before" });
    const { id } = await subscribe(acme, there, { events: ["lead.updated", "contact.created"], coalesce_ms: 10_000 });
    clock.now = new Date();

    await withWorker(acme.service, async (worker) => {
      await acme.put(`/lead/${lead.id}/`, { name: "Two" });
      await pass(acme, worker, 4);
      await acme.put(`/lead/${lead.id}/`, { description: "after" });
      const contact = await acme.contact({ lead_id: lead.id });
      await pass(acme, worker, 4);
      await acme.put(`/lead/${lead.id}/`, { name: "Three" });
      await pass(acme, worker, 1);
      assert.deepEqual(there.objects(), [contact.id], "only updates wait");
      await pass(acme, worker, 1);
    });

    const updates = (await acme.events(lead.id)).filter(({ action }) => action === "updated");
    const [, told] = eventsOf(there.received);
    assert.equal(there.received.length, 2);
    assert.deepEqual(told, {
      ...updates.at(-1),
      changed_fields: ["name", "description"],
      previous_data: { name: "One", description: "before" },
    });
    const [delivery] = await deliveriesOf(acme, id, "?event=lead.updated");
    assert.deepEqual(
      [...delivery.coalesced_ids, delivery.event_id],
      updates.map((one) => one.id),
    );
    assert.equal(there.received[1]!.headers["webhook-id"], `${updates.at(-1).id}.${id}`);
  });

  test("is told the same again when it did not take it, and of what happened since in another", async () => {
    const acme = await workspace();
    acme.service.clock.now = new Date();
    const there = await receiver(500);
    const lead = await acme.lead();
    await subscribe(acme, there, { events: ["lead.updated"], coalesce_ms: 1_000 });

    await withWorker(acme.service, async (worker) => {
      await acme.put(`/lead/${lead.id}/`, { description: "1" });
      await acme.put(`/lead/${lead.id}/`, { description: "2" });
      await pass(acme, worker, 1);
      there.answers = 200;
      await acme.put(`/lead/${lead.id}/`, { description: "3" });
      await pass(acme, worker, 10);
    });

    const [refused, ...later] = there.received as [Received, ...Received[]];
    const again = later.find(({ headers }) => headers["webhook-id"] === refused.headers["webhook-id"]);
    assert.deepEqual(again!.body, refused.body);
    assert.deepEqual(later.map(({ body }) => [body.event.data.description, body.event.previous_data.description]).sort(), [
      ["2", null],
      ["3", "2"],
    ]);
  });

  test("of one minute at most", async () => {
    const acme = await workspace();
    const there = await receiver();

    for (const coalesce_ms of [-1, 60_001, 1.5])
      await acme.refused(400, "POST", "/webhook/", { url: there.url, events: ["lead.updated"], coalesce_ms }, "coalesce_ms");
    await acme.refused(400, "POST", "/webhook/", { url: there.url, events: ["lead.updated"], ordering: "strict" }, "ordering");
    await drained(acme);
  });
});
