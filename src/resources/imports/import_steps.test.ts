// What can be done with an import while it runs, and what is kept when it is over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { until } from "../../../test/support/processes.ts";
import { startService } from "../../../test/support/service.ts";
import { withTwoWorkers, withWorker } from "../../../test/support/worker.ts";
import { query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

async function queued(acme: Workspace, rows: object[], options: object = { on_match: "create" }): Promise<string> {
  const { id } = await acme.post("/import/", { rows });
  await acme.put(`/import/${id}/`, { mapping: { Company: "name" }, options });
  return id;
}

const companies = (n: number) => Array.from({ length: n }, (_, i) => ({ Company: `Company ${i}` }));

const states = async (acme: Workspace, id: string) =>
  Object.fromEntries(
    await acme.inside((ctx) =>
      query(
        ctx,
        statement(
          sql`select status, count(*)::text from import_row where organization_id = ${acme.id} and import_id = ${id} group by status`,
        ),
      ),
    ),
  );

test("an import that is paused and resumed again and again does every row once", async () => {
  const acme = await organization();
  const id = await queued(acme, companies(1600));
  const seen = new Set<number>();
  const goesOn = async () => {
    const { status, n_processed } = await acme.get(`/import/${id}/`);
    return status === "done" || !seen.has(n_processed);
  };

  await withTwoWorkers(acme.service, async (both) => {
    for (;;) {
      await until(goesOn);
      const { status, body: paused } = await acme.ask("PUT", `/import/${id}/`, { body: { action: "pause" } });
      // It was done first.
      if (status === 400) break;
      const again = await acme.get(`/import/${id}/`);
      assert.deepEqual([again.status, again.n_processed], ["paused", paused.n_processed]);
      seen.add(paused.n_processed);
      assert.equal((await acme.put(`/import/${id}/`, { action: "resume" })).status, "queued");
    }
    await both.drained();
  });

  const done = await acme.get(`/import/${id}/`);
  assert.deepEqual([done.status, done.n_processed, done.n_created, done.n_failed], ["done", 1600, 1600, 0]);
  assert.deepEqual(await states(acme, id), { created: "1600" });
  const [made] = await acme.inside((ctx) =>
    query(ctx, statement(sql`select count(*), count(distinct name) from lead where organization_id = ${acme.id}`)),
  );
  assert.deepEqual(made, ["1600", "1600"]);
  assert.ok(seen.size > 1);
});

test("an import stops when what its mapping or its options name is gone, and goes on without a lost value", async () => {
  const acme = await organization();
  const size = await acme.customField("lead", { type: "number", name: "Size" });
  const list = await acme.post("/lead_list/", { name: "Fair" });
  const queued = async (mapping: object, options: object) => {
    const { id } = await acme.post("/import/", { rows: [{ Company: "One", Size: 5 }] });
    await acme.put(`/import/${id}/`, { mapping, options });
    return id;
  };
  const ids = [
    await queued({ Company: "name", Size: `custom.${size.id}` }, {}),
    await queued({ Company: "name" }, { list_id: list.id }),
  ];
  await acme.delete(`/custom_field/lead/${size.id}/`);
  await acme.delete(`/lead_list/${list.id}/`);

  await work(acme);

  const states = await Promise.all(ids.map((id) => acme.get(`/import/${id}/`)));
  assert.deepEqual(
    states.map(({ status, n_processed }) => [status, n_processed]),
    [
      ["error", 0],
      ["error", 0],
    ],
  );
  assert.match(states[0].error, new RegExp(`mapping knows no target "custom.${size.id}"`));
  assert.match(states[1].error, /options.list_id does not exist/);
  await acme.put(`/import/${ids[0]}/`, { mapping: { Company: "name" } });
  await work(acme);
  assert.deepEqual((await acme.get(`/import/${ids[0]}/`)).n_created, 1);
});

test("a canceled import keeps what it has done, can be reverted, and does no more", async () => {
  const acme = await organization();
  const id = await queued(acme, companies(3));
  const put = (action: string) => acme.put(`/import/${id}/`, { action });

  assert.equal((await put("pause")).status, "paused");
  await work(acme);
  assert.equal((await acme.get(`/import/${id}/`)).n_processed, 0);
  assert.equal((await put("cancel")).status, "canceled");
  await acme.refused(400, "PUT", `/import/${id}/`, { action: "resume" }, "action");
  await acme.refused(400, "PUT", `/import/${id}/`, { action: "stop" }, "action");
  await acme.post(`/import/${id}/revert/`, {});
  await work(acme);

  assert.equal((await acme.get(`/import/${id}/`)).status, "reverted");
  assert.equal((await acme.get("/lead/")).data.length, 0);
});

test("what an import gave to others and its reverter does not see stays, is said, and is taken back by who sees it", async () => {
  const acme = await organization();
  const rep = await acme.memberWith(["bulk_import", "delete_leads"]);
  const { email } = await acme.get(`/user/${acme.userId}/`);
  const draft = await rep.post("/import/", { rows: [{ Company: "Given", Owner: email }, { Company: "Kept" }] });
  await rep.put(`/import/${draft.id}/`, { mapping: { Company: "name", Owner: "owner" } });
  await work(acme);

  await rep.post(`/import/${draft.id}/revert/`, {});
  await work(acme);

  const { n_deleted, n_kept, kept } = (await rep.get(`/import/${draft.id}/`)).reverted;
  const left = (await acme.get("/lead/")).data;
  assert.deepEqual([n_deleted, n_kept, left.map(({ name }: any) => name)], [1, 1, ["Given"]]);
  assert.deepEqual(kept[0].object_id, left[0].id);
  assert.match(kept[0].reason, /^is not visible any more to whoever reverts the import/);

  await acme.post(`/import/${draft.id}/revert/`, {});
  await work(acme);
  const { status, reverted } = await acme.get(`/import/${draft.id}/`);
  assert.deepEqual([status, reverted.n_deleted, reverted.n_kept, reverted.kept], ["reverted", 2, 0, []]);
  assert.deepEqual((await acme.get("/lead/")).data, []);
  await acme.refused(400, "POST", `/import/${draft.id}/revert/`, {}, "status");
});

test("a dry run of a long table is a job that says the same as the import, and leaves nothing behind", async () => {
  const acme = await organization();
  await acme.lead({ name: "Company 5" });
  const people = (i: number) => ({ Company: `Company ${i % 700}`, Mail: i % 300 === 7 ? "none" : `p${i % 1100}@x.io` });
  const rows = Array.from({ length: 1400 }, (_, i) => people(i));
  const draft = await acme.post("/import/", { rows });
  const mapping = { Company: "name", Mail: "contact.email" };

  const asked = await acme.put(`/import/${draft.id}/`, { mapping, dry_run: true });
  await work(acme);
  const tried = await acme.get(`/import/${draft.id}/`);
  const leads = (await acme.get("/lead/")).data.length;
  await acme.put(`/import/${draft.id}/`, { mapping });
  await work(acme);

  assert.deepEqual([asked.status, asked.preview.status, asked.preview.n_checked], ["draft", "queued", 0]);
  const done = await acme.get(`/import/${draft.id}/`);
  assert.deepEqual([tried.status, tried.mapping, leads], ["draft", null, 1]);
  assert.deepEqual(
    [tried.preview.status, tried.preview.n_checked, tried.preview.created, tried.preview.updated, tried.preview.failed],
    ["done", 1400, done.n_created, done.n_updated, done.n_failed],
  );
  assert.deepEqual(tried.preview.errors, done.errors);
  assert.equal(done.n_failed, 5);
});

test("what a revert needs is gone after 48 hours, and the rows after 37 days", async () => {
  const on = await startService();
  const acme = await organization(on);
  const id = await queued(acme, companies(3));
  const { id: draft } = await acme.post("/import/", { rows: companies(2) });
  await work(acme);
  const later = async (days: number) => {
    await atMoment(on, new Date(Date.now() + days * 86_400_000).toISOString(), "imports");
    await work(acme);
  };
  const kept = async () =>
    Number(
      (
        await acme.inside((ctx) =>
          query(ctx, statement(sql`select count(kept) from import_row where organization_id = ${acme.id}`)),
        )
      )[0]![0],
    );

  assert.equal(await kept(), 3);
  await later(3);
  assert.equal(await kept(), 0);
  await acme.refused(400, "POST", `/import/${id}/revert/`, {}, "status");
  assert.equal((await acme.get(`/import/${id}/rows/`)).data.length, 3);
  await later(38);
  assert.equal((await acme.get(`/import/${id}/rows/`)).data.length, 0);
  const refused = await acme.refused(400, "PUT", `/import/${draft}/`, { mapping: { Company: "name" } }, "status");

  assert.match(refused["field-errors"].status, /import the file again/);
  assert.equal((await acme.get(`/import/${id}/`)).n_created, 3);
  await on.close();
});

test("an import that is paused and resumed again and again while it runs does each row once", async () => {
  const acme = await organization();
  const rows = Array.from({ length: 2500 }, (_, i) => ({
    Company: i % 10 === 3 ? "" : `Company ${i}`,
    Mail: i % 10 === 7 ? "none" : "",
  }));
  const draft = await acme.post("/import/", { rows });
  await acme.put(`/import/${draft.id}/`, { mapping: { Company: "name", Mail: "email" } });
  const asked = (action: string) => acme.ask("PUT", `/import/${draft.id}/`, { body: { action } });

  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 12; i++) {
      await Promise.all([worker.drained(), asked("pause")]);
      const paused = await acme.get(`/import/${draft.id}/`);
      await worker.drained();
      assert.equal((await acme.get(`/import/${draft.id}/`)).n_processed, paused.n_processed);
      await asked("resume");
    }
    await worker.drained();
  });

  const done = await acme.get(`/import/${draft.id}/`);
  assert.deepEqual(
    [done.status, done.n_processed, done.n_created, done.n_skipped, done.n_failed],
    ["done", 2500, 2000, 250, 250],
  );
  assert.equal((await acme.get("/lead/?_limit=1&_count=exact")).total_results, 2000);
});

test("many rows that all fail are each told in the file of errors, and the import shows the first hundred", async () => {
  const acme = await organization();
  const csv = `Company,Mail\n${Array.from({ length: 2000 }, (_, i) => `Company ${i},none`).join("\n")}\n`;
  const draft = await acme.post("/import/", { csv });
  await acme.put(`/import/${draft.id}/`, { mapping: { Company: "name", Mail: "contact.email" } });
  await work(acme);

  const done = await acme.get(`/import/${draft.id}/`);
  assert.deepEqual([done.status, done.n_failed, done.n_created, done.errors.length], ["done", 2000, 0, 100]);
  const { text } = await acme.ask("GET", `/import/${draft.id}/errors/`, {});
  assert.equal(text.trim().split("\r\n").length, 2001);
  assert.deepEqual((await acme.get("/lead/")).data, []);
});
