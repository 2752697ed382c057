import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { collectionPath, createdResources, minimalBody, verbsOf } from "../../../test/support/samples.ts";
import type { Field } from "../../core/field.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { note as activityNote } from "../activities/note.ts";
import { suppress } from "../contacts/suppress.ts";
import { operations } from "../index.ts";

test("a lead moves with its people, deals, tasks and history, and the old organization knows nothing of it", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead({ name: "Acme", emails: [{ email: "a@acme.io" }], tags: ["hot"] });
  const person = await here.contact({ lead_id: lead.id, name: "Ann" });
  const deal = await here.opportunity({ lead_id: lead.id, contact_id: person.id, value: 5000 });
  const task = await here.task({ lead_id: lead.id, contact_id: person.id });
  const note = await here.note({ lead_id: lead.id, note: "Hello", contact_id: person.id });

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  assert.equal(answer.lead.organization_id, there.id);
  assert.deepEqual({ ...answer.moved }, { contacts: 1, opportunities: 1, tasks: 1, activities: 2, conversations: 0, files: 0 });
  assert.deepEqual(await there.get(`/lead/${lead.id}/`), answer.lead);
  assert.equal((await there.get(`/contact/${person.id}/`)).lead_id, lead.id);
  assert.equal((await there.get(`/opportunity/${deal.id}/`)).contact_id, person.id);
  assert.equal((await there.get(`/task/${task.id}/`)).contact_id, person.id);
  assert.equal((await there.get(`/activity/note/${note.id}/`)).note, "Hello");
  assert.deepEqual(
    (await there.get("/lead/?query=acme")).data.map((one: any) => one.id),
    [lead.id],
  );
  for (const path of [`/lead/${lead.id}/`, `/contact/${person.id}/`, `/opportunity/${deal.id}/`, `/task/${task.id}/`])
    await here.refused(404, "GET", path);
  assert.deepEqual((await here.get(`/activity/?lead_id=${lead.id}`)).data, []);
});

test("a record without a status of the same name gets the default one, a won deal stays won, and missing values are cleared", async () => {
  const here = await organization();
  const there = await here.another();
  const bob = await here.member();
  const field = await here.customField("lead", { type: "text" });
  const rare = await here.post("/status/lead/", { label: "Rare" });
  const closed = await here.post("/status/opportunity/", { label: "Signed", type: "won" });
  const lead = await here.lead({ status_id: rare.id, owner_id: bob.userId, [`custom.${field.id}`]: "x" });
  const deal = await here.opportunity({ lead_id: lead.id, status_id: closed.id, user_id: bob.userId });
  const task = await here.task({ lead_id: lead.id, assigned_to: bob.userId });

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const [potential] = (await there.get("/status/lead/")).data;
  const won = (await there.get("/status/opportunity/")).data.find((one: any) => one.type === "won");
  assert.deepEqual([answer.lead.status_id, answer.lead.status_label, answer.lead.owner_id], [potential.id, "Potential", null]);
  assert.equal(`custom.${field.id}` in answer.lead, false);
  assert.deepEqual(answer.remapped, { status_id: potential.id, opportunity_status_ids: { [deal.status_id]: won.id } });
  for (const name of ["owner_id", `custom.${field.id}`, "opportunity.user_id", "task.assigned_to"])
    assert.ok(answer.cleared.includes(name), name);
  assert.deepEqual(answer.matched, {});
  assert.equal((await there.get(`/opportunity/${deal.id}/`)).status_type, "won");
  assert.equal((await there.get(`/task/${task.id}/`)).assigned_to, there.userId);
});

test("what active members of both organizations have stays theirs", async () => {
  const here = await organization();
  const there = await here.another();
  const [ann, bob] = [await here.member(), await here.member()];
  for (const one of [ann, bob]) await one.joins(there);
  const [membership] = (await there.get(`/membership/?user_id=${bob.userId}`)).data;
  await there.delete(`/membership/${membership.id}/`);
  const lead = await here.lead({ owner_id: ann.userId });
  const deal = await here.opportunity({ lead_id: lead.id, user_id: ann.userId });
  const tasks = [ann, bob].map((one) => here.task({ lead_id: lead.id, assigned_to: one.userId }));
  const [anns, bobs] = await Promise.all(tasks);
  const [call, other] = await Promise.all(
    [ann, bob].map((one) => here.post("/activity/call/", { lead_id: lead.id, user_id: one.userId })),
  );
  const conversation = await here.post("/conversation/", { lead_id: lead.id, assigned_to: ann.userId });
  const attendees = [{ user_id: ann.userId }, { user_id: bob.userId }];
  const meeting = await here.post("/activity/meeting/", {
    lead_id: lead.id,
    title: "Hello",
    starts_at: "2030-01-02T03:04:05Z",
    attendees,
  });

  const { kept, cleared } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const read = (path: string, id: string) => there.get(`/${path}/${id}/`);
  assert.equal((await read("lead", lead.id)).owner_id, ann.userId);
  assert.equal((await read("opportunity", deal.id)).user_id, ann.userId);
  assert.deepEqual(
    [(await read("task", anns.id)).assigned_to, (await read("task", bobs.id)).assigned_to],
    [ann.userId, there.userId],
  );
  assert.deepEqual(
    [(await read("activity/call", call.id)).user_id, (await read("activity/call", other.id)).user_id],
    [ann.userId, null],
  );
  assert.equal((await read("conversation", conversation.id)).assigned_to, ann.userId);
  assert.deepEqual(
    (await read("activity/meeting", meeting.id)).attendees.map((one: any) => one.user_id),
    [ann.userId, null],
  );
  for (const name of ["owner_id", "opportunity.user_id", "task.assigned_to", "activity.user_id", "conversation.assigned_to"])
    assert.ok(kept.includes(name), name);
  for (const name of ["task.assigned_to", "activity.user_id", "activity.attendees"]) assert.ok(cleared.includes(name), name);
});

test("statuses, products and groups are those of the same name there, in any case", async () => {
  const here = await organization();
  const there = await here.another();
  const statuses = [{ label: "Open" }, { label: "Done", type: "won" }];
  const pipeline = await here.post("/pipeline/", { name: "Renewals", statuses });
  await there.post("/pipeline/", { name: "Others", statuses });
  const renewals = await there.post("/pipeline/", { name: "RENEWALS", statuses: [{ label: "open" }] });
  const [product, same] = await Promise.all([here.product({ name: "Seat" }), there.product({ name: "seat", unit_price: 7 })]);
  const [group, sales] = await Promise.all([here.post("/group/", { name: "Sales" }), there.post("/group/", { name: "sales" })]);
  const lead = await here.lead({ status: "Qualified" });
  const deal = await here.opportunity({ lead_id: lead.id, status_id: pipeline.statuses[0].id });
  const line = await here.post(`/opportunity/${deal.id}/line_item/`, { product_id: product.id, unit_price: 5 });
  const task = await here.task({ lead_id: lead.id, assigned_to: group.id });

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const qualified = (await there.get("/status/lead/")).data.find((one: any) => one.label === "Qualified");
  const moved = await there.get(`/opportunity/${deal.id}/`);
  const [item] = (await there.get(`/opportunity/${deal.id}/line_item/`)).data;
  assert.equal(answer.lead.status_id, qualified.id);
  assert.deepEqual([moved.status_id, moved.pipeline_id], [renewals.statuses[0].id, renewals.id]);
  assert.deepEqual([item.id, item.product_id, item.unit_price], [line.id, same.id, 5]);
  assert.equal((await there.get(`/task/${task.id}/`)).assigned_to, sales.id);
  assert.deepEqual(answer.matched, {
    status_id: { [lead.status_id]: qualified.id },
    "opportunity.status_id": { [deal.status_id]: moved.status_id },
    "line_item.product_id": { [product.id]: same.id },
    "task.assigned_to": { [group.id]: sales.id },
  });
});

test("custom values go to fields of the same name and kind, as far as those take them", async () => {
  const here = await organization();
  const there = await here.another();
  const bob = await here.member();
  await bob.joins(there);
  const field = async (name: string, mine: object, theirs: object | null = mine) => ({
    here: `custom.${(await here.customField("lead", { name, ...mine })).id}`,
    there: theirs && `custom.${(await there.customField("lead", { name: name.toUpperCase(), ...theirs })).id}`,
  });
  const size = await field("Size", { type: "number" });
  const kind = await field("Kind", { type: "choices", choices: ["a", "b"], accepts_multiple_values: true }, null);
  const other = await there.customField("lead", { name: "kind", type: "choices", choices: ["b"], accepts_multiple_values: true });
  const level = await field("Level", { type: "text" }, { type: "number" });
  const buddy = await field("Buddy", { type: "user" });
  const person = await field("Person", { type: "contact" });
  const lead = await here.lead({ [size.here]: 5, [kind.here]: ["a", "b"], [level.here]: "high", [buddy.here]: bob.userId });
  const [ann, stranger] = [await here.contact({ lead_id: lead.id }), await here.contact()];
  await here.put(`/lead/${lead.id}/`, { [person.here]: ann.id });
  const away = await here.opportunity({ lead_id: lead.id, contact_id: ann.id });
  const about = await here.customField("contact", { name: "Knows", type: "contact" });
  await there.customField("contact", { name: "Knows", type: "contact" });
  await here.put(`/contact/${ann.id}/`, { [`custom.${about.id}`]: stranger.id });

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const customOf = (record: any) => Object.fromEntries(Object.entries(record).filter(([key]) => key.startsWith("custom.")));
  assert.deepEqual(customOf(answer.lead), {
    [size.there!]: 5,
    [`custom.${other.id}`]: ["b"],
    [buddy.there!]: bob.userId,
    [person.there!]: ann.id,
  });
  assert.deepEqual(customOf(await there.get(`/contact/${ann.id}/`)), {}, "who stays behind is not named there");
  assert.equal((await there.get(`/opportunity/${away.id}/`)).contact_id, ann.id);
  assert.deepEqual(answer.matched.custom, {
    [size.here]: size.there,
    [kind.here]: `custom.${other.id}`,
    [buddy.here]: buddy.there,
    [person.here]: person.there,
  });
  for (const name of [level.here, kind.here, `contact.custom.${about.id}`]) assert.ok(answer.cleared.includes(name), name);
});

test("whom a custom value named is not kept, nor matched, where no field takes the value", async () => {
  const here = await organization();
  const there = await here.another();
  const bob = await here.member();
  await bob.joins(there);
  const lead = await here.lead();
  const ann = await here.contact({ lead_id: lead.id });
  const fields = await Promise.all(
    [bob.userId, ann.id].map(async (value, i) => {
      const { id } = await here.customField("lead", { name: `Who ${i}`, type: i === 0 ? "user" : "contact" });
      await here.put(`/lead/${lead.id}/`, { [`custom.${id}`]: value });
      return `custom.${id}`;
    }),
  );

  const { kept, matched, cleared } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  for (const field of fields) {
    assert.ok(cleared.includes(field));
    assert.equal(kept.includes(field), false);
    assert.equal(field in matched || field in (matched.custom ?? {}), false);
  }
});

test("what stays behind is counted by kind, whether it only loses the lead or ends with it", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  const person = await here.contact({ lead_id: lead.id });
  const deal = await here.opportunity({ lead_id: lead.id });
  for (const _ of [1, 2]) await here.post("/quote/", { lead_id: lead.id, opportunity_id: deal.id });
  const project = await here.post("/project/", { name: "Kick-off", opportunity_id: deal.id });
  const list = await here.post("/contact_list/", { name: "Fair" });
  await here.post(`/contact_list/${list.id}/members/`, { contact_ids: [person.id, (await here.contact()).id] });

  const { left } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  assert.deepEqual({ ...left }, { contact_list_member: 1, project: 1, quote: 2 });
  assert.equal((await here.get(`/project/${project.id}/`)).lead_id, null);
});

test("what made an activity stays behind, and how a call went is told in the words of the other organization", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  const outcome = (ws: Workspace, id: string, name: string) =>
    ws.put(`/organization/${ws.id}/`, { settings: { call_outcomes: [{ id, name }] } });
  await outcome(here, "outcome_here", "Reached");
  await outcome(there, "outcome_there", "reached");
  const made = await here.post("/activity/call/", { lead_id: lead.id, outcome_id: "outcome_here" });
  const note = await here.note({ lead_id: lead.id, note: "Hello" });
  const origin = { automation_run_id: "run_1", sequence_id: "seq_1", sequence_subscription_id: "sub_1" };
  await here.inside(async (ctx) => {
    store.update(ctx, activityNote, await lockRecord(ctx, activityNote, note.id), origin);
  });

  const { cleared } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const call = await there.get(`/activity/call/${made.id}/`);
  const moved = await there.get(`/activity/note/${note.id}/`);
  assert.deepEqual([call.outcome_id, call.outcome], ["outcome_there", "Reached"]);
  for (const key of ["automation_run_id", "sequence_id", "sequence_subscription_id"]) {
    assert.equal(moved[key], null, key);
    assert.ok(cleared.includes(`activity.${key}`), key);
  }
});

test("tags move by their names, in the other organization's spelling", async () => {
  const here = await organization();
  const there = await here.another();
  await there.lead({ tags: ["HOT"] });
  const lead = await here.lead({ tags: ["hot", "new"] });

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  assert.deepEqual((await there.get(`/lead/${lead.id}/`)).tags, ["HOT", "new"]);
  assert.deepEqual(
    (await there.get("/lead/?tag=new")).data.map((one: any) => one.id),
    [lead.id],
  );
});

test("a contact who unsubscribed from the other organization is marked there", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  const person = await here.contact({ lead_id: lead.id, emails: [{ email: "Ann@x.io" }, { email: "b@x.io" }] });
  await there.inside((ctx) => suppress(ctx, { address: "ann@x.io", reason: "unsubscribed", source: "link", source_id: null }));

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const { emails } = await there.get(`/contact/${person.id}/`);
  assert.deepEqual(
    emails.map((one: any) => one.is_unsubscribed),
    [true, false],
  );
});

test("a contact who unsubscribed from this organization gets no mail from the other, whichever record has the address", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  await here.contact({ lead_id: lead.id, emails: [{ email: "ann@x.io" }] });
  await here.inside((ctx) => suppress(ctx, { address: "ann@x.io", reason: "unsubscribed", source: "link", source_id: null }));

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const again = await there.contact({ emails: [{ email: "Ann@x.io" }] });
  assert.equal(again.emails[0].is_unsubscribed, true);
});

test("files move with their bytes and their links", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  const content_base64 = Buffer.from("Hello").toString("base64");
  await here.post("/file_subtype/", { label: "Ours" });
  const file = await here.post("/file/", { lead_id: lead.id, name: "a.txt", content_base64, subtype: "ours" });

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const moved = await there.get(`/file/${file.id}/`);
  assert.equal(answer.moved.files, 1);
  assert.deepEqual([moved.name, moved.subtype, moved.share_url], ["a.txt", null, file.share_url]);
  assert.equal((await there.ask("GET", `/file/${file.id}/download/`)).text, "Hello");
  assert.equal(await (await fetch(file.share_url.replace(/^.*(?=\/f\/)/, there.service.url))).text(), "Hello");
  const waiting = await there.service.app.db.unscoped({ text: "select storage_key from stored_bytes_removal", values: [] });
  assert.ok(!waiting.some(([key]) => key!.startsWith(here.id)), "the bytes are not waiting to be removed");
});

test("both organizations are told: deleted here, created there", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();
  const person = await here.contact({ lead_id: lead.id });

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const left = (await here.events(lead.id)).at(-1);
  assert.equal(left.event, "lead.deleted");
  assert.equal(left.meta.moved_to, there.id);
  assert.deepEqual(
    (await there.events(lead.id)).map((one) => one.event),
    ["lead.created", "lead.moved"],
  );
  assert.equal((await there.events(lead.id))[0].meta.moved_from, here.id);
  assert.equal((await here.events(person.id)).at(-1).event, "contact.deleted");
  assert.deepEqual(
    (await there.events(person.id)).map((one) => one.event),
    ["contact.created"],
  );
});

test("only the member who moved a lead sees the other organization's id", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead({ contacts: [{ name: "Ada" }] });
  const colleagues = [await here.member("admin"), await here.member("restricteduser"), await there.member("admin")];

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const told = async (who: Workspace) =>
    (await who.all("/event/")).flatMap(({ meta }) => [meta.moved_to, meta.moved_from].filter((id) => id !== undefined));
  for (const who of colleagues) assert.deepEqual(await told(who), []);
  assert.ok((await told(here)).includes(there.id));
  assert.ok((await told(there)).includes(here.id));
});

test("a lead moves only to another organization of an admin of both", async () => {
  const here = await organization();
  const there = await here.another();
  const stranger = await organization(here.service);
  const colleague = await here.member("superuser");
  const lead = await here.lead();
  const move = (by: Workspace, target_organization_id: unknown, status: number) =>
    by.refused(
      status,
      "POST",
      `/lead/${lead.id}/move/`,
      { target_organization_id },
      status === 400 ? "target_organization_id" : undefined,
    );

  await move(here, here.id, 400);
  await move(here, stranger.id, 400);
  await move(here, "orga_nowhere", 400);
  await move(here, undefined, 400);
  await colleague.joins(there, "admin");
  await move(colleague, there.id, 403);
  await here.joins(stranger);
  await move(here, stranger.id, 403);
  await here.refused(404, "POST", "/lead/lead_nobody/move/", { target_organization_id: there.id });

  assert.equal((await here.get(`/lead/${lead.id}/`)).id, lead.id);
});

test("a move that fails leaves both organizations as they were", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead({ tags: ["fresh"] });
  const person = await here.contact({ lead_id: lead.id });
  // Something with the contact's id is there already.
  await there.service.app.db.unscopedTransaction(async (tx) => {
    const other = await there.lead();
    tx.write({
      text: `insert into contact (organization_id, id, lead_id, display_name, date_created, date_updated) values ($1, $2, $3, 'In the way', now(), now())`,
      values: [there.id, person.id, other.id],
    });
  });

  const answer = await here
    .ask("POST", `/lead/${lead.id}/move/`, { body: { target_organization_id: there.id } })
    .catch((error) => error);

  assert.ok(answer instanceof Error || answer.status >= 400);
  assert.equal((await here.get(`/contact/${person.id}/`)).lead_id, lead.id);
  assert.equal((await here.get(`/lead/${lead.id}/`)).id, lead.id);
  await there.refused(404, "GET", `/lead/${lead.id}/`);
  assert.deepEqual((await there.get("/lead/?tag=fresh")).data, []);
});

/** The members that a move changes by itself. Everything else must be as before when the lead is back. */
const changes = new Set(["organization_id", "version"]);

test("every record that refers to a lead comes back with it unchanged", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead({ name: "Round", description: "trip", tags: ["a"], emails: [{ email: "r@t.io" }], mrr: 5 });
  const before = new Map<string, any>([[`/lead/${lead.id}/`, await here.get(`/lead/${lead.id}/`)]]);
  for (const [of, field] of childrenOfLead()) {
    const path = await collectionPath(here, of);
    const made = await here.post(path, { ...(await minimalBody(here, of)), [field]: lead.id });
    before.set(`${path}${made.id}/`, await here.get(`${path}${made.id}/`));
  }

  const answer = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });
  for (const path of before.keys()) await here.refused(404, "GET", path);
  await there.post(`/lead/${lead.id}/move/`, { target_organization_id: here.id });

  assert.deepEqual(answer.left, {});
  for (const [path, record] of before) {
    const back = await here.get(path);
    for (const [key, value] of Object.entries(record)) {
      if (!changes.has(key)) assert.deepEqual(back[key], value, `${key} of ${path}`);
    }
  }
});

/** Resources that can be created at a lead, belong to it, and move with it. */
const childrenOfLead = () =>
  createdResources(operations).flatMap((of) =>
    of.columns
      .filter(([, field]: readonly [string, Field]) => field.ref?.to === "lead" && field.ref.onDelete === "cascade")
      .filter(([key, field]) => field.mode !== "read" && field.ref!.onMove === "follow" && of.parent !== key)
      .filter(() => verbsOf(operations, of).get !== undefined)
      .map(([key]) => [of, key] as const),
  );

test("docs/moving.md is correct", async () => {
  const guide = readFileSync(new URL("../../../docs/moving.md", import.meta.url), "utf8");
  const blocks = new Map([...guide.matchAll(/<!-- (\w+) -->\n`{3}\w+\n(.*?)`{3}\n/gs)].map(([, name, text]) => [name, text!]));
  const block = (name: string) => blocks.get(name)!;
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();

  const answer = await here.post(`/lead/${lead.id}/move/`, { ...JSON.parse(block("request")), target_organization_id: there.id });

  const documented = JSON.parse(block("answer"));
  assert.deepEqual(Object.keys(documented), Object.keys(answer));
  for (const part of ["moved", "remapped"]) assert.deepEqual(Object.keys(documented[part]), Object.keys(answer[part]));
  const rules = here.service.app.core.registry.resources.flatMap((of) =>
    of.columns.flatMap(([, field]) => field.ref?.onMove ?? []),
  );
  const inTable = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, rule]) => rule);
  assert.deepEqual(inTable.sort(), [...new Set(rules)].sort());
  const source = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  assert.ok(source("../tasks/task.ts").includes(block("moved").trim()), "the example is the task's");
  assert.ok(source("../opportunities/product.ts").includes(block("elsewhere").trim()), "the example is the product's");
});

test("moving a lead there and back changes only what a move clears", async () => {
  const here = await organization();
  const there = await here.another();
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const given = fc.record({
    name: text,
    description: text,
    mrr: fc.nat(),
    tags: fc.uniqueArray(fc.constantFrom("a", "B", "ü"), { maxLength: 3 }),
    emails: fc.array(fc.constantFrom({ email: "a@x.io" }, { email: "B@x.io", type: "home" }), { maxLength: 2 }),
    contacts: fc.array(fc.record({ name: text, title: text }), { maxLength: 3 }),
  });

  await fc.assert(
    fc.asyncProperty(given, async (body) => {
      const lead = await here.post("/lead/", body);
      const before = await here.get(`/lead/${lead.id}/?_expand=contacts`);

      await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });
      await there.post(`/lead/${lead.id}/move/`, { target_organization_id: here.id });

      assert.deepEqual(await here.get(`/lead/${lead.id}/?_expand=contacts`), before);
    }),
    { numRuns: 15 },
  );
});

test("the history of a moved lead begins there without an event of its own", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead();

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const names = (await there.get(`/event/?lead_id=${lead.id}`)).data.map((one: any) => one.event);
  assert.deepEqual(names.toSorted(), ["lead.created", "lead.moved"]);
  assert.equal((await there.get(`/activity/?lead_id=${lead.id}`)).data[0]._type, "Created");
});
