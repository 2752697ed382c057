// What a receiver of webhooks gets, and when.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { receiver } from "../../../test/support/receiver.ts";
import { deliveriesOf, drained, leads, openTransaction, subscribe, workspace } from "../../../test/support/webhooks.ts";
import type { Ctx } from "../../core/context.ts";
import { emitCustom } from "../../records/event.ts";
import { createRecord, updateRecord } from "../../records/records.ts";
import { importResource } from "../imports/import.ts";
import { lead } from "../leads/lead.ts";

describe("a webhook that is taken", () => {
  test("is sent each event it asks for, signed so that the public package verifies it", async () => {
    const acme = await workspace();
    const there = await receiver();
    const { id, signature_key } = await subscribe(acme, there);

    const lead = await acme.lead();
    await acme.contact({ lead_id: lead.id });
    await drained(acme);

    const [{ headers, text }, ...others] = there.received as [any, ...any[]];
    const told: any = new StandardWebhook(signature_key).verify(text, headers);
    assert.deepEqual(others, []);
    const { deliveries, ...event } = await acme.get(`/event/${told.event.id}/`);
    assert.deepEqual(told, { subscription_id: id, event });
    assert.deepEqual(
      deliveries.map((one: any) => [one.webhook_id, one.status]),
      [[id, "succeeded"]],
    );
    assert.equal(told.event.object_id, lead.id);
    assert.equal(headers["webhook-id"], `${told.event.id}.${id}`);
    assert.deepEqual([headers["webhook-subscription"], headers["webhook-attempt"]], [id, "1"]);
    assert.equal(headers["content-type"], "application/json");
    const shown = await acme.get(`/webhook/${id}/`);
    assert.deepEqual(shown.counters, { pending: 0, delivered: 1, failed: 0 });
    assert.equal(shown.health_status, "healthy");
  });

  test("is sent nothing of before it was made, and everything after that once", async () => {
    const acme = await workspace();
    const there = await receiver();
    await acme.lead();
    await subscribe(acme, there);

    const made = await leads(acme, 5);
    await drained(acme);
    await drained(acme);
    made.push(...(await leads(acme, 450)));
    await drained(acme);

    assert.deepEqual(there.objects().sort(), made.sort());
  });

  test("is sent nothing of before it was made or of a skipped backlog either while another transaction is open", async () => {
    const acme = await workspace();
    const there = await receiver();
    const open = await openTransaction(acme);
    await acme.lead();
    const { id } = await subscribe(acme, there);
    const first = await acme.lead();
    await open.commit();
    await drained(acme);
    assert.deepEqual(there.objects(), [first.id]);

    const again = await openTransaction(acme);
    await acme.put(`/webhook/${id}/`, { status: "paused" });
    await acme.lead();
    await acme.put(`/webhook/${id}/`, { status: "active", skip_backlog: true });
    assert.equal((await acme.get(`/webhook/${id}/`)).health.backlog, 0);
    const second = await acme.lead();
    await again.commit();
    await drained(acme);

    assert.deepEqual(there.objects(), [first.id, second.id]);
  });

  test("tells each subscription of what it asks for alone, with its filters", async () => {
    const acme = await workspace();
    const [one, other] = [await receiver(), await receiver()];
    await subscribe(acme, one, { events: ["lead.*"], event_filters: { "lead.*": named("Acme") } });
    await subscribe(acme, other, { events: ["contact.created", "opportunity.*"] });
    const [ours, ready] = [await receiver(), await receiver()];
    await subscribe(acme, ours, { events: ["custom.*"] });
    await subscribe(acme, ready, { events: ["custom.order_ready"] });

    const { id } = await acme.lead({ name: "Acme" });
    await acme.lead({ name: "Other" });
    const contact = await acme.contact({ lead_id: id });
    await acme.inside(async (ctx) => {
      emitCustom(ctx, "order_ready", { object_id: id, lead_id: id }, { number: 5 });
      emitCustom(ctx, "order_late", { object_id: contact.id, lead_id: id }, {});
    });
    await drained(acme);

    assert.deepEqual([one.objects(), other.objects()], [[id], [contact.id]]);
    assert.deepEqual([ours.objects(), ready.objects()], [[id, contact.id], [id]]);
  });

  test("leaves out what bulk actions and imports do where that is asked for, and not that they are done", async () => {
    const acme = await workspace();
    const [all, others] = [await receiver(), await receiver()];
    const events = ["lead.created", "import.updated"];
    await subscribe(acme, all, { events });
    await subscribe(acme, others, { events, include_bulk: false });
    const within = (meta: object, act: (ctx: Ctx) => Promise<unknown>) =>
      acme.inside((ctx) => act({ ...ctx, meta: { ...ctx.meta, ...meta } }));
    const { id: import_id } = await acme.post("/import/", { csv: "Company\nAcme" });

    const { id } = await acme.lead();
    await within({ bulk_action_id: "bulk_1" }, (ctx) => createRecord(ctx, lead, { name: "One of many" }));
    await within({ import_id }, (ctx) => createRecord(ctx, lead, { name: "One of many" }));
    await within({ import_id }, (ctx) => updateRecord(ctx, importResource, import_id, { name: "Done" }));
    await drained(acme);

    assert.equal(all.received.length, 4);
    assert.deepEqual(others.objects().sort(), [id, import_id].sort());
  });

  test("is sent of a large event what names it, what was cut, and where the whole is, in 256 KB at most", async () => {
    const acme = await workspace();
    const there = await receiver();
    const { signature_key } = await subscribe(acme, there, { events: ["product.*"] });
    const [fits, large, other] = ["€".repeat(80_000), "€".repeat(100_000), "₤".repeat(100_000)];
    const told = async (act: () => Promise<unknown>) => {
      await act();
      await drained(acme);
      const { text, headers } = there.received.pop()!;
      assert.ok(Buffer.byteLength(text) <= 256 * 1024, `${Buffer.byteLength(text)} bytes`);
      const { event }: any = new StandardWebhook(signature_key).verify(text, headers);
      const { data_truncated, truncated, event_url, ...sent } = event;
      const path = `/event/${event.id}/`;
      if (data_truncated) assert.ok(event_url.endsWith(`/api/v1${path}`) && event_url.startsWith("http"), event_url);
      const { deliveries: _, ...whole } = await acme.get(path);
      return { sent, truncated, whole };
    };

    const small = await told(() => acme.product({ description: fits }));
    const { id } = small.sent.data;
    const updated = await told(() => acme.put(`/product/${id}/`, { description: large }));
    const again = await told(() => acme.put(`/product/${id}/`, { description: other }));
    const deleted = await told(() => acme.delete(`/product/${id}/`));

    const ids = { id, organization_id: acme.id };
    assert.deepEqual([small.truncated, small.sent], [undefined, small.whole]);
    assert.deepEqual([updated.truncated, updated.sent], [["data"], { ...updated.whole, data: ids }]);
    assert.deepEqual(
      [again.truncated, again.sent],
      [["data", "previous_data"], { ...again.whole, data: ids, previous_data: {} }],
    );
    assert.deepEqual([deleted.truncated, deleted.sent], [["previous_data"], { ...deleted.whole, previous_data: ids }]);
    assert.equal(again.whole.previous_data.description, large);
  });

  test("of a receiver that is slow holds up no other", async () => {
    const acme = await workspace();
    let answer = () => {};
    const slow = await receiver((_, response) => (answer = () => void response.end()));
    const there = await receiver(() => assert.fail("not asked for"));
    await subscribe(acme, slow);
    const taken = new Promise<void>((resolve) => {
      there.answers = (_, response) => {
        response.end();
        resolve();
      };
    });
    await subscribe(acme, there);

    await acme.lead();
    const done = drained(acme);
    await taken;
    while (slow.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    answer();
    await done;

    assert.deepEqual(slow.objects(), there.objects());
  });
});

const named = (value: string) => ({
  type: "field_accessor",
  field: "data",
  filter: { type: "field_accessor", field: "name", filter: { type: "equals", value } },
});

describe("a webhook sends what its creator may see", () => {
  test("and no lead of others for a restricted member, also once it is theirs no more", async () => {
    const acme = await workspace();
    const restricted = await acme.member("restricteduser");
    const there = await receiver();
    await subscribe(restricted, there, { events: ["lead.*"] });

    const mine = await acme.lead({ owner_id: restricted.userId });
    const hidden = await acme.lead({ name: "Secret" });
    await drained(acme);
    await acme.put(`/lead/${mine.id}/`, { description: "seen" });
    await acme.put(`/lead/${hidden.id}/`, { description: "secret" });
    await drained(acme);
    await acme.put(`/lead/${mine.id}/`, { owner_id: acme.userId });
    await acme.put(`/lead/${mine.id}/`, { description: "secret" });
    await drained(acme);

    assert.deepEqual(there.objects(), [mine.id, mine.id]);
    assert.ok(there.received.every(({ text }) => !/secret/i.test(text)));
  });

  test("and not what they lost before it was sent", async () => {
    const acme = await workspace();
    const restricted = await acme.member("restricteduser");
    const there = await receiver(500);
    const { id } = await subscribe(restricted, there);
    const mine = await acme.lead({ owner_id: restricted.userId });

    await drained(acme);
    await acme.put(`/lead/${mine.id}/`, { owner_id: acme.userId });
    there.answers = 200;
    acme.service.clock.now = new Date(Date.now() + 60_000);
    await drained(acme);

    assert.equal(there.received.length, 1);
    const [delivery] = await deliveriesOf(acme, id);
    assert.equal(delivery.status, "failed");
    assert.match(delivery.error, /may not see it/);
  });

  test("and is paused when they are no member any more", async () => {
    const acme = await workspace();
    const member = await acme.member();
    const there = await receiver();
    const { id } = await subscribe(member, there);
    const { data } = await acme.get("/membership/");
    await acme.delete(`/membership/${data.find((one: any) => one.user_id === member.userId).id}/`);

    await acme.lead();
    await drained(acme);

    const paused = await acme.get(`/webhook/${id}/`);
    assert.deepEqual([paused.status, paused.pause_reason, there.received], ["paused", "creator", []]);
    const told = (await acme.get("/notification/?type=webhook_paused")).data;
    assert.deepEqual(
      told.map(({ object_id }: any) => object_id),
      [id],
    );
    const refusal = await acme.refused(400, "PUT", `/webhook/${id}/`, { status: "active" }, "status");
    assert.match(refusal["field-errors"].status, /Create a new one/);
  });
});
