// Workers that are killed while they convert or remove the values of a custom field, or delete the records of a type: others
// continue where they stopped, and nothing is done twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { organization, type Workspace } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { multiply } from "../support/rows.ts";
import { startService } from "../support/service.ts";
import { startWorker, type WorkerSettings } from "../support/worker_process.ts";

const many = 2500;

const count = async ({ id, service }: Workspace, text: string, ...values: unknown[]): Promise<number> =>
  Number((await service.app.db.query(id, { text, values: [id, ...values] }))[0]![0]);
const holding = (acme: Workspace, values: object) =>
  count(acme, "select count(*) from lead where organization_id = $1 and custom @> $2", JSON.stringify(values));

test("killed while values are converted and removed and records deleted, workers leave no half of it and do nothing twice", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const [size, gone] = [await acme.customField("lead", { type: "text" }), await acme.customField("lead", { type: "text" })];
  const lead = await acme.lead({ [`custom.${size.id}`]: "12", [`custom.${gone.id}`]: "x" });
  await multiply(acme, "lead", lead.id, many);
  const type = await acme.post("/custom_object_type/", { name: "Vehicle" });
  const car = await acme.post("/custom_object/", { name: "Car", lead_id: lead.id, custom_object_type_id: type.id });
  await multiply(acme, "custom_object", car.id, many);
  let workers = 0;
  const start = (dies?: WorkerSettings["dies"]) =>
    startWorker({
      databaseUrl: on.databaseUrl,
      dies,
      clock: { at: Date.now() + workers++ * (claimMs + 1000), real: Date.now(), rate: 1 },
    });
  // A removal looks once more five minutes later.
  const going = "select count(*) from custom_data_change where organization_id = $1 and not removed";
  const ended = async () => (await count(acme, going)) === 0;

  await acme.put(`/custom_field/lead/${size.id}/`, { type: "number" });
  const converting = await start({ before: "custom_data_change.reached", nth: 3 });
  assert.equal(await converting.ended, "SIGKILL");
  const converted = await holding(acme, { [`custom.${size.id}`]: 12 });
  assert.ok(converted > 0 && converted < many + 1, `${converted} are converted`);
  assert.equal(await holding(acme, { [`custom.${size.id}`]: "12" }), many + 1 - converted);
  const second = await start();
  await until(ended);
  await second.stop();
  assert.equal(await holding(acme, { [`custom.${size.id}`]: 12 }), many + 1);
  assert.equal((await acme.get(`/custom_field/lead/${size.id}/`)).type, "number");

  await acme.delete(`/custom_field/lead/${gone.id}/`);
  const removing = await start({ before: "custom_data_change.reached", nth: 3 });
  assert.equal(await removing.ended, "SIGKILL");
  const left = await holding(acme, { [`custom.${gone.id}`]: "x" });
  assert.ok(left > 0 && left < many + 1, `${left} are left`);
  const fourth = await start();
  await until(ended);
  await fourth.stop();
  assert.equal(await holding(acme, { [`custom.${gone.id}`]: "x" }), 0);
  const told = "select count(*) from event where organization_id = $1 and changed_fields = array[$2]";
  assert.equal(await count(acme, told, `custom.${gone.id}`), many + 1);

  await acme.delete(`/custom_object_type/${type.id}/`);
  const deleting = await start({ before: "job.hold", nth: 5 });
  assert.equal(await deleting.ended, "SIGKILL");
  const records = await count(acme, "select count(*) from custom_object where organization_id = $1");
  assert.ok(records > 0 && records < many + 1, `${records} are left`);
  const last = await start();
  await until(ended);
  await last.stop();
  assert.equal(await count(acme, "select count(*) from custom_object where organization_id = $1"), 0);
  const deleted =
    "select count(distinct object_id) = count(*) and count(*) = $2 from event where organization_id = $1 and event = 'custom_object.deleted'";
  assert.equal((await on.app.db.query(acme.id, { text: deleted, values: [acme.id, many + 1] }))[0]![0], "t");

  for (const worker of [second, fourth, last]) assert.deepEqual(worker.failures, []);
});
