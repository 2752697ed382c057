// Sequences: what they require, and what happens to their contacts when they change.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const call = { step_type: "call", text: "Introduce yourself" };
const template = (ws: Workspace, body: object = {}): Promise<any> => ws.post("/email_template/", { name: "Hello", ...body });
const create = (ws: Workspace, body: object = {}): Promise<any> =>
  ws.post("/sequence/", { name: "Outreach", steps: [call], ...body });
const subscribe = async (ws: Workspace, sequence: any, body: object = {}): Promise<any> =>
  ws.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: (await ws.contact()).id, ...body });

describe("a sequence", () => {
  test("is a draft until it has steps, and lives in the organization's time zone", async () => {
    const acme = await organization();
    await acme.put(`/organization/${acme.id}/`, { timezone: "Europe/Berlin" });

    const empty = await acme.post("/sequence/", { name: "Empty" });
    const full = await create(acme);

    assert.equal(empty.status, "draft");
    assert.equal(full.status, "active");
    assert.equal(full.timezone, "Europe/Berlin");
    assert.equal(full.created_by_id, acme.userId);
    assert.match(full.steps[0].id, /^seqstep_/);
    assert.deepEqual([full.steps[0].position, full.steps[0].delay, full.steps[0].required], [0, 0, false]);
  });

  test("says by its dotted place what is wrong", async () => {
    const acme = await organization();
    const refuse = (body: object, field: string) => acme.refused(400, "POST", "/sequence/", { name: "X", ...body }, field);
    const range = { weekday: 1, start: "09:00", end: "17:00" };
    const hours = (change: object) => ({ schedule: { ranges: [{ ...range, ...change }] } });

    await refuse(hours({ weekday: 8 }), "schedule.ranges.0.weekday");
    await refuse(hours({ start: "9" }), "schedule.ranges.0.start");
    await refuse(hours({ end: "25:00" }), "schedule.ranges.0.end");
    await refuse(hours({ end: "08:00" }), "schedule.ranges.0.end");
    await refuse({ schedule: { ranges: [] } }, "schedule.ranges");
    await refuse({ timezone: "Mars" }, "timezone");
    await refuse({ steps: [{ step_type: "fax" }] }, "steps.0.step_type");
    await refuse({ steps: [call, { step_type: "email" }] }, "steps.1.email_template_id");
    await refuse({ steps: [{ step_type: "email", email_template_id: "tmpl_none" }] }, "steps.0.email_template_id");
    await refuse({ steps: [{ step_type: "sms" }] }, "steps.0.sms_template_id");
    await refuse({ steps: [{ ...call, delay: -1 }] }, "steps.0.delay");
    await refuse({ steps: [{ ...call, delay: "2 days" }] }, "steps.0.delay");
    await refuse({ steps: [{ ...call, delay: { amount: 1, unit: "moons" } }] }, "steps.0.delay");
    await refuse({ steps: [{ ...call, delay: { amount: 53, unit: "weeks" } }] }, "steps.0.delay.amount");
    await refuse({ steps: Array.from({ length: 51 }, () => call) }, "steps");
    await refuse({ throttle: { jitter_seconds: -1 } }, "throttle.jitter_seconds");
    await refuse({ throttle: { max_per_day: 5 } }, "throttle.max_per_day");
  });

  test("knows its steps by their ids: those of another are refused in a change and copied into a new one", async () => {
    const acme = await organization();
    const [own, other] = [await create(acme), await create(acme, { name: "Other" })];
    const [mine, theirs] = [own.steps[0], other.steps[0]];
    const put = (steps: object[], field: string) => acme.refused(400, "PUT", `/sequence/${own.id}/`, { steps }, field);

    await put([mine, theirs], "steps.1.id");
    await put([{ ...call, id: "seqstep_none" }], "steps.0.id");
    await put([mine, mine], "steps.1.id");
    const copy = await acme.post("/sequence/", { ...other, name: "Copy" });

    const { id, ...rest } = copy.steps[0];
    assert.deepEqual({ id: theirs.id, ...rest }, theirs);
    assert.ok(id !== theirs.id && id.startsWith("seqstep_"));
    assert.deepEqual((await acme.get(`/sequence/${other.id}/`)).steps, [theirs]);
  });

  test("is not active without steps", async () => {
    const acme = await organization();
    const empty = await acme.post("/sequence/", { name: "Empty" });
    const full = await create(acme);

    await acme.refused(400, "POST", "/sequence/", { name: "X", status: "active" }, "status");
    await acme.refused(400, "PUT", `/sequence/${empty.id}/`, { status: "active" }, "status");
    await acme.refused(400, "PUT", `/sequence/${full.id}/`, { steps: [], status: "active" }, "status");

    assert.equal((await acme.put(`/sequence/${full.id}/`, { steps: [] })).status, "draft");
    assert.equal((await acme.put(`/sequence/${empty.id}/`, { steps: [call], status: "active" })).status, "active");
    assert.equal((await acme.put(`/sequence/${empty.id}/`, { name: "Renamed" })).name, "Renamed");
  });

  test("takes by itself only whom a search could find", async () => {
    const acme = await organization();
    const leads = { type: "object_type", object_type: "lead" };
    const condition = { type: "term", values: ["x"] };
    const wrong = {
      type: "field_condition",
      field: { type: "regular_field", object_type: "lead", field_name: "nmae" },
      condition,
    };

    await acme.refused(400, "POST", "/sequence/", { name: "X", trigger_query: { type: "nothing" } }, "trigger_query.type");
    await acme.refused(
      400,
      "POST",
      "/sequence/",
      { name: "X", trigger_query: { type: "object_type", object_type: "task" } },
      "trigger_query",
    );
    const refusal = await acme.refused(400, "POST", "/sequence/", {
      name: "X",
      trigger_query: { type: "and", queries: [leads, wrong] },
    });
    assert.ok(Object.keys(refusal["field-errors"])[0]!.startsWith("trigger_query.queries.1"), JSON.stringify(refusal));
    assert.deepEqual((await create(acme, { trigger_query: leads })).trigger_query, leads);
  });

  test("keeps whom it takes when a field that its query names is gone", async () => {
    const acme = await organization();
    const field = await acme.customField("lead", { type: "text" });
    const named = {
      type: "field_condition",
      field: { type: "custom_field", custom_field_id: field.id },
      condition: { type: "exists" },
    };
    const trigger_query = { type: "and", queries: [{ type: "object_type", object_type: "lead" }, named] };
    const made = await create(acme, { trigger_query });
    await acme.delete(`/custom_field/lead/${field.id}/`);

    const renamed = await acme.put(`/sequence/${made.id}/`, { ...made, name: "Other" });

    assert.deepEqual([renamed.name, renamed.trigger_query], ["Other", trigger_query]);
  });

  test("uses only templates its author may see, and they cannot be deleted while it does", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const his = await template(bob);
    const ours = await template(acme);
    const mail = (id: string) => ({ name: "Mail", steps: [{ step_type: "email", email_template_id: id }] });

    await acme.refused(400, "POST", "/sequence/", mail(his.id), "steps.0.email_template_id");
    const made = await acme.post("/sequence/", mail(ours.id));
    await acme.refused(400, "DELETE", `/email_template/${ours.id}/`);
    const { used_by_sequences } = await acme.get(`/email_template/${ours.id}/?_fields=used_by_sequences`);
    await acme.delete(`/sequence/${made.id}/`);

    assert.deepEqual(used_by_sequences, [{ id: made.id, name: "Mail" }]);
    await acme.delete(`/email_template/${ours.id}/`);
  });

  test("counts by state who is in it, when it is read alone or when a list is asked for it", async () => {
    const acme = await organization();
    const made = await create(acme);
    await subscribe(acme, made);
    await subscribe(acme, made, { status: "paused" });
    const counts = { active: 1, paused: 1, finished: 0, goal: 0, error: 0 };

    assert.deepEqual((await acme.get(`/sequence/${made.id}/`)).subscription_counts_by_status, counts);
    assert.equal("subscription_counts_by_status" in (await acme.get("/sequence/")).data[0], false);
    assert.deepEqual((await acme.get("/sequence/?_fields=subscription_counts_by_status")).data, [
      { subscription_counts_by_status: counts },
    ]);
  });

  test("is written by who may, and a private one is seen by its author and admins", async () => {
    const acme = await organization();
    const [boss, bob] = [await acme.member("superuser"), await acme.member()];
    const made = await create(boss, { is_shared: false });

    await bob.refused(403, "POST", "/sequence/", { name: "X" });
    await bob.refused(403, "PUT", `/sequence/${made.id}/`, { name: "X" });
    await bob.refused(403, "DELETE", `/sequence/${made.id}/`);
    await bob.refused(404, "GET", `/sequence/${made.id}/`);
    assert.equal((await acme.get(`/sequence/${made.id}/`)).id, made.id);
    await boss.put(`/sequence/${made.id}/`, { is_shared: true });
    assert.equal((await bob.get(`/sequence/${made.id}/`)).id, made.id);
  });
});

describe("changing the steps", () => {
  test("keeps the steps that are named and numbers them anew; what was read can be written back", async () => {
    const acme = await organization();
    const made = await create(acme, { steps: [call, { step_type: "task", delay: 3600 }] });
    const [first, second] = made.steps;
    const events = (await acme.events(made.id)).length;

    const back = await acme.put(`/sequence/${made.id}/`, made);
    const changed = await acme.put(`/sequence/${made.id}/`, { steps: [second, call] });

    assert.equal((await acme.events(made.id)).length, events + 1);
    assert.equal(back.steps_version, 1);
    assert.equal(changed.steps_version, 2);
    assert.equal(changed.steps[0].id, second.id);
    assert.deepEqual(
      changed.steps.map((step: any) => step.position),
      [0, 1],
    );
    assert.notEqual(changed.steps[1].id, first.id);
  });

  test("moves on who stood at a step that is gone, to the one in its place, and ends who has none left", async () => {
    const acme = await organization();
    const made = await create(acme, { steps: [call, { ...call, text: "Again" }] });
    const one = await subscribe(acme, made);
    const path = `/sequence_subscription/${one.id}/`;
    const put = (steps: object[]) => acme.put(`/sequence/${made.id}/`, { steps });

    await put([made.steps[1]]);
    const moved = await acme.get(path);
    const { steps } = await put([{ ...call, text: "In its place" }]);
    const replaced = await acme.get(path);
    await acme.refused(400, "PUT", `/sequence/${made.id}/`, { steps: [] }, "steps");
    const behind = await put([{ ...call, text: "Before it" }, steps[0]]);
    await put([behind.steps[0]]);
    const ended = await acme.get(path);

    assert.deepEqual([moved.current_step_id, moved.status], [made.steps[1].id, "active"]);
    assert.deepEqual([replaced.current_step_id, replaced.status], [steps[0].id, "active"]);
    assert.equal(ended.status, "finished");
    assert.equal(ended.next_step_at, null);
    assert.notEqual(ended.finished_at, null);
    assert.equal((await acme.events(one.id)).at(-1).event, "sequence_subscription.finished");
  });
});

test("deleting a sequence ends who is in it, and tells why", async () => {
  const acme = await organization();
  const made = await create(acme);
  const one = await subscribe(acme, made);
  const email = await acme.post("/activity/email/", { lead_id: one.lead_id, followup_sequence_id: made.id });

  await acme.delete(`/sequence/${made.id}/`);

  const ended = await acme.get(`/sequence_subscription/${one.id}/`);
  assert.deepEqual([ended.status, ended.status_reason, ended.sequence_id], ["error", "sequence-deleted", made.id]);
  assert.equal(ended.next_step_at, null);
  assert.equal((await acme.get(`/activity/email/${email.id}/`)).followup_sequence_id, null);
  await acme.refused(400, "PUT", `/sequence_subscription/${one.id}/`, { status: "active" }, "status");
});

test("one that is over is archived: nobody is in it, and it takes nobody until it is active again", async () => {
  const acme = await organization();
  const made = await acme.post("/sequence/", { name: "Spring", timezone: "UTC", steps: [{ step_type: "call" }] });
  const path = `/sequence/${made.id}/`;
  const subscribe = async () => ({ sequence_id: made.id, contact_id: (await acme.contact()).id });
  const way = await acme.post("/sequence_subscription/", await subscribe());

  await acme.refused(400, "PUT", path, { status: "archived" }, "status");
  await acme.put(`/sequence_subscription/${way.id}/`, { status: "finished" });
  const archived = await acme.put(path, { status: "archived" });
  await acme.refused(400, "POST", "/sequence_subscription/", await subscribe(), "sequence_id");
  await acme.refused(400, "PUT", `/sequence_subscription/${way.id}/`, { status: "active" }, "status");

  const listed = async (query: string) => (await acme.all(`/sequence/?${query}`)).map(({ id }: any) => id);
  assert.deepEqual([archived.status, archived.subscription_counts_by_status.finished], ["archived", 1]);
  assert.deepEqual([await listed("status__in=active,paused,draft"), await listed("status=archived")], [[], [made.id]]);
  await acme.put(path, { status: "active" });
  await acme.post("/sequence_subscription/", await subscribe());
});

test("what the steps say is written by who made the sequence, by admins, and by who may send as its author", async () => {
  const acme = await organization();
  const [author, rita] = [await acme.memberWith(["manage_email_sequences"]), await acme.memberWith(["manage_email_sequences"])];
  const made = await author.post("/sequence/", { name: "Calls", timezone: "UTC", steps: [{ step_type: "call", text: "Call" }] });
  const path = `/sequence/${made.id}/`;
  const steps = [{ ...made.steps[0], text: "By Rita" }];

  await rita.refused(403, "PUT", path, { steps });
  await rita.refused(403, "PUT", path, { steps: [], apply_edits: "new_only" });
  await rita.put(path, { steps: made.steps, name: "Calls of spring" });
  await rita.post("/sequence/", { name: "Calls of mine", timezone: "UTC", steps });
  assert.equal((await acme.put(path, { steps: [{ ...steps[0], text: "By an admin" }] })).steps_version, 2);
  await author.post("/send_as/", { allowed_user_id: rita.userId });

  assert.equal((await rita.put(path, { steps })).steps[0].text, "By Rita");
});

test("whom a query lets in is decided by who made the sequence, and by admins", async () => {
  const acme = await organization();
  const [author, rita] = [
    await acme.memberWith(["manage_email_sequences", "view_all_leads"]),
    await acme.memberWith(["manage_email_sequences"]),
  ];
  const trigger_query = { type: "object_type", object_type: "contact" };
  const other = { type: "object_type", object_type: "lead" };
  const body = { name: "Calls", timezone: "UTC", steps: [{ step_type: "call" }] };
  const [asks, plain] = [await author.post("/sequence/", { ...body, trigger_query }), await author.post("/sequence/", body)];
  const [path, plainPath] = [`/sequence/${asks.id}/`, `/sequence/${plain.id}/`];

  await rita.refused(403, "PUT", path, { trigger_query: other });
  await rita.refused(403, "PUT", plainPath, { trigger_query });
  await rita.refused(403, "PUT", path, { sender: { mode: "owner" } });
  await rita.put(path, { name: "Calls of new leads", trigger_query, status: "paused" });
  await rita.refused(403, "PUT", path, { status: "active" });
  await rita.put(plainPath, { status: "paused" });

  assert.equal((await rita.put(plainPath, { status: "active" })).status, "active");
  assert.equal((await author.put(path, { status: "active" })).status, "active");
  assert.deepEqual((await acme.put(path, { trigger_query: other })).trigger_query, other);
  assert.equal((await rita.put(path, { trigger_query: null })).trigger_query, null);
});
