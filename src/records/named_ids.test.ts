import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";

test("who is merged is named by the other id wherever others name them, and who is deleted nowhere", async () => {
  const acme = await organization();
  const one = `custom.${(await acme.customField("lead", { type: "contact" })).id}`;
  const many = `custom.${(await acme.customField("opportunity", { type: "contact", accepts_multiple_values: true })).id}`;
  const [ann, bob, cy] = [await acme.contact(), await acme.contact(), await acme.contact()];
  const lead = await acme.lead({ [one]: ann.id });
  const deal = await acme.opportunity({ lead_id: lead.id, [many]: [ann.id, cy.id] });
  const attendees = [{ contact_id: ann.id }, { contact_id: cy.id }];
  const starts_at = "2030-01-02T10:00:00Z";
  const meeting = await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Hello", starts_at, attendees });
  const read = async () => {
    const { [one]: value } = await acme.get(`/lead/${lead.id}/`);
    const { [many]: values } = await acme.get(`/opportunity/${deal.id}/`);
    const met = (await acme.get(`/activity/meeting/${meeting.id}/`)).attendees.map((each: any) => each.contact_id);
    return { value, values, met };
  };

  await acme.post("/contact/merge/", { source: ann.id, destination: bob.id });
  assert.deepEqual(await read(), { value: bob.id, values: [bob.id, cy.id], met: [bob.id, cy.id] });
  await acme.delete(`/lead/${bob.lead_id}/`);
  assert.deepEqual(await read(), { value: undefined, values: [cy.id], met: [null, cy.id] });
  await acme.delete(`/contact/${cy.id}/`);
  assert.deepEqual(await read(), { value: undefined, values: undefined, met: [null, null] });

  const changes = async (id: string) =>
    (await acme.events(id)).filter((event) => event.action === "updated").map((event) => event.changed_fields);
  assert.deepEqual(await changes(lead.id), [[one], [one]]);
  assert.deepEqual(await changes(deal.id), [[many], [many], [many]]);
  assert.deepEqual(await changes(meeting.id), [["attendees"], ["attendees"], ["attendees"]]);
});

test("a deleted custom object is named nowhere", async () => {
  const acme = await organization();
  const type = await acme.post("/custom_object_type/", { name: "Car" });
  const lead = await acme.lead();
  const car = await acme.post("/custom_object/", { lead_id: lead.id, custom_object_type_id: type.id, name: "Van" });
  const field = await acme.customField("contact", { type: "custom_object", referenced_custom_type_id: type.id });
  const ann = await acme.contact({ [`custom.${field.id}`]: car.id });

  await acme.delete(`/custom_object/${car.id}/`);

  assert.equal(`custom.${field.id}` in (await acme.get(`/contact/${ann.id}/`)), false);
});

test("what goes with a record tells nothing but that it goes", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "contact" });
  const lead = await acme.lead({ contacts: [{ name: "Ann" }] });
  await acme.put(`/lead/${lead.id}/`, { [`custom.${field.id}`]: lead.contacts[0].id });

  await acme.delete(`/lead/${lead.id}/`);

  assert.deepEqual(
    (await acme.events(lead.id)).map((event) => event.action),
    ["created", "updated", "deleted"],
  );
});

test("when a group is deleted, its tasks are assigned to the deleting member, and its conversations to nobody", async () => {
  const acme = await organization();
  const group = await acme.post("/group/", { name: "Sales" });
  const task = await acme.task({ assigned_to: group.id });
  const conversation = await acme.post("/conversation/", { lead_id: task.lead_id, assigned_to: group.id });

  await acme.delete(`/group/${group.id}/`);

  assert.equal((await acme.get(`/task/${task.id}/`)).assigned_to, acme.userId);
  assert.equal((await acme.get(`/conversation/${conversation.id}/`)).assigned_to, null);
  assert.deepEqual((await acme.events(task.id)).at(-1).changed_fields, ["assigned_to"]);
});
