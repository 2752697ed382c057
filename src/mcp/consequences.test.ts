// What an agent without the widest scope has done for it: by a message inside another record, by what acts by itself, by an automation
// that a person made, by work in the background.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Agent, agentOf } from "../../test/support/agent.ts";
import { chain, published } from "../../test/support/automations.ts";
import { Client } from "../../test/support/client.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { type Service, service } from "../../test/support/service.ts";
import { withWorker } from "../../test/support/worker.ts";

let on: Service;
before(async () => {
  on = await service();
});

const work = () => withWorker(on, (worker) => worker.drained());

async function given(): Promise<{ acme: Workspace; safe: Agent; wide: Agent; account: any }> {
  const acme = await organization(on);
  const account = await acme.post("/connected_account/", {
    email: "ada@acme.example",
    smtp: { host: "93.184.216.34", password: "secret" },
  });
  const robot = new Client(acme.service, (await acme.post("/api_key/", { name: "Agent" })).key);
  const [safe, wide] = [await agentOf(robot, { scope: "write_safe" }), await agentOf(robot, { scope: "write_destructive" })];
  return { acme, safe, wide, account };
}

const adds = async (agent: Agent, email: string, more: object = {}): Promise<string> =>
  (await agent.call("create_record", { object_type: "contact", data: { name: "New", emails: [{ email }], ...more } }))
    .structuredContent.record.id;

const isRefused = ({ isError }: { isError?: boolean }): boolean => isError === true;

test("a message that comes inside a conversation goes to nobody whom the agent added, and counts among those of the hour", async () => {
  const { acme, safe } = await given();
  const known = (await acme.contact({ emails: [{ email: "ann@client.example" }] })).id;
  const spy = await adds(safe, "spy@evil.example");
  const writes = (contact_id: string) =>
    safe.call("create_record", {
      object_type: "conversation",
      data: { contact_id, subject: "x", message: { type: "email", status: "outbox", body: "secret" } },
    });

  const toSpy = await writes(spy);
  const results = [];
  for (let i = 0; i < 51; i++) results.push(isRefused(await writes(known)));
  await acme.put(`/organization/${acme.id}/`, { settings: { mcp: { require_destructive_for_send: true } } });
  const kept = await writes(known);

  assert.ok(isRefused(toSpy), JSON.stringify(toSpy.structuredContent));
  assert.deepEqual([results.slice(0, 50).includes(true), results[50]], [false, true]);
  assert.match(kept.structuredContent.error, /only with the scope write_destructive/);
});

test("a rule of the inbox is written switched off, and enrolling takes nobody whom the agent added", async () => {
  const { acme, safe, account } = await given();
  const rule = { name: "fw", conditions: [{ field: "subject", operator: "contains", value: "a" }] };
  const actions = [{ type: "forward_to", value: ["evil@evil.example"] }];
  const template = await acme.post("/email_template/", { name: "Hello", is_shared: true, subject: "Hi", body: "Hi" });
  const sequence = await acme.post("/sequence/", { name: "S", steps: [{ step_type: "email", email_template_id: template.id }] });
  const known = (await acme.contact({ emails: [{ email: "ann@client.example" }] })).id;
  const spy = await adds(safe, "spy@evil.example");
  const enrols = (contact_id: string) =>
    safe.call("enroll_in_sequence", { sequence_id: sequence.id, contact_id, data: { sender_account_id: account.id } });

  const live = await safe.call("create_record", { object_type: "inbox_rule", data: { ...rule, actions } });
  const off = await safe.call("create_record", { object_type: "inbox_rule", data: { ...rule, actions, is_enabled: false } });
  const enrolled = [await enrols(spy), await enrols(known)];

  assert.deepEqual([live, off, ...enrolled].map(isRefused), [true, false, true, false], JSON.stringify(enrolled));
});

test("the words that something in force sends are changed, and its steps taken away, only with the widest scope", async () => {
  const { acme, safe, wide } = await given();
  const [used, other] = [
    await acme.post("/email_template/", { name: "Used", is_shared: true, subject: "Hi", body: "Hi" }),
    await acme.post("/email_template/", { name: "Other", is_shared: true, subject: "Hi", body: "Hi" }),
  ];
  const text = await acme.post("/sms_template/", { name: "Text", is_shared: true, text: "Hi" });
  const sequence = await acme.post("/sequence/", { name: "S", steps: [{ step_type: "email", email_template_id: used.id }] });
  const trigger = { type: "manual", config: { object_type: "contact" } };
  const number = await acme.post("/phone_number/", { number: "+12125550177" });
  const sms = chain(["sms.send", { to: { $ref: "record" }, from_number: number.id, template_id: text.id }]);
  await published(acme, sms, { trigger });
  const set = (agent: Agent, object_type: string, id: string, data: object) =>
    agent.call("update_record", { object_type, id, data });

  const refused = [
    await set(safe, "email_template", used.id, { body: "Evil" }),
    await set(safe, "sms_template", text.id, { text: "Evil" }),
    await set(safe, "sequence", sequence.id, { steps: [] }),
    await set(safe, "sequence", sequence.id, { status: "paused", steps: [] }),
  ];
  const done = [
    await set(safe, "email_template", other.id, { body: "Fine" }),
    await set(safe, "email_template", used.id, { name: "Renamed" }),
    await set(safe, "sequence", sequence.id, { name: "Renamed" }),
    await set(safe, "sequence", sequence.id, { status: "paused" }),
    await set(wide, "sms_template", text.id, { text: "Fine" }),
  ];

  assert.deepEqual(refused.map(isRefused), [true, true, true, true]);
  assert.deepEqual(
    done.map(isRefused),
    done.map(() => false),
    JSON.stringify(done.map(({ structuredContent }) => structuredContent.error)),
  );
});

test("an automation that a person made is run by an agent as far as the agent may go itself", async () => {
  const { acme, safe, wide } = await given();
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const made = (...steps: Parameters<typeof chain>) =>
    published(acme, chain(...steps), { trigger, settings: { re_enroll: "always", concurrency: { mode: "allow" } } });
  const [notes, deletes, calls] = [
    await made(["note.create", { note: "Hi" }]),
    await made(["record.delete", { target: { $ref: "record" } }]),
    await made(["http.request", { method: "POST", url: "https://example.com/", body: { a: 1 } }]),
  ];
  const starts = await made(["automation.start", { automation_id: deletes.id }]);
  const leads = await Promise.all(Array.from({ length: 21 }, () => acme.lead()));
  const ids = leads.map(({ id }) => id);
  const run = (agent: Agent, { id }: any, data: object) =>
    agent.call("create_record", { object_type: "automations/run", id, data });

  const done = [
    await run(safe, notes, { record_id: ids[0] }),
    await run(safe, notes, { record_ids: ids.slice(0, 20) }),
    await run(wide, notes, { record_ids: ids }),
    await run(wide, calls, { record_id: ids[0] }),
  ];
  const refused = [
    await run(safe, notes, { record_ids: ids }),
    await run(safe, notes, { all: true }),
    await run(safe, deletes, { record_id: ids[0] }),
    await run(safe, starts, { record_id: ids[0] }),
    await run(safe, calls, { record_id: ids[0] }),
  ];
  const { key } = await acme.post("/api_key/", { name: "Safe", scopes: ["read", "write_safe"] });
  const byRest = await acme.ask("POST", `/automations/${deletes.id}/run/`, {
    body: { record_id: ids[0] },
    headers: { authorization: `Bearer ${key}` },
  });

  assert.deepEqual(done.map(isRefused), [false, false, false, false], JSON.stringify(done.map((one) => one.structuredContent)));
  assert.deepEqual(refused.map(isRefused), [true, true, true, true, true]);
  const draft = { name: "Nested", trigger, graph: chain(["automation.start", { automation_id: deletes.id }]) };
  const nested = await acme.post("/automations/", draft);
  const published403 = await acme.ask("POST", `/automations/${nested.id}/publish/`, {
    body: {},
    headers: { authorization: `Bearer ${key}` },
  });

  assert.deepEqual([byRest.status, published403.status], [403, 403]);
});

test("what a person is asked to approve is answered by no tool", async () => {
  const { acme, wide } = await given();
  const graph = {
    start: "ask",
    steps: {
      ask: {
        type: "approve",
        config: { approvers: [acme.userId], text: "Delete?", timeout: { amount: 1, unit: "days" } },
        ports: { approved: "gone", rejected: null, timeout: null },
      },
      gone: { type: "record.delete", config: { target: { $ref: "record" } }, ports: { out: null } },
    },
  };
  const { id } = await published(acme, graph, { trigger: { type: "manual", config: { object_type: "lead" } } });
  const lead = await acme.lead();
  await acme.post(`/automations/${id}/run/`, { record_id: lead.id });
  await work();
  const [task] = (await acme.get(`/task/?lead_id=${lead.id}`)).data;

  const answered = await wide.call("update_record", {
    object_type: "task",
    id: task.id,
    data: { is_complete: true, resolution: "approved" },
  });
  const completed = await wide.call("complete_tasks", { ids: [task.id] });
  await work();

  assert.match(answered.structuredContent.error, /by a person, and by no tool/);
  assert.doesNotMatch(JSON.stringify(completed.structuredContent.done ?? []), new RegExp(task.id));
  assert.equal((await acme.ask("GET", `/lead/${lead.id}/`)).status, 200);
});

test("an import of an agent changes no records that are there, and those it brings are not known", async () => {
  const { acme, safe, wide } = await given();
  const lead = await acme.lead({ name: "Old" });
  const rows = (object_type: string, ...all: object[]) =>
    safe.call("create_record", { object_type: "import", data: { object_type, rows: all } });
  const begins = (agent: Agent, { structuredContent }: any, data: object) =>
    agent.call("update_record", { object_type: "import", id: structuredContent.record.id, data });
  const overwriting = await rows("lead", { id: lead.id, Name: "OVERWRITTEN" });
  const mapping = { id: "lead.id", Name: "lead.name" };
  const bringing = await rows("contact", { Lead: "Imp", Name: "Ivy", Email: "ivy@evil.example" });

  const safely = await begins(safe, overwriting, { mapping, options: { on_match: "update" } });
  const usually = await begins(safe, overwriting, { mapping });
  const begun = await begins(safe, bringing, {
    mapping: { Lead: "lead.name", Name: "contact.name", Email: "contact.email" },
    options: { on_match: "skip" },
  });
  await work();
  const [ivy] = (await acme.get("/contact/?email=ivy@evil.example")).data;
  const mail = { lead_id: ivy.lead_id, to: ["ivy@evil.example"], subject: "Hi", body_text: "Hi" };
  const sent = [await safe.call("send_email", mail), await wide.call("send_email", mail)];
  const own = await acme.post("/import/", {
    object_type: "contact",
    rows: [{ Lead: "Own", Name: "Owen", Email: "owen@client.example" }],
  });
  await acme.put(`/import/${own.id}/`, { mapping: { Lead: "lead.name", Name: "contact.name", Email: "contact.email" } });
  await work();
  const [owen] = (await acme.get("/contact/?email=owen@client.example")).data;
  const known = await safe.call("send_email", { ...mail, lead_id: owen.lead_id, to: ["owen@client.example"] });

  assert.deepEqual([safely, usually, begun, ...sent, known].map(isRefused), [true, true, false, true, false, false]);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).name, "Old");
});
