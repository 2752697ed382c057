// How many events a webhook shows as still to be sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Workspace } from "../../../test/support/given.ts";
import { receiver } from "../../../test/support/receiver.ts";
import { drained, leads, pass, subscribe, workspace } from "../../../test/support/webhooks.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { raw, sql, statement } from "../../db/sql.ts";
import { eventNames } from "../events/event_names.ts";
import { stumblingAfter } from "./schedule.ts";
import { isAskedFor, isAskedForIn } from "./wanted.ts";

const backlog = async (ws: Workspace, id: string): Promise<number> => (await ws.get(`/webhook/${id}/`)).health.backlog;

describe("the backlog of a webhook", () => {
  test("is nothing while all is taken, also where much happens that it does not ask for", async () => {
    const acme = await workspace();
    const { id } = await subscribe(acme, await receiver(), { events: ["contact.created"] });

    await leads(acme, 3);
    const { id: lead_id } = await acme.lead();
    await acme.contact({ lead_id });
    await drained(acme);

    assert.equal(await backlog(acme, id), 0);
  });

  test("is what was not taken, tried or not, and nothing once it is or nobody wants it any more", async () => {
    const acme = await workspace();
    const there = await receiver(500);
    const [taken, skipped] = [await subscribe(acme, there), await subscribe(acme, there)];

    await withWorker(acme.service, async (worker) => {
      // The first are read and fail. From then on nothing further is read, so the others lie in the log.
      await leads(acme, stumblingAfter);
      await worker.drained();
      await leads(acme, 30 - stumblingAfter);
      for (let i = 0; i < 4; i++) await pass(acme, worker, 30);
      const { counters, health } = await acme.get(`/webhook/${taken.id}/`);
      assert.ok(counters.pending < 30, "some lie in the log");
      assert.equal(health.backlog, 30);
      there.answers = 200;
      await acme.put(`/webhook/${skipped.id}/`, { status: "active", skip_backlog: true });
      await pass(acme, worker, 300);
    });

    assert.deepEqual([await backlog(acme, taken.id), await backlog(acme, skipped.id)], [0, 0]);
  });

  test("of one that is paused is what it asks for and the member who looks may see", async () => {
    const acme = await workspace();
    const restricted = await acme.member("restricteduser");
    const { id } = await subscribe(restricted, await receiver(), { events: ["lead.*"], status: "paused" });

    const mine = await acme.lead({ owner_id: restricted.userId });
    await acme.put(`/lead/${mine.id}/`, { description: "changed" });
    await acme.contact({ lead_id: mine.id });
    await acme.lead();

    assert.equal(await backlog(restricted, id), 2);
    assert.equal(await backlog(acme, id), 3);
    assert.deepEqual(
      (await restricted.get("/webhook/")).data.map((one: any) => one.health.backlog),
      [2],
    );
  });

  test("is counted up to 1,000", async () => {
    const acme = await workspace();
    const { id } = await subscribe(acme, await receiver(), { status: "paused" });
    await acme.service.app.db.transaction(acme.id, async (tx) =>
      tx.write({
        text: `insert into event (organization_id, id, object_type, action, event, object_id, date_created, date_updated)
               select $1, 'ev_' || to_char(n, 'FM0000000000'), 'lead', 'created', 'lead.created', 'lead_' || n, now(), now()
               from generate_series(1, 1100) n`,
        values: [acme.id],
      }),
    );

    assert.equal(await backlog(acme, id), 1_000);
  });
});

test("what a webhook asks for is the same where it is counted and where it is sent", async () => {
  const acme = await workspace();
  const names = eventNames.map(({ name }) => name);
  const beginnings = names.flatMap((name) => name.split(".").map((_, i, parts) => [...parts.slice(0, i), "*"].join(".")));
  const short = names.flatMap((name) => (name.startsWith("activity.") ? name.slice("activity.".length) : []));
  const ofTasks = ["created", "updated", "deleted", "completed", "overdue"].map((action) => `task.${action}`);
  const patterns = [...new Set([...names, ...beginnings, ...short, ...ofTasks, "nothing.of.this", "nothing.*"])];

  const rows = await acme.service.app.db.query(
    acme.id,
    statement(sql`select given.pattern, coalesce(json_agg(e.name) filter (where ${isAskedForIn(sql`array[given.pattern]`, raw("e.name"))}), '[]')
      from unnest(${patterns}::text[]) given(pattern), unnest(${names}::text[]) e(name) group by given.pattern`),
  );

  for (const [pattern, counted] of rows)
    assert.deepEqual(
      new Set(JSON.parse(counted!)),
      new Set(names.filter((name) => isAskedFor([pattern!], new Set([name])))),
      pattern!,
    );
});
