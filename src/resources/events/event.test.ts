import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization } from "../../../test/support/given.ts";

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
    assert.deepEqual(await acme.get(`/event/${updated.id}/`), updated);
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
    assert.deepEqual(await found("event=lead.exploded"), []);
    const [{ request_id }] = await acme.events(person.id);
    assert.deepEqual(await found(`request_id=${request_id}`), ["contact.created"]);
    await acme.refused(400, "GET", "/event/?created_by=user_x", undefined, "created_by");
  });

  test("pages back and forth, and picks up later what has happened since", async () => {
    const acme = await organization();
    for (let i = 0; i < 5; i++) await acme.lead();
    const path = "/event/?event=lead.created&_limit=2";
    const whole = idsOf(await acme.get("/event/?event=lead.created"));

    const first = await acme.get(path);
    const second = await acme.get(`${path}&_cursor=${first.cursor_next}`);
    const third = await acme.get(`${path}&_cursor=${second.cursor_next}`);
    const back = await acme.get(`${path}&_cursor=${third.cursor_previous}`);
    const nothingNew = await acme.get(`${path}&_cursor=${first.cursor_previous}`);
    const fresh = await acme.lead();
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

  test("has no cursors where there is nothing", async () => {
    const acme = await organization();

    assert.deepEqual(await acme.get("/event/?event=lead.created"), {
      data: [],
      has_more: false,
      cursor_next: null,
      cursor_previous: null,
    });
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
  });

  test("shows whoever may not see all leads only the events of theirs", async () => {
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
