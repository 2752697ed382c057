// Steps that talk to people.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import { receiver } from "../../../../test/support/receiver.ts";
import { acmePage, website } from "../../../../test/support/website.ts";
import type { StepExample } from "./example.ts";

const tagged = (tag: string): [string, object] => ["tag.change", { tag, change: "add" }];

const phones = [{ phone: "+12125559876", type: "mobile" }];

/** The only message of a kind at the lead. */
async function only(acme: Workspace, kind: string, lead: any): Promise<any> {
  const { data } = await acme.get(`/activity/${kind}/?lead_id=${lead.id}`);
  assert.equal(data.length, 1, kind);
  return data[0];
}

/** Ann, whom the messages go to. */
const ann = (acme: Workspace, { id }: any) =>
  acme.contact({ lead_id: id, name: "Ann Lee", phones, emails: [{ email: `${id}@client.example` }] });

const to = { $ref: "record" };

/** A sequence whose first step is far away, and these verbs one after the other. */
async function inSequence(acme: Workspace, lead: any, ...verbs: string[]): Promise<any> {
  await ann(acme, lead);
  const steps = [{ step_type: "task", text: "Write", delay: { amount: 30, unit: "days" } }];
  const { id } = await acme.post("/sequence/", { name: "S", timezone: "UTC", steps });
  return chain(...verbs.map((verb): [string, object] => [`sequence.${verb}`, { sequence_id: id, contact: to }]));
}

async function sequenceIs(acme: Workspace, lead: any, run: any, branches: string[], status: string): Promise<void> {
  assert.deepEqual(
    run.steps.map((step: any) => step.branch),
    branches,
    JSON.stringify(run.steps),
  );
  const { data } = await acme.get(`/sequence_subscription/?lead_id=${lead.id}`);
  assert.deepEqual(
    data.map((one: any) => one.status),
    [status],
  );
}

export const outreachExamples: Record<string, StepExample> = {
  "email.send": {
    async graph(acme, lead) {
      await ann(acme, lead);
      const smtp = { host: "93.184.216.34", password: "secret" };
      await acme.post("/connected_account/", { email: `${lead.id.toLowerCase()}@acme.example`, smtp });
      const body = { $template: "<p>Dear {{ contact.first_name }} of {{ record.name }}</p>" };
      return chain(["email.send", { to, subject: "Hello {{ contact.first_name }}", body, thread: "new" }]);
    },
    async check(acme, lead, run) {
      const { subject, body_text, automation_run_id } = await only(acme, "email", lead);
      assert.deepEqual([subject, body_text, automation_run_id], ["Hello Ann", `Dear Ann of ${lead.name}`, run.id]);
    },
  },
  "email.draft": {
    async graph(acme, lead) {
      const { id } = await ann(acme, lead);
      const template = await acme.post("/email_template/", { name: "Hi", subject: "Hi {{ contact.name }}", body: "<p>Mail</p>" });
      return chain(["email.draft", { to: id, template_id: template.id }]);
    },
    async check(acme, lead) {
      const { status, subject, to } = await only(acme, "email", lead);
      assert.deepEqual([status, subject, to], ["draft", "Hi Ann Lee", [`"Ann Lee" <${lead.id}@client.example>`]]);
    },
  },
  "mailing_export.push": {
    async graph(acme, lead) {
      await ann(acme, lead);
      const { url } = await receiver();
      return chain(["mailing_export.push", { platform: "webhook", config: { url } }]);
    },
    async check(acme, lead, run) {
      const { output, status } = run.steps[0];
      const pushed = await acme.get(`/mailing_export/${output.mailing_export_id}/`);
      assert.deepEqual([status, output.pushed, pushed.n_pushed, pushed.automation_run_id], ["succeeded", true, 1, run.id]);
      const { data } = await acme.get(`/contact/?lead_id=${lead.id}`);
      assert.equal(output.contact_id, data[0].id);
    },
  },
  "enrich.run": {
    async graph(acme, lead) {
      const { url } = await website(acmePage);
      await acme.put(`/lead/${lead.id}/`, { url });
      const graph = chain(["enrich.run", { target: { $ref: "record" }, fields: ["description"] }], tagged("looked up"));
      graph.steps.s1.ports = { done: "s2", no_match: null, timeout: null };
      return graph;
    },
    async check(acme, lead, run) {
      const { description, tags } = await acme.get(`/lead/${lead.id}/`);
      assert.deepEqual([description, tags], ["We build rockets & ramps.", ["looked up"]]);
      assert.deepEqual([run.steps[0].branch, run.steps[0].output.fields_updated], ["done", ["description"]]);
    },
  },
  "sms.send": {
    async graph(acme, lead) {
      await ann(acme, lead);
      const { id } = await acme.post("/phone_number/", { number: "+12125551234" });
      return chain(["sms.send", { to, from_number: id, text: "Hi {{ contact.first_name }}" }]);
    },
    async check(acme, lead) {
      const { text, remote_phone, local_phone } = await only(acme, "sms", lead);
      assert.deepEqual([text, remote_phone, local_phone], ["Hi Ann", "+12125559876", "+12125551234"]);
    },
  },
  "message.send": {
    async graph(acme, lead) {
      await ann(acme, lead);
      const text = "Hi {{ contact.first_name }}";
      return chain(["message.send", { to, channel: "whatsapp", text }], ["message.send", { to, channel: "sms", text }]);
    },
    async check(acme, lead) {
      assert.equal((await only(acme, "sms", lead)).text, "Hi Ann");
      const { text, channel, automation_run_id } = await only(acme, "channel_message", lead);
      assert.deepEqual([text, channel, automation_run_id !== null], ["Hi Ann", "whatsapp", true]);
    },
  },
  "call.task": {
    async graph(acme, lead) {
      await ann(acme, lead);
      return chain(["call.task", { to, assigned_to: acme.userId, due: { amount: 2, unit: "days" } }]);
    },
    async check(acme, lead) {
      const [task] = (await acme.get(`/task/?lead_id=${lead.id}&_type=call`)).data;
      assert.deepEqual([task.text, task.assigned_to, task._type], ["Call Ann Lee", acme.userId, "call"]);
    },
  },
  "dialer.add": {
    async graph(acme, lead) {
      await ann(acme, lead);
      const first = await acme.lead({ contacts: [{ name: "Bob", phones }] });
      const { id } = await acme.post("/dialer/", { name: lead.id, lead_ids: [first.id] });
      const add = { dialer_id: id, contact: to };
      return chain(["dialer.add", add], ["dialer.add", add]);
    },
    async check(acme, lead, run) {
      const { n_leads, lead_ids } = (await acme.all("/dialer/")).find((one) => one.name === lead.id);
      assert.deepEqual([n_leads, lead_ids.at(-1)], [2, lead.id]);
      assert.deepEqual(
        run.steps.map(({ output }: any) => output.added),
        [true, false],
      );
    },
  },
  "sequence.subscribe": {
    graph: async (acme, lead) => inSequence(acme, lead, "subscribe", "subscribe"),
    async check(acme, lead, run) {
      await sequenceIs(acme, lead, run, ["out", "skipped"], "active");
      const [way] = (await acme.get(`/sequence_subscription/?lead_id=${lead.id}`)).data;
      assert.deepEqual([way.automation_run_id, run.steps[1].output], [run.id, { reason: "already_subscribed", id: way.id }]);
    },
  },
  "sequence.pause": {
    graph: async (acme, lead) => inSequence(acme, lead, "subscribe", "pause"),
    check: (acme, lead, run) => sequenceIs(acme, lead, run, ["out", "out"], "paused"),
  },
  "sequence.resume": {
    graph: async (acme, lead) => inSequence(acme, lead, "subscribe", "pause", "resume"),
    check: (acme, lead, run) => sequenceIs(acme, lead, run, ["out", "out", "out"], "active"),
  },
  "sequence.unsubscribe": {
    graph: async (acme, lead) => inSequence(acme, lead, "subscribe", "unsubscribe", "unsubscribe"),
    check: (acme, lead, run) => sequenceIs(acme, lead, run, ["out", "out", "skipped"], "finished"),
  },
  "http.request": {
    async graph() {
      const { url } = await receiver((got, response) => response.end(JSON.stringify({ data: { id: got.body.name } })));
      const body = { name: { $ref: "record.name" } };
      return chain(["http.request", { method: "POST", url, body, response_map: { their_id: "data.id" } }]);
    },
    check(_acme, lead, run) {
      const [{ branch, output, effect }] = run.steps;
      assert.deepEqual([branch, output.status, output.their_id, effect.state], ["out", 200, lead.name, "done"]);
    },
  },
  "notify.user": {
    graph: (acme) => chain(["notify.user", { to: [acme.userId], text: { $template: "Look at {{ record.name }}" } }]),
    check: async (acme, lead) => {
      const [told] = (await acme.get("/notification/?type=automation")).data;
      assert.deepEqual([told.title, told.object_id], [`Look at ${lead.name}`, lead.id]);
    },
  },
};
