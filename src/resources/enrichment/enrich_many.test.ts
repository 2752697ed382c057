// Enrichments of many records, and a provider that is away meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { pdlKey, startPeopleDataLabs } from "../../../test/support/people_data_labs.ts";
import { withWorker } from "../../../test/support/worker.ts";

async function people(acme: Workspace, count: number): Promise<string[]> {
  const contacts = Array.from({ length: count }, (_, i) => ({ emails: [{ email: `p${i}@acme-rockets.example` }] }));
  return (await acme.lead({ contacts })).contacts.map(({ id }: { id: string }) => id);
}

test("many contacts are looked up by one request; a provider that fails is left alone, and asked once it is back", async () => {
  const service = await outboundService();
  const acme = await organization(service);
  const pdl = await startPeopleDataLabs();
  await acme.put("/credentials/peopledatalabs/", { api_key: pdlKey, base_url: pdl.url });
  const ids = await people(acme, 20);
  for (let i = 0; i < 20; i++) pdl.people.set(`p${i}@acme-rockets.example`, { full_name: `Person ${i}` });
  pdl.troubles = Array.from({ length: 100 }, () => ({ status: 503 }));

  const { id, n_objects } = await acme.post("/bulk_action/enrich/", { object_type: "contact", ids, fields: ["name"] });
  await withWorker(service, (worker) => worker.drained());
  const asked = pdl.asked.length;
  const again = await acme.post("/bulk_action/enrich/", { object_type: "contact", ids: ids.slice(0, 2) });
  const waiting = await acme.get("/enrichment/?status=running&_limit=100");
  await withWorker(service, (worker) => worker.drained());
  pdl.troubles = [];
  await withWorker(service, async (worker) => {
    for (let minute = 1; minute < 12; minute++) {
      service.clock.now = new Date(Date.now() + minute * 60_000);
      await worker.drained();
    }
  });

  const { status, n_succeeded } = await acme.get(`/bulk_action/${id}/`);
  const done = await acme.get("/enrichment/?status=completed&_limit=100");
  const skipped = (await acme.get(`/bulk_action/${again.id}/items/`)).data;
  assert.deepEqual([n_objects, status, n_succeeded], [20, "done", 20]);
  // Four are looked up at a time, so a few are under way when the fifth fails.
  assert.ok(asked >= 5 && asked <= 8, `${asked} requests`);
  assert.equal(waiting.data.length, 20);
  assert.deepEqual(
    skipped.map(({ error }: any) => error),
    Array(2).fill("is being looked up already"),
  );
  assert.deepEqual(done.data.map(({ object_id }: any) => object_id).sort(), ids.sort());
  assert.ok((await acme.events(done.data[0].id)).every(({ meta }) => meta.bulk_action_id === id));
  service.clock.now = null;
});

test("what would be refused for one is refused for many", async () => {
  const acme = await organization(await outboundService());
  const ids = await people(acme, 1);
  const refuse = (body: object, status: number, field?: string) =>
    acme.refused(status, "POST", "/bulk_action/enrich/", { object_type: "contact", ids, ...body }, field);

  await refuse({ fields: ["industry"] }, 400, "fields");
  await refuse({ provider: "peopledatalabs" }, 402);
  const bob = await acme.memberWith(["view_all_leads"]);
  await bob.refused(403, "POST", "/bulk_action/enrich/", { object_type: "contact", ids });
});
