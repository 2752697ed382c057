// What conditions answer in the corners, and which of them are refused. Each automation here asks many conditions of one record.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { createRecord } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { suppress } from "../contacts/suppress.ts";

async function work(acme: Workspace): Promise<void> {
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

/** A graph that asks one condition after the other. */
function asking(conditions: readonly object[]): object {
  const id = (i: number) => (i < conditions.length ? `s${i}` : null);
  const step = (when: object, i: number) => ({
    type: "branch",
    config: { cases: [{ id: "yes", when }] },
    ports: { yes: id(i + 1), else: id(i + 1) },
  });
  return { start: "s0", steps: Object.fromEntries(conditions.map((when, i) => [id(i), step(when, i)])) };
}

type Said = Record<string, object>;

/** Which of the conditions hold of each record, by their words. */
async function heldBy(
  acme: Workspace,
  records: readonly { id: string }[],
  said: Said,
  settings: object = {},
): Promise<string[][]> {
  const made = await published(acme, asking(Object.values(said)), { trigger: { type: "manual", config: {} }, settings });
  const { run_ids } = await acme.post(`/automations/${made.id}/run/`, { record_ids: records.map(({ id }) => id) });
  await work(acme);
  const runs = await Promise.all(run_ids.map((id: string) => acme.get(`/automation_runs/${id}/`)));
  return runs.map(({ steps, status, error }) => {
    assert.equal(status, "completed", JSON.stringify(error));
    return Object.keys(said).filter((_, i) => steps[i].branch === "yes");
  });
}

const holding = async (acme: Workspace, record: any, said: Said): Promise<string[]> => (await heldBy(acme, [record], said))[0]!;

const field = (ref: string, op: string, value?: unknown) => ({ type: "field", ref: `record.${ref}`, op, value });
const related = (relation: string, quantifier: string, where?: object, more: object = {}) => ({
  type: "related",
  relation,
  quantifier,
  where,
  ...more,
});

describe("a condition", () => {
  test("on a field without a value holds only where that is asked for", async () => {
    const acme = await organization();
    const lead = await acme.lead({ industry: "Steel" });

    const held = await holding(acme, lead, {
      "is text": field("description", "is", ""),
      "is a number": field("mrr", "is", 0),
      "is one of": field("description", "in", ["", "null"]),
      "is less": field("mrr", "lt", 5),
      "is between": field("mrr", "between", [-1, 1]),
      "was lately": field("scored_at", "within_last", { amount: 1, unit: "days" }),
      "is before": field("scored_at", "before", "2999-01-01"),
      contains: field("description", "contains", ""),
      "is not": field("mrr", "is_not", 0),
      "does not exist": field("mrr", "not_exists"),
      score: { type: "score", op: "is_not", value: 5 },
      status: { type: "status", status_type: "won" },
      owner: { type: "owner", user_ids: [acme.userId] },
      "no owner": { type: "owner", is_null: true },
      role: { type: "role", role_ids: ["admin"] },
    });

    assert.deepEqual(held, ["is not", "does not exist", "no owner"]);
  });

  test("counts business days by the organization's calendar, in a search too", async () => {
    const acme = await organization();
    const settings = { holiday_calendars: [{ id: "us", dates: ["2031-01-06"] }], business_calendar: "us" };
    await acme.put(`/organization/${acme.id}/`, { timezone: "UTC", settings });
    // A Friday, and the Tuesday after a Monday on which nobody works.
    acme.service.clock.now = new Date("2031-01-03T10:00:00Z");
    const lead = await acme.lead();
    acme.service.clock.now = new Date("2031-01-07T09:00:00Z");
    const last = (amount: number, unit: string) => field("date_created", "within_last", { amount, unit });
    const before = (amount: number) => field("date_created", "before", { amount, unit: "business_days" });

    const held = await holding(acme, lead, {
      "a business day": last(1, "business_days"),
      "a day": last(1, "days"),
      "no business day": last(0, "business_days"),
      "before a business day": before(1),
      "before today": before(0),
      "for ever": last(1e12, "business_days"),
      "before ever": before(1e12),
    });
    const found = async (where: object) => {
      const steps = chain(["record.find", { object_type: "lead", where: { all: [where] }, limit: 1 }]);
      const { id } = await acme.post("/automations/", { name: "X", trigger: { type: "manual", config: {} }, graph: steps });
      return (await acme.post(`/automations/${id}/simulate/`, { record_id: lead.id })).path[0].branch;
    };

    assert.deepEqual(held, ["a business day", "before today", "for ever"]);
    assert.deepEqual([await found(last(1, "business_days")), await found(last(1, "days"))], ["found", "empty"]);
  });

  test("on related records counts those that are there: of none, all and none of them meet anything", async () => {
    const acme = await organization();
    const [lead, empty] = [await acme.lead(), await acme.lead()];
    const [kept, gone] = [
      await acme.contact({ lead_id: lead.id, title: "CEO" }),
      await acme.contact({ lead_id: lead.id, title: "CEO" }),
    ];
    await acme.contact({ lead_id: lead.id, title: "CTO" });
    await acme.task({ lead_id: lead.id, contact_id: kept.id });
    await acme.delete(`/contact/${gone.id}/`);
    const ceo = field("title", "is", "CEO");
    const said = {
      any: related("lead.contacts", "any", ceo),
      all: related("lead.contacts", "all", ceo),
      none: related("lead.contacts", "none", ceo),
      one: related("lead.contacts", "count", ceo, { count_op: "is", count: 1 }),
      "two at least": related("lead.contacts", "count", undefined, { count: 2 }),
      "three at least": related("lead.contacts", "count", undefined, { count: 3 }),
      "none of them": related("lead.contacts", "count", ceo, { count_op: "is", count: 0 }),
      "of their own": related("lead.contacts", "any", {
        all: [ceo, related("contact.tasks", "count", undefined, { count_op: "is", count: 1 })],
      }),
      "like the record": related("lead.contacts", "any", { ...ceo, value: { $template: "{{ 'ceo' }}" } }),
    };

    assert.deepEqual(await heldBy(acme, [lead, empty], said), [
      ["any", "one", "two at least", "of their own", "like the record"],
      ["all", "none", "none of them"],
    ]);
    await acme.inside(async (ctx) => {
      for (let i = 0; i < 220; i++) await createRecord(ctx, contact, { lead_id: empty.id, name: `Person ${i}` });
    });
    assert.deepEqual(
      await holding(acme, empty, {
        all: related("lead.contacts", "all", field("name", "starts_with", "Person")),
        first: related("lead.contacts", "any", field("name", "is", "Person 0")),
        "all of them": related("lead.contacts", "count", undefined, { count_op: "is", count: 220 }),
        "many of them": related("lead.contacts", "count", undefined, { count_op: "is", count: 219 }),
      }),
      ["all", "first", "all of them"],
    );
    assert.deepEqual(
      await holding(acme, kept, {
        "of its lead": related("lead.contacts", "all", ceo),
        itself: related("contact.lead", "all", field("name", "is", lead.name)),
        "has none": related("contact.opportunities", "any"),
      }),
      ["itself"],
    );
  });

  test("on what happened counts what has happened, at the record and not beside it", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const [ann, bob] = [await acme.contact({ lead_id: lead.id }), await acme.contact({ lead_id: lead.id })];
    const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const call = (body: object) =>
      acme.post("/activity/call/", { lead_id: lead.id, status: "completed", phone: "+12125550100", ...body });
    await call({ contact_id: ann.id, direction: "inbound", activity_at: hour(-48) });
    await acme.post("/activity/email/", { lead_id: lead.id, contact_id: ann.id, status: "draft", to: ["ann@example.com"] });
    await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Soon", starts_at: hour(1), ends_at: hour(2) });
    const last = (op: string, days: number, more: object = {}) => ({
      type: "last_activity",
      op,
      window: { amount: days, unit: "days" },
      ...more,
    });
    const said = {
      "a call in": { type: "activity_count", kinds: ["call"], direction: "incoming", op: "is", value: 1 },
      "a call out": { type: "activity_count", kinds: ["call"], direction: "outgoing", op: "gte", value: 1 },
      anything: { type: "activity_count", op: "is", value: 1 },
      "a mail or a meeting": { type: "activity_count", kinds: ["email", "meeting"], op: "gt", value: 0 },
      "in three days": last("within_last", 3),
      "in one day": last("within_last", 1),
      "silent for a day": last("not_within_last", 1),
    };

    const atLead = ["a call in", "anything", "in three days", "silent for a day"];
    assert.deepEqual(await heldBy(acme, [lead, ann, bob], said), [atLead, atLead, ["silent for a day"]]);
  });

  test("on a sequence or another automation tells what was from what is, and forgets the run that asks", async () => {
    const acme = await organization();
    const steps = [{ step_type: "call", text: "Hello", delay: 86_400 }];
    const sequence = await acme.post("/sequence/", { name: "Follow", steps, status: "active" });
    const [ann, bob] = [await acme.contact(), await acme.contact()];
    const way = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
    await acme.put(`/sequence_subscription/${way.id}/`, { status: "paused" });
    const done = await published(acme, chain(["set.vars", { values: {} }]), { trigger: { type: "manual", config: {} } });
    const waits = await published(acme, chain(["wait.duration", { amount: 1, unit: "days" }]), {
      trigger: { type: "manual", config: {} },
    });
    for (const { id } of [done, waits]) await acme.post(`/automations/${id}/run/`, { record_id: ann.id });
    await work(acme);
    const states = ["in", "never", "active", "finished"];
    const of = (words: string, leaf: object) =>
      Object.fromEntries(states.map((state) => [`${words} ${state}`, { ...leaf, state }]));

    const held = await heldBy(acme, [ann, bob], {
      ...of("sequence", { type: "sequence_state", sequence_id: sequence.id }),
      ...of("done", { type: "automation_state", automation_id: done.id }),
      ...of("waits", { type: "automation_state", automation_id: waits.id }),
      ...of("any", { type: "automation_state" }),
    });

    assert.deepEqual(held, [
      ["sequence in", "done finished", "waits in", "waits active", "any in", "any active", "any finished"],
      ["sequence never", "done never", "waits never", "any never"],
    ]);
  });

  test("on contacting somebody goes by what their owners said, for each channel, at the address that is used", async () => {
    const acme = await organization();
    const given = { source: "link", source_id: null } as const;
    await acme.inside((ctx) => suppress(ctx, { ...given, address: "left@example.com", reason: "unsubscribed" }));
    await acme.inside((ctx) => suppress(ctx, { ...given, address: "bad@example.com", reason: "bounced" }));
    await acme.inside((ctx) => suppress(ctx, { ...given, address: "+12125550101", reason: "unsubscribed", channel: "sms" }));
    const person = async (emails: string[], phone: string, more: object = {}) =>
      acme.contact({ emails: emails.map((email) => ({ email })), phones: [{ phone, type: "mobile" }], ...more });
    const channels = Object.fromEntries(["email", "sms", "call"].map((channel) => [channel, { type: "contactable", channel }]));

    const fine = await person(["fine@example.com", "left@example.com"], "+12125550100");
    const left = await person(["left@example.com", "fine@example.com"], "+12125550101", { do_not_call: true });
    const bounced = await person(["bad@example.com"], "+12125550101");
    const people = [fine, left, bounced, { id: bounced.lead_id }, await acme.lead()];
    assert.deepEqual(await heldBy(acme, people, channels), [["email", "sms", "call"], [], ["call"], ["call"], []]);
  });

  test("on working hours goes by the clock on the wall, past midnight and when that is changed", async () => {
    const acme = await organization();
    const berlin = { type: "business_time", timezone: "Europe/Berlin" };
    const night = { days: ["sat"], from: "22:00", to: "03:30" };
    const lead = await acme.lead();
    const ann = await acme.contact({ timezone: "Asia/Kathmandu" });
    const at = async (moment: string, record: any = lead) => {
      acme.service.clock.now = new Date(moment);
      return holding(acme, record, {
        usual: berlin,
        night: { ...berlin, windows: night },
        "but one": { ...berlin, windows: { ...night, blocked_dates: ["2031-03-29"] } },
        "two windows": { ...berlin, windows: [{ from: "08:00", to: "08:30" }, night] },
        theirs: { type: "business_time" },
        schedule: { ...berlin, schedule: { ranges: [{ weekday: 7, start: "03:00", end: "04:00" }] } },
      });
    };

    assert.deepEqual(await at("2031-03-28T15:59:00Z"), ["usual", "theirs"]);
    assert.deepEqual(await at("2031-03-28T07:15:00Z", ann), ["two windows", "theirs"]);
    assert.deepEqual(await at("2031-03-29T21:00:00Z"), ["night", "two windows"]);
    // At two the clocks go forward to three.
    assert.deepEqual(await at("2031-03-30T01:29:00Z"), ["night", "two windows", "schedule"]);
    assert.deepEqual(await at("2031-03-30T01:30:00Z"), ["schedule"]);
    // The same night in October lasts an hour longer.
    assert.deepEqual(await at("2031-10-26T02:29:00Z"), ["night", "but one", "two windows", "schedule"]);
  });

  test("sees what the member sees in whose name it is asked", async () => {
    const acme = await organization();
    const bob = await acme.member("restricteduser");
    const [mine, other] = [await acme.lead({ owner_id: bob.userId }), await acme.lead()];
    const contact = await acme.contact({ lead_id: mine.id });
    await acme.post("/project/", { name: "Here", lead_id: mine.id, contact_id: contact.id });
    const said = {
      "its lead": related("contact.lead", "any"),
      one: related("contact.projects", "count", undefined, { count_op: "is", count: 1 }),
    };
    const asBob = { run_as_user_id: bob.userId };

    const task = await acme.task({ lead_id: other.id, assigned_to: bob.userId });
    const ofTask = { "its lead": related("task.lead", "any") };

    const [seen] = await heldBy(acme, [contact], said, asBob);
    const [hidden] = await heldBy(acme, [task], ofTask, asBob);
    const bySystem = await holding(acme, task, ofTask);

    assert.deepEqual([seen, hidden, bySystem], [["its lead", "one"], [], ["its lead"]]);
  });
});

test("a condition whose reference comes to something else stops its own automation, and nothing beside it", async () => {
  const acme = await organization();
  const steps = chain(["set.vars", { values: {} }]);
  const count = (value: object) => ({ type: "activity_count", op: "gte", value });
  const since = { type: "last_activity", op: "not_within_last", window: { amount: 1_000_000, unit: "business_days" } };
  const [bad, empty, fine] = [
    await published(acme, steps, { filter: count({ $ref: "record.name" }) }),
    await published(acme, steps, { filter: count({ $ref: "record.mrr" }) }),
    await published(acme, steps, { filter: since }),
  ];

  await acme.lead();
  await work(acme);

  const [{ evaluations }] = await acme.all("/automation_events/");
  const told = Object.fromEntries(evaluations.map((one: any) => [one.automation_id, one.reason ?? one.result]));
  assert.deepEqual(told, { [bad.id]: "config_invalid", [empty.id]: "unresolved_ref", [fine.id]: "started" });
});

test("an automation starts when its condition begins to hold, and not while it goes on to", async () => {
  const acme = await organization();
  const [potential, ...others] = (await acme.get("/status/lead/")).data;
  const condition = {
    all: [
      field("mrr", "gte", 100),
      {
        any: [
          { type: "tag", tag: "hot" },
          { type: "status", status_ids: [others[0].id] },
        ],
      },
    ],
  };
  const made = await published(acme, chain(["set.vars", { values: {} }]), {
    trigger: { type: "record.matches", config: { object_type: "lead", condition } },
    settings: { re_enroll: "always" },
  });
  const [born, grown, never] = [
    await acme.lead({ mrr: 200, tags: ["hot"] }),
    await acme.lead({ mrr: 50, status_id: potential.id }),
    await acme.lead({ mrr: 200 }),
  ];
  const change = async (body: object) => acme.put(`/lead/${grown.id}/`, body);

  await change({ tags: ["Hot"] });
  await change({ mrr: 100 });
  await change({ mrr: 300, tags: [], status_id: others[0].id });
  await change({ name: "Renamed" });
  await change({ mrr: 10 });
  await change({ mrr: 100 });
  await acme.put(`/lead/${never.id}/`, { mrr: 900 });
  await work(acme);

  const started = (await acme.all(`/automations/${made.id}/runs/`)).map((run) => run.object_id).sort();
  assert.deepEqual(started, [born.id, grown.id, grown.id].sort());
  const evaluations = (await acme.all(`/automation_events/?object_id=${grown.id}`)).flatMap((one) => one.evaluations);
  const told = evaluations.map(({ result, reason }) => reason ?? result).sort();
  assert.deepEqual(told, ["condition", "condition", "condition", "held_before", "started", "started"]);
});

describe("publishing refuses a condition", () => {
  const inBranch = (when: object) => ({ graph: asking([when]) });
  const nested = (depth: number): object => (depth === 0 ? field("name", "exists") : { all: [nested(depth - 1)] });

  test("that can never be asked, with its place and what to do", async () => {
    const acme = await organization();
    const trigger = { type: "field.changed", config: { object_type: "lead", field: "name" } };
    const refuse = async (body: object, code: string, path: string, words: RegExp) => {
      const made = await acme.post("/automations/", { name: "X", trigger, graph: chain(["set.vars", { values: {} }]), ...body });
      const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
      assert.deepEqual([errors[0].code, errors[0].path], [code, path], JSON.stringify(errors));
      assert.match(errors[0].message, words);
    };
    const contacts = await acme.post("/contact_list/", { name: "People" });
    const at = "graph.steps.s0.config.cases.0.when";
    const lacks = /does not exist: see GET \//;

    await refuse({ filter: { type: "list_member", list_id: "llist_none" } }, "list_not_found", "filter.list_id", lacks);
    await refuse({ filter: { type: "list_member", list_id: contacts.id } }, "list_not_found", "filter.list_id", /no contact/);
    await refuse({ filter: { type: "role", role_ids: ["role_none"] } }, "role_not_found", "filter.role_ids.0", lacks);
    const group = { type: "group_member", group_ids: ["group_none"] };
    await refuse({ filter: { any: [group] } }, "group_not_found", "filter.any.0.group_ids.0", lacks);
    const sequence = { type: "sequence_state", sequence_id: "seq_none", state: "in" };
    await refuse(inBranch(sequence), "sequence_not_found", `${at}.sequence_id`, lacks);
    const automation = { type: "automation_state", automation_id: "autm_none", state: "in" };
    await refuse(inBranch(automation), "automation_not_found", `${at}.automation_id`, lacks);
    await refuse(inBranch({ type: "status", status_id: "stat_none" }), "status_not_found", `${at}.status_id`, lacks);

    await refuse(inBranch(field("mrr", "contains", "1")), "operator_invalid_for_field", `${at}.op`, /use is, is_not/);
    await refuse(inBranch(field("nmae", "is", "x")), "field_unknown", `${at}.ref`, /name/);
    await refuse(inBranch(related("lead.contact", "any")), "relation_unknown", `${at}.relation`, /contacts/);
    await refuse(inBranch(related("leed.contacts", "any")), "relation_unknown", `${at}.relation`, /lead/);
    await refuse(inBranch(related("task.contact", "any")), "relation_unknown", `${at}.relation`, /begin with lead/);
    const ofTask = related("lead.tasks", "any", { all: [field("is_complete", "gt", true)] });
    await refuse(inBranch(ofTask), "operator_invalid_for_field", `${at}.where.all.0.op`, /is_true/);
    const beyond = related("lead.tasks", "any", field("contact.name", "is", "x"));
    await refuse(inBranch(beyond), "field_unknown", `${at}.where.ref`, /not a field of a task/);
    await refuse(inBranch(related("lead.tasks", "count")), "config_required", `${at}.count`, /required/);
    const never = { name: "X", trigger, filter: { type: "business_time", windows: { from: "09:00", to: "09:00" } } };
    await acme.refused(400, "POST", "/automations/", never, "filter.windows.to");
  });

  test("that is nested too deep, at once; or that cannot be asked of a record as it was", async () => {
    const acme = await organization();
    const graph = chain(["set.vars", { values: {} }]);
    const refuse = async (condition: object, code: string, place: string) => {
      const trigger = { type: "record.matches", config: { object_type: "lead", condition } };
      const made = await acme.post("/automations/", { name: "X", trigger, graph });
      const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
      assert.deepEqual([errors[0].code, errors[0].path], [code, `trigger.config.condition${place}`], JSON.stringify(errors));
    };

    await refuse({ all: [{ type: "score", op: "gt", value: 5 }] }, "condition_needs_present_record", ".all.0.type");
    await refuse(related("lead.contacts", "any"), "condition_needs_present_record", ".type");
    await refuse(field("name", "changed"), "condition_needs_present_record", ".type");
    await refuse(field("status_label", "is", "Potential"), "condition_needs_present_record", ".ref");
    const body = (condition: object) => ({ name: "X", trigger: newLeads, graph, filter: condition });
    const newLeads = { type: "record.created", config: { object_type: "lead" } };
    await acme.post("/automations/", body(nested(7)));
    await acme.refused(400, "POST", "/automations/", body(nested(8)), `filter${".all.0".repeat(8)}`);
    const within = { all: [{ all: [related("lead.contacts", "any", nested(6))] }] };
    await acme.refused(400, "POST", "/automations/", body(within), `filter.all.0.all.0.where${".all.0".repeat(5)}`);
  });
});
