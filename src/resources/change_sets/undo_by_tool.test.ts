// What a tool did is taken back by a tool, whatever it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentOf } from "../../../test/support/agent.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const drained = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

test("a lead that a tool deleted comes back with its files", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme" });
  const file = await acme.post("/file/", { lead_id: lead.id, name: "a.txt", content_base64: "eA==" });
  const agent = await agentOf(acme, { scope: "write_destructive" });
  const { structuredContent: gone } = await agent.call("delete_record", { object_type: "lead", id: lead.id });

  const { structuredContent: back } = await agent.call("undo_changes", { id: gone.request_id });

  assert.equal(back.record.n_not_undone, 0);
  assert.equal((await acme.ask("GET", `/file/${file.id}/download/`)).text, "x");
});

test("bulk work that a tool started is undone in the background, and more than 20 records ask for their number", async () => {
  const acme = await organization();
  const ids: string[] = [];
  for (let i = 0; i < 21; i++) ids.push((await acme.lead({ name: "Acme" })).id);
  const agent = await agentOf(acme, { scope: "write_destructive" });
  const action = { action: "delete", data: { ids } };
  const { structuredContent: begun } = await agent.call("start_bulk_action", { ...action, confirm: 21 });
  await drained(acme);
  const left = await acme.get("/lead/");
  const undo = (more: object) => agent.call("undo_changes", { id: begun.request_id, ...more });

  const { structuredContent: tried } = await undo({ dry_run: true });
  const { structuredContent: refused } = await undo({});
  const { structuredContent: back } = await undo({ confirm: tried.n_records });
  await drained(acme);

  assert.deepEqual(left.data, []);
  assert.match(refused["field-errors"].confirm, /n_records/);
  const [started] = back.record.started;
  assert.deepEqual([started.object_type, started.n_records], ["bulk_action.undo", 21]);
  const { structuredContent: done } = await agent.call("get_record", { object_type: "bulk_action", id: started.object_id });
  assert.deepEqual([done.record.status, done.record.n_succeeded], ["done", 21]);
  assert.deepEqual((await acme.get("/lead/")).data.map(({ id }: any) => id).sort(), ids.sort());
  const { structuredContent: twice } = await agent.call("undo_changes", { id: back.request_id });
  assert.match(twice.record.not_undone[0].reason, /takes something back itself/);
});

test("an import that a tool queued is reverted", async () => {
  const acme = await organization();
  const agent = await agentOf(acme, { scope: "write_destructive" });
  const rows = [{ Lead: "Imported", Name: "Ivy", Email: "ivy@client.example" }];
  const { structuredContent: made } = await agent.call("create_record", {
    object_type: "import",
    data: { object_type: "contact", rows },
  });
  const mapping = { Lead: "lead.name", Name: "contact.name", Email: "contact.email" };
  const queue = { object_type: "import", id: made.record.id, data: { mapping } };
  const { structuredContent: queued } = await agent.call("update_record", queue);
  await drained(acme);
  assert.equal((await acme.get("/lead/?name=Imported")).data.length, 1);

  const { structuredContent: back } = await agent.call("undo_changes", { id: queued.request_id });
  await drained(acme);

  assert.deepEqual(
    back.record.started.map((one: any) => one.object_id),
    [made.record.id],
  );
  assert.deepEqual((await acme.get("/lead/")).data, []);
});

test("no tool deletes a custom field, and values are dropped only with their number", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "text" });
  const name = `custom.${field.id}`;
  for (let i = 0; i < 21; i++) await acme.lead({ [name]: "many" });
  const agent = await agentOf(acme, { scope: "write_destructive" });
  const asked = { object_type: "custom_field", id: field.id, data: { object_type: "lead" } };
  const typed = { ...asked, data: { ...asked.data, type: "number", drop_unconvertible_values: true } };

  const { structuredContent: deleted } = await agent.call("delete_record", asked);
  const { structuredContent: tried } = await agent.call("update_record", { ...typed, dry_run: true });
  const { structuredContent: refused } = await agent.call("update_record", typed);
  const { structuredContent: done } = await agent.call("update_record", { ...typed, confirm: tried.n_records });
  const dropped = (await acme.get("/lead/")).data.filter((one: any) => one[name] != null).length;
  const { n_records } = (await agent.call("undo_changes", { id: done.request_id, dry_run: true })).structuredContent;
  await agent.call("undo_changes", { id: done.request_id, confirm: n_records });

  assert.match(deleted["field-errors"].object_type, /cannot be deleted/);
  assert.match(refused["field-errors"].confirm, /n_records/);
  assert.equal(dropped, 0);
  assert.equal((await acme.get("/lead/")).data.filter((one: any) => one[name] === "many").length, 21);
});
