import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withConnection } from "../../../test/support/feed.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { startService } from "../../../test/support/service.ts";
import { type Heard, Listener, listening, namesOf, subjectsOf } from "../../../test/support/stream.ts";
import { createPartitions } from "../../db/partitions.ts";

/** Everything after a cursor, in the order of the feed. */
async function feedFrom(ws: Workspace, cursor: string, filter = ""): Promise<any[]> {
  const events: any[] = [];
  for (let at = cursor; ; ) {
    const page = await ws.get(`/event/?_limit=200${filter}&_cursor=${at}`);
    if (page.data.length === 0) return events;
    events.push(...page.data.reverse());
    at = page.cursor_previous;
  }
}

/** Follows until it has this many events, a few at a time, each time over a new connection. */
async function comesAndGoes(ws: Workspace, from: string, total: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (let last = from; heard.length < total; ) {
    const few = Math.min(Math.ceil(Math.random() * 12), total - heard.length);
    const one = await new Listener(ws, "", last).begun();
    await one.heardAll(few);
    heard.push(...one.heard);
    last = one.lastId;
    await one.close();
  }
  return heard;
}

describe("the stream of events", () => {
  test("tells what happens from now on, as the list shows it", async () => {
    const acme = await organization();
    await acme.lead();

    const heard = await listening(acme, "", async (one) => {
      assert.match(one.headers["content-type"]!, /^text\/event-stream/);
      assert.equal(one.headers["x-accel-buffering"], "no");
      const lead = await acme.lead();
      await acme.put(`/lead/${lead.id}/`, { name: "New" });
      return one.heardAll(2);
    });

    const [updated, created] = (await acme.get("/event/?_limit=2")).data;
    assert.deepEqual(namesOf(heard), ["lead.created", "lead.updated"]);
    assert.deepEqual(
      heard.map(({ data }) => data),
      [created, updated],
    );
  });

  test("tells every event once and in the order of the feed, while eight write and readers come and go", async () => {
    const acme = await organization();
    const { cursor_previous } = await acme.get("/event/");
    const writers = await Promise.all(Array.from({ length: 8 }, (_, i) => acme.member(i % 2 === 0 ? "admin" : "user")));
    // Other followers stay connected, so that reconnecting ones join an audience that is further on.
    const steady = await new Listener(acme).begun();
    const total = 8 * 12 * 3;
    const acknowledged: string[] = [];

    const reading = Array.from({ length: 3 }, () => comesAndGoes(acme, steady.lastId, total));
    await Promise.all(
      writers.map(async (writer) => {
        for (let i = 0; i < 12; i++) {
          const lead = await writer.lead();
          acknowledged.push(lead.id);
          await Promise.all([writer.put(`/lead/${lead.id}/`, { name: `Changed ${i}` }), writer.note({ lead_id: lead.id })]);
        }
      }),
    );

    const heard = [await steady.heardAll(total), ...(await Promise.all(reading))];
    const feed = (await feedFrom(acme, cursor_previous)).map(({ id }) => id).slice(-total);
    for (const one of heard)
      assert.deepEqual(
        one.map(({ data }) => data.id),
        feed,
      );
    const created = steady.heard.filter(({ event }) => event === "lead.created");
    assert.deepEqual(subjectsOf(created).sort(), acknowledged.sort());
    await steady.close();
  });

  test("goes on from a cursor of the list: who pages first and follows then has everything once", async () => {
    const acme = await organization();
    await acme.lead();
    const page = await acme.get("/event/?event=lead.*");
    const meanwhile = [await acme.lead(), await acme.lead()];

    for (const [query, lastId] of [
      [`?event=lead.*&_cursor=${page.cursor_previous}`, ""],
      ["?event=lead.*", page.cursor_previous],
      ["?event=lead.*&_cursor=nonsense", page.cursor_previous],
    ])
      await listening(
        acme,
        query!,
        async (one) => {
          const later = await acme.lead();
          meanwhile.push(later);
          await one.heardAll(meanwhile.length);
          assert.deepEqual(
            subjectsOf(one.heard),
            meanwhile.map(({ id }) => id),
          );
          // The last id of a stream is a cursor of the list as well.
          assert.deepEqual((await acme.get(`/event/?event=lead.*&_cursor=${one.lastId}`)).data, []);
        },
        lastId,
      );
  });

  test("waits for what a longer transaction writes, and misses nothing of it", async () => {
    const acme = await organization();
    const first = await acme.lead();

    await listening(acme, "?event=lead.created", async (one) => {
      const second = await withConnection(acme, async (client) => {
        await client.query("begin");
        await client.query(
          `insert into event (organization_id, id, object_type, action, event, object_id, date_created, date_updated)
           select organization_id, 'ev_late', object_type, action, event, 'lead_late', date_created, date_updated
           from event where organization_id = $1 and object_id = $2`,
          [acme.id, first.id],
        );
        const made = await acme.lead();
        // A new stream starts after both, and still gets the event that is not committed yet.
        const other = await new Listener(acme, "?event=lead.created").begun();
        assert.deepEqual(one.heard, []);
        await client.query("commit");
        await other.heardAll(1);
        assert.deepEqual(subjectsOf(other.heard), ["lead_late"]);
        await other.close();
        return made;
      });
      assert.deepEqual(subjectsOf(await one.heardAll(2)), ["lead_late", second.id]);
    });
  });

  test("is narrowed as the list is", async () => {
    const acme = await organization();
    const colleague = await acme.member();
    const lead = await acme.lead();
    const queries = [
      "event=contact.created",
      "event__in=lead.updated,note.created",
      `lead_id=${lead.id}&object_type__in=lead,contact`,
      `user_id=${colleague.userId}`,
      "event=task.overdue",
      "event=*",
    ];
    const { cursor_previous } = await acme.get("/event/");
    const listeners = await Promise.all(queries.map((query) => new Listener(acme, `?${query}`).begun()));

    await colleague.contact({ lead_id: lead.id });
    await acme.note({ lead_id: lead.id });
    await acme.put(`/lead/${lead.id}/`, { name: "New" });
    await acme.lead();
    await listeners.at(-1)!.heardAll(4);
    const listed = await feedFrom(acme, cursor_previous);
    for (const [i, one] of listeners.entries()) {
      const { data } = await acme.get(`/event/?${queries[i]}`);
      const ids = new Set(data.map(({ id }: any) => id));
      const wanted = listed.filter(({ id }) => ids.has(id));
      await one.heardAll(wanted.length);
      assert.deepEqual(
        one.heard.map(({ data }) => data),
        wanted,
        queries[i],
      );
      await one.close();
    }
  });

  test("shows only the requested fields", async () => {
    const acme = await organization();

    const [told] = await listening(acme, "?_fields=object_id", async (one) => {
      await acme.lead();
      return one.heardAll(1);
    });

    assert.equal(told!.event, "lead.created");
    assert.deepEqual(Object.keys(told!.data), ["object_id"]);
  });

  test("refuses what the list refuses, and what belongs to pages", async () => {
    const acme = await organization();
    await acme.lead();
    await acme.lead();
    const page = await acme.get("/event/?_limit=1");
    const further = await acme.get(`/event/?_limit=1&_cursor=${page.cursor_next}`);

    for (const [query, field, words] of [
      ["event=lead.creatd", "event", /lead\.created/],
      ["object_type=leed", "object_type", /lead/],
      ["action=update", "action", /updated/],
      ["evnt=lead.created", "evnt", /event/],
      ["_limit=5", "_limit", /not known/],
      ["_skip=5", "_skip", /not known/],
      ["_order_by=date_created", "_order_by", /not known/],
      ["_cursor=nonsense", "_cursor", /not a cursor/],
      [`event=lead.created&_cursor=${page.cursor_previous}`, "_cursor", /not a cursor/],
      [`_cursor=${page.cursor_next}`, "_cursor", /first page/],
      [`_cursor=${further.cursor_previous}`, "_cursor", /first page/],
    ] as const) {
      const refusal = await acme.refused(400, "GET", `/event/stream/?${query}`, undefined, field);
      assert.match(refusal["field-errors"][field], words);
    }
    const { status } = await acme.ask("GET", "/event/stream/", { headers: { "last-event-id": "nonsense" } });
    assert.equal(status, 400);
    for (const method of ["POST", "PUT", "DELETE"])
      await acme.refused(405, method, "/event/stream/", method === "DELETE" ? undefined : {});
    const head = await fetch(`${acme.service.url}/api/v1/event/stream/`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${acme.key}` },
    });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  test("is told when a cursor is older than the events that are kept", async () => {
    const aged = await startService();
    const at = (date: string) => (aged.clock.now = new Date(date));
    try {
      await createPartitions(aged.databaseUrl, at("2031-03-10T00:00:00.000Z"));
      const acme = await organization(aged);
      await acme.lead();
      const { cursor_previous } = await acme.get("/event/");
      await createPartitions(aged.databaseUrl, at("2031-05-01T00:00:00.000Z"));
      await withConnection(acme, (client) => client.query("drop table event_2031_03"));

      const { body } = await acme.ask("GET", "/event/stream/", { headers: { "last-event-id": cursor_previous } });

      assert.match(body["field-errors"]._cursor, /older than the events that are kept/);
    } finally {
      await aged.close();
    }
  });
});
