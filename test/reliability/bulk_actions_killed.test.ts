// Workers that are killed in the middle of bulk actions: others go on, and every item is done once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { organization } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { multiply } from "../support/rows.ts";
import { startService } from "../support/service.ts";
import { startWorker } from "../support/worker_process.ts";

test("two workers are killed in the middle of a bulk edit: others finish it, and every lead is changed once", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const first = await acme.lead({ industry: "Steel" });
  await multiply(acme, "lead", first.id, 900);
  const body = { type: "set_fields", object_type: "lead", fields: { industry: "Wood" }, all: true };
  const { id, n_objects } = await acme.post("/bulk_action/edit/", body);
  const shown = () => acme.get(`/bulk_action/${id}/`);

  const later = (workers: number) => ({ at: Date.now() + workers * (claimMs + 1000), real: Date.now(), rate: 1 });
  for (const workers of [0, 1]) {
    const dies = { before: "bulk_action_item.done", nth: 2 };
    const doomed = await startWorker({ databaseUrl: on.databaseUrl, clock: later(workers), dies });
    assert.equal(await doomed.ended, "SIGKILL");
  }
  // How many a turn takes depends on the machine.
  const [[done, changed]] = (await on.app.db.query(acme.id, {
    text: `select (select count(*) from bulk_action_item where organization_id = $1 and bulk_action_id = $2 and status <> 'pending'),
      (select count(*) from lead where organization_id = $1 and industry = 'Wood')`,
    values: [acme.id, id],
  })) as [[string, string]];
  const { n_objects_processed: counted } = await shown();
  assert.deepEqual([Number(done), Number(changed)], [counted, counted]);
  assert.ok(counted > 0 && counted < 901, `${counted} after two workers died`);
  const heirs = await Promise.all([2, 2].map((n) => startWorker({ databaseUrl: on.databaseUrl, clock: later(n) })));
  await until(async () => (await shown()).status === "done");
  await Promise.all(heirs.map((one) => one.stop()));

  const { n_objects_processed, n_succeeded, n_failed } = await shown();
  assert.deepEqual([n_objects, n_objects_processed, n_succeeded, n_failed], [901, 901, 901, 0]);
  const [changes] = await on.app.db.query(acme.id, {
    text: "select count(*), count(distinct object_id) from event where organization_id = $1 and event = 'lead.updated' and meta ->> 'bulk_action_id' = $2",
    values: [acme.id, id],
  });
  assert.deepEqual(changes, ["901", "901"]);
});
