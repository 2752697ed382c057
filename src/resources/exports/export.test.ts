import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import type { Values } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { keepOwn } from "../files/store_file.ts";
import { checkLeadExport, checkOpportunityExport } from "./check_export.ts";
import { exportResource } from "./export.ts";

const begun = (ws: Workspace, values: Values<typeof exportResource> = {}) =>
  ws.inside(async (ctx) => store.insert(ctx, exportResource, { object_type: "lead", type: "leads", ...values }));

test("an export that is done says where its file is, and the file is the one that was written", async () => {
  const acme = await organization();
  const { storage_key } = await acme.inside((ctx) => keepOwn(ctx, "id,name\n1,Acme\n", "text/csv"));
  const { id } = await begun(acme, { status: "done", storage_key, n_docs: 1 });

  const shown = await acme.get(`/export/${id}/`);
  const file = await acme.ask("GET", shown.download_url.replace(/^.*\/api\/v1/, ""));

  assert.equal(file.text, "id,name\n1,Acme\n");
  assert.match(file.headers.get("content-type")!, /^text\/csv/);
  assert.match(file.headers.get("content-disposition")!, /^attachment; .*leads_\d{4}-\d\d-\d\d\.csv/);
  assert.deepEqual(
    (await acme.events(id)).map((one) => one.event),
    ["export.lead.created"],
  );
});

test("an export that is not done has no file yet", async () => {
  const acme = await organization();
  const { id } = await begun(acme, { status: "in_progress" });

  const refusal = await acme.refused(404, "GET", `/export/${id}/download/`);

  assert.equal(refusal.error, "Export is not ready");
  assert.equal((await acme.get(`/export/${id}/`)).download_url, null);
});

test("exports take the permission export, and those who see only their own leads see only their own exports", async () => {
  const acme = await organization();
  const { id } = await begun(acme);
  const without = await acme.member("user");
  const restricted = await acme.memberWith(["export"]);

  await without.refused(403, "GET", `/export/${id}/`);
  await without.refused(403, "GET", `/export/${id}/download/`);
  await restricted.refused(404, "GET", `/export/${id}/`);
});

test("the parameters of an export are checked before it starts", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "text" });
  const places = (check: typeof checkLeadExport, given: Parameters<typeof checkLeadExport>[1]) =>
    acme
      .inside((ctx) => check(ctx, given))
      .then(
        () => "",
        (problem) => Object.keys(problem.fields).join(),
      );

  assert.equal(await places(checkLeadExport, {}), "");
  assert.equal(await places(checkLeadExport, { type: "contacts", fields: ["name", "title", `custom.${field.id}`] }), "");
  assert.equal(await places(checkLeadExport, { query: "name:x" }), "");
  assert.equal(await places(checkOpportunityExport, { params: { status_type: "won" }, fields: ["value"] }), "");
  assert.equal(await places(checkLeadExport, { type: "opps" }), "type");
  assert.equal(await places(checkLeadExport, { query: "name:(" }), "query");
  assert.equal(await places(checkLeadExport, { fields: ["name", "colour"] }), "fields.1");
  assert.equal(await places(checkLeadExport, { include_activities: true }), "include_activities");
  assert.equal(await places(checkOpportunityExport, { type: "leads" }), "type");
  assert.equal(await places(checkOpportunityExport, { params: { colour: "red" } }), "params.colour");
  assert.equal(await places(checkOpportunityExport, { params: { _order_by: "value" } }), "");
  assert.equal(await places(checkOpportunityExport, { params: { _limit: "1" } }), "params._limit");
  assert.equal(await places(checkLeadExport, { fields: [] }), "fields");
});
