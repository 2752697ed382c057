// A day is in the person's time zone: by `x-tz-offset` if it is sent, or else the member's zone, or else the organization's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";

/** Runs `work` at an instant of the service's clock. */
async function at<T>(acme: Workspace, instant: string, work: () => Promise<T>): Promise<T> {
  acme.service.clock.now = new Date(instant);
  return work().finally(() => (acme.service.clock.now = null));
}

/** An organization in New York with a member in Auckland, which is `acme`, and a member without a zone. */
async function abroad() {
  const acme = await organization();
  const colleague = await acme.member();
  await acme.put(`/organization/${acme.id}/`, { timezone: "America/New_York" });
  await acme.put("/me/", { timezone: "Pacific/Auckland" });
  return { acme, colleague };
}

// In Auckland and in UTC it is the 15th, in New York and at -3 still the 14th.
const instant = "2026-06-15T02:30:00.000Z";
const places = ["member", "organization", "offset"] as const;
const todays = { member: "2026-06-15", organization: "2026-06-14", offset: "2026-06-14" };

async function asked() {
  const { acme, colleague } = await abroad();
  const asking = {
    member: [acme, undefined],
    organization: [colleague, undefined],
    offset: [acme, { "x-tz-offset": "-3" }],
  } as const;
  return { acme, asking };
}

test("the day a task is due, a deal is won and a task's view speaks of is the caller's", async () => {
  const { acme, asking } = await asked();
  const lead = await acme.lead();

  for (const place of places) {
    const [who, headers] = asking[place];
    const today = todays[place];
    const [task, deal] = await at(acme, instant, async () => [
      await who.post("/task/", { lead_id: lead.id, text: "Call" }, headers),
      await who.post("/opportunity/", { lead_id: lead.id, status: "Won" }, headers),
    ]);
    const next = await at(acme, instant, () =>
      who.post("/task/", { lead_id: lead.id, text: "Call", date: "2026-06-15" }, headers),
    );
    const future = await at(acme, instant, () => who.get("/task/?view=future", headers));

    assert.deepEqual([task.date, deal.date_won], [today, today], place);
    assert.equal(next.view, today === "2026-06-15" ? "inbox" : "future", place);
    assert.equal(
      future.data.some((one: any) => one.id === next.id),
      today !== "2026-06-15",
      place,
    );
  }
});

test("a day in a filter, in a search and in a report begins where the caller is", async () => {
  const { acme, asking } = await asked();
  // In Auckland the 15th starts at noon of the 14th, in New York at four in the morning.
  const dates = ["2026-06-14T11:59:59.000Z", "2026-06-14T12:00:00.000Z", "2026-06-15T02:59:59.000Z", "2026-06-15T04:00:00.000Z"];
  for (const date_created of dates) await acme.lead({ name: date_created, date_created });
  const expected = { member: dates.slice(1), organization: dates.slice(3), offset: dates.slice(3) };

  for (const place of places) {
    const [who, headers] = asking[place];
    const named = (page: any) => page.data.map((one: any) => one.name).sort();
    const range = { datetime_range: { start: "2026-06-15", end: "2026-06-16" }, metrics: ["leads.created.all.count"] };

    const filtered = await who.get("/lead/?date_created__gte=2026-06-15&date_created__lt=2026-06-16", headers);
    const found = await who.get(`/lead/?query=${encodeURIComponent("created >= 2026-06-15 created <= 2026-06-15")}`, headers);
    const today = await at(acme, "2026-06-15T10:00:00Z", () => who.get("/lead/?query=created:today", headers));
    const report = await who.post("/report/activity/", range, headers);

    assert.deepEqual(named(filtered), expected[place], place);
    assert.deepEqual(named(found), expected[place], place);
    assert.deepEqual(named(today), expected[place], place);
    assert.equal(report.aggregations.totals["leads.created.all.count"], expected[place].length, place);
  }
});

test("a day in spring has 23 hours and one in autumn 25, in filters, searches and reports", async () => {
  const acme = await organization();
  await acme.put("/me/", { timezone: "Europe/Berlin" });
  const days: [string, string, string][] = [
    ["2025-03-30", "2025-03-29T23:00:00.000Z", "2025-03-30T22:00:00.000Z"],
    ["2025-10-26", "2025-10-25T22:00:00.000Z", "2025-10-26T23:00:00.000Z"],
  ];
  const before = (moment: string) => new Date(Date.parse(moment) - 1).toISOString();

  for (const [day, start, end] of days) {
    for (const date_created of [before(start), start, before(end), end]) await acme.lead({ name: date_created, date_created });
    const inside = [start, before(end)];
    const named = (page: any) => page.data.map((one: any) => one.name).sort();
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

    assert.deepEqual(named(await acme.get(`/lead/?date_created__gte=${day}&date_created__lt=${next}`)), inside);
    assert.deepEqual(named(await acme.get(`/lead/?date_created=${day}`)), inside);
    assert.deepEqual(named(await acme.get(`/lead/?date_created__in=${day}`)), inside);
    assert.deepEqual(named(await acme.get(`/lead/?query=created:${day}`)), inside);
    const yesterday = await at(acme, `${next}T12:00:00Z`, () => acme.get("/lead/?query=created:yesterday"));
    assert.deepEqual(named(yesterday), inside);
    const report = await at(acme, `${next}T12:00:00Z`, () => acme.post("/report/activity/", { relative_range: "yesterday" }));
    assert.deepEqual(report.datetime_range, { start, end });
  }
});

test("a day asked of an instant is that whole day, alone and among others, also where the clock changes", async () => {
  const acme = await organization();
  await acme.put("/me/", { timezone: "Europe/Berlin" });
  const { id: lead_id } = await acme.lead();
  const field = `custom.${(await acme.customField("lead", { type: "datetime" })).id}`;
  // On the 30th of March, on the 31st, on the 26th of October (the last of its 25 hours) and on the 27th.
  const moments = [
    "2025-03-30T21:59:59.999Z",
    "2025-03-30T22:30:00.000Z",
    "2025-10-26T22:30:00.000Z",
    "2025-10-26T23:00:00.000Z",
  ];
  for (const at of moments) {
    await acme.lead({ date_created: at, [field]: at });
    await acme.note({ lead_id, activity_at: at });
    await acme.post("/activity/meeting/", { lead_id, title: "Demo", starts_at: at });
  }
  const filters = [
    ["/lead/", "date_created"],
    ["/lead/", field],
    ["/activity/note/", "activity_at"],
    ["/activity/", "activity_at"],
    ["/activity/meeting/", "starts_at"],
  ] as const;

  for (const [path, name] of filters) {
    const found = async (filter: string) => {
      const { data } = await acme.get(`${path}?${filter}${path === "/activity/" ? "&_type=Note" : ""}`);
      return data.map((one: any) => one[name]).sort();
    };
    const days = ["2025-03-30", "2025-03-31", "2025-10-26", "2025-10-27"];
    for (const [i, day] of days.entries()) {
      assert.deepEqual(await found(`${name}=${day}`), [moments[i]], `${name}=${day}`);
      assert.deepEqual(await found(`${name}__in=${day}`), [moments[i]], `${name}__in=${day}`);
    }
    assert.deepEqual(await found(`${name}__in=${days[1]},${moments[2]},2025-12-24`), [moments[1], moments[2]]);
    for (const filter of [`${name}__in=`, `${name}=9999-12-31`, `${name}__in=9999-12-31`])
      assert.deepEqual(await found(filter), []);
  }
});

test("what is planned does not move the last activity, nor keep a deal from being stalled", async () => {
  const acme = await organization();
  const lead = await acme.lead({ date_created: "2026-01-01T00:00:00Z" });
  const deal = await acme.opportunity({ lead_id: lead.id, date_created: "2026-01-01T00:00:00Z" });
  const happened = { lead_id: lead.id, activity_at: "2026-01-02T10:00:00.000Z" };
  await acme.post("/activity/note/", { ...happened, note: "They called" });
  await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Demo", starts_at: "2999-01-01T10:00:00Z" });
  const stalled = (await acme.get("/opportunity/?is_stalled=true")).data.map((one: any) => one.id);
  const to = ["ann@example.com"];
  await acme.post("/activity/email/", { lead_id: lead.id, status: "draft", subject: "Offer", to });
  await acme.post("/activity/note/", { lead_id: lead.id, note: "For later", activity_at: "2999-01-01T10:00:00Z" });
  const fields = "last_activity_date,last_activity_type,last_note_date";

  assert.deepEqual(stalled, [deal.id]);
  assert.deepEqual(await acme.get(`/lead/${lead.id}/?_fields=${fields}`), {
    last_activity_date: happened.activity_at,
    last_activity_type: "Note",
    last_note_date: happened.activity_at,
  });
});
