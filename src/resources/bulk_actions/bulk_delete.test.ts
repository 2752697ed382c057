import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

test("a deletion deletes what is selected with all that belongs to it, and an undo brings it back as it was", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "number" });
  const lead = await acme.lead({ name: "Steel", tags: ["a"], [`custom.${field.id}`]: 5, contacts: [{ name: "Ann" }] });
  const contactId = lead.contacts[0].id;
  const deal = await acme.opportunity({ lead_id: lead.id, contact_id: contactId, value: 500 });
  await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  const task = await acme.task({ lead_id: lead.id, contact_id: contactId });
  await acme.note({ lead_id: lead.id, note: "Hello" });
  const file = await acme.post("/file/", { name: "a.txt", content_base64: "eA==", lead_id: lead.id });
  const list = await acme.post("/lead_list/", { name: "Best" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [lead.id] });
  const other = await acme.lead();
  const shown = async () => ({
    lead: await acme.get(`/lead/${lead.id}/`),
    contact: await acme.get(`/contact/${contactId}/`),
    deal: await acme.get(`/opportunity/${deal.id}/`),
    task: await acme.get(`/task/${task.id}/`),
    activities: (await acme.get(`/activity/?lead_id=${lead.id}`)).data,
  });
  const before = await shown();

  const made = await acme.post("/bulk_action/delete/", { lead_ids: [lead.id] });
  await work(acme);
  await acme.refused(404, "GET", `/lead/${lead.id}/`);
  await acme.refused(404, "GET", `/task/${task.id}/`);
  assert.equal((await acme.get(`/bulk_action/${made.id}/`)).n_succeeded, 1);
  acme.service.clock.now = new Date(Date.now() + 20 * 86_400_000);
  await work(acme);
  const undo = await acme.post(`/bulk_action/${made.id}/undo/`, {});
  await work(acme);

  const { status, n_succeeded, errors } = await acme.get(`/bulk_action/${undo.id}/`);
  assert.deepEqual([status, n_succeeded, errors], ["done", 1, []]);
  assert.deepEqual(await shown(), before);
  assert.equal((await acme.ask("GET", `/file/${file.id}/download/`)).text, "x");
  assert.equal((await acme.get(`/lead/?list_id=${list.id}`)).data[0].id, lead.id);
  assert.equal((await acme.get("/lead/")).data.length, 2);
  assert.equal((await acme.get(`/lead/${other.id}/`)).id, other.id);
  const [event] = (await acme.events(lead.id)).slice(-1);
  assert.deepEqual([event.event, event.meta.bulk_action_id], ["lead.created", undo.id]);
});

test("a record that stayed names a deleted one again, and what sends by itself comes back silent", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Ann", emails: [{ email: "ann@steel.io" }] }] });
  const [ann] = lead.contacts;
  const deal = await acme.opportunity({ lead_id: lead.id, contact_id: ann.id });
  const steps = [{ step_type: "email", subject: "Hi", body: "There" }];
  const sequence = await acme.post("/sequence/", { name: "Welcome", status: "active", steps });
  const way = await acme.post("/sequence_subscription/", {
    sequence_id: sequence.id,
    contact_id: ann.id,
    start_date: "2035-01-01T00:00:00.000Z",
  });

  const made = await acme.post("/bulk_action/delete/", { bulk_object_type: "contact", contact_ids: [ann.id] });
  await work(acme);
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).contact_id, null);
  const undo = await acme.post(`/bulk_action/${made.id}/undo/`, {});
  await work(acme);

  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).contact_id, ann.id);
  const back = await acme.get(`/sequence_subscription/${way.id}/`);
  assert.deepEqual([back.status, back.status_reason], ["paused", "bulk-action"]);
  const [item] = (await acme.get(`/bulk_action/${undo.id}/items/`)).data;
  assert.deepEqual([item.status, item.error], ["succeeded", "without its active subscriptions, which are paused"]);
});

test("what is deleted may be any of the kinds, selected in any way", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead({ name: "Steel" });
  const call = await acme.post("/activity/call/", { lead_id, direction: "outbound", status: "completed", duration: 5 });
  const type = await acme.post("/custom_activity/", { name: "Visit" });
  const visit = await acme.post("/activity/custom/", { lead_id, custom_activity_type_id: type.id });
  const [task, deal] = [await acme.task({ lead_id }), await acme.opportunity({ lead_id })];
  const [first] = [await acme.contact({ lead_id, name: "Ann" }), await acme.contact({ lead_id, name: "Bob" })];
  const removed = async (bulk_object_type: string, body: object) => {
    const { id } = await acme.post("/bulk_action/delete/", { bulk_object_type, ...body });
    await work(acme);
    const { status, n_objects, n_succeeded, n_leads, errors } = await acme.get(`/bulk_action/${id}/`);
    return [status, n_objects, n_succeeded, n_leads, errors];
  };

  assert.deepEqual(await removed("call", { ids: [call.id] }), ["done", 1, 1, 1, []]);
  assert.deepEqual(await removed("custom_activity", { all: true }), ["done", 1, 1, 1, []]);
  assert.deepEqual(await removed("task", { all: true, results_limit: 5 }), ["done", 1, 1, 1, []]);
  assert.deepEqual(await removed("opportunity", { query: "lead(name:steel)" }), ["done", 1, 1, 1, []]);
  assert.deepEqual(await removed("contact", { all: true, results_limit: 1, sort: "name" }), ["done", 1, 1, 1, []]);
  for (const path of [`call/${call.id}`, `custom/${visit.id}`]) await acme.refused(404, "GET", `/activity/${path}/`);
  for (const path of [`task/${task.id}`, `opportunity/${deal.id}`, `contact/${first.id}`])
    await acme.refused(404, "GET", `/${path}/`);
  assert.equal((await acme.get("/contact/")).data.length, 1);
});

test("what the database refuses in the end fails alone, and says why", async () => {
  const acme = await organization();
  const [ann, bob] = [await acme.contact({ name: "Ann" }), await acme.contact({ name: "Bob" })];
  const made = await acme.post("/bulk_action/delete/", { bulk_object_type: "contact", all: true });
  await work(acme);
  await acme.delete(`/lead/${ann.lead_id}/`);

  const undo = await acme.post(`/bulk_action/${made.id}/undo/`, {});
  await work(acme);

  const { status, n_succeeded, n_failed, errors } = await acme.get(`/bulk_action/${undo.id}/`);
  assert.deepEqual([status, n_succeeded, n_failed], ["done", 1, 1]);
  assert.deepEqual(errors, [{ object_id: ann.id, error: "cannot come back: a contact whose lead is gone" }]);
  assert.equal((await acme.get(`/contact/${bob.id}/`)).name, "Bob");
  const { id } = await acme.post(`/bulk_action/${made.id}/undo/`, {});
  await work(acme);
  const again = await acme.get(`/bulk_action/${id}/`);
  assert.deepEqual([again.n_failed, again.n_skipped], [1, 1], "another undo tries what failed, and what is back stays");
});

test("what a deleted record named may be gone too: it comes back without it, or with another status, and the item says so", async () => {
  const acme = await organization();
  const hot = await acme.post("/status/lead/", { label: "Hot" });
  const [sales] = (await acme.get("/pipeline/")).data;
  const late = await acme.post("/status/opportunity/", { label: "Late", type: "active", pipeline_id: sales.id });
  const product = await acme.post("/product/", { name: "Wheel", unit_price: 500 });
  const type = await acme.post("/custom_activity/", { name: "Visit" });
  const list = await acme.post("/lead_list/", { name: "Best" });
  const lead = await acme.lead({ name: "Steel", status_id: hot.id, contacts: [{ name: "Ann" }] });
  const deal = await acme.opportunity({ lead_id: lead.id, status_id: late.id });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { product_id: product.id });
  const visit = await acme.post("/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [lead.id] });
  await acme.post("/bulk_action/delete/", { lead_ids: [lead.id] });
  await work(acme);
  for (const path of [
    `/status/lead/${hot.id}/`,
    `/status/opportunity/${late.id}/`,
    `/product/${product.id}/`,
    `/lead_list/${list.id}/`,
  ])
    await acme.delete(path);
  await acme.delete(`/custom_activity/${type.id}/`);

  const [made] = (await acme.get("/bulk_action/?kind=delete")).data;
  const undo = await acme.post(`/bulk_action/${made.id}/undo/`, {});
  await work(acme);

  const [item] = (await acme.get(`/bulk_action/${undo.id}/items/`)).data;
  assert.equal(item.status, "succeeded");
  for (const part of [
    /lead status of a lead, which is gone: it has another/,
    /lead list member whose lead list is gone/,
    /product of a line item/,
  ])
    assert.match(item.error, part);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_label, "Potential");
  assert.equal((await acme.get(`/contact/?lead_id=${lead.id}`)).data.length, 1);
  const { status_label, value } = await acme.get(`/opportunity/${deal.id}/`);
  assert.deepEqual([status_label, value], ["Active", 500]);
  assert.equal((await acme.get(`/opportunity/${deal.id}/line_item/`)).data[0].product_id, null);
  await acme.refused(404, "GET", `/activity/custom/${visit.id}/`);
});
