// A member who may not see a record learns nothing about it: by no event, no list, no number.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Field } from "../../src/core/field.ts";
import type { Resource } from "../../src/core/resource.ts";
import { lockRecord } from "../../src/records/records.ts";
import { store } from "../../src/records/store.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, listedByRecord, minimalBody, sampleRecord, verbsOf } from "../support/samples.ts";

const kinds = createdResources(operations).filter((of) => of.event !== null);

/** Whether somebody can read a record, by its id or in its list. */
async function canRead(who: Workspace, of: Resource, record: any): Promise<boolean> {
  const { get, list } = verbsOf(operations, of);
  if (get !== undefined) return (await who.ask("GET", record.path)).status === 200;
  if (list === undefined) return (await who.ask("GET", record.path)).status !== 404;
  const about = listedByRecord.has(of.name) ? `&object_id=${record.object_id}` : "";
  const { status, body } = await who.ask("GET", `${record.path.replace(/[^/]+\/$/, "")}?id=${record.id}${about}`);
  return status === 200 && body.data.length === 1;
}

const hears = async (who: Workspace, id: string): Promise<boolean> => (await who.events(id)).length > 0;

// Keys store when they were last used, even for reading.
const lists = operations.filter((one) => one.verb === "list" && !one.path.includes("{") && one.resource!.name !== "api_key");

/** What every list shows, as JSON. The position of the feed is left out, because it is no secret. */
async function readAll(who: Workspace): Promise<Map<string, unknown>> {
  const read = new Map<string, unknown>();
  for (const { path } of lists) {
    const { body } = await who.ask("GET", `${path}?_fields=_all&_count=exact`);
    read.set(path, body.data === undefined ? body : [body.data, body.total_results, body.unread_count]);
  }
  return read;
}

describe("the events of a record are seen by whoever sees it, and of one that was deleted by whoever saw it last", () => {
  for (const of of kinds) {
    test(of.name, async () => {
      const acme = await organization();
      const others = [await acme.member("restricteduser"), await acme.member("user")];
      const record = await sampleRecord(acme, of);

      const before = await Promise.all(others.map((who) => canRead(who, of, record)));
      const heard = await Promise.all(others.map((who) => hears(who, record.id)));
      if (verbsOf(operations, of).delete) await acme.delete(record.path);
      const heardLater = await Promise.all(others.map((who) => hears(who, record.id)));

      assert.ok(await hears(acme, record.id), "the one who made it");
      assert.deepEqual(heard, before);
      assert.deepEqual(heardLater, before);
    });
  }
});

describe("what happens to leads that a member does not see changes nothing of what they read:", async () => {
  /** Bodies of everything that can belong to a lead, with the records they need. */
  const bodiesAt = async (acme: Workspace, lead: any): Promise<[string, object][]> => {
    const ofLeads = kinds.filter((of) => of.columns.some(([key, field]) => key === "lead_id" && field.mode !== "read"));
    const bodies: [string, object][] = [];
    for (const of of [...ofLeads, acme.service.app.core.registry.resource("comment")!]) {
      const body: Record<string, unknown> = { ...(await minimalBody(acme, of)), lead_id: lead.id };
      for (const [key, field] of of.columns as [string, Field][])
        if (field.ref?.to === "contact" && key in body) body[key] = lead.contact_id;
      if (of.name === "comment") Object.assign(body, { object_id: lead.id, lead_id: undefined });
      bodies.push([await collectionPath(acme, of), body]);
    }
    return bodies;
  };

  test("lists, counts and totals", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const [own, hidden, other] = [await acme.lead({ owner_id: rep.userId, tags: ["vip"] }), await acme.lead(), await acme.lead()];
    const person = await acme.contact({ lead_id: hidden.id, emails: [{ email: "hidden@example.com" }] });
    await acme.contact({ lead_id: own.id, tags: ["vip"] });
    const leadList = await acme.post("/lead_list/", { name: "Fair" });
    const contactList = await acme.post("/contact_list/", { name: "Fair" });
    await acme.post(`/lead_list/${leadList.id}/members/`, { lead_ids: [own.id] });
    const template = await acme.post("/email_template/", { name: "Hello", is_shared: true });
    const steps = [{ step_type: "email", email_template_id: template.id }];
    const sequence = await acme.post("/sequence/", { name: "Shared", is_shared: true, status: "active", steps });
    const bodies = await bodiesAt(acme, { ...hidden, contact_id: person.id });
    const before = await readAll(rep);

    for (const [path, body] of bodies) await acme.post(path, body);
    await acme.post(`/lead_list/${leadList.id}/members/`, { lead_ids: [hidden.id] });
    await acme.post(`/contact_list/${contactList.id}/members/`, { contact_ids: [person.id] });
    await acme.put(`/lead/${hidden.id}/`, { tags: ["vip"] });
    await acme.put(`/contact/${person.id}/`, { tags: ["vip"] });
    await acme.post("/sequence/", { name: "Private", is_shared: false, steps });
    await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: person.id });
    await acme.delete(`/lead_list/${leadList.id}/members/${hidden.id}/`);
    await acme.post("/lead/merge/", { source: hidden.id, destination: other.id });

    const after = await readAll(rep);
    for (const [path, answer] of before) assert.deepEqual(after.get(path), answer, path);
  });
});

test("who loses a lead by its deletion hears that it was deleted, and everything that went with it; nobody else does", async () => {
  const acme = await organization();
  const [rep, stranger] = [await acme.member("restricteduser"), await acme.member("restricteduser")];
  const lead = await acme.lead({ owner_id: rep.userId, contacts: [{ name: "Ann" }] });
  const person = (await acme.get(`/contact/?lead_id=${lead.id}`)).data[0];
  const task = await acme.task({ lead_id: lead.id });

  await acme.delete(`/lead/${lead.id}/`);

  for (const { id } of [lead, person, task]) {
    const heard = await rep.events(id);
    assert.deepEqual(heard.at(-1).event.split(".").at(-1), "deleted");
    assert.deepEqual(await rep.get(`/event/${heard.at(-1).id}/`), { ...heard.at(-1), deliveries: [] });
    assert.deepEqual(await stranger.events(id), []);
  }
});

test("who lost a lead before it was deleted hears nothing more of it", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const lead = await acme.lead({ owner_id: rep.userId });
  await acme.put(`/lead/${lead.id}/`, { owner_id: acme.userId });

  await acme.delete(`/lead/${lead.id}/`);

  assert.deepEqual(await rep.events(lead.id), []);
});

test("an event names nothing that its reader does not see", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const [own, hidden, source] = [await acme.lead({ owner_id: rep.userId }), await acme.lead(), await acme.lead()];
  const list = await acme.post("/lead_list/", { name: "Fair" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [own.id, hidden.id] });
  await acme.post("/lead/merge/", { source: source.id, destination: own.id });

  const added = (await rep.events(list.id)).find((event) => event.action === "member_added");
  const merged = (await rep.events(own.id)).find((event) => event.action === "merged");

  assert.deepEqual(added.meta.lead_ids, [own.id]);
  assert.equal(merged.meta.merge_source_lead_id, undefined);
  assert.equal(merged.meta.merge_destination_lead_id, own.id);
  assert.equal((await acme.events(own.id)).at(-1).meta.merge_source_lead_id, source.id);
});

test("of a task that a member is to do at a lead they do not see, the lead and its people are no more than their ids", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const lead = await acme.lead({ name: "Secret Ltd", contacts: [{ name: "Quiet Ann" }] });
  const person = (await acme.get(`/contact/?lead_id=${lead.id}`)).data[0];
  const task = await acme.task({ lead_id: lead.id, contact_id: person.id, assigned_to: rep.userId });

  const shown = await rep.get(`/task/${task.id}/`);
  const listed = (await rep.get("/task/?_expand=lead")).data[0];
  const changed = await rep.put(`/task/${task.id}/`, { text: "Done soon" });
  const many = (await rep.put(`/task/?id__in=${task.id}`, { text: "Done" })).data[0];

  for (const one of [shown, listed, changed, many]) assert.deepEqual([one.lead_name, one.contact_name], [null, null]);
  assert.equal(listed.lead, null);
  assert.equal((await acme.get(`/task/${task.id}/`)).lead_name, "Secret Ltd");
  for (const query of ["lead_name:secret", 'lead_id:"Secret Ltd"', "contact_name:quiet", "lead(name:secret)", "secret"])
    assert.deepEqual((await rep.get(`/task/?query=${encodeURIComponent(query)}`)).data, [], query);
});

describe("the name of what a member does not see is shown beside nothing that they see", () => {
  const reports = operations.filter((one) => one.path.startsWith("/report/") && one.method === "POST");

  /** A lead that a restricted member sees, with everything that can name records they do not see. */
  const given = async () => {
    const acme = await organization();
    const rep = await acme.memberWith(["manage_others_activities", "manage_others_tasks"]);
    const lead = await acme.lead({ owner_id: rep.userId });
    const person = await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@example.com" }] });
    const template = await acme.post("/email_template/", { name: "Hush template", subject: "Hello", body: "<p>Hello</p>" });
    const mail = { lead_id: lead.id, contact_id: person.id, template_id: template.id };
    const email = await acme.post("/activity/email/", { ...mail, status: "sent" });
    const steps = [{ step_type: "task", text: "Write" }];
    const sequence = await acme.post("/sequence/", { name: "Hush sequence", is_shared: false, status: "active", steps });
    await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: person.id });
    const note = await acme.note({ lead_id: lead.id });
    await acme.inside(async (ctx) => {
      const of = acme.service.app.core.registry.resource("activity_note")!;
      store.update(ctx, of, await lockRecord(ctx, of, note.id), { sequence_id: sequence.id });
    });
    const folder = await acme.post("/inbox_folder/", { name: "Hush folder", is_shared: false });
    const conversation = await acme.post("/conversation/", { lead_id: lead.id, folder_id: folder.id });
    const hidden = await acme.lead({ name: "Hush lead", contacts: [{ name: "Hush contact" }] });
    const project = await acme.post("/project/", { name: "Hush project", lead_id: hidden.id });
    const step = await acme.post("/project_task/", { project_id: project.id, name: "Begin", assigned_to: rep.userId });
    const task = await acme.task({ lead_id: hidden.id, assigned_to: rep.userId });
    const paths = [
      `/activity/email/${email.id}/`,
      `/activity/note/${note.id}/`,
      `/contact/${person.id}/`,
      `/conversation/${conversation.id}/`,
      `/project_task/${step.id}/`,
      `/task/${task.id}/`,
    ];
    return { acme, rep, paths };
  };
  const told = (answer: unknown): string[] => [...new Set(JSON.stringify(answer).match(/Hush \w+/g))].sort();
  const names = ["Hush contact", "Hush folder", "Hush lead", "Hush project", "Hush sequence", "Hush template"];

  test("in lists, events and notifications, by its id, and in answers to changes", async () => {
    const { acme, rep, paths } = await given();

    assert.deepEqual(told([...(await readAll(acme))]), names);
    for (const [path, answer] of await readAll(rep)) assert.deepEqual(told(answer), [], path);
    for (const path of paths)
      for (const answer of [await rep.get(path), await rep.get(`${path}?_fields=_all`), await rep.put(path, { is_read: true })])
        assert.deepEqual(told(answer), [], path);
  });

  test("in reports and searches, nor in what a search refuses", async () => {
    const { acme, rep } = await given();
    const search = async (who: Workspace, query: string) =>
      (await who.ask("GET", `/conversation/?query=${encodeURIComponent(query)}`)).body;

    const reported = await Promise.all(reports.map(async (one) => (await acme.ask("POST", one.path, { body: {} })).body));
    assert.ok(told(reported).includes("Hush template"), "the report of sent e-mails names templates");
    for (const { path } of reports) assert.deepEqual(told((await rep.ask("POST", path, { body: {} })).body), [], path);
    assert.deepEqual([told(await search(acme, "folder:x")), told(await search(rep, "folder:x"))], [["Hush folder"], []]);
    for (const query of ['folder:"Hush folder"', 'folder_name:"Hush folder"']) {
      assert.equal((await search(acme, query)).data.length, 1, query);
      assert.equal((await search(rep, query)).data?.length ?? 0, 0, query);
    }
  });
});

test("a custom field that names what a member does not see matches only its id", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const field = await acme.customField("lead", { type: "contact", name: "Referred by" });
  const referrer = await acme.contact({ name: "Quiet Ann" });
  const own = await acme.lead({ owner_id: rep.userId, [`custom.${field.id}`]: referrer.id });
  const found = async (who: Workspace, query: string) =>
    (await who.get(`/lead/?query=${encodeURIComponent(query)}`)).data.map((one: any) => one.id);

  for (const name of [`custom.${field.id}`, 'custom."Referred by"'])
    for (const value of ["quiet", '"Quiet Ann"', "q*"]) {
      assert.deepEqual(await found(acme, `${name}:${value}`), [own.id]);
      assert.deepEqual(await found(rep, `${name}:${value}`), []);
    }
});

test("the lines of a deal that a member does not see are not there", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const deal = await acme.opportunity({ lead_id: (await acme.lead()).id });
  const product = await acme.product({ unit_price: 1000 });
  const line = await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", product_id: product.id });
  const sold = { type: "field_condition", field: { type: "regular_field", object_type: "line_item", field_name: "name" } };
  const query = {
    type: "and",
    queries: [
      { type: "object_type", object_type: "product" },
      {
        type: "has_related",
        this_object_type: "product",
        related_object_type: "line_item",
        related_query: { ...sold, condition: { type: "text", mode: "full_words", value: "Setup" } },
      },
    ],
  };

  await rep.refused(404, "GET", `/opportunity/${deal.id}/line_item/`);
  await rep.refused(404, "DELETE", `/opportunity/${deal.id}/line_item/${line.id}/`);
  assert.equal((await acme.post("/data/search/", { query })).data.length, 1);
  assert.deepEqual((await rep.post("/data/search/", { query })).data, []);
});

test("what outlives a lead that a member did not see is not theirs to see then either", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const lead = await acme.lead();
  const quote = await acme.post("/quote/", { lead_id: lead.id, title: "Offer" });
  const project = await acme.post("/project/", { lead_id: lead.id, name: "Rollout" });
  const step = await acme.post("/project_task/", { project_id: project.id, name: "Begin" });
  await acme.post("/comment/", { object_id: project.id, body: "<body>Hush</body>" });
  const free = await acme.post("/project/", { name: "Of nobody" });

  await acme.delete(`/lead/${lead.id}/`);

  for (const path of [`/quote/${quote.id}/`, `/project/${project.id}/`, `/project_task/${step.id}/`]) {
    await acme.get(path);
    await rep.refused(404, "GET", path);
    assert.deepEqual(await rep.events(path.split("/")[2]!), []);
  }
  assert.deepEqual((await rep.get("/comment_thread/")).data, []);
  assert.equal((await acme.get("/comment_thread/")).data.length, 1);
  await rep.get(`/project/${free.id}/`);
});
