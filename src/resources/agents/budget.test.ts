// What a budget promises: however a key or a connection is used, and however often at once, it does no more than that.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../../test/support/agent.ts";
import { Client } from "../../../test/support/client.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { connectModel, json, startModel } from "../../../test/support/model.ts";
import { OauthClient } from "../../../test/support/oauth_client.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { service } from "../../../test/support/service.ts";

/** A key of its own with a budget. */
async function bounded(acme: Workspace, limits: object): Promise<{ robot: Client; budget: any }> {
  const { id, key } = await acme.post("/api_key/", { name: "Robot" });
  const budget = await acme.post("/budget/", { holder_id: id, ...limits });
  return { robot: new Client(acme.service, key), budget };
}

const leadsOf = async (acme: Workspace): Promise<number> => (await acme.get("/lead/?_count=exact")).total_results;

describe("a budget", () => {
  test("ends writes by REST and by tools with the same words until the hour is over, and no reads", async () => {
    (await service()).clock.now = new Date("2031-05-05T10:20:00.000Z");
    const acme = await organization();
    const { robot, budget } = await bounded(acme, { writes_per_hour: 4 });
    const agent = await agentOf(robot as Workspace, { scope: "write_safe" });
    const create = { object_type: "task", data: { lead_id: (await acme.lead()).id, text: "Call" } };
    for (let i = 0; i < 2; i++) await robot.post("/task/", create.data);
    for (let i = 0; i < 2; i++) assert.equal((await agent.call("create_record", create)).isError, undefined);

    const refused = await robot.ask("POST", "/task/", { body: create.data });
    const told = await agent.call("create_record", create);
    const tried = await robot.ask("POST", "/task/?dry_run=true", { body: create.data });
    const triedByTool = await agent.call("create_record", { ...create, dry_run: true });

    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "2400"]);
    assert.equal(
      refused.body.error,
      "The budget of this key is used up: 4 writes per hour, until 2031-05-05T11:00:00.000Z. An admin can raise it.",
    );
    assert.deepEqual(refused.body["field-errors"], { writes_per_hour: "would be more than 4" });
    for (const one of [told.structuredContent, tried.body, triedByTool.structuredContent]) assert.deepEqual(one, refused.body);
    assert.equal((await robot.get("/task/")).data.length, 4);
    const { data } = await acme.get(`/budget/${budget.id}/use/`);
    assert.deepEqual(data, [{ name: "writes_per_hour", used: 4, limit: 4, resets_at: "2031-05-05T11:00:00.000Z" }]);
    (await service()).clock.now = new Date("2031-05-05T11:00:00.000Z");
    await robot.post("/task/", create.data);
  });

  test("holds for calls at the same time, and tries and repetitions use nothing of it", async () => {
    const acme = await organization();
    const { robot } = await bounded(acme, { writes_per_day: 4 });
    for (let i = 0; i < 3; i++) await robot.ask("POST", "/lead/?dry_run=true", { body: { name: "Tried" } });
    for (let i = 0; i < 3; i++) await robot.post("/lead/", { name: "Once" }, { "idempotency-key": "one" });

    const answers = await Promise.all(Array.from({ length: 8 }, () => robot.ask("POST", "/lead/", { body: { name: "Many" } })));

    const done = answers.filter(({ status }) => status === 201).length;
    assert.equal(done, 3);
    assert.ok(answers.every(({ status }) => status === 201 || status === 429));
    assert.equal(await leadsOf(acme), 4);
  });

  test("counts all that a deletion takes along, and the records of bulk work before it begins", async () => {
    const acme = await organization();
    const { robot, budget } = await bounded(acme, { writes_per_day: 9, deletes_per_day: 4 });
    const leads = [];
    for (let i = 0; i < 5; i++) leads.push((await acme.lead()).id);
    for (let i = 0; i < 4; i++) await acme.task({ lead_id: leads[0] });

    await robot.refused(429, "DELETE", `/lead/${leads[0]}/`, undefined, "deletes_per_day");
    for (let i = 0; i < 2; i++) await robot.ask("POST", "/bulk_action/delete/", { body: { all: true, dry_run: true } });
    await robot.refused(429, "POST", "/bulk_action/delete/", { all: true }, "deletes_per_day");
    const { data: used } = await acme.get(`/budget/${budget.id}/use/`);
    assert.deepEqual(
      used.map(({ name, used }: { name: string; used: number }) => [name, used]),
      [
        ["writes_per_day", 0],
        ["deletes_per_day", 0],
      ],
    );
    assert.equal(await leadsOf(acme), 5);
    assert.deepEqual((await acme.get("/bulk_action/")).data, []);
    await robot.delete(`/lead/${leads[1]}/`);
  });

  test("counts the rows of an import when it begins, what its revert takes back, and all messages of a sequence", async () => {
    const acme = await organization();
    const { robot } = await bounded(acme, { writes_per_day: 3, messages_per_day: 3 });
    const { id: account } = await acme.post("/connected_account/", {
      email: "ada@acme.example",
      smtp: { host: "93.184.216.34", password: "secret" },
    });
    const mail = { step_type: "email", subject: "Hello", body: "Hello" };
    const steps = [mail, { ...mail, delay: 86_400 }, { step_type: "call" }];
    const sequence = await acme.post("/sequence/", { name: "Three", timezone: "UTC", status: "active", steps });
    const enrolled = async () => ({
      sequence_id: sequence.id,
      sender_account_id: account,
      contact_id: (await acme.contact({ emails: [{ email: `${Math.random()}@client.example` }] })).id,
    });
    const draft = await acme.post("/import/", { rows: ["A", "B", "C", "D"].map((Name) => ({ Name })) });

    await robot.refused(429, "PUT", `/import/${draft.id}/`, { mapping: { Name: "name" } }, "writes_per_day");
    await robot.post("/sequence_subscription/", await enrolled());
    await robot.refused(429, "POST", "/sequence_subscription/", await enrolled(), "messages_per_day");

    assert.equal((await acme.get(`/import/${draft.id}/`)).status, "draft");
    assert.equal((await acme.get("/sequence_subscription/")).data.length, 1);
  });

  test("misses no write: what runs in no transaction only reads, or is undone", async () => {
    const { registry } = (await service()).app.core;

    const outside = registry.operations.filter(({ method, transaction }) => method !== "GET" && !transaction);

    assert.ok(outside.length > 5);
    const wider = outside.filter(({ scope }) => scope !== "read").map(({ name }) => name);
    assert.deepEqual(wider, ["automations.simulate"]);
  });

  test("of fifty messages an hour is there for tools where none is set, and an admin sets another", async () => {
    (await service()).clock.now = new Date("2031-05-06T10:20:00.000Z");
    const acme = await organization();
    await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
    const { id, key } = await acme.post("/api_key/", { name: "Agent" });
    const robot = new Client(acme.service, key);
    const agent = await agentOf(robot as Workspace, { scope: "write_destructive" });
    const emails = Array.from({ length: 51 }, (_, i) => ({ email: `ann${i}@client.example` }));
    for (const email of emails) await acme.contact({ emails: [email] });
    const { id: template_id } = await acme.post("/email_template/", { name: "Hello", subject: "Hello", body: "Hello" });
    const all = { action: "email", data: { template_id, all: true } };
    const mail = { contact_id: (await acme.get("/contact/?_limit=1")).data[0].id, subject: "Hello", body_text: "Hello" };

    const many = await agent.call("start_bulk_action", { ...all, confirm: 51 });
    await acme.post("/budget/", { holder_id: id, messages_per_hour: 51 });
    const more = await agent.call("start_bulk_action", { ...all, confirm: 51 });
    const one = await agent.call("send_email", mail);

    assert.match(
      many.structuredContent.error,
      /^The budget of this key is used up: 50 messages per hour, until 2031-05-06T11:00/,
    );
    assert.equal(more.isError, undefined, JSON.stringify(more.structuredContent));
    assert.match(one.structuredContent.error, /: 51 messages per hour, until /);
    await acme.post("/activity/email/", { ...mail, status: "outbox" });
  });

  test("bounds the messages of a connection, drafts aside", async () => {
    const acme = await organization();
    await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
    const client = await OauthClient.register(acme.service);
    const tokens = await client.connect(acme, { scope: "read write_safe", resource: "http://localhost/mcp" });
    const agent = await agentOf(acme, { token: tokens.access_token });
    await agent.call("list_object_types");
    await acme.post("/budget/", { holder_id: await connectionOf(acme), messages_per_day: 1 });
    const contact = await acme.contact({ emails: [{ email: "ann@client.example" }] });
    const mail = { contact_id: contact.id, subject: "Hello", body_text: "Hello" };

    const toTwo = { ...mail, data: { bcc: ["ann@client.example", (await acme.get("/me/")).email] } };
    const many = await agent.call("send_email", { ...toTwo, to: ["ann@client.example"] });
    assert.match(many.structuredContent.error, /1 messages per day/, "one for each recipient");
    const first = await agent.call("send_email", mail);
    const draft = await agent.call("create_record", { object_type: "activity/email", data: mail });
    const second = await agent.call("send_email", mail);

    assert.deepEqual([first.isError, draft.isError, second.isError], [undefined, undefined, true]);
    assert.match(second.structuredContent.error, /^The budget of this connection is used up: 1 messages per day, until /);
    const later = await client.connect(acme, { scope: "read write_safe", resource: "http://localhost/mcp" });
    const again = await (await agentOf(acme, { token: later.access_token })).call("send_email", mail);
    assert.match(again.structuredContent.error, /1 messages per day/, "it consented again");
    await acme.refused(400, "POST", "/budget/", { holder_id: "grant_nobody", writes_per_day: 1 }, "holder_id");
  });

  test("bounds the tokens of a model, and gives back what a call did not cost", async () => {
    const acme = await organization(await outboundService());
    const model = await startModel(() => json({ summary: "A yard in Kiel." }));
    await connectModel(acme, model);
    const { robot, budget } = await bounded(acme, { ai_tokens_per_day: 50_000 });
    const { id: lead_id } = await acme.lead();

    await robot.post("/ai/summarize_lead/", { lead_id });
    const { data } = await acme.get(`/budget/${budget.id}/use/`);
    await acme.put(`/budget/${budget.id}/`, { ai_tokens_per_day: 150 });
    await robot.refused(429, "POST", "/ai/summarize_lead/", { lead_id }, "ai_tokens_per_day");

    assert.deepEqual([data[0].name, data[0].used], ["ai_tokens_per_day", 100]);
    assert.equal((await robot.post("/ai/summarize_lead/", { lead_id, model: "rules" })).model, "rules");
  });

  test("is set by admins, and neither widened nor left by whom it bounds", async () => {
    const acme = await organization();
    const { robot, budget } = await bounded(acme, { writes_per_hour: 100 });
    const member = await acme.member();

    await robot.refused(403, "PUT", `/budget/${budget.id}/`, { writes_per_hour: null });
    await robot.refused(403, "DELETE", `/budget/${budget.id}/`);
    await robot.refused(403, "POST", "/api_key/", { name: "Another" });
    await robot.refused(403, "POST", "/organization/", { name: "Another" });
    const trigger = { type: "record.created", config: { object_type: "lead" } };
    const acts = { name: "Acts", trigger, actions: [{ type: "create_task", config: { text: "x" } }] };
    await robot.refused(403, "POST", "/automation/", { ...acts, status: "active" });
    const { id } = await robot.post("/automation/", { ...acts, status: "draft" });
    await robot.refused(403, "PUT", `/automation/${id}/`, { status: "active" });
    await robot.refused(403, "POST", "/sequence/", { name: "Sends", timezone: "UTC", steps: [{ step_type: "call" }] });
    await acme.put(`/automation/${id}/`, { status: "active" });
    const { key } = await acme.post("/api_key/", { name: "Safe", scopes: ["read", "write_safe"] });
    const safe = new Client(acme.service, key);
    const config = { target: { $ref: "trigger.record.id" } };
    const graph = { start: "gone", steps: { gone: { type: "record.delete", config, ports: { out: null } } } };
    const killer = await safe.post("/automations/", { name: "Deletes", trigger, graph });
    await safe.refused(403, "POST", `/automations/${killer.id}/publish/`);
    assert.equal((await acme.post(`/automations/${killer.id}/publish/`)).status, "active");
    await member.refused(403, "GET", "/budget/");
    await acme.refused(400, "POST", "/budget/", { holder_id: "apikey_no", writes_per_day: 1 }, "holder_id");
    await acme.put(`/budget/${budget.id}/`, { writes_per_hour: 0 });
    await robot.refused(429, "POST", "/lead/", { name: "X" }, "writes_per_hour");
    await acme.delete(`/budget/${budget.id}/`);
    await robot.post("/lead/", { name: "X" });
  });
});

/** The id of a person's only connection. */
async function connectionOf({ service: on, userId }: Workspace): Promise<string> {
  const [row] = await on.app.db.unscoped({ text: "select id from client_grant where user_id = $1", values: [userId] });
  return row![0]!;
}
