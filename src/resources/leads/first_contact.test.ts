import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a lead without a name is called after its first contact, wherever it is shown", async () => {
  const acme = await organization();
  const contacts = [{ first_name: "Ann", last_name: "Lee" }, { name: "Bob" }];

  const lead = await acme.post("/lead/", { contacts });
  const task = await acme.task({ lead_id: lead.id });

  assert.equal(lead.display_name, "Ann Lee");
  assert.equal((await acme.get(`/lead/${lead.id}/`)).display_name, "Ann Lee");
  assert.equal((await acme.get("/lead/?name__isnull=true")).data[0].display_name, "Ann Lee");
  assert.equal(task.lead_name, "Ann Lee");
  assert.deepEqual(
    (await acme.get("/lead/?query=ann")).data.map((one: any) => one.id),
    [lead.id],
  );
  assert.deepEqual(
    (await acme.events(lead.id)).map((event) => [event.event, event.data.display_name]),
    [["lead.created", "Ann Lee"]],
  );
});

test("it follows the first contact: one that comes, is renamed, moves, is merged or goes", async () => {
  const acme = await organization();
  const [lead, other] = [await acme.post("/lead/"), await acme.lead()];
  const called = async () => (await acme.get(`/lead/${lead.id}/`)).display_name;

  const ann = await acme.contact({ lead_id: lead.id, name: null, emails: [{ email: "ann@x.io" }] });
  assert.equal(await called(), "ann@x.io");
  const bob = await acme.contact({ lead_id: lead.id, name: "Bob" });
  await acme.put(`/contact/${ann.id}/`, { name: "Ann" });
  assert.equal(await called(), "Ann");
  await acme.put(`/contact/${ann.id}/`, { lead_id: other.id });
  assert.equal(await called(), "Bob");
  await acme.post("/contact/merge/", { source: bob.id, destination: ann.id });
  assert.equal(await called(), "Untitled");
  await acme.put(`/contact/${ann.id}/`, { lead_id: lead.id });
  assert.equal(await called(), "Ann");
  await acme.delete(`/contact/${ann.id}/`);
  assert.equal(await called(), "Untitled");

  const changes = (await acme.events(lead.id)).filter((event) => event.event === "lead.updated");
  assert.deepEqual(
    changes.map((event) => [event.changed_fields, event.previous_data, event.data.display_name]),
    [
      [["display_name"], { display_name: "Untitled" }, "ann@x.io"],
      [["display_name"], { display_name: "ann@x.io" }, "Ann"],
      [["display_name"], { display_name: "Ann" }, "Bob"],
      [["display_name"], { display_name: "Bob" }, "Untitled"],
      [["display_name"], { display_name: "Untitled" }, "Ann"],
      [["display_name"], { display_name: "Ann" }, "Untitled"],
    ],
  );
});

test("a name of its own goes before that of any contact, and once it is cleared the contact's is back", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }] });
  const [ann] = (await acme.get(`/contact/?lead_id=${lead.id}`)).data;
  await acme.put(`/contact/${ann.id}/`, { name: "Anna" });

  const cleared = await acme.put(`/lead/${lead.id}/`, { name: null });
  const named = await acme.put(`/lead/${lead.id}/`, { name: "Acme" });
  const emptied = await acme.put(`/lead/${(await acme.lead()).id}/`, { name: "" });

  assert.equal(lead.display_name, "Acme");
  assert.deepEqual([cleared.name, cleared.display_name], [null, "Anna"]);
  assert.equal(named.display_name, "Acme");
  assert.deepEqual([emptied.name, emptied.display_name], [null, "Untitled"]);
});

test("two contacts that come at once give one name", async () => {
  const acme = await organization();
  const lead = await acme.post("/lead/");

  await Promise.all(["Ann", "Bob", "Cy", "Dan"].map((name) => acme.contact({ lead_id: lead.id, name })));

  const [first] = (await acme.get(`/contact/?lead_id=${lead.id}&_order_by=date_created`)).data;
  assert.equal((await acme.get(`/lead/${lead.id}/`)).display_name, first.name);
});
