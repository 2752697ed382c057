// Every sum of every report equals the sum of the records in the lists.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

const start = "2026-02-01T00:00:00.000Z";
const end = "2026-03-01T00:00:00.000Z";
const february = { datetime_range: { start, end } };
const inRange = (at: string | null) => at !== null && at >= start && at < end;
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const valueOf = (records: readonly any[], field = "value") => sum(records.map((one) => one[field] ?? 0));

let acme: Workspace;
let members: Workspace[];
let leads: any[];
let deals: any[];
let activities: any[];
let statuses: any[];
let changes: any[];
let leadChanges: any[];

before(async () => {
  const { clock } = await service();
  clock.now = new Date("2026-01-10T09:00:00.000Z");
  acme = await organization();
  members = [acme, await acme.member(), await acme.member()];
  await makePipelines(acme);
  for (let i = 0; i < 25; i++) {
    clock.now = new Date(Date.parse("2026-01-10T09:00:00.000Z") + i * 2.2 * 86_400_000);
    await makeLead(members[i % 3]!, i);
  }
  // Only the report knows what happens after its range.
  clock.now = new Date("2026-03-20T12:00:00.000Z");
  for (const deal of (await acme.all("/opportunity/")).filter((_, i) => i % 4 === 0))
    await acme.put(`/opportunity/${deal.id}/`, { status_id: one(await acme.get("/status/opportunity/"), random()) });

  [leads, deals, activities] = await Promise.all([acme.all("/lead/"), acme.all("/opportunity/"), acme.all("/activity/")]);
  statuses = (await acme.get("/status/opportunity/")).data;
  changes = activities.filter((one) => one._type === "OpportunityStatusChange");
  leadChanges = activities.filter((one) => one._type === "LeadStatusChange");
  clock.now = null;
});

// The same numbers every time, without a pattern.
let seed = 42;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}
const one = (list: any, at: number) => list.data[Math.floor(at * list.data.length)].id;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

async function makePipelines(ws: Workspace): Promise<void> {
  const [sales] = (await ws.get("/pipeline/")).data;
  await ws.post("/status/opportunity/", { label: "Offer", type: "active", pipeline_id: sales.id, position: 1 });
  await ws.post("/pipeline/", {
    name: "Renewals",
    statuses: [
      { label: "Due", type: "active" },
      { label: "Talking", type: "active" },
      { label: "Renewed", type: "won" },
      { label: "Gone", type: "lost" },
    ],
  });
}

async function makeLead(by: Workspace, i: number): Promise<void> {
  const lead = await by.lead({ owner_id: pick(members).userId });
  const all = await by.get("/status/opportunity/");
  for (let n = 0; n < 3; n++) {
    const deal = await by.opportunity({
      lead_id: lead.id,
      user_id: pick(members).userId,
      value: random() < 0.1 ? null : Math.floor(random() * 100_000),
      value_period: pick(["one_time", "monthly", "annual"]),
      value_currency: random() < 0.15 ? "EUR" : "USD",
      confidence: Math.floor(random() * 101),
      status_id: one(all, random() * 0.6),
      expected_close_date: pick([null, "2026-02-28", "2026-03-01", "2026-12-31"]),
    });
    if (random() < 0.7) await by.put(`/opportunity/${deal.id}/`, { status_id: one(all, random()) });
  }
  await bringIn(by, lead.id, all.data, i);
  if (random() < 0.6) await by.put(`/lead/${lead.id}/`, { status_id: one(await by.get("/status/lead/"), random()) });
  const moment = () => new Date(Date.parse("2026-01-15T00:00:00.000Z") + Math.floor(random() * 55 * 86_400) * 1000).toISOString();
  const base = () => ({ lead_id: lead.id, activity_at: moment() });
  for (let n = 0; n < 4; n++)
    await by.post("/activity/call/", {
      ...base(),
      direction: pick(["inbound", "outbound"]),
      status: pick(["completed", "completed", "no-answer", "busy", "failed"]),
      ...(random() < 0.2 ? { disposition: "vm-left" } : {}),
      duration: pick([0, 30, 60, 400]),
    });
  await by.post("/activity/email/", { ...base(), status: "sent", to: [`someone${i}@example.com`], subject: `Offer ${i}` });
  if (random() < 0.6)
    await by.post("/activity/email/", {
      ...base(),
      status: "inbox",
      sender: `someone${i}@example.com`,
      to: ["us@example.com"],
      subject: `Re: Offer ${i}`,
    });
  await by.post("/activity/sms/", {
    ...base(),
    status: pick(["sent", "inbox"]),
    local_phone: "+14155550100",
    remote_phone: "+14155550123",
    text: "Hello",
  });
  await by.post("/activity/note/", { ...base(), note: "A note" });
  const starts_at = moment();
  await by.post("/activity/meeting/", {
    lead_id: lead.id,
    title: "Talk",
    starts_at,
    status: random() < 0.2 ? "canceled" : undefined,
  });
}

/** Deals that were won or lost before they were imported, with and without a date of creation. Some are reopened. */
async function bringIn(by: Workspace, lead_id: string, all: readonly any[], i: number): Promise<void> {
  const ended = all.filter(({ type }) => type !== "active");
  const status = ended[i % ended.length];
  const on = new Date(Date.parse("2026-01-03T00:00:00.000Z") + ((i * 7) % Math.floor(i * 2.2 + 7)) * 86_400_000).toISOString();
  const deal = await by.opportunity({
    lead_id,
    value: 1000 + i,
    status_id: status.id,
    ...(i % 3 > 0 && { date_created: "2026-01-02T10:00:00.000Z" }),
    ...(status.type === "won" ? { date_won: on.slice(0, 10) } : { date_lost: on }),
  });
  if (i % 4 === 1) await by.put(`/opportunity/${deal.id}/`, { status_id: all[i % all.length].id });
}

const typeOf = (status_id: string) => statuses.find((one) => one.id === status_id).type;
const isWon = (deal: any) =>
  typeOf(deal.status_id) === "won" && deal.date_won >= start.slice(0, 10) && deal.date_won < end.slice(0, 10);
const isLost = (deal: any) => typeOf(deal.status_id) === "lost" && inRange(deal.date_lost);
const dollars = (all: readonly any[]) => all.filter((deal) => deal.value_currency === "USD");

/** Every metric, counted from records. */
function counted(own: (record: any, field: string) => boolean): Record<string, number> {
  const mine = activities.filter((one) => own(one, "user_id") && inRange(one.activity_at));
  const calls = mine.filter((one) => one._type === "Call");
  const emails = mine.filter((one) => one._type === "Email");
  const sms = mine.filter((one) => one._type === "SMS");
  const meetings = mine.filter((one) => one._type === "Meeting" && one.status !== "canceled");
  const contacted = mine.filter((one) => (one._type === "Call" && one.direction === "outbound") || one.status === "sent");
  const outcome = (name: string, all: readonly any[]) => ({
    [`opportunities.${name}.all.count`]: all.length,
    [`opportunities.${name}.all.sum_annualized_value`]: valueOf(dollars(all), "annualized_value"),
    ...Object.fromEntries(
      ["one_time", "monthly", "annual"].flatMap((period) => {
        const due = all.filter((one) => one.value_period === period);
        return [
          [`opportunities.value_${name}.${period}.count`, due.length],
          [`opportunities.value_${name}.${period}.sum_value`, valueOf(dollars(due))],
        ];
      }),
    ),
  });
  const duration = (all: readonly any[]) => ({ count: all.length, seconds: sum(all.map((one) => one.duration)) });
  const [all, outbound, inbound] = [
    calls,
    calls.filter((one) => one.direction === "outbound"),
    calls.filter((one) => one.direction === "inbound"),
  ].map(duration);
  return {
    "calls.all.all.count": all!.count,
    "calls.all.all.sum_duration": all!.seconds,
    "calls.outbound.all.count": outbound!.count,
    "calls.outbound.external.sum_duration": outbound!.seconds,
    "calls.inbound.all.count": inbound!.count,
    "emails.sent.all.count": emails.filter((one) => one.status === "sent").length,
    "emails.received.all.count": emails.filter((one) => one.status === "inbox").length,
    "sms.sent.all.count": sms.filter((one) => one.status === "sent").length,
    "sms.received.all.count": sms.filter((one) => one.status === "inbox").length,
    "meetings.scheduled.all.count": meetings.length,
    "meetings.completed.all.count": meetings.filter((one) => one.status === "completed").length,
    "notes.created.all.count": mine.filter((one) => one._type === "Note").length,
    "leads.created.all.count": leads.filter((one) => own(one, "created_by") && inRange(one.date_created)).length,
    "leads.contacted.all.count": new Set(contacted.map((one) => one.lead_id)).size,
    "opportunities.created.all.count": deals.filter((one) => own(one, "created_by") && inRange(one.date_created)).length,
    "opportunities.created_for.all.count": deals.filter((one) => own(one, "user_id") && inRange(one.date_created)).length,
    ...outcome(
      "won",
      deals.filter((one) => own(one, "user_id") && isWon(one)),
    ),
    ...outcome(
      "lost",
      deals.filter((one) => own(one, "user_id") && isLost(one)),
    ),
  };
}

const only = (row: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

describe("the activity report", () => {
  test("says of each member, and of all, what their records say", async () => {
    const { data, aggregations } = await acme.post("/report/activity/", february);

    for (const { userId } of members) {
      const expected = counted((record, field) => record[field] === userId);
      assert.deepEqual(
        only(
          data.find((one: any) => one.user_id === userId),
          Object.keys(expected),
        ),
        expected,
      );
    }
    const all = counted(() => true);
    assert.deepEqual(only(aggregations.totals, Object.keys(all)), all);
    assert.ok(all["opportunities.won.all.count"]! > 0 && all["calls.all.all.count"]! > 10);
  });

  test("says of each day what happened on it", async () => {
    const { data } = await acme.post("/report/activity/", { ...february, type: "overview" });

    assert.equal(data.length, 28);
    for (const row of data) {
      const day = row.datetime.slice(0, 10);
      const calls = activities.filter((one) => one._type === "Call" && one.activity_at.startsWith(day));
      assert.equal(row["calls.all.all.count"], calls.length);
      assert.equal(row["calls.all.all.sum_duration"], sum(calls.map((one) => one.duration)));
      assert.equal(row["opportunities.won.all.count"], deals.filter((one) => isWon(one) && one.date_won === day).length);
    }
  });

  test("of all time has everything, in months from the first to the last", async () => {
    const { data, aggregations } = await acme.post("/report/activity/", {
      relative_range: "all-time",
      type: "overview",
      interval: "month",
      metrics: ["calls.all.all.count", "notes.created.all.count"],
    });

    assert.deepEqual(Object.keys(data[0]), ["datetime", "calls.all.all.count", "notes.created.all.count"]);
    assert.equal(aggregations.totals["calls.all.all.count"], activities.filter((one) => one._type === "Call").length);
    assert.equal(sum(data.map((one: any) => one["notes.created.all.count"])), 25);
  });
});

test("the funnel has each status's deals, and those won and lost in the range", async () => {
  const { pipelines, totals, won_in_period, lost_in_period, data } = await acme.post("/report/funnel/", february);

  for (const row of data) {
    const here = deals.filter((one) => one.status_id === row.status_id);
    assert.equal(row.count, here.length);
    assert.equal(row.value, valueOf(dollars(here)));
    assert.equal(row.expected_value, valueOf(dollars(here), "expected_value"));
    assert.equal(row.annualized_value, valueOf(dollars(here), "annualized_value"));
  }
  assert.equal(pipelines.length, 2);
  assert.equal(sum(pipelines.map((one: any) => one.totals.count)), deals.length);
  assert.deepEqual([totals.count, totals.value], [deals.length, valueOf(dollars(deals))]);
  assert.equal(totals.count_other_currencies, deals.filter((one) => one.value_currency === "EUR").length);
  assert.deepEqual(
    [won_in_period.count, won_in_period.value],
    [deals.filter(isWon).length, valueOf(dollars(deals.filter(isWon)))],
  );
  assert.deepEqual(
    [lost_in_period.count, lost_in_period.value],
    [deals.filter(isLost).length, valueOf(dollars(deals.filter(isLost)))],
  );
});

test("no report adds amounts of different currencies, and each says what every currency comes to", async () => {
  const [funnel, sales, funnels, activity] = await Promise.all([
    acme.post("/report/funnel/", february),
    acme.post("/report/sales/", february),
    acme.post("/report/opportunity_funnels/", { relative_range: "all-time" }),
    acme.post("/report/activity/", february),
  ]);

  for (const currency of ["EUR", "USD"]) {
    const all = deals.filter((one) => one.value_currency === currency);
    const won = all.filter(isWon);
    const { won_in_period, ...standing } = funnel.by_currency[currency];
    assert.deepEqual(
      [standing.count, standing.value, standing.annualized_value],
      [all.length, valueOf(all), valueOf(all, "annualized_value")],
    );
    assert.deepEqual([won_in_period.count, won_in_period.value], [won.length, valueOf(won)]);
    assert.deepEqual([sales.by_currency[currency].won_count, sales.by_currency[currency].won_value], [won.length, valueOf(won)]);
    assert.equal(sum(funnels.pipelines.map((one: any) => one.totals.by_currency[currency]?.count ?? 0)), all.length);
    const amounts = activity.aggregations.by_currency[currency] ?? {};
    assert.equal(amounts["opportunities.won.all.sum_annualized_value"] ?? 0, valueOf(won, "annualized_value"));
    assert.ok(!("opportunities.won.all.count" in amounts));
  }
  assert.equal(funnel.totals.value, funnel.by_currency.USD.value);
  assert.equal(sales.totals.won_value, sales.by_currency.USD.won_value);
});

test("sums in another currency are those of its deals", async () => {
  const { totals } = await acme.post("/report/funnel/", { ...february, currency: "EUR" });

  assert.equal(totals.value, valueOf(deals.filter((one) => one.value_currency === "EUR")));
  assert.equal(totals.count_other_currencies, dollars(deals).length);
});

test("the calls funnel counts the calls of the list", async () => {
  const calls = activities.filter((one) => one._type === "Call" && inRange(one.activity_at));
  const connected = calls.filter((one) => one.disposition === "answered" && one.duration > 0);
  const conversations = connected.filter((one) => one.duration >= 60);
  const meetings = activities.filter((one) => one._type === "Meeting" && one.status !== "canceled");
  const followed = conversations.filter((one) =>
    meetings.some((other) => other.lead_id === one.lead_id && other.date_created >= one.activity_at),
  );

  const { totals, outcomes, funnel, per_user, per_day } = await acme.post("/report/calls_funnel/", february);

  assert.equal(totals.calls, calls.length);
  assert.equal(totals.connected, connected.length);
  assert.equal(totals.voicemail, calls.filter((one) => one.disposition === "vm-left").length);
  assert.equal(totals.no_answer, calls.filter((one) => one.disposition === "no-answer").length);
  assert.equal(totals.busy, calls.filter((one) => one.disposition === "busy").length);
  assert.equal(totals.failed, calls.filter((one) => one.disposition === "error").length);
  assert.equal(totals.missed, calls.filter((one) => one.direction === "inbound" && one.disposition !== "answered").length);
  assert.equal(totals.total_duration, sum(calls.map((one) => one.duration)));
  assert.equal(sum(outcomes.map((one: any) => one.count)), calls.length);
  assert.deepEqual(
    funnel.map((one: any) => one.count),
    [calls.length, connected.length, conversations.length, followed.length],
  );
  for (const { userId } of members)
    assert.equal(per_user.find((one: any) => one.user_id === userId).calls, calls.filter((one) => one.user_id === userId).length);
  for (const day of per_day) assert.equal(day.connected, connected.filter((one) => one.activity_at.startsWith(day.date)).length);
});

test("the sales report has the won months, the forecast and the sellers of the list", async () => {
  const { won_by_month, forecast, leaderboard, totals } = await acme.post("/report/sales/", february);

  const won = deals.filter(isWon);
  const open = deals.filter((one) => typeOf(one.status_id) === "active");
  assert.deepEqual(won_by_month, [
    {
      month: "2026-02",
      count: won.length,
      value: valueOf(dollars(won)),
      annualized_value: valueOf(dollars(won), "annualized_value"),
    },
  ]);
  assert.deepEqual(
    forecast.map((one: any) => one.month),
    ["2026-02", "2026-03", "2026-12", "none"],
  );
  for (const row of forecast) {
    const due = open.filter((one) => (one.expected_close_date?.slice(0, 7) ?? "none") === row.month);
    assert.deepEqual(
      [row.count, row.value, row.expected_value],
      [due.length, valueOf(dollars(due)), valueOf(dollars(due), "expected_value")],
    );
  }
  for (const row of leaderboard) {
    const own = (all: readonly any[]) => all.filter((one) => one.user_id === row.user_id);
    assert.deepEqual([row.won_count, row.won_value], [own(won).length, valueOf(dollars(own(won)))]);
    assert.deepEqual([row.open_count, row.open_value], [own(open).length, valueOf(dollars(own(open)))]);
    assert.equal(row.calls, own(activities).filter((one) => one._type === "Call" && inRange(one.activity_at)).length);
    assert.equal(
      row.emails,
      own(activities).filter((one) => one._type === "Email" && one.status === "sent" && inRange(one.activity_at)).length,
    );
  }
  assert.equal(totals.won_value, valueOf(dollars(won)));
  assert.equal(totals.open_count, open.length);
  assert.deepEqual(
    leaderboard.map((one: any) => one.won_value),
    leaderboard.map((one: any) => one.won_value).toSorted((a: number, b: number) => b - a),
  );
});

/** The statuses of a record, each since when, from its history. */
function history(record: any, all: readonly any[], by: string): { status_id: string; at: string }[] {
  const own = all.filter((one) => one[by] === record.id).toSorted((a, b) => (a.activity_at < b.activity_at ? -1 : 1));
  const status_id = own[0]?.old_status_id ?? record.status_id;
  return [
    { status_id, at: by === "lead_id" ? record.date_created : since(record, status_id, own[0]?.activity_at) },
    ...own.map((one) => ({ status_id: one.new_status_id, at: one.activity_at })),
  ];
}
/** A deal that was imported as won or lost has that status since the date it was won or lost. */
function since(deal: any, status_id: string, firstChange = "9999"): string {
  const won = deal.date_won === null ? null : `${deal.date_won}T00:00:00.000Z`;
  const said = { won, lost: deal.date_lost, active: null }[typeOf(status_id) as string];
  return said !== null && said <= firstChange ? said : deal.date_created;
}

/** The places of the stages it reached, each since when. It starts at the first, whatever its first status is. */
function places(deal: any, placeOf: (status_id: string) => number): { at: string; place: number }[] {
  const steps = history(deal, changes, "opportunity_id").map(({ status_id, at }) => ({ at, place: placeOf(status_id) }));
  return [{ at: [deal.date_created, steps[0]!.at].toSorted()[0], place: 0 }, ...steps];
}

const standing = (steps: readonly any[], at: string) => steps.findLast((step) => step.at < at)?.status_id ?? null;

for (const [subject, by] of [
  ["lead", "lead_id"],
  ["opportunity", "opportunity_id"],
] as const) {
  test(`the status changes of each ${subject} add up to where they stood before and after`, async () => {
    const records = subject === "lead" ? leads : deals;
    const all = subject === "lead" ? leadChanges : changes;
    const steps = records.map((record) => history(record, all, by));

    const report = await acme.post(`/report/status_change/${subject}/`, february);

    for (const row of report.status_overview) {
      const here = (at: string) => steps.filter((own) => standing(own, at) === row.status_id);
      assert.equal(row.started, here(start).length);
      assert.equal(row.ended, here(end).length);
      assert.equal(row.change, row.gained - row.lost);
      assert.equal(row.gained, here(end).filter((own) => standing(own, start) !== row.status_id).length);
      assert.equal(
        row.entered,
        steps.flatMap((own) => own.filter((step) => step.status_id === row.status_id && inRange(step.at))).length,
      );
    }
    const moves = all.filter((one) => inRange(one.activity_at));
    assert.equal(sum(report.status_transitions.map((one: any) => one.count)), moves.length);
    for (const row of report.status_transitions)
      assert.equal(
        row.count,
        moves.filter((one) => one.old_status_id === row.from_status_id && one.new_status_id === row.to_status_id).length,
      );
    assert.ok(moves.length > 0);
  });
}

test("the opportunity funnels count how far each deal of the cohort came", async () => {
  const { pipelines } = await acme.post("/report/opportunity_funnels/", february);

  const cohort = deals.filter((one) => inRange(one.date_created));
  assert.equal(sum(pipelines.map((one: any) => one.totals.count)), cohort.length);
  for (const { pipeline_id, aggregations, totals, data } of pipelines) {
    const own = cohort.filter((one) => one.pipeline_id === pipeline_id);
    const stages = aggregations.stages.map((one: any) => one.status);
    const placeOf = (status_id: string) => stages.findIndex((one: any) => one.id === status_id);
    const furthest = own.map((deal) =>
      Math.max(0, ...history(deal, changes, "opportunity_id").map((step) => placeOf(step.status_id))),
    );
    aggregations.stages.forEach((stage: any, place: number) => {
      const reached = own.filter((_, i) => furthest[i]! >= place);
      const lost = own.filter((deal, i) => furthest[i] === place && typeOf(deal.status_id) === "lost");
      assert.deepEqual([stage.count, stage.value], [reached.length, valueOf(dollars(reached))]);
      assert.deepEqual([stage.count_lost, stage.value_lost], [lost.length, valueOf(dollars(lost))]);
      assert.equal(sum(data.map((one: any) => one.stages[place].count)), stage.count);
    });
    assert.equal(totals.count_total_won, own.filter((one) => typeOf(one.status_id) === "won").length);
    assert.equal(totals.count_total_complete, own.filter((one) => typeOf(one.status_id) !== "active").length);
  }
});

test("stages reached in the range are counted whenever the deal was created", async () => {
  const { pipelines } = await acme.post("/report/opportunity_funnels/", { ...february, type: "active-stage-cohort" });

  for (const { pipeline_id, aggregations } of pipelines) {
    const placeOf = (status_id: string) => aggregations.stages.findIndex((one: any) => one.status.id === status_id);
    aggregations.stages.forEach((stage: any, place: number) => {
      const reached = deals.filter((deal) => {
        if (deal.pipeline_id !== pipeline_id) return false;
        return inRange(places(deal, placeOf).find((step) => step.place >= place)?.at ?? null);
      });
      assert.equal(stage.count, reached.length);
    });
  }
});

test("the sales report's stages count the deals that came to them in the range, and those that came further since", async () => {
  const { stage_conversion } = await acme.post("/report/sales/", february);

  for (const row of stage_conversion) {
    const stages = stage_conversion.filter((one: any) => one.pipeline_id === row.pipeline_id).map((one: any) => one.status_id);
    const placeOf = (status_id: string) =>
      typeOf(status_id) === "won" ? stages.length : stages.includes(status_id) ? stages.indexOf(status_id) : -1;
    const place = placeOf(row.status_id);
    const entered = deals.flatMap((deal) => {
      if (deal.pipeline_id !== row.pipeline_id) return [];
      const ofPipeline = (id: string) => statuses.find((one) => one.id === id).pipeline_id === deal.pipeline_id;
      const steps = places(deal, (id) => (ofPipeline(id) ? placeOf(id) : -1));
      const before = steps.findLast((step) => step.at < start)?.place ?? -1;
      const furthest = Math.max(...steps.filter((step) => inRange(step.at)).map((step) => step.place));
      const since = Math.max(...steps.filter((step) => step.at >= start).map((step) => step.place));
      return Math.max(before, before === -1 && steps[0]!.at < start ? 0 : -1) < place && furthest >= place ? [since] : [];
    });
    assert.deepEqual([row.entered, row.advanced], [entered.length, entered.filter((since) => since > place).length], row.label);
  }
  assert.ok(stage_conversion.some((row: any) => row.entered > row.advanced && row.advanced > 0));
});

test("the sent e-mails are those of the list, and answered when somebody has", async () => {
  const sent = activities.filter((one) => one._type === "Email" && one.status === "sent" && inRange(one.activity_at));

  const { sent_email_stats } = await acme.post("/report/sent_emails/", february);

  const [all] = sent_email_stats;
  assert.deepEqual([all.template_id, all.name, all.total], [null, "All Emails", sent.length]);
  assert.equal(all.responded, sent.filter((one) => one.has_reply).length);
  assert.equal(all.percentage_responded, Math.round((all.responded / all.total) * 10_000) / 100);
});

test("every report of some members is that of their records alone", async () => {
  const [, second] = members;
  const users = [second!.userId];
  const group = await acme.post("/group/", { name: "North", user_ids: users });

  const activity = await acme.post("/report/activity/", { ...february, users });
  const sales = await acme.post("/report/sales/", { ...february, users: [group.id] });
  const calls = await acme.post("/report/calls_funnel/", { ...february, users: [group.id, ...users] });

  assert.deepEqual(
    activity.data.map((one: any) => one.user_id),
    users,
  );
  assert.equal(
    activity.aggregations.totals["calls.all.all.count"],
    counted((one, field) => one[field] === users[0])["calls.all.all.count"],
  );
  assert.deepEqual(
    sales.leaderboard.map((one: any) => one.user_id),
    users,
  );
  assert.equal(sales.totals.won_count, deals.filter((one) => isWon(one) && one.user_id === users[0]).length);
  assert.equal(calls.totals.calls, activity.aggregations.totals["calls.all.all.count"]);
});
