// Without view_all_leads, members see their own leads and what belongs to them, by every possible request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

interface Given {
  acme: Workspace;
  bob: Workspace;
  own: any;
  others: any;
}

async function given(role = "restricteduser"): Promise<Given> {
  const acme = await organization();
  const bob = await acme.member(role);
  const own = await acme.lead({ name: "Own lead", owner_id: bob.userId, contacts: [{ name: "Own contact" }] });
  const others = await acme.lead({ name: "Others lead", owner_id: acme.userId, contacts: [{ name: "Others contact" }] });
  return { acme, bob, own, others };
}

const contactOf = async (acme: Workspace, lead: any) => (await acme.get(`/contact/?lead_id=${lead.id}`)).data[0];

test("lists and counts hold one's own leads and their contacts", async () => {
  const { bob, own } = await given();

  const leads = await bob.get("/lead/?_count=exact");
  const contacts = await bob.get("/contact/?_count=exact");

  assert.deepEqual([leads.data.map((one: any) => one.id), leads.total_results], [[own.id], 1]);
  assert.deepEqual([contacts.data.map((one: any) => one.lead_id), contacts.total_results], [[own.id], 1]);
});

test("text search and filters find nothing of others", async () => {
  const { acme, bob, own, others } = await given();
  const theirs = await contactOf(acme, others);

  for (const path of [
    `/lead/?id=${others.id}`,
    `/lead/?owner_id=${acme.userId}`,
    "/lead/?name=Others lead",
    `/contact/?lead_id=${others.id}`,
    `/contact/?id__in=${theirs.id}`,
  ]) {
    assert.deepEqual((await bob.get(path)).data, [], path);
  }
  assert.deepEqual(
    (await bob.get("/lead/?_order_by=name")).data.map((one: any) => one.id),
    [own.id],
  );
});

test("another member's lead and its records do not exist for reads, changes and deletes", async () => {
  const { acme, bob, others } = await given();
  const theirs = await contactOf(acme, others);

  for (const path of [`/lead/${others.id}/`, `/contact/${theirs.id}/`]) {
    const unknown = await bob.refused(404, "GET", path.replace(/_\w+/, "_00000000000000000000000000"));
    assert.deepEqual(await bob.refused(404, "GET", path), unknown);
    await bob.refused(404, "PUT", path, { name: "Mine" });
  }
  assert.equal((await acme.get(`/lead/${others.id}/`)).name, "Others lead");
});

test("who may delete leads deletes only those they see", async () => {
  const acme = await organization();
  const bob = await acme.memberWith(["delete_leads", "merge_leads"]);
  const [own, others] = [await acme.lead({ owner_id: bob.userId }), await acme.lead()];

  await bob.refused(404, "DELETE", `/lead/${others.id}/`);
  await bob.refused(400, "POST", "/lead/merge/", { source: others.id, destination: own.id }, "source");
  await bob.refused(400, "POST", "/lead/merge/", { source: own.id, destination: others.id }, "destination");
  await bob.delete(`/lead/${own.id}/`);
});

test("an id in a body must name a lead one sees", async () => {
  const { acme, bob, own, others } = await given();
  const mine = await contactOf(acme, own);

  await bob.refused(400, "POST", "/contact/", { name: "New", lead_id: others.id }, "lead_id");
  await bob.refused(400, "PUT", `/contact/${mine.id}/`, { lead_id: others.id }, "lead_id");
  await bob.post("/contact/", { name: "New", lead_id: own.id });
});

test("_expand brings along only what one sees", async () => {
  const { acme, bob, own } = await given();
  const mine = await contactOf(acme, own);

  const lead = await bob.get(`/lead/${own.id}/?_expand=contacts`);
  const contact = await bob.get(`/contact/${mine.id}/?_expand=lead`);

  assert.deepEqual(
    lead.contacts.map((one: any) => one.id),
    [mine.id],
  );
  assert.equal(contact.lead.id, own.id);
});

test("a lead one is given is there at once, and one that is taken away is gone at once", async () => {
  const { acme, bob, own, others } = await given();

  await acme.put(`/lead/${others.id}/`, { owner_id: bob.userId });
  await acme.put(`/lead/${own.id}/`, { owner_id: acme.userId });

  await bob.get(`/lead/${others.id}/`);
  await bob.refused(404, "GET", `/lead/${own.id}/`);
});

test("who sees only their own leads owns those they create", async () => {
  const { bob } = await given();

  const made = await bob.lead();
  const person = await bob.contact();

  assert.equal(made.owner_id, bob.userId);
  await bob.get(`/lead/${made.id}/`);
  await bob.get(`/contact/${person.id}/`);
});

test("events of what one does not see are not there either", async () => {
  const { bob, own, others } = await given();

  assert.deepEqual(await bob.events(others.id), []);
  assert.ok((await bob.events(own.id)).length > 0);
});

test("a user field of the role makes the leads it names somebody in visible to them", async () => {
  const acme = await organization();
  const [one, many] = [
    await acme.customField("lead", { type: "user" }),
    await acme.customField("lead", { type: "user", accepts_multiple_values: true }),
  ];
  const role = await acme.post("/role/", { name: "Reps", visibility_user_lcf_ids: [one.id, many.id] });
  const bob = await acme.member(role.id);
  const assigned = await acme.lead({ [`custom.${one.id}`]: bob.userId });
  const shared = await acme.lead({ [`custom.${many.id}`]: [acme.userId, bob.userId], contacts: [{ name: "Shared contact" }] });
  await acme.lead({ [`custom.${one.id}`]: acme.userId });
  await acme.lead();

  const seen = (await bob.get("/lead/")).data.map((lead: any) => lead.id);

  assert.deepEqual(seen, [shared.id, assigned.id]);
  assert.equal((await bob.get("/contact/")).data.length, 1);
});

test("with allow_unassigned, leads that nobody has are visible too", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "user" });
  const role = await acme.post("/role/", {
    name: "Reps",
    visibility_user_lcf_ids: [field.id],
    visibility_user_lcf_behavior: "allow_unassigned",
  });
  const bob = await acme.member(role.id);
  const free = await acme.lead();
  await acme.lead({ owner_id: acme.userId });
  await acme.lead({ [`custom.${field.id}`]: acme.userId });

  assert.deepEqual(
    (await bob.get("/lead/")).data.map((lead: any) => lead.id),
    [free.id],
  );
  await acme.put(`/role/${role.id}/`, { visibility_user_lcf_behavior: "require_assignment" });
  assert.deepEqual((await bob.get("/lead/")).data, []);
});
