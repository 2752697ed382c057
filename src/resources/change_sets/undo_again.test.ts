// An undo can be undone, and many requests one by one, the newest first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const requestOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id")!;
const named = (name: string) => ({ "x-change-set": name });

async function undo(acme: Workspace, id: string): Promise<{ id: string; body: any }> {
  const answer = await acme.ask("POST", `/change_set/${id}/undo/`, { body: {} });
  assert.equal(answer.status, 200, answer.text);
  return { id: requestOf(answer), body: answer.body };
}

const bare = ({ date_updated: _d, updated_by: _u, updated_by_name: _n, ...rest }: any) => rest;

async function states(acme: Workspace, paths: readonly string[]): Promise<unknown[]> {
  const answers = await Promise.all(paths.map((path) => acme.ask("GET", path)));
  return answers.map(({ status, body }) => (status === 200 ? bare(body) : status));
}

/** What is there after each of four undos, of which each takes back the one before. */
async function fourTimes(acme: Workspace, first: string, paths: readonly string[]): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for (let id = first; all.length < 4; ) {
    ({ id } = await undo(acme, id));
    all.push(await states(acme, paths));
  }
  return all;
}

async function workedOn(acme: Workspace) {
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }] });
  const [ann] = lead.contacts;
  const deal = await acme.opportunity({ lead_id: lead.id, contact_id: ann.id, value: 100 });
  const note = await acme.note({ lead_id: lead.id, note: "Hello" });
  const list = await acme.post("/lead_list/", { name: `Best ${lead.id}` });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [lead.id] });
  const paths = [`/lead/${lead.id}/`, `/contact/${ann.id}/`, `/opportunity/${deal.id}/`, `/activity/note/${note.id}/`];
  return { lead, ann, paths: [...paths, `/lead/?list_id=${list.id}&_fields=id`] };
}

test("a lead with all that belongs to it comes and goes with each undo of the undo before", async () => {
  const acme = await organization();
  const { lead, paths } = await workedOn(acme);
  const before = await states(acme, paths);
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`);
  const without = await states(acme, paths);

  const all = await fourTimes(acme, requestOf(gone), paths);

  assert.deepEqual(all, [before, without, before, without]);
});

test("so does what one request created, and a change set of many requests, also when each undo has its name", async () => {
  const acme = await organization();
  const made = await acme.ask("POST", "/lead/", { body: { name: "Acme", contacts: [{ name: "Ann" }] }, headers: named("one") });
  const paths = [`/lead/${made.body.id}/`, `/contact/${made.body.contacts[0].id}/`];
  const there = await states(acme, paths);
  assert.deepEqual(await fourTimes(acme, requestOf(made), paths), [[404, 404], there, [404, 404], there]);

  const { lead, ann, paths: others } = await workedOn(acme);
  const before = await states(acme, others);
  await acme.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Other" }, headers: named("tidy") });
  await acme.ask("POST", "/contact/", { body: { lead_id: lead.id, name: "Bob" }, headers: named("tidy") });
  await acme.ask("DELETE", `/contact/${ann.id}/`, { headers: named("tidy") });
  const after = await states(acme, others);
  assert.deepEqual(await fourTimes(acme, "tidy", others), [before, after, before, after]);
});

test("so does a merge", async () => {
  const acme = await organization();
  const { lead, paths } = await workedOn(acme);
  const keep = await acme.lead({ name: "Keep" });
  const both = [...paths, `/lead/${keep.id}/`];
  const before = await states(acme, both);
  const merge = await acme.ask("POST", "/lead/merge/", { body: { source: lead.id, destination: keep.id } });
  const after = await states(acme, both);

  assert.deepEqual(await fourTimes(acme, requestOf(merge), both), [before, after, before, after]);
});

test("a file and its bytes come and go with each undo", async () => {
  const acme = await organization();
  const made = await acme.ask("POST", "/file/", { body: { name: "a.txt", content_base64: "eA==" } });
  const path = `/file/${made.body.id}/`;

  const all = await fourTimes(acme, requestOf(made), [path]);

  assert.deepEqual(
    all.map(([one]) => (one as any).name ?? one),
    [404, "a.txt", 404, "a.txt"],
  );
  const { text, status } = await acme.ask("GET", `${path}download/`);
  assert.deepEqual([status, text], [200, "x"]);
});

test("the requests that created and changed a record are undone one by one, the newest first", async () => {
  const acme = await organization();
  const other = await acme.lead({ name: "Other" });
  const made = await acme.ask("POST", "/lead/", { body: { name: "Acme", contacts: [{ name: "Ann" }] } });
  const { id, contacts } = made.body;
  const list = await acme.post("/lead_list/", { name: "Best" });
  const requests = [
    made,
    await acme.ask("PUT", `/lead/${id}/`, { body: { name: "Other name", industry: "Steel" } }),
    await acme.ask("POST", "/activity/note/", { body: { lead_id: id, note: "Hello" } }),
    await acme.ask("POST", "/opportunity/", { body: { lead_id: id, value: 5 } }),
    await acme.ask("POST", `/lead_list/${list.id}/members/`, { body: { lead_ids: [id] } }),
    await acme.ask("DELETE", `/contact/${contacts[0].id}/`),
    await acme.ask("POST", "/lead/merge/", { body: { source: other.id, destination: id } }),
  ];

  const answers: any[] = [];
  for (const one of requests.toReversed()) answers.push((await undo(acme, requestOf(one))).body);

  assert.deepEqual(
    answers.flatMap(({ not_undone }) => not_undone.map((one: any) => one.object_type)),
    ["activity.lead_merge"],
  );
  assert.deepEqual(await states(acme, [`/lead/${id}/`, `/contact/${contacts[0].id}/`]), [404, 404]);
  assert.equal((await acme.get(`/lead/${other.id}/`)).name, "Other");
});

test("a session in two named parts is taken back, the newer part first", async () => {
  const acme = await organization();
  const make = (name: string) => acme.ask("POST", "/lead/", { body: { name, contacts: [{ name }] }, headers: named("first") });
  const [one, two, three] = [await make("One"), await make("Two"), await make("Three")].map(({ body }) => body.id);
  await acme.ask("POST", "/lead/merge/", { body: { source: one, destination: two }, headers: named("second") });
  await acme.ask("PUT", `/lead/${two}/`, { body: { name: "Zwei" }, headers: named("second") });
  await acme.ask("DELETE", `/lead/${three}/`, { headers: named("second") });

  await undo(acme, "second");
  const { body } = await undo(acme, "first");

  assert.deepEqual(body.not_undone, []);
  assert.deepEqual((await acme.get("/contact/")).data, []);
});

test("what somebody changed since and changed back is no work that keeps a record, and what stays keeps what was created with it", async () => {
  const acme = await organization();
  const colleague = await acme.member();
  const make = async () => acme.ask("POST", "/lead/", { body: { name: "Acme", contacts: [{ name: "Ann" }] } });
  const [unchanged, changed] = [await make(), await make()];
  for (const name of ["Other", "Acme"]) await colleague.put(`/lead/${unchanged.body.id}/`, { name });
  await colleague.put(`/lead/${changed.body.id}/`, { description: "Ours" });

  assert.deepEqual((await undo(acme, requestOf(unchanged))).body.not_undone, []);
  const { body } = await undo(acme, requestOf(changed));

  const { id, contacts } = changed.body;
  assert.equal(body.n_undone, 0);
  assert.deepEqual(
    new Map(body.not_undone.map((one: any) => [one.object_id, one.reason])),
    new Map([
      [id, "somebody has worked with it since"],
      [contacts[0].id, `belongs to ${id}, which stays`],
    ]),
  );
  assert.equal((await acme.get(`/contact/${contacts[0].id}/`)).lead_id, id);
});

test("a lead whose message was sent stays with it", async () => {
  const acme = await organization();
  const lead = await acme.ask("POST", "/lead/", { body: { name: "Acme" }, headers: named("mails") });
  const mail = {
    lead_id: lead.body.id,
    direction: "outgoing",
    to: ["ann@example.com"],
    subject: "Hi",
    body_text: "Hi",
    status: "sent",
  };
  await acme.ask("POST", "/activity/email/", { body: mail, headers: named("mails") });

  const { body } = await undo(acme, "mails");

  assert.equal(body.n_undone, 0);
  assert.equal((await acme.get(`/lead/${lead.body.id}/`)).name, "Acme");
});

test("a line item comes and goes with the deal's value and totals", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  for (const others of [0, 1]) {
    const deal = await acme.opportunity({ lead_id: lead.id, value: 7 });
    const line = { name: "Seat", unit_price: 100, quantity: 2 };
    for (let i = 0; i < others; i++) await acme.post(`/opportunity/${deal.id}/line_item/`, line);
    const paths = [`/opportunity/${deal.id}/`, `/opportunity/${deal.id}/line_item/?_fields=id,name`];
    const without = await states(acme, paths);
    const added = await acme.ask("POST", `/opportunity/${deal.id}/line_item/`, { body: line });
    const withLine = await states(acme, paths);
    assert.deepEqual(await fourTimes(acme, requestOf(added), paths), [without, withLine, without, withLine]);

    const removed = await acme.ask("DELETE", `/opportunity/${deal.id}/line_item/${added.body.id}/`);
    const after = await states(acme, paths);
    const { body } = await undo(acme, requestOf(removed));
    assert.deepEqual([body.not_undone, await states(acme, paths)], [[], withLine]);
    const again = await acme.ask("DELETE", `/opportunity/${deal.id}/line_item/${added.body.id}/`);
    assert.deepEqual(await fourTimes(acme, requestOf(again), paths), [withLine, after, withLine, after]);
  }
});

test("a dialer comes and goes with its leads in their order", async () => {
  const acme = await organization();
  const lead_ids = [(await acme.lead()).id, (await acme.lead()).id].reverse();
  const made = await acme.post("/dialer/", { name: "Calls", lead_ids });
  const paths = [`/dialer/${made.id}/`];
  const before = await states(acme, paths);
  const gone = await acme.ask("DELETE", paths[0]!);

  assert.deepEqual(await fourTimes(acme, requestOf(gone), paths), [before, [404], before, [404]]);
  assert.deepEqual((before[0] as any).lead_ids, lead_ids);
});

test("a new type of a custom field is taken back with the values that it dropped and converted", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "text" });
  const name = `custom.${field.id}`;
  const leads = [await acme.lead({ [name]: "many" }), await acme.lead({ [name]: "05" }), await acme.lead({ [name]: "7" })];
  const changed = await acme.lead({ [name]: "8" });
  const paths = [`/custom_field/lead/${field.id}/`, ...leads.map(({ id }) => `/lead/${id}/`)];
  const before = await states(acme, paths);
  const body = { type: "number", drop_unconvertible_values: true };
  const typed = await acme.ask("PUT", paths[0]!, { body });
  const after = await states(acme, paths);
  await acme.put(`/lead/${changed.id}/`, { [name]: 9 });

  const first = await undo(acme, requestOf(typed));

  assert.deepEqual(await states(acme, paths), before);
  assert.deepEqual(
    first.body.not_undone.map((one: any) => [one.object_id, one.reason]),
    [[changed.id, `${name}: changed since`]],
  );
  assert.equal((await acme.get(`/lead/${changed.id}/`))[name], "9");
  await undo(acme, first.id);
  assert.deepEqual(await states(acme, paths), after);
});

test("a custom field comes and goes as long as it is empty; with values it stays", async () => {
  const acme = await organization();
  const made = await acme.ask("POST", "/custom_field/lead/", { body: { name: "Size", type: "text" } });
  const path = `/custom_field/lead/${made.body.id}/`;
  const there = await states(acme, [path]);

  assert.deepEqual(await fourTimes(acme, requestOf(made), [path]), [[404], there, [404], there]);
  const lead = await acme.lead({ [`custom.${made.body.id}`]: "Large" });
  const { body } = await undo(acme, requestOf(made));

  assert.equal(body.not_undone[0].reason, "has values, which would be lost for good");
  assert.equal((await acme.get(`/lead/${lead.id}/`))[`custom.${made.body.id}`], "Large");
});

test("a type of activities comes and goes with its fields, its activities and their values", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const type = await acme.post("/custom_activity/", { name: "Visit" });
  const field = await acme.post("/custom_field/activity/", { name: "Where", type: "text", custom_activity_type_id: type.id });
  const body = { lead_id: lead.id, custom_activity_type_id: type.id, [`custom.${field.id}`]: "Berlin" };
  const visit = await acme.post("/activity/custom/", body);
  const paths = [`/custom_activity/${type.id}/`, `/custom_field/activity/${field.id}/`, `/activity/custom/${visit.id}/`];
  const before = await states(acme, paths);
  const gone = await acme.ask("DELETE", paths[0]!);

  assert.deepEqual(await fourTimes(acme, requestOf(gone), paths), [before, [404, 404, 404], before, [404, 404, 404]]);
});

test("a deal gets back the lines that an accepted quote had replaced", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value_currency: "USD" });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Seat", unit_price: 100, quantity: 2 });
  const quote = await acme.post("/quote/", { opportunity_id: deal.id, line_items: [{ name: "Desk", unit_price: 7 }] });
  await acme.put(`/quote/${quote.id}/`, { status: "open" });
  const paths = [`/opportunity/${deal.id}/line_item/?_fields=id,name`];
  const before = await states(acme, paths);
  const worth = async () => (await acme.get(`/opportunity/${deal.id}/`)).line_items_total;
  const accepted = await acme.ask("PUT", `/quote/${quote.id}/`, { body: { status: "accepted" } });
  assert.equal(await worth(), 7);

  await undo(acme, requestOf(accepted));

  assert.deepEqual(await states(acme, paths), before);
  assert.equal(await worth(), 200);
});
