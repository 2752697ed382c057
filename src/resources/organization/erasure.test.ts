// Deleting an organization: nobody can access it from the response on, its data is deleted in the end, and others notice nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { multiply, tablesWithRowsOf } from "../../../test/support/rows.ts";
import { createdResources, sampleRecord } from "../../../test/support/samples.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { type Consumer, follow } from "../../jobs/consumer.ts";
import { openWorker } from "../../jobs/worker.ts";
import { background } from "../background.ts";
import { operations } from "../index.ts";
import { erasure } from "./erasure.ts";

const only = { works: [erasure], consumers: [], timers: [] };

const ask = ({ service }: Workspace, text: string, ...values: unknown[]) => service.app.db.unscoped({ text, values });

test("of an organization with one record of each kind not one row is left", async () => {
  const acme = await organization();
  const there = await acme.another();
  for (const of of createdResources(operations)) await sampleRecord(there, of);
  const project = await there.post("/project/", { name: "Launch" });
  const above = await there.post("/project_task/", { project_id: project.id, name: "Above" });
  await there.post("/project_task/", { project_id: project.id, name: "Below", parent_task_id: above.id });
  await there.put(`/lead/${(await there.lead()).id}/`, { name: "Changed" }, { "idempotency-key": "once" });
  const before = await tablesWithRowsOf(there);
  assert.ok(before.length > 40, before.join(", "));

  await there.delete(`/organization/${there.id}/`);
  await withWorker(there.service, (worker) => worker.drained(), { does: only });

  assert.deepEqual(await tablesWithRowsOf(there), []);
  await acme.lead();
});

test("from the answer on nobody reaches it: no key, no list of organizations, no link, no timer", async () => {
  const acme = await organization();
  const there = await acme.another();
  const file = await there.post("/file/", { name: "a.txt", content_base64: "eA==" });
  const lead = await there.lead();
  const quote = await there.post("/quote/", { lead_id: lead.id, line_items: [{ name: "Setup", unit_price: 1000 }] });
  const { public_url } = await there.put(`/quote/${quote.id}/`, { status: "open" });
  const meeting = await there.post("/activity/meeting/", { lead_id: lead.id, title: "Demo", starts_at: "2031-03-01T10:00:00Z" });
  await there.post("/webhook/", { url: "https://93.184.216.34/hook", events: ["lead.updated"] });
  const links = [file.share_url, public_url];
  const status = async (link: string) => (await fetch(link.replace("http://localhost", acme.service.url))).status;
  for (const link of links) assert.equal(await status(link), 200);

  assert.deepEqual(await there.delete(`/organization/${there.id}/`), {});

  await there.refused(401, "GET", "/me/");
  assert.deepEqual(
    (await acme.get("/me/")).organizations.map((one: any) => one.id),
    [acme.id],
  );
  await acme.refused(400, "DELETE", `/organization/${acme.id}/`);
  for (const link of links) assert.equal(await status(link), 404);
  assert.deepEqual(await ask(acme, "select kind from job where organization_id = $1", there.id), [["erasure"]]);
  acme.service.clock.now = new Date("2031-03-02T10:00:00Z");
  await withWorker(acme.service, (worker) => worker.drained(), { does: { ...background, works: [] } });
  assert.deepEqual(await ask(acme, "select status from activity where id = $1", meeting.id), [["upcoming"]]);
});

test("tens of thousands of rows go in pieces, across a worker that ends, while others write and read their events", async (t) => {
  const acme = await organization();
  const there = await acme.another();
  const contact = await there.contact();
  const note = await there.note({ lead_id: contact.lead_id });
  const [event] = (await there.get("/event/")).data;
  await multiply(there, "contact", contact.id, 12_000);
  await multiply(there, "activity", note.id, 12_000);
  await multiply(there, "event", event.id, 12_000);
  // As autovacuum would do. With plans for empty tables, each deleted row would scan whole tables.
  const client = new pg.Client({ connectionString: there.service.databaseUrl });
  await client.connect();
  await client.query("analyze contact, activity, event");
  await client.end();
  const heard: string[] = [];
  const consumer: Consumer = {
    name: `test_erasure_${process.pid}`,
    doc: "A test.",
    consume: async (_, events) => void heard.push(...events.map((one) => one.object_id)),
  };
  await acme.inside(async (ctx) => follow(ctx, consumer));
  const rowsLeft = async () =>
    Number((await ask(acme, "select count(*) from contact where organization_id = $1", there.id))[0]![0]);

  await there.delete(`/organization/${there.id}/`);
  const { core } = acme.service.app;
  let longest = 0;
  const transaction: typeof core.db.transaction = async (...given) => {
    const began = performance.now();
    return core.db.transaction(...given).finally(() => (longest = Math.max(longest, performance.now() - began)));
  };
  const first = openWorker({ ...core, db: { ...core.db, transaction } }, only, () => {});
  while ((await rowsLeft()) > 5_000) await sleep(5);
  await first.stop(0);
  t.diagnostic(`the longest transaction took ${Math.round(longest)} ms`);
  const left = await rowsLeft();
  assert.ok(left > 0, "the first worker was ended in the middle");

  await withWorker(
    acme.service,
    async (worker) => {
      // For each of these, erasure has to remove a reference first, again and again.
      let written = 0;
      for (const done = worker.drained().then(() => true); !(await Promise.race([done, sleep(1, false)])); written++) {
        const { id } = await acme.lead();
        while (!heard.includes(id)) await sleep(5);
      }
      assert.ok(written > 0, `${written} leads were made and heard of meanwhile`);
    },
    { does: { ...only, consumers: [consumer] } },
  );

  assert.deepEqual(await tablesWithRowsOf(there), []);
});
