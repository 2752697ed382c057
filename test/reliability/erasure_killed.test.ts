// Workers that are killed while they delete an organization: others continue, nothing of it stays, and no other organization
// loses anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { digestsOf, multiply, tablesWithRowsOf } from "../support/rows.ts";
import { createdResources, sampleRecord } from "../support/samples.ts";
import { startService } from "../support/service.ts";
import { startWorker, type WorkerSettings } from "../support/worker_process.ts";

/** Records of an organization that no timer and no worker changes. */
async function someRecords(ws: Workspace): Promise<void> {
  const size = await ws.customField("lead", { type: "number" });
  const lead = await ws.lead({ contacts: [{ name: "Ann" }], [`custom.${size.id}`]: 12 });
  await ws.opportunity({ lead_id: lead.id, value: 100 });
  await ws.note({ lead_id: lead.id });
  await ws.post("/quote/", { lead_id: lead.id, line_items: [{ name: "Setup", unit_price: 1000 }] });
  await ws.post("/file/", { name: "a.txt", content_base64: "eA==" });
}

const jobOf = async ({ id, service }: Workspace) =>
  (await service.app.db.query(id, { text: "select state, crashes from job where organization_id = $1", values: [id] }))[0];

test("three workers are killed in the middle of erasing an organization: a fourth finishes, and nothing of others is touched", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  await someRecords(acme);
  const there = await acme.another();
  await someRecords(there);
  for (const of of createdResources(operations)) await sampleRecord(there, of);
  const contact = await there.contact();
  await multiply(there, "contact", contact.id, 2500);
  await multiply(there, "event", (await there.get("/event/")).data[0].id, 2500);
  const before = await digestsOf(acme);
  const had = (await tablesWithRowsOf(there)).length;
  await there.delete(`/organization/${there.id}/`);

  // Each kill is a little later than the one before. The clock moves a minute in between, so that the dead worker's claim has
  // expired.
  const left = [had];
  const later = (workers: number) => ({ at: Date.now() + workers * (claimMs + 1000), real: Date.now(), rate: 1 });
  const start = (dies?: WorkerSettings["dies"]) =>
    startWorker({ databaseUrl: on.databaseUrl, dies, clock: later(left.length - 1) });
  for (const nth of [3, 25, 50]) {
    const doomed = await start({ before: "job.hold", nth });
    assert.equal(await doomed.ended, "SIGKILL");
    assert.equal((await jobOf(there))![0], "claimed");
    left.push((await tablesWithRowsOf(there)).length);
  }
  assert.ok(left.every((count, i) => count > 1 && (i === 0 || count <= left[i - 1]!)) && left.at(-1)! < had, left.join(", "));
  const last = await start();
  await until(async () => (await tablesWithRowsOf(there)).length === 0);
  await last.stop();

  assert.deepEqual(last.failures, []);
  assert.deepEqual(await digestsOf(acme), before);
  assert.equal((await acme.get("/lead/")).data.length, 1);
});

test("two workers are killed in the middle of erasing a person: a third finishes, with one receipt", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const lead = await acme.lead();
  const ann = await acme.contact({ name: "Ann Killed", lead_id: lead.id, emails: [{ email: "ann.killed@home.example" }] });
  for (let i = 0; i < 3; i++) await acme.note({ lead_id: lead.id, note: `Ann Killed, ${i}` });
  await acme.post("/activity/email/", { lead_id: lead.id, contact_id: ann.id, status: "sent", to: ["ann.killed@home.example"] });
  const { id } = await acme.post(`/contact/${ann.id}/erase/`);

  const start = (nth: number | null, workers: number) =>
    startWorker({
      databaseUrl: on.databaseUrl,
      dies: nth === null ? undefined : { before: "job.hold", nth },
      clock: { at: Date.now() + workers * (claimMs + 1000), real: Date.now(), rate: 1 },
    });
  for (const [i, nth] of [2, 4].entries()) assert.equal(await (await start(nth, i)).ended, "SIGKILL");
  assert.notEqual((await acme.get(`/erasure/${id}/`)).status, "completed");
  const last = await start(null, 2);
  await until(async () => (await acme.get(`/erasure/${id}/`)).status === "completed");
  await last.stop();

  assert.deepEqual(last.failures, []);
  const { receipt } = await acme.get(`/erasure/${id}/`);
  assert.deepEqual([receipt.deleted.contact, receipt.deleted.activity_email, receipt.rewritten.activity], [1, 1, 3]);
  assert.deepEqual(
    (await acme.get(`/activity/note/?lead_id=${lead.id}`)).data.map(({ note }: { note: string }) => note.slice(0, 8)),
    ["[erased]", "[erased]", "[erased]"],
  );
});
