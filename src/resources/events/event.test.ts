import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settled, withConnection } from "../../../test/support/feed.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { startService } from "../../../test/support/service.ts";
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { createPartitions } from "../../db/partitions.ts";
import { actingAs } from "../../records/acting.ts";
import { createRecord, updateRecord } from "../../records/records.ts";
import { lead as leads } from "../leads/lead.ts";

/** A forged cursor, with its snapshot changed. */
function altered(cursor: string, from: RegExp, to: string): string {
  const [bound, epoch, snapshot, ...values] = JSON.parse(Buffer.from(cursor, "base64url").toString());
  return Buffer.from(JSON.stringify([bound, epoch, snapshot.replace(from, to), ...values])).toString("base64url");
}

const idsOf = (page: any): string[] => page.data.map((one: any) => one.id);

describe("an event", () => {
  test("says what changed, what it was, who did it and by which request", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Acme", description: "Anvils" });

    const answer = await acme.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Acme Inc" } });
    const [created, updated] = await acme.events(lead.id);

    assert.equal(created.event, "lead.created");
    assert.deepEqual(created.previous_data, {});
    assert.deepEqual(created.changed_fields, []);
    assert.equal(updated.object_type, "lead");
    assert.equal(updated.action, "updated");
    assert.equal(updated.lead_id, lead.id);
    assert.ok(updated.changed_fields.includes("name"));
    assert.equal(updated.previous_data.name, "Acme");
    assert.equal(updated.previous_data.description, undefined);
    assert.equal(updated.data.name, "Acme Inc");
    assert.equal(updated.user_id, acme.userId);
    assert.match(updated.api_key_id, /^apikey_/);
    assert.equal(updated.oauth_client_id, null);
    assert.equal(updated.request_id, answer.headers.get("x-request-id"));
    assert.deepEqual(updated.meta, { request_method: "PUT", request_path: `/api/v1/lead/${lead.id}/` });
    assert.deepEqual(await acme.get(`/event/${updated.id}/`), { ...updated, deliveries: [] });
  });

  test("names the application that did it by a token of its own", async () => {
    const acme = await organization();
    const actor = await actorOfMember(acme.service.app.db, acme.id, acme.userId);
    const oauth = { client_id: "client_1", scope: "read write_safe", grant_id: "grant_1" };
    const occasion = { id: "req_oauth", method: "POST", path: "/api/v1/lead/" };

    const made = await actingAs(acme.service.app.core, { ...actor!, oauth }, occasion, (ctx) =>
      createRecord(ctx, leads, { name: "Acme" }),
    );

    const [created] = await acme.events(made.id);
    assert.deepEqual([created.oauth_client_id, created.oauth_scope], [oauth.client_id, oauth.scope]);
    assert.deepEqual([created.api_key_id, created.user_id], [null, acme.userId]);
  });

  test("is read and never written", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const [event] = await acme.events(lead.id);

    for (const [method, path] of [
      ["POST", "/event/"],
      ["PUT", `/event/${event.id}/`],
      ["DELETE", `/event/${event.id}/`],
    ] as const)
      await acme.refused(405, method, path, method === "DELETE" ? undefined : {});
  });

  test("of another organization does not exist", async () => {
    const acme = await organization();
    const other = await organization();
    const lead = await acme.lead();
    const [event] = await acme.events(lead.id);

    await other.refused(404, "GET", `/event/${event.id}/`);
    assert.deepEqual((await other.get(`/event/?object_id=${lead.id}`)).data, []);
  });
});

describe("the list of events", () => {
  test("has the newest first and can be narrowed by what, which, who and when", async () => {
    const acme = await organization();
    const colleague = await acme.member();
    const lead = await acme.lead();
    const begun = new Date().toISOString();
    const person = await colleague.contact({ lead_id: lead.id });
    await acme.put(`/lead/${lead.id}/`, { name: "New" });
    const found = async (filter: string) => (await acme.get(`/event/?${filter}`)).data.map((one: any) => one.event);

    assert.deepEqual(await found(`lead_id=${lead.id}&object_type__in=lead,contact`), [
      "lead.updated",
      "contact.created",
      "lead.created",
    ]);
    assert.deepEqual(await found("event=contact.created"), ["contact.created"]);
    assert.deepEqual(await found("event__in=lead.created,lead.updated"), ["lead.updated", "lead.created"]);
    assert.deepEqual(await found("object_type=lead&action=created"), ["lead.created"]);
    assert.deepEqual(await found(`object_id=${person.id}`), ["contact.created"]);
    assert.deepEqual(await found(`user_id=${colleague.userId}`), ["contact.created"]);
    assert.deepEqual(await found(`object_type=lead&date_created__gte=${begun}`), ["lead.updated"]);
    assert.deepEqual(await found(`object_type=lead&date_updated__lt=${begun}`), ["lead.created"]);
    assert.deepEqual(await found("event=lead.*"), await found("object_type=lead"));
    assert.deepEqual(await found("event=note.created"), await found("event=activity.note.created"));
    assert.deepEqual(await found("event=*"), await found("event__in=*,lead.created"));
    assert.deepEqual(await found("event__in=lead.deleted,lead.*"), await found("event=lead.*"));
    for (const [filter, nearly, meant] of [
      ["event", "lead.creatd", "lead.created"],
      ["event", "leads.*", "lead.created"],
      ["object_type", "leed", "lead"],
      ["action", "update", "updated"],
    ] as const) {
      const refusal = await acme.refused(400, "GET", `/event/?${filter}=${nearly}`, undefined, filter);
      assert.ok(refusal["field-errors"][filter].includes(meant), refusal["field-errors"][filter]);
    }
    const [{ request_id }] = await acme.events(person.id);
    assert.deepEqual(await found(`request_id=${request_id}`), ["contact.created"]);
    assert.deepEqual(await found(`request_id__in=${request_id},req_none,req_00000000000000000000000000`), ["contact.created"]);
    await acme.refused(400, "GET", "/event/?created_by=user_x", undefined, "created_by");
  });

  test("pages back and forth, and picks up later what has happened since", async () => {
    const acme = await organization();
    for (let i = 0; i < 5; i++) await acme.lead();
    const path = "/event/?event=lead.created&_limit=2";
    const whole = idsOf(await acme.get("/event/?event=lead.created"));

    await settled(acme);
    const first = await acme.get(path);
    const second = await acme.get(`${path}&_cursor=${first.cursor_next}`);
    const third = await acme.get(`${path}&_cursor=${second.cursor_next}`);
    const back = await acme.get(`${path}&_cursor=${third.cursor_previous}`);
    const nothingNew = await acme.get(`${path}&_cursor=${first.cursor_previous}`);
    const fresh = await acme.lead();
    await settled(acme);
    const news = await acme.get(`${path}&_cursor=${nothingNew.cursor_previous}`);

    assert.deepEqual([...idsOf(first), ...idsOf(second), ...idsOf(third)], whole);
    assert.equal(third.has_more, false);
    assert.equal(third.cursor_next, null);
    assert.deepEqual(idsOf(back), idsOf(second));
    assert.equal(back.has_more, true);
    assert.deepEqual(idsOf(await acme.get(`${path}&_cursor=${back.cursor_next}`)), idsOf(third));
    assert.deepEqual(nothingNew.data, []);
    assert.deepEqual(
      news.data.map((one: any) => one.object_id),
      [fresh.id],
    );
  });

  test("can be followed from where there is nothing yet", async () => {
    const acme = await organization();

    const empty = await acme.get("/event/?event=lead.created");
    const lead = await acme.lead();
    await settled(acme);
    const news = await acme.get(`/event/?event=lead.created&_cursor=${empty.cursor_previous}`);

    assert.deepEqual(
      { ...empty, cursor_previous: null },
      { data: [], has_more: false, cursor_next: null, cursor_previous: null },
    );
    assert.deepEqual(
      news.data.map((one: any) => one.object_id),
      [lead.id],
    );
    assert.equal((await acme.get("/event/?_limit=0")).cursor_previous, null);
  });

  test("says whether there is more in the direction of reading", async () => {
    const acme = await organization();
    const path = "/event/?event=lead.created";
    const { cursor_previous } = await acme.get(path);
    for (let i = 0; i < 3; i++) await acme.lead();
    await settled(acme);
    const asked = (limit: number, cursor: string) => acme.get(`${path}&_limit=${limit}&_cursor=${cursor}`);

    const none = await asked(0, cursor_previous);
    const two = await asked(2, none.cursor_previous);
    const one = await asked(2, two.cursor_previous);
    const nothing = await asked(0, one.cursor_previous);

    assert.deepEqual(
      [none, two, one, nothing].map(({ data, has_more }) => [data.length, has_more]),
      [
        [0, true],
        [2, true],
        [1, false],
        [0, false],
      ],
    );
    assert.equal((await acme.get(`${path}&_limit=1&_cursor=${two.cursor_next}`)).data.length, 0);
  });

  test("keeps the place of a follower who asks for none", async () => {
    const acme = await organization();
    for (let i = 0; i < 3; i++) await acme.lead();
    await settled(acme);
    const path = "/event/?event=lead.created";
    const asked = async (cursor: string) => {
      const { data, cursor_next, cursor_previous } = await acme.get(`${path}&_limit=0&_cursor=${cursor}`);
      assert.deepEqual(data, []);
      return [cursor_next, cursor_previous];
    };

    const top = await acme.get(`${path}&_limit=1`);
    const below = await acme.get(`${path}&_limit=1&_cursor=${top.cursor_next}`);

    assert.deepEqual(await asked(top.cursor_previous), [null, top.cursor_previous]);
    assert.deepEqual(await asked(below.cursor_previous), [null, below.cursor_previous]);
    assert.deepEqual(await asked(top.cursor_next), [top.cursor_next, null]);
  });

  test("refuses a cursor of another list, or beside an offset", async () => {
    const acme = await organization();
    await acme.lead();
    await acme.lead();
    const { cursor_next, cursor_previous } = await acme.get("/event/?event=lead.created&_limit=1");

    for (const cursor of [cursor_next, cursor_previous]) {
      await acme.refused(400, "GET", `/event/?_cursor=${cursor}`, undefined, "_cursor");
      await acme.refused(400, "GET", `/event/?event=lead.created&_cursor=${cursor}&_skip=1`, undefined, "_skip");
    }
    await acme.refused(400, "GET", "/event/?_cursor=nonsense", undefined, "_cursor");
    for (const [from, to] of [
      [/^\d+/, "x"],
      [/:/, ";"],
      [/\d+:/, "99999999999:"],
    ] as const)
      await acme.refused(
        400,
        "GET",
        `/event/?event=lead.created&_limit=1&_cursor=${altered(cursor_next, from, to)}`,
        undefined,
        "_cursor",
      );
  });

  test("shows a member who does not see all leads only the events of theirs", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const [mine, hidden] = [await acme.lead({ owner_id: rep.userId }), await acme.lead()];
    const [secret] = await acme.events(hidden.id);

    const seen = (await rep.get("/event/?object_type=lead")).data.map((one: any) => one.object_id);

    assert.deepEqual(seen, [mine.id]);
    await rep.refused(404, "GET", `/event/${secret.id}/`);
    assert.deepEqual((await rep.get(`/event/?object_id=${hidden.id}`)).data, []);
  });
});

describe("who follows the events", () => {
  /** All events from a cursor on, oldest first, and the cursor after them. */
  async function follow(ws: Workspace, from: string, path = "/event/?_limit=2"): Promise<{ events: any[]; cursor: string }> {
    await settled(ws);
    const events: any[] = [];
    for (let cursor = from; ; ) {
      const page = await ws.get(`${path}&_cursor=${cursor}`);
      if (page.data.length === 0) return { events, cursor: page.cursor_previous };
      events.push(...page.data.reverse());
      cursor = page.cursor_previous;
    }
  }

  const subjects = (events: any[]) => events.map((one) => one.object_id);

  test("gets what a longer transaction wrote meanwhile, and nothing twice", async () => {
    const acme = await organization();
    const first = await acme.lead();
    const { cursor_previous } = await acme.get("/event/?event=lead.created&_limit=2");
    const path = "/event/?event=lead.created&_limit=2";

    const late = await withConnection(acme, async (client) => {
      await client.query("begin");
      await client.query(
        `insert into event (organization_id, id, object_type, action, event, object_id, date_created, date_updated)
         select organization_id, 'ev_late', object_type, action, event, 'lead_late', date_created, date_updated
         from event where organization_id = $1 and object_id = $2`,
        [acme.id, first.id],
      );
      const second = await acme.lead();
      const waiting = await acme.get(`${path}&_cursor=${cursor_previous}`);
      const list = await acme.get(path);
      await client.query("commit");
      return { second, waiting, list };
    });
    const { events, cursor } = await follow(acme, late.waiting.cursor_previous, path);
    const fromTheList = await follow(acme, late.list.cursor_previous, path);

    assert.deepEqual(late.waiting.data, []);
    assert.deepEqual(subjects(events), ["lead_late", late.second.id]);
    assert.deepEqual(idsOf(late.list), [events[1].id, (await acme.events(first.id))[0].id]);
    assert.deepEqual(subjects(fromTheList.events), ["lead_late"]);
    assert.deepEqual((await follow(acme, cursor, path)).events, []);
  });

  test("reads the changes of a record in the order they were made, whichever transaction began first", async () => {
    const acme = await organization();
    const [one, other] = [await acme.lead(), await acme.lead()];
    const { cursor_previous } = await acme.get("/event/");

    await acme.inside(async (ctx) => {
      await updateRecord(ctx, leads, one.id, { name: "First" });
      await acme.put(`/lead/${other.id}/`, { name: "Overtaken" });
      await updateRecord(ctx, leads, other.id, { name: "Last" });
    });
    const { events } = await follow(acme, cursor_previous, "/event/?_limit=1");

    const names = events.filter((event) => event.object_id === other.id).map((event) => event.data.name);
    assert.deepEqual(names, ["Overtaken", "Last"]);
    assert.equal((await acme.get(`/lead/${other.id}/`)).name, "Last");
  });

  test("may page back first, and finds on the way up what happened since the first page", async () => {
    const acme = await organization();
    for (let i = 0; i < 4; i++) await acme.lead();
    const path = "/event/?event=lead.created&_limit=2";
    const first = await acme.get(path);
    const fresh = await acme.lead();

    const second = await acme.get(`${path}&_cursor=${first.cursor_next}`);
    const up = await acme.get(`${path}&_cursor=${second.cursor_previous}`);
    const { events } = await follow(acme, up.cursor_previous, path);

    assert.deepEqual(idsOf(up), idsOf(first));
    assert.deepEqual(subjects(events), [fresh.id]);
  });

  test("is told when a cursor is older than the events that are kept", async () => {
    const aged = await startService();
    const at = (date: string) => {
      aged.clock.now = new Date(date);
      return aged.clock.now;
    };
    try {
      await createPartitions(aged.databaseUrl, at("2031-03-10T00:00:00.000Z"));
      const acme = await organization(aged);
      await acme.lead();
      const { cursor_previous } = await acme.get("/event/");
      await createPartitions(aged.databaseUrl, at("2031-05-01T00:00:00.000Z"));

      await acme.get(`/event/?_cursor=${cursor_previous}`);
      await withConnection(acme, (client) => client.query("drop table event_2031_03"));
      const { "field-errors": reasons } = await acme.refused(400, "GET", `/event/?_cursor=${cursor_previous}`);

      assert.match(reasons._cursor, /older than the events that are kept/);
      await acme.get(`/event/?_cursor=${(await acme.get("/event/")).cursor_previous}`);
    } finally {
      await aged.close();
    }
  });
});

test("events of a record do not name a private sequence that the reader does not see, also when it was deleted", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const sequence = await acme.post("/sequence/", { name: "Private", is_shared: false, steps: [{ step_type: "call" }] });
  const contact = await acme.contact();
  const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id });

  await acme.delete(`/sequence/${sequence.id}/`);

  const seen = async (who: Workspace) => (await who.get(`/event/?object_id=${one.id}`)).data;
  const own = await seen(acme);
  const [deleted] = own;
  assert.equal(deleted.meta.request_path, `/api/v1/sequence/${sequence.id}/`);
  const theirs = await seen(bob);
  assert.equal(theirs.length, own.length);
  for (const event of theirs) assert.ok(!JSON.stringify(event.meta).includes(sequence.id), event.action);
});
