import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const ofType = (object_type: string, ...queries: object[]) => ({
  type: "and",
  queries: [{ type: "object_type", object_type }, ...queries],
});
const field = (field_name: string, condition: object, rest: object = {}) => ({
  type: "field_condition",
  field: { type: "regular_field", field_name, ...rest },
  condition,
});
const related = (related_object_type: string, related_query: object, rest: object = {}) => ({
  type: "has_related",
  related_object_type,
  related_query,
  ...rest,
});
const everything = { type: "match_all" };
const search = (acme: Workspace, query: object, rest: object = {}) => acme.post("/data/search/", { query, ...rest });
const ids = async (acme: Workspace, query: object, rest: object = {}) =>
  (await search(acme, query, rest)).data.map((one: any) => one.id);
const reasons = async (acme: Workspace, body: object) => (await acme.refused(400, "POST", "/data/search/", body))["field-errors"];

test("the whole records of a kind are answered, newest first, each with its type", async () => {
  const acme = await organization();
  const [first, second] = [await acme.lead({ name: "First" }), await acme.lead({ name: "Second" })];

  const answer = await search(acme, { type: "object_type", object_type: "lead" }, { _limit: 200 });

  assert.deepEqual(answer, {
    data: [
      { ...second, __object_type: "lead" },
      { ...first, __object_type: "lead" },
    ],
    has_more: false,
    cursor: null,
    cursor_next: null,
  });
});

test("the example of the documentation finds what it describes", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { type: "text" });
  const bob = await acme.lead({ contacts: [{ name: "B", emails: [{ email: "bob@acme.example" }] }] });
  await acme.lead({ contacts: [{ name: "B", emails: [{ email: "bob@acme.example" }] }], [`custom.${cf.id}`]: "x" });
  await acme.lead({ contacts: [{ name: "Anna", emails: [{ email: "anna@acme.example" }] }] });
  const query = ofType(
    "lead",
    field(
      "status_id",
      { type: "reference", reference_type: "status.lead", object_ids: [bob.status_id] },
      { object_type: "lead" },
    ),
    related(
      "contact",
      related(
        "contact_email",
        field("email", { type: "text", mode: "beginning_of_words", value: "bob" }, { object_type: "contact_email" }),
        { this_object_type: "contact" },
      ),
      { this_object_type: "lead" },
    ),
    {
      negate: true,
      type: "field_condition",
      field: { type: "custom_field", custom_field_id: cf.id },
      condition: { type: "exists" },
    },
  );

  const answer = await search(acme, query, {
    sort: [{ direction: "desc", field: { type: "regular_field", object_type: "lead", field_name: "date_updated" } }],
    _limit: 100,
    include_counts: true,
  });

  assert.deepEqual(
    answer.data.map((one: any) => one.id),
    [bob.id],
  );
  assert.deepEqual(answer.count, { limited: 1, total: 1 });
  assert.equal(answer.total_results, 1);
});

test("every kind of record can be searched by its own fields and by what it belongs to", async () => {
  const acme = await organization();
  const lead = await acme.lead({
    name: "Acme",
    addresses: [{ city: "Paris", country: "FR" }],
    phones: [{ phone: "+33142685300", type: "mobile" }],
  });
  const anna = await acme.contact({
    lead_id: lead.id,
    name: "Anna",
    phones: [{ phone: "+442079460958" }],
    urls: [{ url: "https://anna.example" }],
  });
  const deal = await acme.opportunity({ lead_id: lead.id, contact_id: anna.id, value: 500, status: "Won", note: "Anvils" });
  const task = await acme.task({ lead_id: lead.id, contact_id: anna.id, text: "Call her", date: "2026-02-03" });
  const note = await acme.note({ lead_id: lead.id, note: "She likes anvils", contact_id: anna.id });
  const call = await acme.post("/activity/call/", { lead_id: lead.id, direction: "inbound", duration: 65 });
  const product = await acme.product({ name: "Anvil", unit_price: 100 });
  await acme.lead({ name: "Other" });
  const named = (value: string) => field("name", { type: "text", value });
  const cases: [object, string][] = [
    [ofType("lead", related("address", field("city", { type: "text", value: "paris" }))), lead.id],
    [ofType("lead", related("lead_phone", field("type", { type: "term", values: ["mobile"] }))), lead.id],
    [ofType("lead", related("opportunity", field("status_type", { type: "term", values: ["won"] }))), lead.id],
    [ofType("lead", related("task", field("assigned_to", { type: "current_user" }))), lead.id],
    [ofType("lead", related("activity.call", field("duration", { type: "number_range", gte: 60 }))), lead.id],
    [ofType("lead", related("activity", field("_type", { type: "term", values: ["Note"] }))), lead.id],
    [ofType("lead", { type: "text", value: "likes anvils", mode: "phrase" }), lead.id],
    [ofType("contact", related("lead", named("acme"))), anna.id],
    [ofType("contact", related("contact_phone", field("country", { type: "term", values: ["GB"] }))), anna.id],
    [
      ofType("contact", related("contact_url", field("url", { type: "text", value: "anna", mode: "beginning_of_words" }))),
      anna.id,
    ],
    [ofType("contact", related("opportunity", everything)), anna.id],
    [
      ofType("opportunity", related("contact", named("anna")), field("value", { type: "number_range", gt: 499, lt: 501 })),
      deal.id,
    ],
    [
      ofType(
        "opportunity",
        field("pipeline_id", { type: "term", values: [deal.pipeline_id] }),
        field("user_id", { type: "current_user" }),
      ),
      deal.id,
    ],
    [
      ofType(
        "task",
        field("date", { type: "moment_range", gte: "2026-02-03", lte: "2026-02-03" }),
        field("is_complete", { type: "boolean", value: false }),
      ),
      task.id,
    ],
    [ofType("task", { type: "text", value: "call" }), task.id],
    [ofType("activity.note", related("contact", named("anna"))), note.id],
    [ofType("activity.call", field("direction", { type: "term", values: ["inbound"] })), call.id],
    [ofType("activity", { type: "object_type", object_type: "activity.note" }), note.id],
    [ofType("activity", { type: "text", value: "anvils" }), note.id],
    [ofType("product", { type: "text", value: "anv", mode: "beginning_of_words" }), product.id],
    [ofType("lead", { type: "id", value: lead.id }), lead.id],
  ]; // prettier-ignore

  for (const [query, expected] of cases) assert.deepEqual(await ids(acme, query), [expected], JSON.stringify(query));
  assert.deepEqual(
    (await search(acme, ofType("activity"))).data.map((one: any) => one.__object_type).sort(),
    (await acme.get("/activity/")).data
      .map(
        (one: any) =>
          ({ Note: "activity.note", Call: "activity.call", Created: "activity.created" })[one._type as string] ??
          `activity.${one._type}`,
      )
      .sort(),
  );
});

test("references know the caller and the members of groups", async () => {
  const acme = await organization();
  const member = await acme.member();
  const group = await acme.post("/group/", { name: "Sales", user_ids: [member.userId] });
  const [mine, theirs] = [await acme.lead({ owner_id: acme.userId }), await acme.lead({ owner_id: member.userId })];
  const owner = (condition: object) => ofType("lead", field("owner_id", condition));

  assert.deepEqual(await ids(acme, owner({ type: "current_user" })), [mine.id]);
  assert.deepEqual(await ids(member, owner({ type: "current_user" })), [theirs.id]);
  assert.deepEqual(await ids(acme, owner({ type: "reference", reference_type: "user_or_group", object_ids: [group.id] })), [
    theirs.id,
  ]);
  assert.deepEqual(await ids(acme, owner({ type: "reference", reference_type: "user", object_ids: [] })), []);
});

test("moments are the caller's", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const range = (on_or_after: object | null, before: object | null) =>
    ofType("lead", field("date_created", { type: "moment_range", on_or_after, before }));
  const today = (which: string) => ({ type: "start_end_of_predefined_relative_period", range: "today", which });
  const ago = (offset: object) => ({ type: "offset", direction: "past", moment: { type: "now" }, offset, which_day_end: null });

  assert.deepEqual(await ids(acme, range(today("start"), today("end"))), [lead.id]);
  assert.deepEqual(await ids(acme, range(ago({ hours: 1 }), null)), [lead.id]);
  assert.deepEqual(await ids(acme, range(null, ago({ hours: 1 }))), []);
});

test("only the requested fields are returned, for each type", async () => {
  const acme = await organization();
  await acme.lead({ name: "Acme" });
  const query = ofType("lead");

  for (const _fields of [["name"], "name", { lead: ["name"], contact: ["id"] }])
    assert.deepEqual((await search(acme, query, { _fields })).data, [{ name: "Acme", __object_type: "lead" }]);
  assert.ok("id" in (await search(acme, query, { _fields: { contact: ["id"] } })).data[0]);
  assert.deepEqual((await search(acme, query, { _fields: ["num_contacts"] })).data, [{ num_contacts: 0, __object_type: "lead" }]);
});

test("results_limit caps all pages together", async () => {
  const acme = await organization();
  for (let i = 0; i < 5; i++) await acme.lead();
  const ask = (cursor: string | null) =>
    search(acme, ofType("lead"), { _limit: 2, results_limit: 3, include_counts: true, cursor });

  const first = await ask(null);
  const second = await ask(first.cursor);

  assert.deepEqual([first.data.length, first.has_more, first.count], [2, true, { limited: 3, total: 5 }]);
  assert.deepEqual([second.data.length, second.has_more, second.cursor], [1, false, null]);
});

test("a cursor is bound to its search, and to half an hour", async () => {
  const acme = await organization();
  for (let i = 0; i < 3; i++) await acme.lead();
  const { cursor } = await search(acme, ofType("lead"), { _limit: 1 });
  const { clock } = acme.service;

  assert.ok("cursor" in (await reasons(acme, { query: ofType("lead", everything), _limit: 1, cursor })));
  assert.ok("cursor" in (await reasons(acme, { query: ofType("lead"), sort: "name", cursor })));
  assert.ok("cursor" in (await reasons(acme, { query: ofType("lead"), cursor: "nonsense" })));
  assert.ok("_skip" in (await reasons(acme, { query: ofType("lead"), cursor, _skip: 1 })));
  try {
    clock.now = new Date(Date.now() + 29 * 60_000);
    assert.equal((await search(acme, ofType("lead"), { cursor })).data.length, 2);
    clock.now = new Date(Date.now() + 31 * 60_000);
    assert.equal((await reasons(acme, { query: ofType("lead"), cursor })).cursor, "Expired cursor");
  } finally {
    clock.now = null;
  }
});

test("results are sorted by up to three fields, custom and worked out ones too", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { type: "number" });
  const [a, b, c] = [
    await acme.lead({ name: "a", [`custom.${cf.id}`]: 10 }),
    await acme.lead({ name: "b", [`custom.${cf.id}`]: 9, contacts: [{ name: "x" }] }),
    await acme.lead({ name: "c", contacts: [{ name: "x" }] }),
  ];
  const sorted = (sort: unknown) => ids(acme, ofType("lead"), { sort });

  assert.deepEqual(await sorted([{ direction: "asc", field: { type: "custom_field", custom_field_id: cf.id } }]), [
    b.id,
    a.id,
    c.id,
  ]);
  assert.deepEqual(await sorted(["-num_contacts", "name"]), [b.id, c.id, a.id]);
  assert.deepEqual(await sorted("-name"), [c.id, b.id, a.id]);
  assert.ok("sort.0" in (await reasons(acme, { query: ofType("lead"), sort: ["planet"] })));
  assert.ok("sort" in (await reasons(acme, { query: ofType("lead"), sort: ["name", "mrr", "url", "id"] })));
});

test("what a search cannot mean is refused at its place", async () => {
  const acme = await organization();
  const lead = (...queries: object[]) => ({ query: ofType("lead", ...queries) });
  const refused = async (body: object, place: string, words = /./) => {
    const given = await reasons(acme, body);
    assert.match(given[place] ?? JSON.stringify(given), words, place);
    assert.ok(place in given, `${place} in ${JSON.stringify(given)}`);
  };

  await refused({}, "query", /is required/);
  await refused({ query: everything }, "query", /must say for which kind of record/);
  await refused({ query: { type: "or", queries: [{ type: "object_type", object_type: "lead" }] } }, "query");
  await refused(
    { query: { type: "object_type", object_type: "planet" } },
    "query.object_type",
    /must be one of \d+, such as .*\blead\b/,
  );
  await refused({ query: { type: "object_type", object_type: "user" } }, "query.object_type");
  await refused(lead(field("nmae", { type: "exists" })), "query.queries.1.field.field_name", /did you mean name\?/);
  await refused(lead(field("name", { type: "exists" }, { object_type: "contact" })), "query.queries.1.field.object_type");
  await refused(
    lead({ type: "field_condition", field: { type: "custom_field", custom_field_id: "cf_x" }, condition: { type: "exists" } }),
    "query.queries.1.field.custom_field_id",
  );
  await refused(lead(field("name", { type: "number_range", gt: 1 })), "query.queries.1.condition.type", /which is text/);
  await refused(lead(field("mrr", { type: "term", values: [1, "2"] })), "query.queries.1.condition.values.1", /must be a number/);
  await refused(lead(field("name", { type: "current_user" })), "query.queries.1.condition");
  await refused(lead(related("planet", everything)), "query.queries.1.related_object_type", /the nearest are .*contact/);
  await refused(lead(related("contact", related("address", everything))), "query.queries.1.related_query.related_object_type");
  await refused(lead(related("contact", field("x", { type: "exists" }))), "query.queries.1.related_query.field.field_name");
  await refused({ query: ofType("task", { type: "list", list_id: "llist_x" }) }, "query.queries.1.type");
  await refused({ query: ofType("lead"), _limit: 201 }, "_limit");
  await refused({ query: ofType("lead"), _limit: "10" }, "_limit");
});

test("nothing of other organizations is found, nor what the role does not see", async () => {
  const [acme, other] = [await organization(), await organization()];
  const theirs = await other.lead({ contacts: [{ name: "Agent" }] });
  await acme.lead({ contacts: [{ name: "Agent" }] });
  const restricted = await acme.member("restricteduser");
  const own = await acme.lead({ owner_id: restricted.userId, contacts: [{ name: "Agent" }] });

  assert.deepEqual(await ids(acme, ofType("lead", { type: "id", value: theirs.id })), []);
  assert.deepEqual(await ids(restricted, ofType("lead")), [own.id]);
  assert.deepEqual(await ids(restricted, ofType("lead", { type: "text", value: "agent" })), [own.id]);
  assert.equal((await ids(restricted, ofType("contact"))).length, 1);
  assert.equal((await search(restricted, ofType("contact"), { include_counts: true })).count.total, 1);
});

test("what is on a list is found by it, at once after it was put there", async () => {
  const acme = await organization();
  const [first, second] = [await acme.lead(), await acme.lead()];
  const person = await acme.contact({ lead_id: second.id });
  const leads = await acme.post("/lead_list/", { name: "Targets" });
  const people = await acme.post("/contact_list/", { name: "Invited" });
  await acme.post(`/lead_list/${leads.id}/members/`, { lead_ids: [first.id] });
  await acme.post(`/contact_list/${people.id}/members/`, { contact_ids: [person.id] });

  const onList = (list_id: string, rest: object = {}) => ({ type: "list", list_id, ...rest });

  assert.deepEqual(await ids(acme, ofType("lead", onList(leads.id))), [first.id]);
  assert.deepEqual(await ids(acme, ofType("lead", onList(leads.id, { negate: true }))), [second.id]);
  assert.deepEqual(await ids(acme, ofType("contact", onList(people.id))), [person.id]);
  assert.deepEqual(await ids(acme, ofType("lead", related("contact", onList(people.id)))), [second.id]);
  assert.deepEqual(await ids(acme, ofType("lead", onList("llist_other"))), []);
});

test("a search whose page fails while its count is still being prepared is refused like any other", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Anna" }] });
  // The meaning of a text is looked up for the page and once more for the count.
  const lookedUp = [{ type: "text", value: "anna" }, related("contact", { type: "text", value: "anna" })];
  const far = ["+275760-09-13T00:00:00.000Z", "-271821-04-20T00:00:00.000Z", "275760-09-13", "9".repeat(400)];
  const values: [string, object][] = [
    ...far.map((value): [string, object] => ["date_created", { type: "term", values: [value] }]),
    ["num_contacts", { type: "term", values: [1e308] }],
    ["num_contacts", { type: "number_range", gt: 1e308, lt: -1e308 }],
  ];

  const unheard: unknown[] = [];
  const hear = (error: unknown) => void unheard.push(error);
  process.on("unhandledRejection", hear);
  for (const [name, condition] of values) {
    const query = ofType("lead", field(name, condition), ...lookedUp);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => acme.ask("POST", "/data/search/", { body: { query, include_counts: true } })),
    );
    for (const { status } of answers) assert.ok(status === 400 || status === 200, `${status}: ${JSON.stringify(condition)}`);
  }
  assert.deepEqual(await ids(acme, ofType("lead", ...lookedUp)), [lead.id]);
  process.off("unhandledRejection", hear);
  assert.deepEqual(unheard, [], "each of these would end the process");
});

test("a date that is a value is an ISO date or time, and nothing else that a machine can read as one", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const on = (value: string) => ofType("lead", field("date_created", { type: "term", values: [value] }));

  assert.deepEqual(await ids(acme, on(lead.date_created)), [lead.id]);
  for (const value of ["+275760-09-13T00:00:00.000Z", "12", "31 January 2026", "2026-02-30"])
    assert.match((await reasons(acme, { query: on(value) }))["query.queries.1.condition.values.0"]!, /must be a date or time/);
});

test("a label that no record can have is a 400 at its place, wherever a query is taken", async () => {
  const acme = await organization();
  const nope = (name: string, values = ["Nope"]) => field(name, { type: "term", values });
  const place = "query.queries.1";

  for (const [kind, node, at] of [
    ["lead", nope("status_label"), "condition.values"],
    ["lead", nope("status_label", ["Qualified", "Nope"]), "condition.values"],
    ["lead", { ...nope("status_label"), negate: true }, "condition.values"],
    ["lead", field("status_label", { type: "reference", object_ids: ["Nope"] }), "condition.object_ids"],
    ["lead", related("opportunity", nope("status_label")), "related_query.condition.values"],
    ["opportunity", nope("status_label"), "condition.values"],
    ["opportunity", nope("status_type"), "condition.values"],
    ["opportunity", field("is_stalled", { type: "term", values: ["x"] }), "condition.values.0"],
    ["conversation", nope("status"), "condition.values"],
    ["quote", nope("status"), "condition.values"],
    ["activity.meeting", nope("status"), "condition.values"],
  ] as const)
    assert.deepEqual(
      Object.keys(await reasons(acme, { query: ofType(kind, node) })),
      [`${place}.${at}`],
      `${kind} ${JSON.stringify(node)}`,
    );
  const query = ofType("lead", nope("status_label"));
  const body = { name: "x", activities: [], metrics: ["leads.created.all.count"], type: "overview" };
  await acme.refused(400, "POST", "/dialer/", { name: "x", query });
  await acme.refused(400, "POST", "/report/activity/", { ...body, query });
});

test("the view of a task is one of inbox, future and archive, in every form of a query", async () => {
  const acme = await organization();
  const { id } = await acme.lead({});
  const done = await acme.post("/task/", { lead_id: id, text: "Done", is_complete: true });
  const open = await acme.post("/task/", { lead_id: id, text: "Open" });
  const term = (...values: unknown[]) => ofType("task", field("view", { type: "term", values }));

  for (const [view, task] of [
    ["inbox", open],
    ["archive", done],
  ] as const) {
    assert.deepEqual(await ids(acme, term(view)), [task.id]);
    for (const list of [`view=${view}`, `query=view:${view}`, `query=view%3D${view}`])
      assert.deepEqual(
        (await acme.get(`/task/?${list}`)).data.map((one: any) => one.id),
        [task.id],
        list,
      );
  }
  assert.deepEqual((await ids(acme, term("inbox", "archive"))).sort(), [done.id, open.id].sort());
  for (const query of [term(true), term("true"), ofType("task", field("view", { type: "boolean", value: true }))])
    await reasons(acme, { query });
  const refusal = await acme.refused(400, "GET", "/task/?query=view:true", undefined, "query");
  assert.match(refusal["field-errors"].query, /must be one of (inbox|future|archive), /);
});

test("a sort that is not understood is told the form", async () => {
  const acme = await organization();
  const by = { field: { type: "regular_field", field_name: "name" } };

  for (const sort of [[{ ...by, direction: "down" }], ["name", "mrr", "url", "id"], [1], 5]) {
    const refusal = await reasons(acme, { query: ofType("lead"), sort });
    assert.match(JSON.stringify(refusal), /at most three fields|"-date_created/, JSON.stringify(sort));
  }
});
