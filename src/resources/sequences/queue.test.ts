// Where a sender has more contacts than it may write to on a day, they wait in a queue.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { anotherThursday, at, day, eventsOf, hour, office, openOutreach, outreach, run } from "../../../test/support/outreach.ts";
import type { Service } from "../../../test/support/service.ts";
import type { MailServer } from "../../../test/support/smtp.ts";

let server: MailServer;
let on: Service;

before(async () => {
  ({ server, on } = await openOutreach());
});
after(() => server?.close());

const throttle = { max_per_sender_per_day: 2 };

const many = (count: number) => Array.from({ length: count });

describe("the queue of a sender", () => {
  beforeEach(anotherThursday);

  test("gives as many contacts to each day as may be written to then, and tells each once", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail()], { schedule: office, throttle });
    const ways: any[] = [];
    for (const _ of many(16)) ways.push(await subscribe(made));
    const today = on.clock.now!.getTime();
    const iso = (days: number) => new Date(today + days * day).toISOString();

    await run();
    const waiting = (await Promise.all(ways.map(shown))).filter(({ next_step_at }) => next_step_at !== null);
    const heard = await Promise.all(waiting.map((way) => eventsOf(acme, way)));
    const arrived: number[] = [];
    // From Friday on, without the weekends.
    const open = [1, 4, 5, 6, 7, 8, 11];
    for (const days of open) {
      await at(iso(days));
      arrived.push(ways.filter(({ email }) => server.to(email).length === 1).length);
    }

    const days = waiting.map(({ next_step_at }) => next_step_at.slice(0, 10)).sort();
    assert.deepEqual(
      days,
      open.flatMap((one) => [iso(one), iso(one)]).map((one) => one.slice(0, 10)),
    );
    for (const events of heard) assert.deepEqual(events.sort(), ["created", "updated"]);
    assert.deepEqual(arrived, [4, 6, 8, 10, 12, 14, 16]);
  });

  test("keeps to the hours of each contact", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail()], { timezone: "recipient", schedule: office, throttle });
    const [far, near]: any[][] = [[], []];
    on.clock.now = new Date(on.clock.now!.getTime() + 5 * hour);
    for (const _ of many(6)) {
      for (const [those, timezone] of [
        [far!, "America/New_York"],
        [near!, "Europe/London"],
      ] as const) {
        const way = await subscribe(made);
        await acme.put(`/contact/${way.contact_id}/`, { timezone });
        those.push(way);
      }
    }

    await run();

    for (const [those, opens] of [
      [far!, "14:00"],
      [near!, "09:00"],
    ] as const) {
      const waiting = (await Promise.all(those.map(shown))).filter(({ next_step_at }) => next_step_at !== null);
      assert.ok(waiting.length >= 4);
      for (const { next_step_at } of waiting) assert.equal(next_step_at.slice(11, 16), opens);
    }
  });

  test("takes nobody whose step is left out: that is seen at once, though the day is full", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const title = { type: "regular_field", object_type: "contact", field_name: "title" };
    const isBoss = { type: "field_condition", field: title, condition: { type: "text", mode: "full_words", value: "CEO" } };
    const condition = { type: "and", queries: [{ type: "object_type", object_type: "contact" }, isBoss] };
    const made = await sequence([mail({ condition })], { throttle });
    const ways: any[] = [];
    for (const _ of many(12)) {
      const way = await subscribe(made);
      await acme.put(`/contact/${way.contact_id}/`, { title: "CEO" });
      ways.push(way);
    }
    const others: any[] = [];
    for (const _ of many(3)) others.push(await subscribe(made));

    await run();

    const ends = (those: any[]) => Promise.all(those.map(shown)).then((all) => all.map(({ status }) => status));
    assert.deepEqual(await ends(others), ["finished", "finished", "finished"]);
    assert.equal((await ends(ways)).filter((one) => one === "active").length, 10);
  });
});
