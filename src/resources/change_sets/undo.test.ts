import assert from "node:assert/strict";
import { test } from "node:test";
import { published } from "../../../test/support/automations.ts";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const undo = (acme: Workspace, id: string): Promise<any> => acme.post(`/change_set/${id}/undo/`);
const requestOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id")!;
const named = (name: string) => ({ "x-change-set": name });
const bare = ({ date_updated: _d, updated_by: _u, updated_by_name: _n, ...rest }: any) => rest;

test("a merge is undone: both leads are there again, each with what was its own", async () => {
  const acme = await organization();
  const keep = await acme.lead({ name: "Acme", tags: ["hot"], emails: [{ email: "a@acme.io" }] });
  const gone = await acme.lead({ name: "Acme Inc", url: "acme.io", tags: ["cold"], emails: [{ email: "b@acme.io" }] });
  const ann = await acme.contact({ lead_id: gone.id });
  const deal = await acme.opportunity({ lead_id: gone.id, contact_id: ann.id, value: 100 });
  const task = await acme.task({ lead_id: gone.id });
  const note = await acme.note({ lead_id: gone.id, note: "Hello" });
  const list = await acme.post("/lead_list/", { name: "Best" });
  const both = await acme.post("/lead_list/", { name: "All" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [gone.id] });
  await acme.post(`/lead_list/${both.id}/members/`, { lead_ids: [gone.id, keep.id] });
  const paths = [
    `/lead/${keep.id}/`,
    `/lead/${gone.id}/`,
    `/contact/${ann.id}/`,
    `/opportunity/${deal.id}/`,
    `/task/${task.id}/`,
    `/activity/note/${note.id}/`,
  ];
  const shown = () => Promise.all(paths.map(async (path) => bare(await acme.get(path))));
  const before = await shown();

  const merge = await acme.ask("POST", "/lead/merge/", { body: { source: gone.id, destination: keep.id } });
  const { not_undone } = await undo(acme, requestOf(merge));

  assert.deepEqual(await shown(), before);
  const on = async ({ id }: any) => (await acme.get(`/lead/?list_id=${id}&_order_by=name`)).data.map((one: any) => one.id);
  assert.deepEqual([await on(list), await on(both)], [[gone.id], [keep.id, gone.id]]);
  assert.deepEqual(
    not_undone.map((one: any) => one.object_type),
    ["activity.lead_merge"],
  );
});

test("a deleted contact comes back to the notes, calls and meetings that named it", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const ann = await acme.contact({ lead_id: lead.id });
  const about = { lead_id: lead.id, contact_id: ann.id };
  const note = await acme.note({ ...about, note: "Hello" });
  const call = await acme.post("/activity/call/", { ...about, direction: "outbound", status: "completed", duration: 5 });
  const gone = await acme.ask("DELETE", `/contact/${ann.id}/`);

  const { not_undone } = await undo(acme, requestOf(gone));

  assert.deepEqual(not_undone, []);
  assert.equal((await acme.get(`/contact/${ann.id}/`)).name, ann.name);
  for (const path of [`/activity/note/${note.id}/`, `/activity/call/${call.id}/`])
    assert.equal((await acme.get(path)).contact_id, ann.id);
});

test("a merge of two contacts at two leads is undone with the notes of both", async () => {
  const acme = await organization();
  const [here, there] = [await acme.contact(), await acme.contact()];
  const note = await acme.note({ lead_id: there.lead_id, contact_id: there.id, note: "Hello" });

  const merge = await acme.ask("POST", "/contact/merge/", { body: { source: there.id, destination: here.id } });
  await undo(acme, requestOf(merge));

  const { lead_id, contact_id } = await acme.get(`/activity/note/${note.id}/`);
  assert.deepEqual([lead_id, contact_id], [there.lead_id, there.id]);
});

test("a change set is undone as a whole, and what somebody has changed since is left and said", async () => {
  const acme = await organization();
  const other = await acme.member();
  const [one, two] = [await acme.lead({ name: "One" }), await acme.lead({ name: "Two" })];
  await acme.ask("PUT", `/lead/${one.id}/`, { body: { name: "First" }, headers: named("tidy") });
  await acme.ask("PUT", `/lead/${one.id}/`, { body: { name: "Primus", industry: "Steel" }, headers: named("tidy") });
  await acme.ask("PUT", `/lead/${two.id}/`, { body: { name: "Second" }, headers: named("tidy") });
  const made = (await acme.ask("POST", "/lead/", { body: { name: "Three" }, headers: named("tidy") })).body;
  const used = (await acme.ask("POST", "/lead/", { body: { name: "Four" }, headers: named("tidy") })).body;
  await other.put(`/lead/${two.id}/`, { name: "Zwei" });
  await other.post("/contact/", { lead_id: used.id, name: "Ann" });

  const tried = await acme.post("/change_set/tidy/undo/?dry_run=true");
  const { n_undone, undone, not_undone } = await undo(acme, "tidy");

  assert.deepEqual([tried.result.n_undone, n_undone, undone.length], [3, 3, 3]);
  const first = await acme.get(`/lead/${one.id}/`);
  assert.deepEqual([first.name, first.industry], ["One", null]);
  assert.equal((await acme.get(`/lead/${two.id}/`)).name, "Zwei");
  await acme.refused(404, "GET", `/lead/${made.id}/`);
  assert.deepEqual(not_undone, [
    { object_type: "lead", object_id: used.id, reason: "somebody has worked with it since" },
    { object_type: "lead", object_id: two.id, reason: "name: changed since" },
  ]);
});

test("an undo is a request like others, and can be undone", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }] });
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`);

  const back = await acme.ask("POST", `/change_set/${requestOf(gone)}/undo/`, { body: {} });
  assert.equal((await acme.get(`/lead/${lead.id}/`)).name, "Acme");
  const again = await undo(acme, requestOf(back));

  assert.equal(again.undone[0].action, "deleted");
  await acme.refused(404, "GET", `/lead/${lead.id}/`);
});

test("records are put back on lists, and taken off", async () => {
  const acme = await organization();
  const [one, two] = [await acme.lead(), await acme.lead()];
  const list = await acme.post("/lead_list/", { name: "Best" });
  const members = async () => (await acme.get(`/lead/?list_id=${list.id}`)).data.map((lead: any) => lead.id);
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [one.id] });
  const added = await acme.ask("POST", `/lead_list/${list.id}/members/`, { body: { lead_ids: [one.id, two.id] } });
  const removed = await acme.ask("DELETE", `/lead_list/${list.id}/members/${one.id}/`);

  await undo(acme, requestOf(removed));
  await undo(acme, requestOf(added));

  assert.deepEqual(await members(), [one.id]);
});

test("a deleted list comes back with who was on it", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const list = await acme.post("/lead_list/", { name: "Best" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [lead.id] });
  const gone = await acme.ask("DELETE", `/lead_list/${list.id}/`);

  await undo(acme, requestOf(gone));

  assert.equal((await acme.get(`/lead/?list_id=${list.id}`)).data[0].id, lead.id);
});

test("a message that a customer may have is not taken back", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const mail = { lead_id: lead.id, direction: "outgoing", to: ["ann@example.com"], subject: "Hi", body_text: "Hi" };
  const [sent, draft] = [
    await acme.ask("POST", "/activity/email/", { body: { ...mail, status: "sent" }, headers: named("mails") }),
    await acme.ask("POST", "/activity/email/", { body: { ...mail, status: "draft" }, headers: named("mails") }),
  ];

  const { undone, not_undone } = await undo(acme, "mails");

  assert.deepEqual(
    undone.map((one: any) => one.object_id),
    [draft.body.id],
  );
  const reason = not_undone.find((one: any) => one.object_id === sent.body.id).reason;
  assert.equal(reason, "was sent, and cannot be taken back");
});

test("what a run of an automation did is undone by its id", async () => {
  const acme = await organization();
  const lead = await acme.lead({ industry: "Coal" });
  const graph = {
    start: "set",
    steps: {
      set: { type: "record.update", config: { fields: { industry: "Steel" } }, ports: { out: "ask" } },
      ask: { type: "task.create", config: { text: "Call" }, ports: { out: null } },
    },
  };
  const { id } = await published(acme, graph, { trigger: { type: "manual", config: {} } });
  const run = await acme.post(`/automations/${id}/run/`, { record_id: lead.id });
  await withWorker(acme.service, (worker) => worker.drained());
  assert.equal((await acme.get(`/lead/${lead.id}/`)).industry, "Steel");

  const { n_undone } = await undo(acme, run.id);

  assert.equal(n_undone, 2);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).industry, "Coal");
  assert.deepEqual((await acme.get(`/task/?lead_id=${lead.id}`)).data, []);
});

test("others' changes are for admins, and each thing needs the right to do it by hand", async () => {
  const acme = await organization();
  const seller = await acme.memberWith(["view_all_leads"]);
  const made = await seller.ask("POST", "/lead/", { body: { name: "Acme" } });
  const mine = await acme.ask("POST", "/lead/", { body: { name: "Other" } });

  const { not_undone } = await undo(seller, requestOf(made));
  await seller.refused(404, "POST", `/change_set/${requestOf(mine)}/undo/`, {});
  const { undone } = await undo(acme, requestOf(made));

  assert.match(not_undone[0].reason, /delete_leads/);
  assert.equal(undone[0].object_id, made.body.id);
});

test("another organization's requests, names and runs are not there, and neither is what nobody did", async () => {
  const [acme, them] = [await organization(), await organization()];
  const made = await them.ask("POST", "/lead/", { body: { name: "Acme" }, headers: named("tidy") });

  for (const id of [requestOf(made), "tidy", "arun_00000000000000000000000000"])
    await acme.refused(404, "POST", `/change_set/${id}/undo/`, {});
});

test("what has an undo of its own names it, and what cannot come back says so", async () => {
  const acme = await organization();
  await acme.lead();
  const bulk = await acme.ask("POST", "/bulk_action/delete/", { body: { all: true } });
  const field = await acme.customField("lead", { type: "number" });
  await acme.lead({ [`custom.${field.id}`]: 5 });
  const fieldGone = await acme.ask("DELETE", `/custom_field/lead/${field.id}/`);
  const file = await acme.post("/file/", { name: "a.txt", content_base64: "eA==" });
  const fileGone = await acme.ask("DELETE", `/file/${file.id}/`);

  const reasons: string[] = [];
  for (const one of [bulk, fieldGone, fileGone])
    reasons.push(...(await undo(acme, requestOf(one))).not_undone.map(({ reason }: any) => reason));

  assert.deepEqual(reasons, [
    "status is created: pause is not enough, cancel it or wait until it is done",
    "its values are removed with it, and cannot be brought back",
    `custom.${field.id}: its custom field is deleted`,
    "came back without the file a.txt, whose bytes are gone",
  ]);
  await acme.refused(404, "GET", `/file/${file.id}/`);
});

test("a status comes back with the leads that had it, and an undo names no lead that is hidden", async () => {
  const acme = await organization();
  const status = await acme.post("/status/lead/", { label: "Warm" });
  const other = await acme.post("/status/lead/", { label: "Cold" });
  const member = await acme.memberWith(["manage_customizations"]);
  const lead = await acme.lead({ status_id: status.id });
  const path = `/status/lead/${status.id}/?replacement_status_id=${other.id}`;
  const gone = await acme.ask("DELETE", path);

  await undo(acme, requestOf(gone));
  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_id, status.id);

  const again = await member.ask("DELETE", path);
  assert.ok(!JSON.stringify(await undo(member, requestOf(again))).includes(lead.id));
});

test("an admin undoes the change set of a member, unless several used its name", async () => {
  const acme = await organization();
  const [one, other] = [await acme.member(), await acme.member()];
  const make = (who: Workspace, name: string) => who.ask("POST", "/lead/", { body: { name: "Acme" }, headers: named(name) });
  await make(one, "tidy");
  await make(one, "both");
  await make(other, "both");

  assert.equal((await undo(acme, "tidy")).n_undone, 1);
  await acme.refused(400, "POST", "/change_set/both/undo/", {}, "id");
  assert.equal((await undo(one, "both")).n_undone, 1);
});

test("the administration is changed by hand", async () => {
  const acme = await organization();
  const made = await acme.ask("POST", "/role/", { body: { name: "Seller", permissions: [] } });

  const { not_undone } = await undo(acme, requestOf(made));

  assert.equal(not_undone[0].reason, "is part of the administration, which is changed by hand");
});

test("a name that could be an id is refused", async () => {
  const acme = await organization();

  for (const name of ["req_1", "arun_1", "two words", "x".repeat(101)]) {
    const { status, body } = await acme.ask("POST", "/lead/", { body: { name: "Acme" }, headers: named(name) });
    assert.deepEqual([status, Object.keys(body["field-errors"])], [400, ["x-change-set"]]);
  }
});

test("what was deleted can be brought back for 30 days, and a change set be undone", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`, { headers: named("tidy") });
  const after = async (days: number) => {
    const moment = new Date(Date.now() + days * 86_400_000).toISOString();
    await atMoment(acme.service, moment, "removals");
    await atMoment(acme.service, moment, "change_sets");
  };

  await after(29.9);
  const tried = await acme.post("/change_set/tidy/undo/?dry_run=true");
  await after(30.1);
  const { not_undone } = await undo(acme, requestOf(gone));

  assert.equal(tried.result.undone[0].action, "restored");
  assert.match(not_undone[0].reason, /is not kept/);
  await acme.refused(404, "POST", "/change_set/tidy/undo/", {});
});
