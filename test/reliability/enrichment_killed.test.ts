// Workers that end while they look people up. In the end each enrichment is done once, and one credit was taken for it.
import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import { ada, type PeopleDataLabsServer, pdlKey, startPeopleDataLabs } from "../support/people_data_labs.ts";
import type { Service } from "../support/service.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound } from "../support/worker_process.ts";

let service: Service;
let pdl: PeopleDataLabsServer;
let acme: Workspace;
let made: any;

before(async () => {
  service = await outboundService();
});
beforeEach(async () => {
  pdl = await startPeopleDataLabs();
  pdl.people.set("ada@acme-rockets.example", ada);
  acme = await organization(service);
  await acme.put("/credentials/peopledatalabs/", { api_key: pdlKey, base_url: pdl.url });
  await acme.put(`/organization/${acme.id}/`, { settings: { enrichment: { credits_per_day: 1 } } });
  const { id } = await acme.contact({ name: null, emails: [{ email: "ada@acme-rockets.example" }] });
  made = await acme.post(`/contact/${id}/enrich/`, {});
});
afterEach(() => {
  service.clock.now = null;
});

const now = () => acme.get(`/enrichment/${made.id}/`);

async function isDoneOnce(): Promise<void> {
  await finishLater(service, async () => !["queued", "running"].includes((await now()).status));
  const { status, credits_used, fields_updated } = await now();
  assert.deepEqual([status, credits_used, fields_updated.length], ["completed", 1, 5]);
  assert.equal((await acme.get(`/contact/${made.contact_id}/`)).name, "Ada Lovelace");
  const ended = (await acme.all(`/event/?object_id=${made.id}`)).filter((one: any) => one.action === "completed");
  assert.equal(ended.length, 1);
  const days = { text: "select sum(credits)::text from enrichment_day where organization_id = $1", values: [acme.id] };
  assert.deepEqual(await service.app.db.query(acme.id, days), [["1"]]);
}

test("a worker that is killed while the provider answers leaves a lookup that goes on with the same credit", async () => {
  const doomed = await startOutbound(service);
  pdl.onAsked = () => {
    pdl.onAsked = null;
    doomed.kill("SIGKILL");
  };
  assert.equal(await doomed.ended, "SIGKILL");

  await isDoneOnce();
});

for (const dies of [{ before: "job.done" }, { after: "job.done" }] as const)
  test(`a worker that is killed at ${JSON.stringify(dies)} leaves a lookup that is done once`, async () => {
    const doomed = await startOutbound(service, { dies });
    assert.equal(await doomed.ended, "SIGKILL");

    await isDoneOnce();
  });
