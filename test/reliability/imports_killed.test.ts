// Workers that are killed in the middle of an import: others go on, and every row is done once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { organization } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { startService } from "../support/service.ts";
import { startWorker } from "../support/worker_process.ts";

test("a worker is killed in the middle of an import: another finishes it, and every row is done once", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const rows = Array.from({ length: 500 }, (_, n) => ({ Company: `Company ${n}` }));
  const { id } = await acme.post("/import/", { rows });
  await acme.put(`/import/${id}/`, { mapping: { Company: "name" }, options: { on_match: "create" } });
  const shown = () => acme.get(`/import/${id}/`);

  const doomed = await startWorker({ databaseUrl: on.databaseUrl, dies: { before: "import_row.done", nth: 2 } });
  assert.equal(await doomed.ended, "SIGKILL");
  assert.equal((await shown()).n_processed, 200);
  const clock = { at: Date.now() + claimMs + 1000, real: Date.now(), rate: 1 };
  const heir = await startWorker({ databaseUrl: on.databaseUrl, clock });
  await until(async () => (await shown()).status === "done");
  await heir.stop();

  const { n_processed, n_created } = await shown();
  assert.deepEqual([n_processed, n_created], [500, 500]);
  const [made] = await on.app.db.query(acme.id, {
    text: "select count(*), count(distinct name) from lead where organization_id = $1",
    values: [acme.id],
  });
  assert.deepEqual(made, ["500", "500"]);
  const states = await on.app.db.query(acme.id, {
    text: "select status, count(*) from import_row where organization_id = $1 and import_id = $2 group by status",
    values: [acme.id, id],
  });
  assert.deepEqual(states, [["created", "500"]]);
});
