import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

/** The statuses of a new organization, by label. */
async function statuses(acme: Workspace): Promise<Record<string, string>> {
  const { data } = await acme.get("/status/opportunity/");
  return Object.fromEntries(data.map((one: any) => [one.label, one.id]));
}

test("an opportunity without a lead gets a lead of its own, and the caller as its user", async () => {
  const acme = await organization();

  const deal = await acme.opportunity({ value: 1200000, value_period: "annual", confidence: 60, note: "Renewal" });

  const { Active } = await statuses(acme);
  assert.equal((await acme.get(`/lead/${deal.lead_id}/`)).display_name, "Untitled");
  assert.equal(deal.lead_name, "Untitled");
  assert.equal(deal.user_id, acme.userId);
  assert.equal(deal.status_id, Active);
  assert.equal(deal.status_type, "active");
  assert.equal(deal.value_formatted, "$12,000.00");
  assert.equal(deal.value_display, "$12,000.00 annually");
  assert.equal(deal.note_html, "<body>Renewal</body>");
});

test("with only a contact it belongs to the contact's lead, and a contact of another lead is refused", async () => {
  const acme = await organization();
  const [person, stranger] = [await acme.contact(), await acme.contact()];

  const deal = await acme.opportunity({ contact_id: person.id });

  assert.equal(deal.lead_id, person.lead_id);
  assert.equal(deal.contact_name, person.display_name);
  await acme.refused(400, "POST", "/opportunity/", { lead_id: person.lead_id, contact_id: stranger.id }, "contact_id");
  await acme.refused(400, "PUT", `/opportunity/${deal.id}/`, { contact_id: stranger.id }, "contact_id");
  await acme.refused(400, "POST", "/opportunity/", { contact_id: "cont_nobody" }, "contact_id");
});

test("a refused opportunity leaves no lead behind", async () => {
  const acme = await organization();

  await acme.refused(400, "POST", "/opportunity/", { user_id: "user_nobody" }, "user_id");
  await acme.refused(400, "POST", "/opportunity/", { status_id: "stat_none" }, "status_id");
  await acme.refused(400, "POST", "/opportunity/", { lead_id: "lead_nobody" }, "lead_id");

  assert.deepEqual((await acme.get("/lead/")).data, []);
});

test("what it is worth follows from value, period and confidence", async () => {
  const acme = await organization();

  const deal = await acme.opportunity({ value: 333, value_period: "monthly", confidence: 50 });
  const yearly = await acme.put(`/opportunity/${deal.id}/`, { value_period: "annual" });
  const empty = await acme.put(`/opportunity/${deal.id}/`, { value: null });

  assert.deepEqual([deal.expected_value, deal.annualized_value, deal.annualized_expected_value], [167, 3996, 1998]);
  assert.deepEqual([yearly.expected_value, yearly.annualized_value, yearly.annualized_expected_value], [167, 333, 167]);
  assert.deepEqual([empty.expected_value, empty.annualized_value, empty.value_formatted], [null, null, null]);
});

test("a confidence that nobody knows is null, and so is what is expected", async () => {
  const acme = await organization();
  const unknown = await acme.opportunity({ value: 1000, confidence: null });
  const known = await acme.opportunity({ value: 1000, confidence: 20 });

  assert.deepEqual([unknown.confidence, unknown.expected_value, unknown.annualized_expected_value], [null, null, null]);
  assert.equal((await acme.put(`/opportunity/${known.id}/`, { confidence: null })).confidence, null);
  assert.equal((await acme.put(`/opportunity/${known.id}/`, { confidence: 40 })).expected_value, 400);
  const { pipelines } = await acme.post("/report/funnel/", {});
  const first = pipelines[0].statuses.find((one: any) => one.status_id === known.status_id);
  assert.deepEqual([first.count, first.average_confidence, first.expected_value], [2, 40, 400]);
});

test("values, periods, confidences and currencies out of range are refused", async () => {
  const acme = await organization();
  const wrong = {
    value: [-1, 1.5, 1e15],
    confidence: [-1, 101, 5.5],
    value_period: ["weekly"],
    value_currency: ["usd", "XYZ"],
    date_won: ["soon"],
  };

  for (const [field, values] of Object.entries(wrong))
    for (const value of values) await acme.refused(400, "POST", "/opportunity/", { [field]: value }, field);
  await acme.refused(400, "POST", "/opportunity/", { attachments: [{ url: "file:///etc/passwd" }] }, "attachments.0.url");
});

test("a status may be named by its label, but not by id and label at once", async () => {
  const acme = await organization();
  const { Won } = await statuses(acme);

  const deal = await acme.opportunity({ status: "Won" });

  assert.equal(deal.status_id, Won);
  await acme.refused(400, "POST", "/opportunity/", { status: "Nowhere" }, "status");
  await acme.refused(400, "POST", "/opportunity/", { status: "Won", status_id: Won }, "status");
});

test("status and pipeline agree: a pipeline alone means its first status, and a label that of the deal's own pipeline", async () => {
  const acme = await organization();
  const { Won } = await statuses(acme);
  const renewals = await acme.post("/pipeline/", {
    name: "Renewals",
    statuses: [{ label: "Due" }, { label: "Won", type: "won" }],
  });
  const deal = await acme.opportunity({ pipeline_id: renewals.id });

  const won = await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  const unchanged = await acme.put(`/opportunity/${deal.id}/`, { pipeline_id: renewals.id });

  assert.equal(deal.status_label, "Due");
  assert.equal(deal.status_display_name, "Due (Renewals)");
  assert.equal(deal.pipeline_name, "Renewals");
  assert.equal(won.status_id, renewals.statuses[1].id);
  assert.equal(unchanged.status_id, won.status_id);
  await acme.refused(400, "PUT", `/opportunity/${deal.id}/`, { status_id: Won, pipeline_id: renewals.id }, "status_id");
  await acme.refused(400, "POST", "/opportunity/", { pipeline_id: "pipe_none" }, "pipeline_id");
  await acme.refused(400, "POST", "/opportunity/", { pipeline_id: null }, "pipeline_id");
});

test("winning leaves the day where the caller is, once; it stays when the deal is open again", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  acme.service.clock.now = new Date("2026-07-01T23:30:00Z");

  const won = await acme.put(`/opportunity/${deal.id}/`, { status: "Won" }, { "x-tz-offset": "2" });
  acme.service.clock.now = new Date("2026-07-05T12:00:00Z");
  const open = await acme.put(`/opportunity/${deal.id}/`, { status: "Active" });
  const again = await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  const given = await acme.opportunity({ status: "Won", date_won: "2026-01-02" });
  acme.service.clock.now = null;

  assert.equal(won.date_won, "2026-07-02");
  assert.equal(open.date_won, "2026-07-02");
  assert.equal(again.date_won, "2026-07-02");
  assert.equal(given.date_won, "2026-01-02");
});

test("losing leaves the moment, and opening the deal again takes it back", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();

  const lost = await acme.put(`/opportunity/${deal.id}/`, { status: "Lost" });
  const open = await acme.put(`/opportunity/${deal.id}/`, { status: "Active" });

  assert.equal(lost.date_lost, lost.date_updated);
  assert.equal(lost.date_won, null);
  assert.equal(open.date_lost, null);
});

test("a change of status is told as updated and as status_updated, with the same data, and noted in the lead's history", async () => {
  const acme = await organization();
  const { Active, Won } = await statuses(acme);
  const deal = await acme.opportunity();

  await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  await acme.put(`/opportunity/${deal.id}/`, { note: "Hurray" });

  const [created, updated, changed, won, noted] = await acme.events(deal.id);
  assert.deepEqual(
    [created, updated, changed, won, noted].map((one: any) => one.event),
    ["opportunity.created", "opportunity.updated", "opportunity.status_updated", "opportunity.won", "opportunity.updated"],
  );
  assert.deepEqual(updated.changed_fields, ["status_id", "date_won"]);
  assert.deepEqual(updated.previous_data, { status_id: Active, date_won: null });
  assert.deepEqual(changed.data, updated.data);
  assert.equal(changed.data.status_id, Won);
  assert.equal(changed.data.status_type, "won");
  assert.deepEqual(changed.previous_data, updated.previous_data);
  const { data } = await acme.get(`/event/?lead_id=${deal.lead_id}&object_type=activity.opportunity_status_change`);
  assert.equal(data.length, 1);
  assert.equal(data[0].data.old_status_id, Active);
  assert.equal(data[0].data.new_pipeline_name, "Sales");
});

test("winning and losing are events of their own, and going from one won status to another is not", async () => {
  const acme = await organization();
  const renewed = await acme.post("/status/opportunity/", { label: "Renewed", type: "won" });
  const deal = await acme.opportunity();

  for (const status of ["Won", renewed.label, "Lost", "Active", "Won"]) await acme.put(`/opportunity/${deal.id}/`, { status });

  const events = await acme.events(deal.id);
  const [won, lost, again] = events.filter((one: any) => ["won", "lost"].includes(one.action));
  assert.deepEqual([won.event, lost.event, again.event], ["opportunity.won", "opportunity.lost", "opportunity.won"]);
  assert.equal(lost.previous_data.status_id, renewed.id);
  assert.equal(events.filter((one: any) => one.action === "status_updated").length, 5);
  const [{ request_id, data }] = events.filter((one: any) => one.action === "updated");
  assert.deepEqual([won.request_id, won.data], [request_id, data]);
});

test("deleting it takes its line items and the history of its statuses along", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const item = await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", unit_price: 100 });
  await acme.put(`/opportunity/${deal.id}/`, { status: "Lost" });

  await acme.delete(`/opportunity/${deal.id}/`);

  const { data } = await acme.get(`/event/?lead_id=${deal.lead_id}&action=deleted`);
  assert.deepEqual(data.map((one: any) => one.object_type).reverse(), [
    "activity.opportunity_status_change",
    "line_item",
    "opportunity",
  ]);
  assert.equal(data.find((one: any) => one.object_type === "line_item").previous_data.id, item.id);
});

test("deleting a contact leaves its opportunities, deleting the lead takes them", async () => {
  const acme = await organization();
  const person = await acme.contact();
  const deal = await acme.opportunity({ contact_id: person.id });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", unit_price: 100 });

  await acme.delete(`/contact/${person.id}/`);
  const left = await acme.get(`/opportunity/${deal.id}/`);
  await acme.delete(`/lead/${deal.lead_id}/`);

  assert.equal(left.contact_id, null);
  assert.equal(left.contact_name, null);
  await acme.refused(404, "GET", `/opportunity/${deal.id}/`);
});

test("a deal of another takes manage_others_opportunities, deleting one's own delete_own_opportunities", async () => {
  const acme = await organization();
  const seller = await acme.memberWith(["view_all_leads"]);
  const keeper = await acme.memberWith(["view_all_leads", "delete_own_opportunities"]);
  const [mine, kept, others] = [await seller.opportunity(), await keeper.opportunity(), await acme.opportunity()];

  await seller.put(`/opportunity/${mine.id}/`, { confidence: 90 });
  await seller.refused(403, "PUT", `/opportunity/${others.id}/`, { confidence: 90 });
  await seller.refused(403, "DELETE", `/opportunity/${mine.id}/`);
  await seller.refused(403, "DELETE", `/opportunity/${others.id}/`);
  await keeper.delete(`/opportunity/${kept.id}/`);
});

test("an opportunity is visible as its lead is", async () => {
  const acme = await organization();
  const seller = await acme.memberWith([]);
  const [visible, hidden] = [await acme.lead({ owner_id: seller.userId }), await acme.lead()];
  const [shown, secret] = [await acme.opportunity({ lead_id: visible.id }), await acme.opportunity({ lead_id: hidden.id })];

  const { data } = await seller.get("/opportunity/");

  assert.deepEqual(
    data.map((one: any) => one.id),
    [shown.id],
  );
  await seller.refused(404, "GET", `/opportunity/${secret.id}/`);
  await seller.refused(404, "GET", `/opportunity/${secret.id}/line_item/`);
  await seller.refused(400, "POST", "/opportunity/", { lead_id: hidden.id }, "lead_id");
});

test("only active members can be given a deal; nobody is fine", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const other = await acme.member();

  const given = await acme.put(`/opportunity/${deal.id}/`, { user_id: other.userId });
  const free = await acme.put(`/opportunity/${deal.id}/`, { user_id: null });

  assert.equal(given.user_id, other.userId);
  assert.match(given.user_name, /^Member /);
  assert.equal(free.user_name, null);
});

test("close_date is another name of expected_close_date", async () => {
  const acme = await organization();

  const deal = await acme.opportunity({ close_date: "2026-09-30T10:00:00Z" });
  const cleared = await acme.put(`/opportunity/${deal.id}/`, { close_date: null });

  assert.equal(deal.expected_close_date, "2026-09-30");
  assert.equal(cleared.expected_close_date, null);
  await acme.refused(400, "POST", "/opportunity/", { close_date: "soon" }, "close_date");
  await acme.refused(400, "POST", "/opportunity/", { close_date: "2026-09-30", expected_close_date: "2026-10-01" }, "close_date");
});

test("an opportunity is filtered by its status, pipeline and type, whatever it is named by", async () => {
  const acme = await organization();
  const renewals = await acme.post("/pipeline/", { name: "Renewals" });
  const open = await acme.opportunity({ value: 100 });
  const won = await acme.opportunity({ status: "Won", value: 200, date_won: "2026-03-04" });
  const renewal = await acme.opportunity({ pipeline_id: renewals.id, value: 300 });
  const found = async (filter: string) =>
    (await acme.get(`/opportunity/?${filter}&_order_by=value`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("status_label=Won"), [won.id]);
  assert.deepEqual(await found("status=Active"), [open.id, renewal.id]);
  assert.deepEqual(await found("status__in=Active,Won"), [open.id, won.id, renewal.id]);
  assert.deepEqual(await found("status_type=active"), [open.id, renewal.id]);
  assert.deepEqual(await found("status_type__in=won,lost"), [won.id]);
  assert.deepEqual(await found(`pipeline_id=${renewals.id}`), [renewal.id]);
  assert.deepEqual(await found(`status_id__in=${open.status_id},${won.status_id}`), [open.id, won.id]);
  assert.deepEqual(await found("value__gte=200&value__lt=300"), [won.id]);
  assert.deepEqual(await found("date_won=2026-03-04"), [won.id]);
  assert.deepEqual(await found("date_won__gt=2026-03-04"), []);
  assert.deepEqual(await found("value_period__in=monthly"), []);
  for (const filter of ["status_label", "status", "status_type", "status_type__in"])
    assert.match(
      (await acme.refused(400, "GET", `/opportunity/?${filter}=Wn`, undefined, filter))["field-errors"][filter],
      /won/i,
    );
});

test("user_id__in takes groups in place of their members", async () => {
  const acme = await organization();
  const [one, two] = [await acme.member(), await acme.member()];
  const [first, second] = [await one.opportunity({ value: 1 }), await two.opportunity({ value: 2 })];
  await acme.opportunity();
  const team = await acme.post("/group/", { name: "Team", user_ids: [one.userId] });

  const { data } = await acme.get(`/opportunity/?user_id__in=${team.id},${two.userId}&_order_by=value`);

  assert.deepEqual(
    data.map((deal: any) => deal.id),
    [first.id, second.id],
  );
});

test("opportunities sort by the names of their users", async () => {
  const acme = await organization();
  const other = await acme.member();
  const [ada, member] = [await acme.opportunity(), await other.opportunity()];
  const nobody = await acme.opportunity({ user_id: null });
  const order = async (key: string) => (await acme.get(`/opportunity/?_order_by=${key}`)).data.map((one: any) => one.id);

  assert.deepEqual(await order("user_name"), [ada.id, member.id, nobody.id]);
  assert.deepEqual(await order("-user_name"), [member.id, ada.id, nobody.id]);
});

test("_expand brings the lead, the contact and the line items in their order", async () => {
  const acme = await organization();
  const person = await acme.contact();
  const deal = await acme.opportunity({ contact_id: person.id });
  const second = await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Second", unit_price: 1 });
  const first = await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "First", unit_price: 1, position: 0 });

  const shown = await acme.get(`/opportunity/${deal.id}/?_expand=lead,contact,line_items`);

  assert.equal(shown.lead.id, deal.lead_id);
  assert.equal(shown.contact.id, person.id);
  assert.deepEqual(
    shown.line_items.map((one: any) => one.id),
    [first.id, second.id],
  );
});

test("a deal is stalled when it is active, a month old, and nothing happened at its lead or on it meanwhile", async () => {
  const acme = await organization();
  const days = (count: number) => new Date(Date.now() - count * 24 * 3_600_000);
  acme.service.clock.now = days(40);
  const [quiet, lost] = [await acme.opportunity(), await acme.opportunity({ status: "Lost" })];
  const moved = await acme.opportunity();
  const beside = await acme.opportunity({ lead_id: moved.lead_id });
  acme.service.clock.now = days(10);
  await acme.put(`/opportunity/${moved.id}/`, { status: "Won" });
  await acme.put(`/opportunity/${moved.id}/`, { status: "Active" });
  acme.service.clock.now = null;
  const fresh = await acme.opportunity();

  const stalled = (await acme.get("/opportunity/?is_stalled=true&_fields=id,is_stalled")).data;
  const lively = (await acme.get("/opportunity/?is_stalled=false&_fields=id")).data.map((one: any) => one.id);

  assert.deepEqual(stalled.map((one: any) => one.id).sort(), [quiet.id, beside.id].sort());
  assert.ok(stalled.every((one: any) => one.is_stalled === true));
  assert.deepEqual(lively.sort(), [lost.id, moved.id, fresh.id].sort());
  await acme.refused(400, "GET", "/opportunity/?is_stalled=maybe", undefined, "is_stalled");
});

test("merging leads moves their deals with their line items", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.lead(), await acme.lead()];
  const deal = await acme.opportunity({ lead_id: gone.id });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", unit_price: 100 });

  await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });

  const [item] = (await acme.get(`/opportunity/${deal.id}/line_item/`)).data;
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).lead_id, keep.id);
  assert.equal(item.lead_id, keep.id);
});

test("merging contacts of two leads brings the deal and its line items to the destination's lead", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.contact(), await acme.contact()];
  const deal = await acme.opportunity({ contact_id: gone.id });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", unit_price: 100 });

  await acme.post("/contact/merge/", { source: gone.id, destination: keep.id });

  const moved = await acme.get(`/opportunity/${deal.id}/`);
  const [item] = (await acme.get(`/opportunity/${deal.id}/line_item/`)).data;
  assert.deepEqual([moved.lead_id, moved.contact_id], [keep.lead_id, keep.id]);
  assert.equal(item.lead_id, keep.lead_id);
});

test("a lead brings its opportunities along when asked", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();

  const lead = await acme.get(`/lead/${deal.lead_id}/?_expand=opportunities`);

  assert.deepEqual(
    lead.opportunities.map((one: any) => one.id),
    [deal.id],
  );
});

test("custom fields of opportunities are set, filtered by and told of", async () => {
  const acme = await organization();
  const plan = await acme.customField("opportunity", { type: "choices", choices: ["Basic", "Pro"] });
  const key = `custom.${plan.id}`;
  const deal = await acme.opportunity({ [key]: "Basic" });
  await acme.opportunity();

  await acme.put(`/opportunity/${deal.id}/`, { [key]: "Pro" });

  const { data } = await acme.get(`/opportunity/?${key}=Pro`);
  const [, updated] = await acme.events(deal.id);
  assert.deepEqual(
    data.map((one: any) => [one.id, one[key]]),
    [[deal.id, "Pro"]],
  );
  assert.deepEqual(updated.changed_fields, [key]);
  assert.deepEqual(updated.previous_data, { [key]: "Basic" });
});

for (const [status, action] of [
  ["Won", "won"],
  ["Lost", "lost"],
] as const)
  test(`a deal that comes in as ${action} says so`, async () => {
    const acme = await organization();

    const deal = await acme.opportunity({ status });
    const open = await acme.opportunity();

    const events = await acme.events(deal.id);
    assert.deepEqual(
      events.map((one) => [one.event, one.data.status_type]),
      [
        ["opportunity.created", action],
        [`opportunity.${action}`, action],
      ],
    );
    assert.equal((await acme.events(open.id)).length, 1);
  });
