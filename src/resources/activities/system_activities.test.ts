import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a lead's history begins with its creation, of which the lead's own event tells", async () => {
  const acme = await organization();

  const lead = await acme.lead({ source: "form" });

  const [created] = (await acme.get(`/activity/created/?lead_id=${lead.id}`)).data;
  assert.equal(created._type, "Created");
  assert.equal(created.source, "form");
  assert.equal(created.user_id, acme.userId);
  assert.deepEqual(await acme.events(created.id), []);
  assert.equal((await acme.events(lead.id))[0].data.source, "form");
});

test("a deleted lead leaves the beginning of its history in an event, as it leaves all else", async () => {
  const acme = await organization();
  const lead = await acme.lead({ source: "form" });
  const [created] = (await acme.get(`/activity/created/?lead_id=${lead.id}`)).data;

  await acme.delete(`/lead/${lead.id}/`);

  const [deleted, ...more] = await acme.events(created.id);
  assert.deepEqual(more, []);
  assert.deepEqual([deleted.event, deleted.previous_data.source], ["activity.created.deleted", "form"]);
});

test("a lead's change of status is an event and a line in its history, in the words of the day", async () => {
  const acme = await organization();
  const lead = await acme.lead({ status: "Potential" });
  const statuses = (await acme.get("/status/lead/")).data;
  const [from, to] = ["Potential", "Customer"].map((label) => statuses.find((one: any) => one.label === label));

  const changed = await acme.put(`/lead/${lead.id}/`, { status_id: to.id });
  await acme.put(`/lead/${lead.id}/`, { name: "Same status" });
  await acme.put(`/status/lead/${from.id}/`, { label: "Prospect" });

  const changes = (await acme.get(`/activity/status_change/lead/?old_status_id=${from.id}&new_status_id=${to.id}`)).data;
  assert.equal(changes.length, 1);
  assert.deepEqual([changes[0].old_status_label, changes[0].new_status_label], ["Potential", "Customer"]);
  const events = await acme.events(lead.id);
  assert.deepEqual(
    events.map((event) => event.event),
    ["lead.created", "lead.updated", "lead.status_updated", "lead.updated"],
  );
  assert.deepEqual(events[2].data, events[1].data);
  assert.deepEqual(events[2].previous_data, { status_id: from.id });
  assert.deepEqual(events[2].data, changed);
  assert.equal((await acme.events(changes[0].id))[0].event, "activity.lead_status_change.created");
});

test("a deal's change of status says what the deal was worth, and goes with the deal", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 1_200_000, value_period: "annual", confidence: 60 });
  const note = await acme.note({ lead_id: deal.lead_id, opportunity_id: deal.id });

  await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  const [change] = (await acme.get(`/activity/status_change/opportunity/?opportunity_id=${deal.id}`)).data;
  await acme.delete(`/opportunity/${deal.id}/`);

  assert.deepEqual([change.old_status_label, change.old_status_type], ["Active", "active"]);
  assert.deepEqual([change.new_status_label, change.new_status_type, change.new_pipeline_name], ["Won", "won", "Sales"]);
  assert.equal(change.opportunity_value_formatted, "$12,000.00");
  assert.deepEqual([change.opportunity_value_period, change.opportunity_confidence], ["annual", 60]);
  assert.deepEqual((await acme.get("/activity/status_change/opportunity/")).data, []);
  assert.equal((await acme.events(change.id)).at(-1).event, "activity.opportunity_status_change.deleted");
  assert.equal((await acme.get(`/activity/note/${note.id}/`)).opportunity_id, null, "other activities stay");
});

test("a task that is done is a line in the lead's history until it is not done after all", async () => {
  const acme = await organization();
  const [undone, done] = [await acme.task({ text: "Call" }), await acme.task({ text: "Write" })];

  for (const task of [undone, done]) await acme.put(`/task/${task.id}/`, { is_complete: true });
  const [line] = (await acme.get(`/activity/task_completed/?task_id=${undone.id}`)).data;
  await acme.put(`/task/${undone.id}/`, { is_complete: false });
  await acme.delete(`/task/${done.id}/`);

  assert.deepEqual([line.task_text, line.task_assigned_to, line.lead_id], ["Call", acme.userId, undone.lead_id]);
  assert.ok(line.task_assigned_to_name);
  const rest = (await acme.get("/activity/task_completed/")).data;
  assert.deepEqual(
    rest.map((one: any) => one.task_id),
    [done.id],
  );
  assert.deepEqual(
    (await acme.events(line.id)).map((event) => event.event),
    ["activity.task_completed.created", "activity.task_completed.deleted"],
  );
});

test("a merge is a line in the history of the lead that stays", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.lead(), await acme.lead({ name: "Acme Inc" })];

  await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });

  const [merge] = (await acme.get(`/activity/?lead_id=${keep.id}&_type=LeadMerge`)).data;
  assert.deepEqual([merge.source_lead_id, merge.source_lead_name, merge.destination_lead_id], [gone.id, "Acme Inc", keep.id]);
  assert.equal((await acme.events(merge.id))[0].event, "activity.lead_merge.created");
});

test("what the service notes is only listed", async () => {
  const acme = await organization();
  await acme.lead();
  const [created] = (await acme.get("/activity/created/")).data;

  for (const path of ["created", "task_completed", "status_change/lead", "status_change/opportunity"]) {
    await acme.refused(405, "POST", `/activity/${path}/`, {});
    await acme.refused(404, "DELETE", `/activity/${path}/${created.id}/`);
  }
  await acme.refused(404, "GET", `/activity/${created.id}/`);
  await acme.refused(405, "POST", "/activity/", {});
});
