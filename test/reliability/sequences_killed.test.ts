// Workers that end while they take the steps of sequences. In the end everybody got each mail once at most, and every subscription
// went on to its end or says why not.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import type { Service } from "../support/service.ts";
import { type MailServer, startMailServer } from "../support/smtp.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let server: MailServer;
let acme: Workspace;
let ways: { id: string; email: string }[];

before(async () => {
  service = await outboundService();
  server = await startMailServer();
});
after(() => server?.close());
beforeEach(async () => {
  acme = await organization(service);
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: server.smtp });
  const steps = ["One", "Two"].map((subject) => ({ step_type: "email", subject, body: "<p>Hello</p>" }));
  const task = { step_type: "task", text: "Call them" };
  const made = await acme.post("/sequence/", { name: "Outreach", steps: [...steps, task] });
  ways = [];
  for (let i = 0; i < 5; i++) {
    const email = `${acme.id.slice(-8)}-${i}@client.example`;
    const person = await acme.contact({ emails: [{ email }] });
    const { id } = await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id: person.id });
    ways.push({ id, email });
  }
});
afterEach(() => {
  service.clock.now = null;
});

const shown = () => Promise.all(ways.map(({ id }) => acme.get(`/sequence_subscription/${id}/`)));
const gotBy = (email: string) => server.to(email).map(({ subject }) => subject);

for (const [place, dies, isCertain] of [
  ["after a step was written, and before its mail leaves", { after: "sequence_step_taken.note" }, true],
  ["between the server's answer and the receipt", { before: "email.lock_to_send", nth: 6 }, false],
  ["after the receipt, and before the next step", { after: "mailbox_day.take" }, false],
] as [string, NonNullable<WorkerSettings["dies"]>, boolean][])
  test(`a worker that is killed ${place} sends nothing twice, and leaves no step behind`, async () => {
    const doomed = await startOutbound(service, { dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await finishLater(service, async () => (await shown()).every(({ status }) => status !== "active"));

    for (const [i, way] of (await shown()).entries()) {
      const got = gotBy(ways[i]!.email);
      assert.equal(new Set(got).size, got.length, `${ways[i]!.email} got ${got}`);
      if (way.status === "finished") assert.deepEqual(got, ["One", "Two"]);
      else assert.match(`${way.status} ${way.error_message}`, /^error It may have been sent/);
      if (isCertain) assert.equal(way.status, "finished");
      const tasks = await acme.get(`/task/?lead_id=${way.lead_id}`);
      assert.equal(tasks.data.length, way.status === "finished" ? 1 : 0);
    }
  });
