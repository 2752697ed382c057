// Receivers that fail: when deliveries are retried, and when they are not.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { type Answers, receiver } from "../../../test/support/receiver.ts";
import { deliveriesOf, drained, leads, pass, rowsOf, skip, subscribe, workspace } from "../../../test/support/webhooks.ts";
import { withWorker } from "../../../test/support/worker.ts";

const hour = 3600;

describe("a delivery that is not taken", () => {
  test("is sent again on a schedule that grows, for 72 hours, with the same id; then the webhook is paused and its maker told", async () => {
    const acme = await workspace();
    const there = await receiver(500);
    const { id } = await subscribe(acme, there);
    const lead = await acme.lead();
    const delays = [5, 30, 120, 600, 1800, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour, 12 * hour, 12 * hour, 12 * hour];

    await withWorker(acme.service, async (worker) => {
      await pass(acme, worker, 0);
      for (const [i, delay] of delays.entries()) {
        await pass(acme, worker, delay * 0.8 - 1);
        assert.equal(there.received.length, i + 1, `not before ${delay * 0.8} s`);
        await pass(acme, worker, delay * 0.4 + 1);
        assert.equal(there.received.length, i + 2, `within ${delay * 1.2} s`);
      }
      await pass(acme, worker, 24 * hour);
      await pass(acme, worker, 24 * hour);
    });

    const [delivery] = await deliveriesOf(acme, id);
    const webhook = await acme.get(`/webhook/${id}/`);
    assert.equal(new Set(there.received.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.deepEqual(
      there.received.map(({ headers }) => Number(headers["webhook-attempt"])),
      there.received.map((_, i) => i + 1),
    );
    assert.deepEqual([delivery.status, delivery.attempt_count, delivery.object_id], ["failed", there.received.length, lead.id]);
    assert.deepEqual([webhook.status, webhook.pause_reason, webhook.latest_error], ["paused", "failures", "answered 500"]);
    const told = (await acme.get("/notification/?type=webhook_paused")).data;
    assert.deepEqual(
      told.map((one: any) => [one.object_id, one.data]),
      [[id, { pause_reason: "failures" }]],
    );
  });

  test("shows each attempt, and the webhook how it is doing", async () => {
    const acme = await workspace();
    const there = await receiver((_, response) => void response.writeHead(500).end("no room"));
    const { id } = await subscribe(acme, there);
    await acme.lead();

    await withWorker(acme.service, async (worker) => {
      await worker.drained();
      const failing = await acme.get(`/webhook/${id}/`);
      assert.deepEqual([failing.health_status, failing.health.consecutive_failures, failing.counters.pending], ["failing", 1, 1]);
      assert.deepEqual([failing.health.last_failure.http_status, failing.health.last_failure.error_class], [500, "status"]);
      there.answers = 204;
      await pass(acme, worker, 10);
    });

    const [listed] = await deliveriesOf(acme, id);
    const shown = await acme.get(`/webhook/${id}/delivery/${listed.id}/`);
    assert.equal(listed.attempts, undefined);
    assert.deepEqual(
      shown.attempts.map((one: any) => [one.http_status, one.error_class, one.error, one.response_body]),
      [
        [500, "status", "answered 500", "no room"],
        [204, null, null, ""],
      ],
    );
    assert.deepEqual([shown.status, shown.attempt_count, shown.http_status, shown.error], ["succeeded", 2, 204, null]);
    const webhook = await acme.get(`/webhook/${id}/`);
    assert.deepEqual([webhook.health_status, webhook.health.consecutive_failures, webhook.latest_error], ["healthy", 0, null]);
    assert.deepEqual(webhook.counters, { pending: 0, delivered: 1, failed: 0 });
  });

  test("for whatever reason, has that reason in a word", async () => {
    const acme = await workspace();
    const redirecting = await receiver((_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    const breaking = await receiver((_, response) => void response.socket!.resetAndDestroy());
    const gone = await receiver();
    gone.close();
    const reasons = [];

    for (const there of [redirecting, breaking, gone]) {
      const { id } = await subscribe(acme, there);
      await acme.lead();
      await drained(acme);
      const { latest_error, health } = await acme.get(`/webhook/${id}/`);
      reasons.push([health.last_failure.error_class, latest_error]);
      await acme.delete(`/webhook/${id}/`);
    }

    assert.deepEqual(reasons, [
      ["status", "answered 302"],
      ["reset", "closed the connection without a response"],
      ["connect", "could not be reached: ECONNREFUSED"],
    ]);
  });

  test("pauses the webhook at once where the answer is 410", async () => {
    const acme = await workspace();
    const there = await receiver(410);
    const { id } = await subscribe(acme, there);
    await acme.lead();

    await drained(acme);
    await acme.lead();
    await drained(acme);

    const { status, pause_reason } = await acme.get(`/webhook/${id}/`);
    assert.deepEqual([status, pause_reason, there.received.length], ["paused", "gone", 1]);
  });

  test("waits as long as the receiver asks, in seconds or by a date, up to an hour", async () => {
    const acme = await workspace();
    const now = () => acme.service.clock.now!;
    acme.service.clock.now = new Date(Math.floor(Date.now() / 1000) * 1000);
    const asks: [number, () => string, number][] = [
      [429, () => "90", 90],
      [503, () => new Date(now().getTime() + 300_000).toUTCString(), 300],
      [429, () => "86400", 3600],
    ];

    for (const [status, retryAfter, seconds] of asks) {
      const there = await receiver((_, response) => void response.writeHead(status, { "retry-after": retryAfter() }).end());
      const { id } = await subscribe(acme, there);
      await leads(acme, 3);
      await withWorker(acme.service, async (worker) => {
        await worker.drained();
        const sent = there.received.length;
        there.answers = 200;
        await pass(acme, worker, seconds - 1);
        assert.equal(there.received.length, sent, `nothing is sent before ${seconds} s`);
        await pass(acme, worker, 1);
        assert.equal(new Set(there.objects()).size, 3, `all is sent after ${seconds} s`);
      });
      await acme.delete(`/webhook/${id}/`);
    }
  });
});

describe("a receiver that asks to be called again at once", () => {
  for (const asked of ["0", "1.5", "Thu, 01 Jan 2015 00:00:00 GMT"])
    test(`is called no sooner than any other: ${asked}`, async () => {
      const acme = await workspace();
      const there = await receiver((_, response) => void response.writeHead(429, { "retry-after": asked }).end());
      await subscribe(acme, there);
      await leads(acme, 3);

      await withWorker(acme.service, async (worker) => {
        for (let seconds = 0; seconds < 600; seconds += 10) await pass(acme, worker, 10);
      });

      assert.ok(there.received.length <= 16, `${there.received.length} times in ten minutes`);
    });
});

test("a test while a receiver wants to be left alone puts nothing off", async () => {
  const acme = await workspace();
  const there = await receiver((_, response) => void response.writeHead(429, { "retry-after": "12" }).end());
  const { id } = await subscribe(acme, there);
  const made = await leads(acme, 1);

  await withWorker(acme.service, async (worker) => {
    await pass(acme, worker, 2);
    await acme.post(`/webhook/${id}/test/`);
    await pass(acme, worker, 1);
    there.answers = 200;
    await pass(acme, worker, 13);
  });

  assert.equal(there.objects().filter((one) => made.includes(one)).length, 2);
  assert.equal((await acme.get(`/webhook/${id}/`)).health_status, "healthy");
});

describe("a receiver that is away", () => {
  test("costs a place in the log: of 600 events it has a handful of rows, and gets all when it is back", async () => {
    const acme = await workspace();
    const there = await receiver(503);
    const { id } = await subscribe(acme, there, { events: ["contact.created"] });
    const lead = await acme.lead();
    const made: string[] = [];
    const make = async (count: number) => {
      for (let i = 0; i < count; i++) made.push((await acme.contact({ lead_id: lead.id })).id);
    };

    await withWorker(acme.service, async (worker) => {
      await make(300);
      await pass(acme, worker, 0);
      for (let i = 0; i < 10; i++) await pass(acme, worker, 30);
      assert.notEqual((await acme.get(`/webhook/${id}/`)).health.next_probe_at, null);
      const before = there.received.length;
      await make(300);
      for (let i = 0; i < 10; i++) await pass(acme, worker, 30);
      assert.ok(there.received.length - before <= 10, `${there.received.length - before} probes in five minutes`);
      assert.ok((await rowsOf(acme, id)) <= 50, `${await rowsOf(acme, id)} rows`);
      there.answers = 200;
      await pass(acme, worker, 300);
    });

    assert.deepEqual(new Set(there.objects()), new Set(made));
    const webhook = await acme.get(`/webhook/${id}/`);
    assert.deepEqual([webhook.health_status, webhook.health.next_probe_at, webhook.counters.pending], ["healthy", null, 0]);
  });

  test("is sent one delivery at a time when it is back, and one more at once with each that it takes, up to 16", async () => {
    const acme = await workspace();
    const there = await receiver(500);
    const { id } = await subscribe(acme, there);
    const held: ServerResponse[] = [];
    const together: number[] = [];
    let taken = 0;
    const takeTogether: Answers = (_, response) => {
      held.push(response);
      if (held.length < Math.min(16, Math.max(1, taken))) return;
      together.push(held.length);
      for (const one of held.splice(0)) {
        one.end();
        taken++;
        // So that each attempt says how many had succeeded when it started.
        skip(acme, 0.001);
      }
    };

    await withWorker(acme.service, async (worker) => {
      await leads(acme, 48);
      for (let i = 0; i < 6; i++) await pass(acme, worker, 30);
      assert.notEqual((await acme.get(`/webhook/${id}/`)).health.next_probe_at, null);
      there.answers = takeTogether;
      await pass(acme, worker, 300);
    });

    const began = (await deliveriesOf(acme, id, "?_fields=attempts")).map(({ attempts }) =>
      Date.parse(attempts.at(-1).started_at),
    );
    const [probe] = began.sort((one, other) => one - other) as [number];
    assert.deepEqual(together, [1, 1, 2, 4, 8, 16, 16]);
    for (const [i, at] of began.entries()) {
      const takenBefore = at - probe;
      assert.ok(i + 1 - takenBefore <= Math.max(1, takenBefore), `${i + 1 - takenBefore} at once after ${takenBefore}`);
    }
  });

  test("is asked at once when somebody changes where it is", async () => {
    const acme = await workspace();
    const away = await receiver(500);
    const there = await receiver();
    const { id } = await subscribe(acme, away);
    const made = await leads(acme, 20);

    await drained(acme);
    await acme.put(`/webhook/${id}/`, { url: there.url });
    await drained(acme);

    assert.deepEqual(there.objects().sort(), made.sort());
  });
});

describe("a receiver that is slow", () => {
  test("is told of everything, and of each once, however long it takes for each", async () => {
    const acme = await workspace();
    acme.service.clock.now = new Date();
    const lead = await acme.lead();
    const there = await receiver((_, response) => {
      skip(acme, 14);
      response.end();
    });
    const { id } = await subscribe(acme, there, { events: ["lead.updated"], ordering: "object" });
    const texts = Array.from({ length: 30 }, (_, i) => String(i));
    for (const description of texts) await acme.put(`/lead/${lead.id}/`, { description });

    await drained(acme);

    assert.deepEqual(
      there.received.map(({ body }) => body.event.data.description),
      texts,
    );
    assert.equal((await acme.get(`/webhook/${id}/`)).health_status, "healthy");
  });

  test("and answers nothing at all is one that is away: tried again, then probed, and told of everything when it is back", async () => {
    const acme = await workspace();
    acme.service.clock.now = new Date();
    let asked = Promise.withResolvers<void>();
    const there = await receiver(() => asked.resolve());
    const { id } = await subscribe(acme, there);
    const made = await leads(acme, 20);
    const shown = () => acme.get(`/webhook/${id}/`);

    await withWorker(acme.service, async (worker) => {
      for (let i = 0; i < 8; i++) {
        const done = worker.drained();
        await asked.promise;
        skip(acme, 45);
        await done;
        const { status, health } = await shown();
        assert.deepEqual([status, health.last_failure.error_class], ["active", "timeout"]);
        asked = Promise.withResolvers();
        skip(acme, 300);
      }
      assert.notEqual((await shown()).health.next_probe_at, null);
      there.answers = 200;
      await pass(acme, worker, 300);
    });

    assert.deepEqual(new Set(there.objects()), new Set(made));
    assert.equal((await shown()).health_status, "healthy");
  });
});

test("a webhook that workers end with is paused, and its maker is not told that the receiver was at fault", async () => {
  const acme = await workspace();
  const { id } = await subscribe(acme, await receiver());
  await acme.service.app.db.transaction(acme.id, async (tx) =>
    tx.write({ text: "update job set crashes = 5 where organization_id = $1 and object_id = $2", values: [acme.id, id] }),
  );

  await drained(acme);

  const { status, pause_reason } = await acme.get(`/webhook/${id}/`);
  const [told] = (await acme.get("/notification/?type=webhook_paused")).data;
  assert.deepEqual([status, pause_reason, told.object_id], ["paused", "failures", id]);
  assert.match(told.body, /^Workers ended/);
});

describe("a paused webhook", () => {
  test("is sent nothing, and goes on from where it was when it is set active", async () => {
    const acme = await workspace();
    const there = await receiver();
    const { id } = await subscribe(acme, there);
    await acme.put(`/webhook/${id}/`, { status: "paused" });

    const made = await leads(acme, 3);
    await drained(acme);
    assert.deepEqual(there.received, []);
    await acme.put(`/webhook/${id}/`, { status: "active" });
    await drained(acme);

    assert.deepEqual(there.objects().sort(), made.sort());
  });

  test("forgets what happened meanwhile, and what it had still to send, where that is asked for", async () => {
    const acme = await workspace();
    const there = await receiver(500);
    const { id } = await subscribe(acme, there);
    await leads(acme, 2);
    await drained(acme);
    await acme.put(`/webhook/${id}/`, { status: "paused" });
    await leads(acme, 3);
    there.answers = 200;
    there.received.length = 0;

    await acme.refused(400, "PUT", `/webhook/${id}/`, { skip_backlog: true }, "skip_backlog");
    const active = await acme.put(`/webhook/${id}/`, { status: "active", skip_backlog: true });
    const later = await acme.lead();
    await withWorker(acme.service, (worker) => pass(acme, worker, 60));

    assert.deepEqual(there.objects(), [later.id]);
    assert.deepEqual([active.status, active.skip_backlog], ["active", undefined]);
    assert.deepEqual(
      (await deliveriesOf(acme, id)).map(({ status }) => status),
      ["succeeded", "failed", "failed"],
    );
  });
});
