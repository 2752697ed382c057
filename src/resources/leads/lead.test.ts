import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const streamOf = async (acme: Workspace, lead: any): Promise<any[]> => (await acme.get(`/activity/?lead_id=${lead.id}`)).data;

test("a lead takes nothing: it is untitled, at the first status, and its history begins", async () => {
  const acme = await organization();

  const lead = await acme.post("/lead/");

  assert.deepEqual([lead.name, lead.display_name, lead.status_label, lead.owner_id], [null, "Untitled", "Potential", null]);
  assert.deepEqual([lead.source, lead.html_url], ["api", `${acme.service.app.core.settings.base_url}/lead/${lead.id}/`]);
  const [created, ...more] = await streamOf(acme, lead);
  assert.deepEqual(more, []);
  assert.deepEqual([created._type, created.source, created.user_id], ["Created", "api", acme.userId]);
});

test("that a lead was created is one event", async () => {
  const acme = await organization();

  const lead = await acme.lead({ contacts: [{ name: "Ann" }] });

  const told = await acme.all(`/event/?lead_id=${lead.id}`);
  assert.deepEqual(told.map(({ event }) => event).toSorted(), ["contact.created", "lead.created"]);
  assert.equal(told.find(({ event }) => event === "lead.created").data.source, "api");
});

test("a lead that is entered with a date in the past has a history from then on", async () => {
  const acme = await organization();

  const lead = await acme.lead({ date_created: "2019-05-04T10:00:00Z", source: "import" });

  assert.equal(lead.date_created, "2019-05-04T10:00:00.000Z");
  const [created] = await streamOf(acme, lead);
  assert.deepEqual([created.activity_at, created.source], ["2019-05-04T10:00:00.000Z", "import"]);
});

test("a lead comes with its contacts, all of it or nothing", async () => {
  const acme = await organization();
  const contacts = [
    { name: "Ann", emails: [{ email: "ann@acme.io" }] },
    { first_name: "Bob", last_name: "Lee" },
  ];

  const lead = await acme.lead({ contacts });

  const people = (await acme.get(`/contact/?lead_id=${lead.id}&_order_by=name`)).data;
  assert.deepEqual(lead.contacts, people);
  assert.ok(!("contacts" in (await acme.lead())));
  assert.deepEqual((await acme.post("/lead/?_fields=contacts", { contacts: [{ name: "Cy" }] })).contacts[0].name, "Cy");
  assert.deepEqual(
    people.map((one: any) => [one.name, one.lead_id]),
    [
      ["Ann", lead.id],
      ["Bob Lee", lead.id],
    ],
  );
  assert.deepEqual(
    (await acme.get(`/lead/${lead.id}/?_fields=contact_ids`)).contact_ids,
    people.map((one: any) => one.id).sort(),
  );
  const wrong = [{ name: "Eve" }, { emails: [{ email: "nonsense" }] }];
  await acme.refused(400, "POST", "/lead/", { name: "Never", contacts: wrong }, "contacts.1.emails.0.email");
  assert.deepEqual((await acme.get("/lead/?name=Never")).data, []);
  assert.deepEqual((await acme.get("/contact/?name=Eve")).data, []);
});

test("where a lead is shown to people is a whole address, in every way it is read", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme" });
  const query = { type: "and", queries: [{ type: "object_type", object_type: "lead" }] };

  const html_url = `${acme.service.app.core.settings.base_url}/lead/${lead.id}/`;
  assert.match(html_url, /^https?:/);
  for (const path of ["/lead/", "/lead/?query=acme", "/lead/?_skip=0&_limit=1", "/lead/?_fields=html_url", "/lead/?name=Acme"])
    assert.equal((await acme.get(path)).data[0].html_url, html_url, path);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).html_url, html_url);
  assert.equal((await acme.post("/data/search/", { query })).data[0].html_url, html_url);
  assert.equal((await acme.events(lead.id))[0].data.html_url, html_url);
});

test("contacts are not changed through their lead", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Ann" }] });

  await acme.put(`/lead/${lead.id}/`, { contacts: [{ name: "Bob" }] });

  assert.deepEqual(
    (await acme.get(`/contact/?lead_id=${lead.id}`)).data.map((one: any) => one.name),
    ["Ann"],
  );
});

test("a change of status is a line in the history and an event of its own", async () => {
  const acme = await organization();
  const [potential, , qualified] = (await acme.get("/status/lead/")).data;
  const lead = await acme.lead();

  const changed = await acme.put(`/lead/${lead.id}/`, { status: "Qualified" });
  await acme.put(`/lead/${lead.id}/`, { status_id: qualified.id });

  assert.equal(changed.status_id, qualified.id);
  const [line, ...more] = await streamOf(acme, lead);
  assert.deepEqual(
    more.map((one) => one._type),
    ["Created"],
  );
  assert.deepEqual([line._type, line.old_status_id, line.new_status_id], ["LeadStatusChange", potential.id, qualified.id]);
  assert.deepEqual([line.old_status_label, line.new_status_label], ["Potential", "Qualified"]);
  const events = await acme.events(lead.id);
  assert.deepEqual(
    events.map((event) => event.event),
    ["lead.created", "lead.updated", "lead.status_updated"],
  );
  assert.deepEqual([events[2].changed_fields, events[2].previous_data], [["status_id"], { status_id: potential.id }]);
});

test("a status is named by its id or by its label, not by both, and has to be one", async () => {
  const acme = await organization();
  const [potential] = (await acme.get("/status/lead/")).data;
  const lead = await acme.lead({ status: "Customer" });

  assert.equal(lead.status_label, "Customer");
  await acme.refused(400, "POST", "/lead/", { status: "Customer", status_id: potential.id }, "status");
  await acme.refused(400, "POST", "/lead/", { status: "customer" }, "status");
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { status_id: "stat_none" }, "status_id");
  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_label, "Customer");
});

test("an owner is an active member", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [, membership] = (await acme.get("/membership/?_order_by=date_created")).data;

  const lead = await acme.lead({ owner_id: bob.userId });
  await acme.delete(`/membership/${membership.id}/`);

  assert.equal(lead.owner_name, (await acme.get(`/user/${bob.userId}/`)).name);
  await acme.refused(400, "POST", "/lead/", { owner_id: bob.userId }, "owner_id");
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { owner_id: "user_nobody" }, "owner_id");
  assert.equal((await acme.put(`/lead/${lead.id}/`, { owner_id: bob.userId, name: "Kept" })).name, "Kept");
});

test("a lead is found by any of its addresses, numbers and tags, however they are written", async () => {
  const acme = await organization();
  const lead = await acme.lead({
    emails: [{ email: "info@acme.io" }, { email: "Sales@Acme.io" }],
    phones: [{ phone: "(800) 444-5555" }],
    tags: ["Hot lead"],
  });
  await acme.lead({ emails: [{ email: "info@other.io" }], phones: [{ phone: "+18004445556" }], tags: ["Cold"] });

  for (const filter of [
    "email=sales@acme.io",
    "email=INFO@ACME.IO",
    "phone=8004445555",
    "phone=%2B1 800-444-5555",
    "tag=Hot lead",
  ])
    assert.deepEqual(
      (await acme.get(`/lead/?${filter}`)).data.map((one: any) => one.id),
      [lead.id],
      filter,
    );
  assert.deepEqual((await acme.get("/lead/?email=acme.io")).data, []);
  assert.deepEqual(
    (await acme.get("/lead/?status_label=Potential&tag=Cold")).data.map((one: any) => one.tags),
    [["Cold"]],
  );
});

test("numbers are read in the organization's country, addresses where they lie", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { country: "DE" });

  const lead = await acme.lead({
    phones: [{ phone: "030 901820", type: "direct" }],
    addresses: [{ street: "Platz 1", postal_code: "10117", city: "Berlin", country: "DE" }],
  });

  assert.deepEqual([lead.phones[0].phone, lead.phones[0].country], ["+4930901820", "DE"]);
  assert.deepEqual(
    [lead.addresses[0].address_1, lead.addresses[0].zipcode, lead.addresses[0].tz_ids],
    ["Platz 1", "10117", ["Europe/Berlin"]],
  );
  await acme.refused(400, "POST", "/lead/", { phones: [{ phone: "none" }] }, "phones.0.phone");
  await acme.refused(400, "POST", "/lead/", { emails: [{ email: "none" }] }, "emails.0.email");
  await acme.refused(400, "POST", "/lead/", { addresses: ["Berlin"] }, "addresses.0");
});

test("deleting a lead deletes its records, children first", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Ann" }] });
  const [person] = (await acme.get(`/contact/?lead_id=${lead.id}`)).data;
  const records = [await acme.task({ lead_id: lead.id }), await acme.note({ lead_id: lead.id }), person];
  const deal = await acme.opportunity({ lead_id: lead.id });

  await acme.delete(`/lead/${lead.id}/`);

  const events = (await acme.get(`/event/?lead_id=${lead.id}&action=deleted`)).data.reverse();
  assert.equal(events.at(-1).object_id, lead.id);
  for (const { id } of [...records, deal]) assert.ok(events.slice(0, -1).some((event: any) => event.object_id === id));
  assert.equal(events.at(-1).previous_data.name, lead.name);
});

test("deleting a lead needs delete_leads", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const member = await acme.memberWith(["view_all_leads"]);

  await member.refused(403, "DELETE", `/lead/${lead.id}/`);
});

test("the list knows a status by its label under both names", async () => {
  const acme = await organization();
  const { status_label } = await acme.lead({ name: "First" });
  const [, other] = (await acme.get("/status/lead/")).data;
  await acme.lead({ name: "Second", status_id: other.id });
  const found = async (filter: string) => (await acme.get(`/lead/?${filter}`)).data.map((one: any) => one.name);

  for (const filter of ["status", "status_label", "status__in"])
    assert.deepEqual(await found(`${filter}=${encodeURIComponent(status_label)}`), ["First"], filter);
  await acme.refused(400, "GET", "/lead/?status=Nope", undefined, "status");
});
