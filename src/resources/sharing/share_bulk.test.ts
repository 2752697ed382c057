import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

test("many contacts are shared once each, and what is shared already is skipped", async () => {
  const acme = await organization();
  const there = await acme.another();
  const [ann, bob] = [await acme.contact({ name: "Ann" }), await acme.contact({ name: "Bob" })];
  await acme.post(`/contact/${ann.id}/share/`, { organization_id: there.id });
  const path = "/contact/share_bulk/";

  const made = await acme.post(path, { organization_id: there.id, all: true });
  await work(acme);

  const { status, n_total, n_processed, n_shared, n_skipped, n_failed, errors } = await acme.get(`${path}${made.id}/`);
  assert.deepEqual(
    [made.status, status, n_total, n_processed, n_shared, n_skipped, n_failed, errors],
    ["queued", "completed", 2, 2, 1, 1, 0, []],
  );
  const copies = (await there.get("/contact/")).data.map(({ name }: any) => name);
  assert.deepEqual(copies.sort(), ["Ann", "Bob"]);
  assert.equal((await acme.get(`/contact/${bob.id}/shares/`)).data.length, 2);
  assert.equal((await acme.get(path)).data[0].id, made.id);

  const named = await acme.post(path, { organization_id: there.id, contact_ids: ["cont_nobody", bob.id] });
  await work(acme);

  const after = await acme.get(`${path}${named.id}/`);
  assert.deepEqual([after.n_total, after.n_processed, after.n_skipped, after.n_failed], [2, 2, 1, 1]);
  assert.deepEqual(after.errors, [{ contact_id: "cont_nobody", error: "does not exist, or is not visible to you" }]);
});

test("the contacts are selected in one way, and whoever asks has the rights in both organizations, then and later", async () => {
  const acme = await organization();
  const there = await acme.another();
  const stranger = await organization();
  const [rep, restricted] = [await acme.member(), await acme.member("restricteduser")];
  await acme.contact();
  const path = "/contact/share_bulk/";
  const all = { organization_id: there.id, all: true };

  await acme.refused(400, "POST", path, { organization_id: there.id }, "all");
  await acme.refused(400, "POST", path, { ...all, query: "name:x" }, "all");
  await acme.refused(400, "POST", path, { organization_id: stranger.id, all: true }, "organization_id");
  await acme.refused(400, "POST", path, { organization_id: acme.id, all: true }, "organization_id");
  await restricted.refused(403, "POST", path, all);

  await rep.joins(there);
  const made = await rep.post(path, all);
  const { data } = await there.get("/membership/");
  await there.delete(`/membership/${data.find((one: any) => one.user_id === rep.userId).id}/`);
  await work(acme);

  const { status, error, n_shared } = await acme.get(`${path}${made.id}/`);
  assert.deepEqual([status, error, n_shared], ["failed", "organization_id must be an organization that you are a member of", 0]);
  assert.deepEqual((await there.get("/contact/")).data, []);

  await rep.refused(400, "POST", `${path}${made.id}/resume/`, {}, "organization_id");
  await acme.post(`${path}${made.id}/resume/`, {});
  await work(acme);
  const resumed = await acme.get(`${path}${made.id}/`);
  assert.deepEqual([resumed.status, resumed.error, resumed.n_shared], ["completed", null, 1]);
  await acme.refused(400, "POST", `${path}${made.id}/resume/`, {}, "status");
});
