import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { erasure } from "../organization/erasure.ts";

const share = (ws: Workspace, id: string, other: Workspace, more: object = {}): Promise<any> =>
  ws.post(`/contact/${id}/share/`, { organization_id: other.id, ...more });

test("a shared person is a contact of both organizations, with what is known of the person", async () => {
  const here = await organization();
  const there = await here.another();
  const person = await here.contact({
    name: "Ann",
    title: "CEO",
    emails: [{ email: "a@x.io" }],
    phones: [{ phone: "+18004445555" }],
    tags: ["vip"],
  });

  const link = await share(here, person.id, there);

  const copy = await there.get(`/contact/${link.contact_id}/`);
  assert.equal(link.organization_id, there.id);
  assert.equal(link.lead_id, copy.lead_id);
  for (const key of ["name", "title", "emails", "phones", "urls", "timezone"]) assert.deepEqual(copy[key], person[key], key);
  assert.deepEqual(copy.tags, []);
  assert.equal(copy.is_shared, true);
  assert.equal(copy.share_id, link.share_id);
  assert.equal((await here.get(`/contact/${person.id}/`)).share_id, link.share_id);
  assert.equal((await there.get(`/lead/${copy.lead_id}/`)).name, "Ann");
  assert.deepEqual(
    (await there.events(copy.id)).map((one) => one.event),
    ["contact.created"],
  );
  assert.deepEqual(
    (await here.events(person.id)).map((one) => one.event),
    ["contact.created", "contact.updated", "contact.shared"],
  );
});

test("the admins of the other organization are told, but not who shared", async () => {
  const here = await organization();
  const there = await organization(here.service);
  await here.joins(there, "admin");
  const person = await here.contact({ name: "Ann" });

  const link = await share(here, person.id, there);

  const [told] = (await there.get("/notification/?type=contact_shared")).data;
  assert.deepEqual([told.object_id, told.lead_id, told.user_id], [link.contact_id, link.lead_id, there.userId]);
  assert.match(told.title, /shared Ann with you/);
  assert.equal((await there.get("/notification/")).data.length, 1);
});

test("sharing twice changes nothing and answers the same link", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await there.lead();
  const person = await here.contact();

  const first = await share(here, person.id, there, { lead_id: lead.id });
  const again = await here.ask("POST", `/contact/${person.id}/share/`, { body: { organization_id: there.id } });

  assert.equal(again.status, 200);
  assert.deepEqual(again.body, first);
  assert.equal(first.lead_id, lead.id);
  assert.equal((await there.get(`/contact/?lead_id=${lead.id}`)).data.length, 1);
});

test("facts about the person change on all copies, and an organization's own values do not", async () => {
  const here = await organization();
  const [there, third] = [await here.another(), await here.another()];
  const person = await here.contact({ name: "Ann" });
  const [copy, other] = [await share(here, person.id, there), await share(here, person.id, third)];

  await there.put(`/contact/${copy.contact_id}/`, { title: "CTO", emails: [{ email: "new@x.io" }], tags: ["mine"] });

  for (const [ws, id] of [
    [here, person.id],
    [third, other.contact_id],
  ] as const) {
    const row = await ws.get(`/contact/${id}/`);
    assert.equal(row.title, "CTO");
    assert.equal(row.emails[0].email, "new@x.io");
    assert.deepEqual(row.tags, []);
    assert.deepEqual(
      (await ws.get("/contact/?email=new@x.io")).data.map((one: any) => one.id),
      [id],
    );
  }
  const told = (await here.events(person.id)).at(-1);
  assert.deepEqual([told.event, told.changed_fields], ["contact.updated", ["title", "emails"]]);
});

test("an unshared copy goes its own way; a share with one contact left is none", async () => {
  const here = await organization();
  const [there, third] = [await here.another(), await here.another()];
  const person = await here.contact({ name: "Ann" });
  const [copy] = [await share(here, person.id, there), await share(here, person.id, third)];

  const first = await here.post(`/contact/${person.id}/unshare/`, { organization_id: there.id });
  await here.put(`/contact/${person.id}/`, { name: "Anna" });
  const second = await here.post(`/contact/${person.id}/unshare/`, { organization_id: third.id });

  const detached = { detached_contact_id: copy.contact_id, organization_id: there.id };
  assert.deepEqual(first, { ...detached, share_dissolved: false, remaining: 2 });
  assert.equal((await there.get(`/contact/${copy.contact_id}/`)).name, "Ann");
  assert.equal((await there.get(`/contact/${copy.contact_id}/`)).is_shared, false);
  assert.deepEqual([second.share_dissolved, second.remaining], [true, 0]);
  assert.equal((await here.get(`/contact/${person.id}/`)).is_shared, false);
  await here.refused(400, "POST", `/contact/${person.id}/unshare/`, { organization_id: third.id }, "organization_id");
});

test("unsharing the present organization detaches the contact itself", async () => {
  const here = await organization();
  const there = await here.another();
  const person = await here.contact();
  const copy = await share(here, person.id, there);

  const answer = await there.post(`/contact/${copy.contact_id}/unshare/`, { organization_id: there.id });

  assert.equal(answer.detached_contact_id, copy.contact_id);
  assert.equal(answer.share_dissolved, true);
  assert.equal((await here.get(`/contact/${person.id}/`)).is_shared, false);
});

test("who else has a person is listed, with leads only where the caller sees them", async () => {
  const here = await organization();
  const there = await here.another();
  const colleague = await here.member();
  const person = await here.contact();
  const copy = await share(here, person.id, there);

  const mine = (await here.get(`/contact/${person.id}/shares/`)).data;
  const theirs = (await colleague.get(`/contact/${person.id}/shares/?_limit=5`)).data;

  assert.deepEqual(
    mine.map((one: any) => [one.contact_id, one.lead_id, one.is_current]).sort(),
    [
      [person.id, person.lead_id, true],
      [copy.contact_id, copy.lead_id, false],
    ].sort(),
  );
  const elsewhere = theirs.find((one: any) => !one.is_current);
  assert.deepEqual([elsewhere.organization_id, elsewhere.lead_id, elsewhere.lead_name], [there.id, null, null]);
  assert.deepEqual((await here.get(`/contact/${(await here.contact()).id}/shares/`)).data, []);
});

test("deleting a copy, or its lead, leaves the others, and ends a share of two", async () => {
  const here = await organization();
  const [there, third] = [await here.another(), await here.another()];
  const person = await here.contact();
  const [copy, other] = [await share(here, person.id, there), await share(here, person.id, third)];

  await there.delete(`/contact/${copy.contact_id}/`);
  assert.equal((await here.get(`/contact/${person.id}/`)).is_shared, true);
  await third.delete(`/lead/${other.lead_id}/`);

  assert.equal((await here.get(`/contact/${person.id}/`)).is_shared, false);
  assert.deepEqual((await here.get(`/contact/${person.id}/shares/`)).data, []);
});

test("deleting an organization leaves the people it shared to the others", async () => {
  const here = await organization();
  const there = await here.another();
  const person = await here.contact({ name: "Ann" });
  await share(here, person.id, there);

  await there.delete(`/organization/${there.id}/`);
  await withWorker(here.service, (worker) => worker.drained(), { does: { works: [erasure], consumers: [], timers: [] } });

  const row = await here.get(`/contact/${person.id}/`);
  assert.deepEqual([row.name, row.is_shared], ["Ann", false]);
});

test("merging a shared contact into another makes that one the shared one", async () => {
  const here = await organization();
  const there = await here.another();
  const [person, twin] = [await here.contact({ name: "Ann", title: "CEO" }), await here.contact({ name: "Ann B." })];
  const copy = await share(here, person.id, there);

  const merged = await here.post("/contact/merge/", { source: person.id, destination: twin.id });

  assert.equal(merged.share_id, copy.share_id);
  const elsewhere = await there.get(`/contact/${copy.contact_id}/`);
  assert.deepEqual([elsewhere.name, elsewhere.title, elsewhere.is_shared], ["Ann B.", "CEO", true]);
});

test("merging two shared contacts keeps the destination's share, and a share left alone ends", async () => {
  const here = await organization();
  const there = await here.another();
  const [person, twin] = [await here.contact({ name: "Ann" }), await here.contact({ name: "Bob" })];
  const [gone, kept] = [await share(here, person.id, there), await share(here, twin.id, there)];

  const merged = await here.post("/contact/merge/", { source: person.id, destination: twin.id });

  assert.equal(merged.share_id, kept.share_id);
  assert.equal((await there.get(`/contact/${gone.contact_id}/`)).is_shared, false);
});

test("a shared person who moves with the lead stays shared, but not with an organization that has a copy", async () => {
  const here = await organization();
  const [there, third] = [await here.another(), await here.another()];
  const [ann, bob] = [await here.contact({ name: "Ann" }), await here.contact({ name: "Bob" })];
  const [annThere, bobThird] = [await share(here, ann.id, there), await share(here, bob.id, third)];

  await here.post(`/lead/${ann.lead_id}/move/`, { target_organization_id: there.id });
  await here.post(`/lead/${bob.lead_id}/move/`, { target_organization_id: there.id });
  await there.put(`/contact/${bob.id}/`, { name: "Robert" });

  assert.equal((await there.get(`/contact/${ann.id}/`)).is_shared, false);
  assert.equal((await there.get(`/contact/${annThere.contact_id}/`)).is_shared, false);
  assert.equal((await there.get(`/contact/${bob.id}/`)).share_id, bobThird.share_id);
  assert.equal((await third.get(`/contact/${bobThird.contact_id}/`)).name, "Robert");
});

test("sharing takes an organization one is a member of, a lead that is there, and seeing all leads in both", async () => {
  const here = await organization();
  const [there, stranger] = [await here.another(), await organization(here.service)];
  const limited = await here.memberWith(["calling"]);
  const colleague = await here.member();
  await colleague.joins(there, "restricteduser");
  const person = await here.contact();
  const refuse = (by: Workspace, status: number, body: object, field?: string) =>
    by.refused(status, "POST", `/contact/${person.id}/share/`, body, field);

  await refuse(here, 400, {}, "organization_id");
  await refuse(here, 400, { organization_id: here.id }, "organization_id");
  await refuse(here, 400, { organization_id: stranger.id }, "organization_id");
  await refuse(here, 400, { organization_id: there.id, lead_id: person.lead_id }, "lead_id");
  await refuse(limited, 403, { organization_id: there.id });
  await refuse(colleague, 403, { organization_id: there.id });
  await here.refused(404, "POST", "/contact/cont_nobody/share/", { organization_id: there.id });
  await here.refused(400, "POST", `/contact/${person.id}/unshare/`, { organization_id: there.id }, "organization_id");

  assert.equal((await here.get(`/contact/${person.id}/`)).is_shared, false);
  assert.deepEqual((await there.get("/contact/")).data, []);
});

test("a person who is changed in several organizations at the same moment is the same in all of them afterwards", async () => {
  const here = await organization();
  const there = await here.another();
  const person = await here.contact({ name: "Ann" });
  const copy = await share(here, person.id, there);

  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0
        ? here.put(`/contact/${person.id}/`, { name: `Ann ${i}` })
        : there.put(`/contact/${copy.contact_id}/`, { name: `Ann ${i}` }),
    ),
  );

  const [one, other] = [await here.get(`/contact/${person.id}/`), await there.get(`/contact/${copy.contact_id}/`)];
  assert.match(one.name, /^Ann \d$/);
  assert.equal(other.name, one.name);
});
