import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { operations } from "../index.ts";

const url = "https://hooks.example.com/in";
const events = ["lead.created"];
const create = (ws: Workspace, body: object = {}): Promise<any> => ws.post("/webhook/", { url, events, ...body });

const storedKey = async (ws: Workspace, id: string): Promise<string> => {
  const [row] = await ws.service.app.db.query(ws.id, {
    text: "select sealed_signature_key from webhook where organization_id = $1 and id = $2",
    values: [ws.id, id],
  });
  return row![0]!;
};

describe("a new webhook", () => {
  test("is active and healthy, and shows its key this once", async () => {
    const acme = await organization();

    const { signature_key, ...webhook } = await create(acme);

    assert.match(signature_key, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(signature_key.slice(6), "base64").length, 32);
    assert.equal(webhook.status, "active");
    assert.equal(webhook.verify_ssl, true);
    assert.equal(webhook.health_status, "healthy");
    assert.equal(webhook.event_filters, null);
    assert.deepEqual(webhook.counters, { pending: 0, delivered: 0, failed: 0 });
    assert.deepEqual(await acme.get(`/webhook/${webhook.id}/`), webhook);
    assert.deepEqual((await acme.get("/webhook/")).data, [webhook]);
    assert.equal((await acme.get(`/webhook/${webhook.id}/?_fields=signature_key,sealed_signature_key`)).signature_key, undefined);
  });

  test("has a key that lies sealed, opens in its own place and is like no other", async () => {
    const acme = await organization();
    const [one, two] = [await create(acme), await create(acme)];
    const place = { table: "webhook", column: "sealed_signature_key", organization_id: acme.id };
    const { secrets } = acme.service.app.core.settings;

    const sealed = await storedKey(acme, one.id);

    assert.ok(!sealed.includes(one.signature_key.slice(6, 20)));
    assert.equal(secrets.open(sealed, { ...place, id: one.id }), one.signature_key);
    assert.throws(() => secrets.open(sealed, { ...place, id: two.id }));
    assert.notEqual(one.signature_key, two.signature_key);
  });

  test("leaves no event", async () => {
    const acme = await organization();

    const webhook = await create(acme);
    await acme.put(`/webhook/${webhook.id}/`, { status: "paused" });
    await acme.delete(`/webhook/${webhook.id}/`);

    assert.deepEqual(await acme.events(webhook.id), []);
  });

  test("goes to a public address", async () => {
    const acme = await organization();

    for (const refused of [
      "http://127.0.0.1/",
      "http://2130706433/",
      "https://[::1]/",
      "http://localhost:3000/",
      "http://10.0.0.8/",
      "ftp://example.com/",
      "hooks.example.com",
      "https://user:pass@example.com/",
      `https://example.com/${"x".repeat(2048)}`,
      "",
    ])
      await acme.refused(400, "POST", "/webhook/", { url: refused, events }, "url");
    await acme.refused(400, "POST", "/webhook/", { events }, "url");
    const webhook = await create(acme);
    await acme.refused(400, "PUT", `/webhook/${webhook.id}/`, { url: "http://192.168.1.1/" }, "url");
  });

  test("is the last when there are forty", async () => {
    const acme = await organization();
    await Promise.all(Array.from({ length: 38 }, () => create(acme)));

    const answers = await Promise.all(Array.from({ length: 4 }, () => acme.ask("POST", "/webhook/", { body: { url, events } })));

    assert.deepEqual(answers.map((one) => one.status).sort(), [201, 201, 400, 400]);
    assert.match((await acme.refused(400, "POST", "/webhook/", { url, events })).error, /^Webhook limit reached/);
    assert.equal((await acme.get("/webhook/")).data.length, 40);
  });
});

describe("the events of a webhook", () => {
  test("are names, patterns and short names, each once", async () => {
    const acme = await organization();

    const webhook = await create(acme, {
      events: ["lead.created", "note.created", "lead.created", "activity.note.created", "task.*", "*"],
    });

    assert.deepEqual(webhook.events, ["lead.created", "note.created", "task.*", "*"]);
  });

  test("must be given, and known", async () => {
    const acme = await organization();

    await acme.refused(400, "POST", "/webhook/", { url }, "events");
    await acme.refused(400, "POST", "/webhook/", { url, events: [] }, "events");
    await acme.refused(400, "POST", "/webhook/", { url, events: "lead.created" }, "events");
    const refusal = await acme.refused(400, "POST", "/webhook/", { url, events: ["lead.craeted"] }, "events");
    await acme.refused(400, "POST", "/webhook/", { url, events: [12] }, "events.0");

    assert.match(refusal["field-errors"].events, /did you mean lead.created/);
  });

  test("may come in parts, each with a filter of its own", async () => {
    const acme = await organization();
    const won = {
      type: "field_accessor",
      field: "data",
      filter: { type: "field_accessor", field: "status_id", filter: { type: "equals", value: "stat_won" } },
    };
    const lost = { type: "is_null" };

    const webhook = await create(acme, {
      events: [
        { object_type: "lead", action: "updated", extra_filter: won },
        { object_type: "task.call", action: "completed" },
        { object_type: "contact", action: "updated", extra_filter: won },
        { object_type: "contact", action: "updated", extra_filter: lost },
      ],
    });

    assert.deepEqual(webhook.events, ["lead.updated", "task.call.completed", "contact.updated"]);
    assert.deepEqual(webhook.event_filters, { "lead.updated": won, "contact.updated": { type: "or", filters: [won, lost] } });
  });

  test("keep their filters while they are subscribed to", async () => {
    const acme = await organization();
    const filter = { type: "non_null" };
    const webhook = await create(acme, {
      events: ["lead.created", "note.created"],
      event_filters: { "lead.created": filter, "activity.note.created": filter },
    });
    const path = `/webhook/${webhook.id}/`;

    assert.deepEqual(webhook.event_filters, { "lead.created": filter, "note.created": filter });
    assert.deepEqual((await acme.put(path, { events: ["lead.created", "lead.deleted"] })).event_filters, {
      "lead.created": filter,
    });
    assert.deepEqual((await acme.put(path, { event_filters: { "lead.deleted": filter } })).event_filters, {
      "lead.deleted": filter,
    });
    assert.equal((await acme.put(path, { event_filters: null })).event_filters, null);
  });

  test("have filters that cost little: every event is compared with all of them", async () => {
    const acme = await organization();
    const post = (status: number, ...filters: object[]) => {
      const body = { url, events: ["lead.*"], event_filters: { "lead.*": { type: "or", filters } } };
      return status === 400 ? acme.refused(400, "POST", "/webhook/", body, "event_filters") : acme.post("/webhook/", body);
    };
    const contains = (length: number) => ({ type: "contains", value: "a".repeat(length) });
    const many = (count: number) => Array.from({ length: count }, () => contains(1));

    const at = (filter: object) => ({ type: "field_accessor", field: "data", filter });
    await post(201, ...many(50));
    await post(201, ...many(50).map(at));
    await post(400, ...many(50).map(at).map(at).map(at));
    const refusal = await post(400, ...many(51));
    assert.match(refusal["field-errors"].event_filters, /^have 51 conditions together, and may have 50/);
    await post(201, contains(255));
    await post(400, contains(256));
  });

  test("have filters that can be understood", async () => {
    const acme = await organization();
    const post = (event_filters: unknown, field: string) =>
      acme.refused(400, "POST", "/webhook/", { url, events, event_filters }, field);

    await post({ "lead.updated": { type: "is_null" } }, "event_filters.lead.updated");
    await post({ "lead.created": { type: "regex" } }, "event_filters.lead.created.type");
    await post({ "lead.created": { type: "not", filter: { type: "equals" } } }, "event_filters.lead.created.filter.value");
    await post({ "lead.created": 5 }, "event_filters.lead.created");
    await post([], "event_filters");
  });
});

describe("a webhook", () => {
  test("remembers who paused it, and starts afresh when it is set active", async () => {
    const acme = await organization();
    const webhook = await create(acme);
    const path = `/webhook/${webhook.id}/`;
    const paused = await acme.put(path, { status: "paused" });
    await acme.service.app.db.unscopedTransaction(async (tx) =>
      tx.write({
        text: `update webhook set pause_reason = 'failures', failing_since = now(), latest_error = 'timed out', failed = 7, delivered = 3
               where organization_id = $1 and id = $2`,
        values: [acme.id, webhook.id],
      }),
    );

    const active = await acme.put(path, { status: "active" });

    assert.equal(paused.pause_reason, "api");
    assert.equal(paused.health_status, "paused");
    assert.equal(active.pause_reason, null);
    assert.equal(active.latest_error, null);
    assert.equal(active.health_status, "healthy");
    assert.deepEqual(active.counters, { pending: 0, delivered: 3, failed: 0 });
    await acme.refused(400, "PUT", path, { status: "disabled" }, "status");
  });

  test("says what it is for, in words that can be changed", async () => {
    const acme = await organization();
    const { id, description, include_bulk } = await create(acme, { description: "Tells the warehouse", include_bulk: false });

    const changed = await acme.put(`/webhook/${id}/`, { description: null, include_bulk: true });

    assert.deepEqual([description, include_bulk], ["Tells the warehouse", false]);
    assert.deepEqual([changed.description, changed.include_bulk], [null, true]);
    await acme.refused(400, "PUT", `/webhook/${id}/`, { description: "x".repeat(1001) }, "description");
    await acme.refused(400, "PUT", `/webhook/${id}/`, { include_bulk: "some" }, "include_bulk");
  });

  test("is found by status and url", async () => {
    const acme = await organization();
    const webhook = await create(acme, { status: "paused", url: "https://other.example/" });
    await create(acme);

    for (const filter of ["status=paused", `url=${encodeURIComponent("https://other.example/")}`])
      assert.deepEqual(
        (await acme.get(`/webhook/?${filter}`)).data.map((one: any) => one.id),
        [webhook.id],
      );
    assert.equal(webhook.pause_reason, "api");
  });

  test("belongs to the member who created it; admins see all", async () => {
    const acme = await organization();
    const [member, other] = [await acme.member(), await acme.member()];
    const mine = await create(member);
    const path = `/webhook/${mine.id}/`;
    await create(acme);

    await other.refused(404, "GET", path);
    await other.refused(404, "PUT", path, { status: "paused" });
    await other.refused(404, "DELETE", path);

    assert.deepEqual(
      (await member.get("/webhook/")).data.map((one: any) => one.id),
      [mine.id],
    );
    assert.equal((await acme.get("/webhook/")).data.length, 2);
    assert.equal((await acme.put(path, { status: "paused" })).status, "paused");
    await acme.delete(path);
    await member.refused(404, "GET", path);
  });

  test("and its deliveries are nothing for agents: what one sets up here would tell of everything to an address of its choice", () => {
    const below = operations.filter(({ path }) => path.startsWith("/webhook/"));

    assert.ok(below.length >= 10, "operations were found");
    assert.deepEqual(
      below.filter(({ mcp }) => mcp).map(({ name }) => name),
      [],
    );
  });
});
