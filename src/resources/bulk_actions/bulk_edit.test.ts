import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Asks for an edit, and reads it when it is done. */
async function edited(acme: Workspace, body: object): Promise<any> {
  const { id } = await acme.post("/bulk_action/edit/", body);
  await work(acme);
  return acme.get(`/bulk_action/${id}/`);
}

/** A lead, many times. */
async function leads(acme: Workspace, count: number, body: (n: number) => object = () => ({})): Promise<any[]> {
  const made: any[] = [];
  while (made.length < count)
    made.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(20, count - made.length) }, (_, i) => acme.lead(body(made.length + i))),
      )),
    );
  return made;
}

test("an edit changes what is selected and nothing else, with the events of each record and its own", async () => {
  const acme = await organization();
  const [one, two] = await leads(acme, 2, (n) => ({ name: `Steel ${n}`, tags: ["old"] }));
  const other = await acme.lead({ name: "Wood", tags: ["old"] });

  const preview = await acme.ask("POST", "/bulk_action/edit/", {
    body: { type: "add_tag", tag: "New", query: "name:steel", dry_run: true },
  });
  const done = await edited(acme, { type: "add_tag", tag: "New", query: "name:steel" });

  assert.deepEqual([preview.status, preview.body.n_objects, preview.body.n_leads, preview.body.objects.length], [200, 2, 2, 2]);
  const { status, n_objects, n_objects_processed, n_leads, n_leads_processed, n_succeeded, n_failed, progress, errors } = done;
  assert.deepEqual(
    [status, n_objects, n_objects_processed, n_leads, n_leads_processed, n_succeeded, n_failed, progress, errors],
    ["done", 2, 2, 2, 2, 2, 0, 1, []],
  );
  assert.deepEqual((await acme.get(`/lead/${one.id}/`)).tags, ["old", "New"]);
  assert.deepEqual((await acme.get(`/lead/${other.id}/`)).tags, ["old"]);
  const [event] = (await acme.events(two.id)).slice(-1);
  assert.deepEqual([event.event, event.meta.bulk_action_id, event.user_id], ["lead.updated", done.id, acme.userId]);
  assert.deepEqual(
    (await acme.events(done.id)).map((one) => one.event),
    ["bulk_action.edit.created", "bulk_action.edit.updated", "bulk_action.edit.completed"],
  );
  const [told] = (await acme.get("/notification/?type=bulk_action_done")).data;
  assert.deepEqual([told.title, told.object_id], ["Your bulk action is done: 2 of 2 records", done.id]);
  assert.equal((await acme.get("/bulk_action/")).data.length, 1);
});

test("of a thousand, three that are refused do not hold up the others, and say why", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "choices", choices: ["a", "b"], accepts_multiple_values: true });
  const key = `custom.${field.id}`;
  const all = await leads(acme, 1000);
  const refused = [all[10], all[500], all[999]];
  await Promise.all(refused.map(({ id }) => acme.put(`/lead/${id}/`, { website: null, [key]: ["a"] })));
  const change = {
    type: "set_custom_field",
    custom_field_id: field.id,
    custom_field_operation: "add",
    custom_field_value: ["b"],
  };
  const full = JSON.stringify({ [key]: Array.from({ length: 1000 }, (_, n) => `v${n}`) });
  await acme.inside(async (ctx) => {
    ctx.tx!.write({
      text: "update lead set custom = $3 where organization_id = $1 and id = any($2)",
      values: [acme.id, refused.map(({ id }) => id), full],
    });
  });

  const done = await edited(acme, { ...change, all: true });

  assert.deepEqual([done.status, done.n_succeeded, done.n_failed, done.errors.length], ["done", 997, 3, 3]);
  const { data } = await acme.get(`/bulk_action/${done.id}/items/?status=failed`);
  assert.deepEqual(data.map((one: any) => one.object_id).sort(), refused.map(({ id }) => id).sort());
  assert.match(data[0].error, /custom/);
});

test("people of one lead that is named after the first of them are all renamed, and so is the lead", async () => {
  const acme = await organization();
  const { id, contacts } = await acme.post("/lead/", {
    contacts: [{ name: "Ann" }, { name: "Bob" }, { name: "Cid" }],
  });

  await acme.post("/bulk_action/edit/", {
    type: "set_fields",
    object_type: "contact",
    fields: { name: "Dan", title: "CEO" },
    all: true,
  });
  await work(acme);

  assert.equal((await acme.get(`/lead/${id}/`)).display_name, "Dan");
  const people = (await acme.get("/contact/")).data;
  assert.deepEqual(
    people.map(({ name, title }: any) => [name, title]),
    contacts.map(() => ["Dan", "CEO"]),
  );
  assert.equal((await acme.get("/contact/?query=dan")).data.length, 3);
  assert.equal((await acme.get("/contact/?query=ann")).data.length, 0);
});

test("what stopped goes on with the records that are left, in the name of whoever resumes it", async () => {
  const acme = await organization();
  const leads = [await acme.lead(), await acme.lead(), await acme.lead()];
  const [boss, rep] = [await acme.member("superuser"), await acme.memberWith(["manage_organization", "view_all_leads"])];
  const { id } = await boss.post("/bulk_action/edit/", { type: "add_tag", tag: "x", all: true });
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === boss.userId).id}/`);
  await work(acme);
  const stopped = await acme.get(`/bulk_action/${id}/`);

  await rep.refused(403, "PUT", `/bulk_action/${id}/`, { status: "resuming" });
  const resumed = await acme.put(`/bulk_action/${id}/`, { action: "resume" });
  await work(acme);

  assert.deepEqual([stopped.status, stopped.n_objects_processed], ["error", 0]);
  assert.deepEqual([resumed.status, resumed.error, resumed.date_completed], ["resuming", null, null]);
  const done = await acme.get(`/bulk_action/${id}/`);
  assert.deepEqual([done.status, done.n_succeeded, done.n_objects_processed, done.error], ["done", 3, 3, null]);
  for (const lead of leads) {
    const told = (await acme.events(lead.id)).filter(({ event }) => event === "lead.updated");
    assert.deepEqual(
      told.map(({ user_id, meta }: any) => [user_id, meta.bulk_action_id]),
      [[acme.userId, id]],
    );
  }
});

test("nobody asks for an edit or a deletion without the permission, and one who has lost it touches nothing more", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Steel" });
  const [rep, boss] = [await acme.member("user"), await acme.member("superuser")];
  await rep.refused(403, "POST", "/bulk_action/edit/", { type: "add_tag", tag: "x", all: true });
  await rep.refused(403, "POST", "/bulk_action/delete/", { all: true });
  const careful = await acme.memberWith(["bulk_delete", "view_all_leads"]);
  await careful.refused(403, "POST", "/bulk_action/delete/", { all: true });
  await boss.refused(400, "POST", "/bulk_action/edit/", { type: "add_tag", tag: "x" }, "s_query");
  await boss.refused(400, "POST", "/bulk_action/edit/", { type: "add_tag", tag: "x", contact_ids: ["cont_1"] }, "contact_ids");

  const { id } = await boss.post("/bulk_action/edit/", { type: "add_tag", tag: "x", all: true });
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === boss.userId).id}/`);
  await work(acme);

  const { status, error, n_objects_processed } = await acme.get(`/bulk_action/${id}/`);
  assert.deepEqual([status, error, n_objects_processed], ["error", "Whoever asked for it is no longer an active member", 0]);
  assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, []);
});

test("records that the asker does not see fail like those that never were, and those that went out of sight are skipped", async () => {
  const acme = await organization();
  const rep = await acme.memberWith(["bulk_edit"]);
  const [mine, later, others] = [
    await acme.lead({ owner_id: rep.userId }),
    await acme.lead({ owner_id: rep.userId }),
    await acme.lead(),
  ];

  const asked = { type: "add_tag", tag: "x", ids: [others.id, mine.id, "lead_nobody", later.id] };
  const preview = await rep.post("/bulk_action/edit/", { ...asked, dry_run: true });
  const made = await rep.post("/bulk_action/edit/", asked);
  await acme.put(`/lead/${later.id}/`, { owner_id: acme.userId });
  await work(acme);

  const { n_objects, n_succeeded, n_skipped } = await rep.get(`/bulk_action/${made.id}/`);
  const { errors, progress, status } = await rep.get(`/bulk_action/${made.id}/`);
  assert.deepEqual([made.n_objects, n_objects, n_succeeded, n_skipped], [4, 4, 1, 1]);
  const error = "does not exist, or is not visible to you";
  assert.deepEqual(
    errors,
    [others.id, "lead_nobody"].map((object_id) => ({ object_id, error })),
  );
  assert.deepEqual([status, progress], ["done", 1]);
  const { data } = await rep.get(`/bulk_action/${made.id}/items/?status=failed`);
  assert.deepEqual(
    data.map((one: any) => [one.ord, one.object_id, one.error]),
    [
      [3, others.id, error],
      [4, "lead_nobody", error],
    ],
  );
  assert.deepEqual(preview.unknown_ids, [others.id, "lead_nobody"]);
  assert.deepEqual([preview.n_objects, preview.n_failed, preview.errors], [made.n_objects, made.n_failed, made.errors]);
  const tags = await Promise.all([mine, later, others].map(async ({ id }) => (await acme.get(`/lead/${id}/`)).tags));
  assert.deepEqual(tags, [["x"], [], []]);
  const other = await acme.member("restricteduser");
  await other.refused(404, "GET", `/bulk_action/${made.id}/items/`);
});

test("what is paused waits, what is resumed goes on, and what is canceled keeps what is done", async () => {
  const acme = await organization();
  await leads(acme, 3);
  const change = { type: "add_tag", tag: "x", all: true };
  const inMiddle = async () => {
    const { id } = await acme.post("/bulk_action/edit/", change);
    await acme.inside(async (ctx) =>
      ctx.tx!.write({
        text: "update bulk_action set status = 'processing' where organization_id = $1 and id = $2",
        values: [acme.id, id],
      }),
    );
    return id;
  };
  const [paused, canceled] = [await inMiddle(), await inMiddle()];
  await acme.put(`/bulk_action/${paused}/`, { status: "paused" });
  assert.equal((await acme.put(`/bulk_action/${canceled}/`, { action: "cancel" })).status, "canceled");
  await work(acme);
  assert.equal((await acme.get(`/bulk_action/${paused}/`)).n_objects_processed, 0);

  await acme.put(`/bulk_action/${paused}/`, { status: "resuming" });
  await work(acme);

  const [first, second] = [await acme.get(`/bulk_action/${paused}/`), await acme.get(`/bulk_action/${canceled}/`)];
  assert.deepEqual([first.status, first.n_succeeded], ["done", 3]);
  assert.deepEqual([second.status, second.n_objects_processed], ["canceled", 0]);
  await acme.refused(400, "PUT", `/bulk_action/${canceled}/`, { status: "resuming" }, "status");
});

test("an undone edit restores what nobody has changed since, and reports the rest", async () => {
  const acme = await organization();
  const [first, second] = await leads(acme, 2, () => ({ industry: "Steel" }));
  const change = { type: "set_fields", object_type: "lead", fields: { industry: "Wood" }, all: true };
  const done = await edited(acme, change);
  await acme.put(`/lead/${second.id}/`, { industry: "Glass" });
  assert.deepEqual([done.undo.available, done.undo.bulk_action_id], [true, null]);

  const [colleague, restricted] = [await acme.member("superuser"), await acme.member("restricteduser")];
  await colleague.refused(403, "POST", `/bulk_action/${done.id}/undo/`, {});
  await restricted.refused(404, "POST", `/bulk_action/${done.id}/undo/`, {});
  const asked = await acme.post(`/bulk_action/${done.id}/undo/`, {});
  await work(acme);

  const undo = await acme.get(`/bulk_action/${asked.id}/`);
  assert.deepEqual([undo.kind, undo.status, undo.undoes, undo.n_succeeded, undo.n_skipped], ["undo", "done", done.id, 1, 1]);
  assert.equal((await acme.get(`/lead/${first.id}/`)).industry, "Steel");
  assert.equal((await acme.get(`/lead/${second.id}/`)).industry, "Glass");
  const [skipped] = (await acme.get(`/bulk_action/${undo.id}/items/?status=skipped`)).data;
  assert.deepEqual([skipped.object_id, skipped.error], [second.id, "industry: changed since"]);
  await acme.refused(400, "POST", `/bulk_action/${done.id}/undo/`, {}, "undo");
  await acme.refused(400, "POST", `/bulk_action/${undo.id}/undo/`, {}, "kind");

  const late = await edited(acme, { ...change, fields: { industry: "Iron" } });
  acme.service.clock.now = new Date(Date.now() + 31 * 86_400_000);
  await acme.refused(400, "POST", `/bulk_action/${late.id}/undo/`, {}, "undo");
  const itemsAfter = async (days: number) => {
    await atMoment(acme.service, new Date(Date.now() + days * 86_400_000).toISOString(), "bulk_items");
    return (await acme.get(`/bulk_action/${late.id}/items/`)).data.length;
  };
  assert.deepEqual([await itemsAfter(36), await itemsAfter(38)], [2, 0]);
});

test("an undo that is canceled may be asked for again", async () => {
  const acme = await organization();
  const lead = await acme.lead({ industry: "Coal" });
  const done = await edited(acme, { object_type: "lead", type: "set_fields", fields: { industry: "Steel" }, all: true });
  const undo = await acme.post(`/bulk_action/${done.id}/undo/`);
  await acme.put(`/bulk_action/${undo.id}/`, { action: "cancel" });

  await acme.post(`/bulk_action/${done.id}/undo/`);
  await work(acme);

  assert.equal((await acme.get(`/lead/${lead.id}/`)).industry, "Coal");
});

test("what an undo leaves because its author does not see it any more, an admin may undo", async () => {
  const acme = await organization();
  const rep = await acme.memberWith(["bulk_edit"]);
  const lead = await acme.lead({ owner_id: rep.userId });
  const fields = { owner_id: acme.userId };
  const given = await rep.post("/bulk_action/edit/", { object_type: "lead", type: "set_fields", fields, ids: [lead.id] });
  await work(acme);
  const own = await rep.post(`/bulk_action/${given.id}/undo/`);
  await work(acme);

  await acme.post(`/bulk_action/${given.id}/undo/`);
  await work(acme);

  assert.equal((await rep.get(`/bulk_action/${own.id}/`)).n_skipped, 1);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).owner_id, rep.userId);
  await acme.refused(400, "POST", `/bulk_action/${given.id}/undo/`, {}, "undo");
});

test("with recheck_query, what does not match the query any more is skipped and says so", async () => {
  const acme = await organization();
  const [kept, changed, gone] = await leads(acme, 3, (n) => ({ name: `Steel ${n}`, industry: "Old" }));
  const edit = { type: "add_tag", tag: "New", query: 'industry:"Old"' };
  await acme.refused(
    400,
    "POST",
    "/bulk_action/edit/",
    { ...edit, query: undefined, ids: [kept.id], recheck_query: true },
    "recheck_query",
  );

  const asked = await acme.post("/bulk_action/edit/", { ...edit, recheck_query: true });
  const plain = await acme.post("/bulk_action/edit/", { ...edit, tag: "Too" });
  await acme.put(`/lead/${changed.id}/`, { industry: "New" });
  await acme.ask("DELETE", `/lead/${gone.id}/`);
  await work(acme);

  const done = await acme.get(`/bulk_action/${asked.id}/`);
  const items = (await acme.get(`/bulk_action/${asked.id}/items/`)).data;
  assert.deepEqual([done.status, done.recheck_query, done.n_succeeded, done.n_skipped], ["done", true, 1, 2]);
  assert.deepEqual(
    new Map(items.map((one: any) => [one.object_id, one.error])),
    new Map([
      [kept.id, null],
      [changed.id, "does not match the query any more"],
      [gone.id, "is deleted, or not visible to you any more"],
    ]),
  );
  assert.deepEqual((await acme.get(`/lead/${changed.id}/`)).tags, ["Too"]);
  assert.equal((await acme.get(`/bulk_action/${plain.id}/`)).n_succeeded, 2);
});

test("a bulk action whose query cannot be asked again stops, and blames no record", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "text", name: "Region" });
  await acme.lead({ [`custom.${field.id}`]: "EMEA" });
  const query = `custom.${field.id}:EMEA`;
  const { id, n_objects } = await acme.post("/bulk_action/edit/", { type: "add_tag", tag: "New", query, recheck_query: true });
  await acme.ask("DELETE", `/custom_field/lead/${field.id}/`);

  await work(acme);

  const { status, error, n_objects_processed } = await acme.get(`/bulk_action/${id}/`);
  assert.deepEqual([n_objects, status, n_objects_processed], [1, "error", 0]);
  assert.match(error, /^Its query cannot be asked any more: /);
});
