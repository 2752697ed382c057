import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { formatMoney } from "../values/money.ts";
import { leadSmartFields } from "./smart_fields.ts";

const shown = async (acme: any, id: string, ...fields: string[]) => acme.get(`/lead/${id}/?_fields=${fields.join(",")}`);

test("a lead shows them only on request, single ones or all", async () => {
  const acme = await organization();
  const { id } = await acme.lead();

  const plain = await acme.get(`/lead/${id}/`);
  const all = await acme.get(`/lead/${id}/?_fields=_all`);
  const [listed] = (await acme.get("/lead/?_fields=_all")).data;

  for (const field of Object.keys(leadSmartFields())) {
    assert.ok(!(field in plain), field);
    assert.ok(field in all, field);
  }
  assert.deepEqual(listed, all);
  assert.deepEqual(await shown(acme, id, "num_tasks", "last_call_date"), { num_tasks: 0, last_call_date: null });
});

test("a field says the same by itself, beside those that are read off the same rows, and in a list", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead({ contacts: [{ name: "Anna", emails: [{ email: "anna@acme.example" }] }] });
  await acme.note({ lead_id, note: "First" });
  await acme.post("/activity/call/", { lead_id, direction: "inbound", duration: 60 });
  await acme.post("/activity/call/", { lead_id, direction: "outbound", disposition: "busy" });
  await acme.post("/activity/email/", { lead_id, status: "inbox", subject: 'A "word"', sender: "anna@acme.example" });
  await acme.opportunity({ lead_id, value: 1000, value_period: "monthly", note: "Back\\slash" });
  await acme.opportunity({ lead_id, value: 500, status: "Won" });
  await acme.task({ lead_id, text: "Call back", date: "2031-01-02" });
  const bare = await acme.lead();

  const listed = (await acme.get("/lead/?_fields=_all")).data;

  for (const all of listed)
    for (const [key, value] of Object.entries(all))
      assert.deepEqual(
        (await acme.get(`/lead/${all.id}/?_fields=${key}`))[key],
        value,
        `${key} of ${all.id === bare.id ? "a bare lead" : "a lead"}`,
      );
  assert.equal(listed.find((one: any) => one.id === lead_id).last_email_subject, 'A "word"');
});

test("communication is calls, messages that went or came, and meetings that took place", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead({ emails: [{ email: "office@acme.example" }] });
  const at = (hour: number) => `2026-01-02T${String(hour).padStart(2, "0")}:00:00.000Z`;
  await acme.post("/activity/email/", {
    lead_id,
    status: "inbox",
    subject: "Offer?",
    sender: "anna@acme.example",
    date_sent: at(1),
  });
  await acme.post("/activity/call/", { lead_id, direction: "outbound", duration: 65, activity_at: at(2), note: "Agreed" });
  await acme.post("/activity/call/", { lead_id, direction: "inbound", status: "no-answer", activity_at: at(3) });
  await acme.post("/activity/meeting/", { lead_id, title: "Kick-off", starts_at: at(4), ends_at: at(5) });
  await acme.post("/activity/email/", { lead_id, status: "draft", subject: "Not yet" });
  await acme.note({ lead_id, note: "Nice people" });

  const smart = await acme.get(`/lead/${lead_id}/?_fields=_all`);

  const expected = {
    first_communication_date: at(1),
    first_communication_type: "Email",
    first_communication_summary: "Offer?",
    last_communication_date: at(4),
    last_communication_type: "Meeting",
    last_communication_user: acme.userId,
    times_communicated: 4,
    last_activity_type: "Note",
    last_call_date: at(3),
    last_outgoing_call_date: at(2),
    last_incoming_call_date: at(3),
    last_email_subject: "Offer?",
    last_incoming_email_date: at(1),
    last_outgoing_email_date: null,
    last_note_user: acme.userId,
    num_calls: 2,
    num_incoming_calls: 1,
    num_outgoing_calls: 1,
    num_missed_calls: 1,
    num_emails: 1,
    num_received_emails: 1,
    num_sent_emails: 0,
    num_notes: 1,
    num_meetings: 1,
    num_completed_meetings: 1,
    num_upcoming_meetings: 0,
    num_activities: 6,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, smart[key]])), expected);
});

test("tasks are counted, and the next one is shown", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  await acme.task({ lead_id, text: "Later", date: "2026-05-01" });
  await acme.task({ lead_id, text: "Sooner", date: "2026-04-01" });
  await acme.task({ lead_id, text: "Some day", date: null });
  await acme.task({ lead_id, text: "Done", date: "2026-01-01", is_complete: true });

  assert.deepEqual(
    await shown(
      acme,
      lead_id,
      "next_task_date",
      "next_task_text",
      "next_task_user_id",
      "num_tasks",
      "num_incomplete_tasks",
      "num_completed_tasks",
    ),
    {
      next_task_date: "2026-04-01",
      next_task_text: "Sooner",
      next_task_user_id: acme.userId,
      num_tasks: 4,
      num_incomplete_tasks: 3,
      num_completed_tasks: 1,
    },
  );
});

test("people and addresses are counted with those of the lead itself", async () => {
  const acme = await organization();
  const email = (name: string) => ({ email: `${name}@acme.example` });
  const { id } = await acme.lead({
    url: "acme.example",
    emails: [email("a")],
    phones: [{ phone: "+18004445555" }],
    addresses: [{ city: "Paris" }],
    contacts: [
      { name: "x", emails: [email("b"), email("c")] },
      { name: "y", urls: [{ url: "https://y.example" }] },
    ],
  });

  assert.deepEqual(
    await shown(acme, id, "num_contacts", "num_email_addresses", "num_phone_numbers", "num_urls", "num_addresses"),
    { num_contacts: 2, num_email_addresses: 3, num_phone_numbers: 1, num_urls: 2, num_addresses: 1 },
  );
});

test("deals are counted and summed by period and by what became of them", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  await acme.opportunity({ lead_id, value: 10_000, value_period: "monthly", status: "Active", confidence: 60, note: "Older" });
  const newest = await acme.opportunity({ lead_id, value: 30_000, value_period: "monthly", status: "Active" });
  await acme.opportunity({ lead_id, value: 1_200_000, value_period: "annual", status: "Won" });
  await acme.opportunity({ lead_id, value: 1_500, value_currency: "JPY", status: "Lost" });

  const smart = await acme.get(`/lead/${lead_id}/?_fields=_all`);

  const expected = {
    num_opportunities: 4,
    num_active_opportunities: 2,
    num_won_opportunities: 1,
    num_monthly_opportunities: 2,
    total_monthly_opportunity_value: 40_000,
    avg_monthly_active_opportunity_value: 20_000,
    min_monthly_active_opportunity_value: 10_000,
    max_annual_won_opportunity_value: 1_200_000,
    total_annualized_active_opportunity_value: 480_000,
    total_one_time_won_opportunity_value: 0,
    avg_one_time_won_opportunity_value: null,
    active_opportunity_value_summary: "$400.00 monthly",
    won_opportunity_value_summary: "$12,000.00 annual",
    lost_opportunity_value_summary: "¥1,500 one-time",
    primary_opportunity_id: newest.id,
    primary_opportunity_value: 30_000,
    primary_opportunity_value_formatted: "$300.00",
    primary_opportunity_status_label: "Active",
    primary_opportunity_status_type: "active",
    primary_opportunity_pipeline_name: "Sales",
    primary_opportunity_user_name: newest.user_name,
    primary_opportunity_date_created: newest.date_created,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, smart[key]])), expected);
});

test("amounts are written as everywhere else", async () => {
  const acme = await organization();
  for (const [value_currency, value] of [
    ["USD", 123456789],
    ["EUR", 5],
    ["JPY", 1234567],
    ["CHF", 100],
    ["KWD", 1234567],
    ["CAD", 99],
    ["PLN", 123],
  ] as const) {
    const { id: lead_id } = await acme.lead();
    await acme.opportunity({ lead_id, value, value_currency });

    assert.deepEqual(await shown(acme, lead_id, "primary_opportunity_value_formatted"), {
      primary_opportunity_value_formatted: formatMoney(value, value_currency),
    });
  }
});

test("they are searched and sorted by like any field", async () => {
  const acme = await organization();
  const [busy, idle] = [await acme.lead({ name: "Busy" }), await acme.lead({ name: "Idle" })];
  await acme.post("/activity/call/", { lead_id: busy.id, activity_at: "2026-01-02T00:00:00Z" });
  await acme.opportunity({ lead_id: busy.id, value: 5, status: "Won" });
  const found = async (query: string) =>
    (await acme.get(`/lead/?query=${encodeURIComponent(query)}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("num_calls:1"), [busy.id]);
  assert.deepEqual(await found('last_communication_date:""'), [idle.id]);
  assert.deepEqual(await found("last_call_date:2026-01-02 total_one_time_won_opportunity_value>=5"), [busy.id]);
  assert.deepEqual(await found("last_call_user:me primary_opportunity_status_type:won"), [busy.id]);
  assert.deepEqual(await found("sort:num_calls"), [idle.id, busy.id]);
});
