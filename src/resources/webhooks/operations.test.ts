// What can be done with deliveries: listing them, sending them again, testing, and signing with another key.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import type { Workspace } from "../../../test/support/given.ts";
import { type Received, receiver } from "../../../test/support/receiver.ts";
import { deliveriesOf, drained, leads, pass, subscribe, workspace } from "../../../test/support/webhooks.ts";
import { withWorker } from "../../../test/support/worker.ts";

const verifies = (key: string, { text, headers }: Received): boolean => {
  try {
    new StandardWebhook(key).verify(text, headers);
    return true;
  } catch {
    return false;
  }
};

describe("deliveries", () => {
  test("are listed newest first, by status, event and date", async () => {
    const acme = await workspace();
    const there = await receiver(({ body: { event } }, response) => {
      response.writeHead(event.event === "lead.created" ? 200 : 500).end();
    });
    const { id } = await subscribe(acme, there, { events: ["lead.*"] });
    const [lead] = await leads(acme, 1);
    await drained(acme);
    await acme.put(`/lead/${lead}/`, { description: "more" });
    await drained(acme);

    const [updated, created] = await deliveriesOf(acme, id);

    assert.deepEqual(
      [updated.event, updated.status, created.event, created.status],
      ["lead.updated", "retrying", "lead.created", "succeeded"],
    );
    assert.deepEqual(await deliveriesOf(acme, id, "?status=succeeded"), [created]);
    assert.deepEqual(await deliveriesOf(acme, id, "?event=lead.updated"), [updated]);
    assert.deepEqual(await deliveriesOf(acme, id, `?date_created__gt=${created.date_created}&object_id=${lead}`), [updated]);
    assert.deepEqual(await deliveriesOf(acme, id, "?status=pending"), []);
    await acme.refused(400, "GET", `/webhook/${id}/delivery/?status=lost`, undefined, "status");
  });

  test("are seen by who made the webhook and by admins, below that webhook alone", async () => {
    const acme = await workspace();
    const [member, other] = [await acme.member(), await acme.member()];
    const there = await receiver();
    const mine = await subscribe(member, there);
    const another = await subscribe(member, there, { events: ["contact.created"] });
    await acme.lead();
    await drained(acme);
    const [delivery] = await deliveriesOf(acme, mine.id);
    const path = `/webhook/${mine.id}/delivery/${delivery.id}/`;
    const stranger = await workspace();
    const ofEvent = async (who: Workspace) => (await who.get(`/event/${delivery.event_id}/`)).deliveries;

    assert.equal((await member.get(path)).id, delivery.id);
    const { status, attempt_count, http_status } = delivery;
    const shown = [{ id: delivery.id, webhook_id: mine.id, status, attempt_count, http_status }];
    assert.deepEqual([await ofEvent(member), await ofEvent(acme), await ofEvent(other)], [shown, shown, []]);
    await acme.refused(404, "GET", `/webhook/${another.id}/delivery/${delivery.id}/`);
    for (const nobody of [other, stranger]) {
      await nobody.refused(404, "GET", path);
      await nobody.refused(404, "GET", `/webhook/${mine.id}/delivery/`);
      await nobody.refused(404, "POST", `/webhook/${mine.id}/test/`);
      await nobody.refused(404, "POST", `/webhook/${mine.id}/rotate_secret/`);
      await nobody.refused(404, "POST", `/webhook/${mine.id}/redeliver/`, { delivery_id: delivery.id });
    }
    const its = await subscribe(stranger, there);
    await stranger.refused(400, "POST", `/webhook/${its.id}/redeliver/`, { delivery_id: delivery.id }, "delivery_id");
    await member.refused(400, "POST", `/webhook/${another.id}/redeliver/`, { delivery_id: delivery.id }, "delivery_id");
  });

  test("are sent once more with the id that they had", async () => {
    const acme = await workspace();
    const there = await receiver();
    const { id } = await subscribe(acme, there);
    await acme.lead();
    await drained(acme);
    const [{ id: delivery_id }] = (await deliveriesOf(acme, id)) as [any];

    const answer = await acme.post(`/webhook/${id}/redeliver/`, { delivery_id });
    await drained(acme);

    const [first, again] = there.received as [Received, Received];
    assert.deepEqual([answer.delivery.id, answer.delivery.status, answer.since], [delivery_id, "pending", null]);
    assert.equal(there.received.length, 2);
    assert.deepEqual([again.body, again.headers["webhook-id"]], [first.body, first.headers["webhook-id"]]);
    assert.equal(again.headers["webhook-attempt"], "2");
    assert.deepEqual((await acme.get(`/webhook/${id}/delivery/${delivery_id}/`)).attempt_count, 2);
  });

  test("since a time are all sent again, with skipped and new ones", async () => {
    const acme = await workspace();
    const { clock } = acme.service;
    clock.now = new Date();
    const there = await receiver();
    const { id } = await subscribe(acme, there);

    await withWorker(acme.service, async (worker) => {
      const early = await leads(acme, 2);
      await pass(acme, worker, 120);
      const since = clock.now!.toISOString();
      const taken = await leads(acme, 210);
      await pass(acme, worker, 1);
      await acme.put(`/webhook/${id}/`, { status: "paused" });
      const skipped = await leads(acme, 3);
      await acme.put(`/webhook/${id}/`, { status: "active", skip_backlog: true });
      await pass(acme, worker, 1);
      assert.deepEqual(there.objects().sort(), [...early, ...taken].sort());
      there.received.length = 0;

      const answer = await acme.post(`/webhook/${id}/redeliver/`, { since });
      const later = await leads(acme, 1);
      await pass(acme, worker, 1);

      assert.deepEqual(answer, { delivery: null, since });
      assert.deepEqual(there.objects().sort(), [...taken, ...skipped, ...later].sort());
    });
  });

  test("are not sent once more for a request that cannot be understood, or of a webhook that is paused", async () => {
    const acme = await workspace();
    const { id } = await subscribe(acme, await receiver());
    const path = `/webhook/${id}/redeliver/`;

    await acme.refused(400, "POST", path, {}, "delivery_id");
    await acme.refused(400, "POST", path, { delivery_id: "dlv_1", since: "2026-01-01T00:00:00Z" }, "delivery_id");
    await acme.refused(400, "POST", path, { since: "yesterday" }, "since");
    await acme.refused(400, "POST", path, { since: "9999-01-01T00:00:00Z" }, "since");
    await acme.refused(400, "POST", path, { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" }, "until");
    await acme.put(`/webhook/${id}/`, { status: "paused" });
    await acme.refused(400, "POST", path, { since: "2026-01-01T00:00:00Z" });
    await acme.refused(400, "POST", `/webhook/${id}/test/`);
  });
});

test("a webhook can be changed at any moment while it sends", async () => {
  const acme = await workspace();
  const there = await receiver();
  const { id } = await subscribe(acme, there, { events: ["lead.updated"] });
  const lead = await acme.lead();
  const repeat = async (act: (i: number) => Promise<unknown>) => {
    for (let i = 0; i < 30; i++) await act(i);
  };

  await withWorker(acme.service, async (worker) => {
    await Promise.all([
      repeat((i) => acme.put(`/lead/${lead.id}/`, { description: String(i) })),
      repeat(() => acme.post(`/webhook/${id}/test/`)),
      repeat((i) => acme.put(`/webhook/${id}/`, { status: "active", coalesce_ms: i })),
    ]);
    await worker.drained();
    acme.service.clock.now = new Date(Date.now() + 1000);
    await worker.drained();
  });

  assert.equal(there.received.filter(({ body }) => body.event.event === "webhook.ping").length, 30);
  const last = there.received.filter(({ body }) => body.event.data.description === "29");
  assert.equal(last.length, 1);
});

test("a test is sent at once, in the form of every event, also to a receiver that was away", async () => {
  const acme = await workspace();
  const there = await receiver(500);
  const { id, signature_key } = await subscribe(acme, there);

  await withWorker(acme.service, async (worker) => {
    await leads(acme, 15);
    await pass(acme, worker, 0);
    for (let i = 0; i < 5; i++) await pass(acme, worker, 30);
    assert.notEqual((await acme.get(`/webhook/${id}/`)).health.next_probe_at, null);
    there.answers = 200;
    there.received.length = 0;
    acme.service.clock.now = new Date();

    const delivery = await acme.post(`/webhook/${id}/test/`);
    await worker.drained();

    const [ping] = there.received as [Received];
    assert.deepEqual([delivery.event, delivery.status, delivery.attempts], ["webhook.ping", "pending", []]);
    assert.ok(verifies(signature_key, ping));
    const [stored] = (await acme.get("/event/?_limit=1")).data;
    assert.deepEqual(Object.keys(ping.body.event), Object.keys(stored));
    assert.deepEqual([ping.body.event.id, ping.body.event.event], [delivery.event_id, "webhook.ping"]);
    assert.equal((await acme.get(`/webhook/${id}/delivery/${delivery.id}/`)).status, "succeeded");
    assert.equal(new Set(there.objects()).size, 16, "and all that waited, now that it is back");
  });
});

test("another key signs from now on, and the one before beside it for a day", async () => {
  const acme = await workspace();
  const there = await receiver();
  const { id, signature_key: before } = await subscribe(acme, there);

  const { signature_key, previous_key_until } = await acme.post(`/webhook/${id}/rotate_secret/`);
  await acme.lead();
  await drained(acme);
  acme.service.clock.now = new Date(Date.parse(previous_key_until));
  await acme.lead();
  await drained(acme);

  const [during, later] = there.received as [Received, Received];
  assert.match(signature_key, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual([verifies(before, during), verifies(signature_key, during)], [true, true]);
  assert.equal(during.headers["webhook-signature"]!.split(" ").length, 2);
  assert.equal(later.headers["webhook-signature"]!.split(" ").length, 1);
  assert.equal((await acme.get(`/webhook/${id}/`)).signature_key, undefined);
});
