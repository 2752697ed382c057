// Workers that are killed while they write the file of an export: the file is complete once, and its bytes are those of a quiet run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { organization } from "../support/given.ts";
import { multiply } from "../support/rows.ts";
import { startService } from "../support/service.ts";
import { finishLater, withWorker } from "../support/worker.ts";
import { startWorker } from "../support/worker_process.ts";

test("two workers are killed, one before the file is stored and one before it is shown: the bytes are those of a quiet run", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const first = await acme.lead({ name: "=Acme", contacts: [{ name: "Ann" }], emails: [{ email: "a@acme.io" }] });
  await multiply(acme, "lead", first.id, 500);
  const shown = ({ id }: { id: string }) => acme.get(`/export/${id}/`);
  const body = { format: "csv", fields: ["id", "name", "emails", "date_created"] };
  const quiet = await acme.post("/export/lead/", body);
  await withWorker(on, (worker) => worker.drained());

  const made = await acme.post("/export/lead/", body);
  for (const [workers, before] of ["stored_bytes.announce", "stored_bytes.claim"].entries()) {
    const clock = { at: Date.now() + workers * (claimMs + 1000), real: Date.now(), rate: 1 };
    const doomed = await startWorker({ databaseUrl: on.databaseUrl, clock, dies: { before } });
    assert.equal(await doomed.ended, "SIGKILL");
    const { status, download_url, size } = await shown(made);
    assert.deepEqual([status === "done", download_url, size], [false, null, null]);
    await acme.refused(404, "GET", `/export/${made.id}/download/`);
  }
  await finishLater(on, async () => (await shown(made)).status === "done");

  const [one, other] = [await shown(quiet), await shown(made)];
  assert.deepEqual([one.n_docs, other.n_docs, other.n_docs_processed], [501, 501, 501]);
  assert.deepEqual([other.size, other.checksum_sha256], [one.size, one.checksum_sha256]);
  assert.deepEqual(
    (await acme.events(made.id)).map(({ event }) => event),
    ["export.lead.created", "export.lead.completed"],
  );
});
