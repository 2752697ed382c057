// Workers that end in the middle of runs. In the end every run is over, and what its steps write in the database is there exactly once.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { chain, published } from "../support/automations.ts";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import { receiver } from "../support/receiver.ts";
import { type Service, startService } from "../support/service.ts";
import { type MailServer, startMailServer } from "../support/smtp.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound, startWorker, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let mail: MailServer;
before(async () => {
  service = await startService();
  mail = await startMailServer();
});
after(async () => {
  await service.close();
  await mail.close();
});
afterEach(() => {
  service.clock.now = null;
});

const count = 5;

/** Leads whose runs write a note for each element of a list, with a wait after each. */
async function given(): Promise<{ acme: Workspace; made: any; leads: any[] }> {
  const acme = await organization(service);
  const steps = {
    s1: { type: "loop", config: { items: ["First", "Second"], max: 9 }, ports: { each: "s2", done: null } },
    s2: { type: "note.create", config: { note: { $template: "{{ item }}" } }, ports: { out: "s3" } },
    s3: { type: "wait.duration", config: { amount: 1, unit: "minutes" }, ports: { out: "s1" } },
  };
  const made = await published(acme, { start: "s1", steps });
  const leads = [];
  for (let i = 0; i < count; i++) leads.push(await acme.lead());
  return { acme, made, leads };
}

/** Two other workers, by whose clocks the dead worker's claims and the runs' waits are over. */
const later = (acme: Workspace, made: any): Promise<void> =>
  finishLater(service, async () => {
    const runs = await acme.all(`/automations/${made.id}/runs/`);
    return runs.length === count && runs.every(({ status }) => status === "completed");
  });

async function checkOnce(acme: Workspace, leads: readonly any[]): Promise<void> {
  for (const lead of leads) {
    const notes = (await acme.get(`/activity/note/?lead_id=${lead.id}`)).data.map((one: any) => one.note).sort();
    assert.deepEqual(notes, ["First", "Second"]);
  }
  const runs = await acme.all("/automation_runs/");
  for (const { id } of runs) {
    const { steps } = await acme.get(`/automation_runs/${id}/`);
    assert.deepEqual(
      steps.map((step: any) => [step.step_id, step.status]),
      ["s1", "s2", "s3", "s1", "s2", "s3", "s1"].map((step) => [step, "succeeded"]),
    );
  }
}

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "while it starts runs": { before: "consumer.move" },
  "between what a step writes and where the run goes on": { before: "automation_step_run.insert", nth: 2 },
  "after a step, before the next one": { after: "automation_step_run.insert" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} leaves nothing undone, and nothing done twice`, async () => {
    const { acme, made, leads } = await given();
    const doomed = await startWorker({ databaseUrl: service.databaseUrl, dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await later(acme, made);

    await checkOnce(acme, leads);
  });

/** One run that asks another service and then writes an e-mail, by a worker that dies, and by one in this process that goes on. */
async function outreach(dies: NonNullable<WorkerSettings["dies"]>) {
  const outbound = await outboundService();
  const acme = await organization(outbound);
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: mail.smtp });
  const address = `ann@${acme.id.replace("_", "-")}.example`;
  const person = await acme.contact({ name: "Ann", emails: [{ email: address }] });
  const there = await receiver();
  const graph = chain(
    ["http.request", { method: "POST", url: there.url, body: { at: { $ref: "now" } } }],
    ["email.send", { to: person.id, subject: "Hi", body: "Hello" }],
  );
  const made = await published(acme, graph, { trigger: { type: "manual", config: {} } });
  const { id } = await acme.post(`/automations/${made.id}/run/`, { record_id: person.lead_id });
  const doomed = await startOutbound(outbound, { dies });
  assert.equal(await doomed.ended, "SIGKILL");

  const mails = async () => (await acme.get(`/activity/email/?lead_id=${person.lead_id}`)).data;
  await finishLater(outbound, async () => (await mails())[0]?.status === "sent");
  return { run: await acme.get(`/automation_runs/${id}/`), there, mails: await mails(), got: mail.to(address) };
}

const outreachPlaces: Record<string, [NonNullable<WorkerSettings["dies"]>, asked: number, told: string[]]> = {
  "before it keeps what it will ask": [{ before: "automation_step_run.insert" }, 1, []],
  "before it asks": [{ after: "automation_step_run.insert" }, 1, ["answer_lost"]],
  "between the answer and our receipt": [{ before: "automation_step_run.settle" }, 2, ["answer_lost"]],
  "between an e-mail and its step": [{ before: "automation_step_run.insert", nth: 2 }, 1, []],
};

for (const [place, [dies, asked, told]] of Object.entries(outreachPlaces))
  test(`a worker that is killed ${place} has the same asked with the same id, and the mail sent once`, async () => {
    const { run, there, mails, got } = await outreach(dies);

    assert.equal(there.received.length, asked);
    assert.deepEqual(
      run.steps[0].attempts.map(({ error }: any) => error.code),
      told,
    );
    assert.equal(new Set(there.received.map(({ headers, text }) => `${headers["webhook-id"]} ${text}`)).size, 1);
    assert.equal(there.received[0]!.headers["webhook-id"], run.steps[0].id);
    assert.deepEqual([run.status, run.steps.map((step: any) => step.status)], ["completed", ["succeeded", "succeeded"]]);
    assert.deepEqual([mails.length, got.length], [1, 1]);
  });
