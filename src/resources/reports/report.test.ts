// What all reports promise: their range, what they refuse, what they show to whom, and their tables.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";
import { createOpportunity } from "../opportunities/opportunity_verbs.ts";

const paths = [
  "activity",
  "funnel",
  "calls_funnel",
  "opportunity_funnels",
  "sales",
  "status_change/lead",
  "status_change/opportunity",
  "sent_emails",
].map((one) => `/report/${one}/`);
const calls = { metrics: ["calls.all.all.count"] };

describe("the time a report is about", () => {
  test("is this month, of the sales report this year, and of status changes all there is", async () => {
    const acme = await organization();
    (await service()).clock.now = new Date("2024-02-29T12:00:00.000Z");

    const ranges = await Promise.all(paths.map(async (path) => (await acme.post(path)).datetime_range));

    const month = { start: "2024-02-01T00:00:00.000Z", end: "2024-03-01T00:00:00.000Z" };
    const year = { start: "2024-01-01T00:00:00.000Z", end: "2025-01-01T00:00:00.000Z" };
    const all = { start: null, end: null };
    assert.deepEqual(ranges, [month, month, month, month, year, all, all, month]);
  });

  test("is that of the caller's offset, else of the organization's time zone, else UTC", async () => {
    const acme = await organization();
    (await service()).clock.now = new Date("2026-03-29T23:30:00.000Z");
    const today = async (headers = {}) =>
      (await acme.post("/report/activity/", { ...calls, relative_range: "today" }, headers)).datetime_range;

    const before = await today();
    await acme.put(`/organization/${acme.id}/`, { timezone: "Europe/Berlin" });

    assert.deepEqual(before, { start: "2026-03-29T00:00:00.000Z", end: "2026-03-30T00:00:00.000Z" });
    assert.deepEqual(await today(), { start: "2026-03-29T22:00:00.000Z", end: "2026-03-30T22:00:00.000Z" });
    assert.deepEqual(await today({ "x-tz-offset": "0" }), before);
    assert.deepEqual(await today({ "x-tz-offset": "-9.5" }), {
      start: "2026-03-29T09:30:00.000Z",
      end: "2026-03-30T09:30:00.000Z",
    });
  });

  test("includes its first instant and not its last; a day in spring has 23 hours", async () => {
    const acme = await organization();
    (await service()).clock.now = new Date("2026-03-30T10:00:00.000Z");
    await acme.put(`/organization/${acme.id}/`, { timezone: "Europe/Berlin" });
    const { id } = await acme.lead();
    for (const activity_at of [
      "2026-03-28T22:59:59.999Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999Z",
      "2026-03-29T22:00:00.000Z",
    ])
      await acme.post("/activity/call/", { lead_id: id, activity_at });

    const { aggregations } = await acme.post("/report/activity/", { ...calls, relative_range: "yesterday" });
    const { data } = await acme.post("/report/activity/", {
      ...calls,
      type: "overview",
      datetime_range: { start: "2026-03-28", end: "2026-03-31" },
    });

    assert.equal(aggregations.totals["calls.all.all.count"], 2);
    assert.deepEqual(
      data.map((row: any) => [row.datetime, row["calls.all.all.count"]]),
      [
        ["2026-03-27T23:00:00.000Z", 1],
        ["2026-03-28T23:00:00.000Z", 2],
        ["2026-03-29T22:00:00.000Z", 1],
      ],
    );
  });

  test("has the deals won on its days, to the end of February in a leap year", async () => {
    const acme = await organization();
    (await service()).clock.now = new Date("2024-03-10T10:00:00.000Z");
    const { data } = await acme.get("/status/opportunity/?type=won");
    for (const date_won of ["2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01"])
      await acme.opportunity({ status_id: data[0].id, date_won, value: 100 });

    const last = await acme.post("/report/sales/", { relative_range: "last-month" }, { "x-tz-offset": "-8" });
    const all = await acme.post("/report/sales/", { relative_range: "all-time" });

    assert.deepEqual(last.won_by_month, [{ month: "2024-02", count: 2, value: 200, annualized_value: 200 }]);
    assert.deepEqual(
      all.won_by_month.map((row: any) => [row.month, row.count]),
      [
        ["2024-01", 1],
        ["2024-02", 2],
        ["2024-03", 1],
      ],
    );
  });

  test("may reach to the last moment that can be said", async () => {
    const acme = await organization();
    (await service()).clock.now = new Date("2026-02-10T10:00:00.000Z");
    await acme.inside((ctx) => createOpportunity(ctx, { status: "Won", date_won: "9999-12-31", value: 100 }));
    const won = async (start: string | null, end: string | null) =>
      (await acme.post("/report/funnel/", { datetime_range: { start, end } })).won_in_period.value;

    assert.equal(await won("2026-01-01", "9999-12-31T23:59:59.999Z"), 100);
    assert.equal(await won("9999-12-31T00:00:00.001Z", null), 0);
  });

  test("may be said by the older names, and without a bound", async () => {
    const acme = await organization();

    const older = await acme.post("/report/funnel/", { date_start: "2024-02-29", date_end: "2024-03-01T12:00:00Z" });
    const open = await acme.post("/report/funnel/", { datetime_range: { start: "2024-02-29", end: null } });

    assert.deepEqual(older.datetime_range, { start: "2024-02-29T00:00:00.000Z", end: "2024-03-01T12:00:00.000Z" });
    assert.deepEqual(open.datetime_range, { start: "2024-02-29T00:00:00.000Z", end: null });
  });
});

describe("a report refuses", () => {
  const refusals: [string, object, string][] = [
    [
      "both forms of a range",
      { relative_range: "today", datetime_range: { start: "2026-01-01", end: "2026-02-01" } },
      "relative_range",
    ],
    ["a range of two names", { relative_range: "today", date_start: "2026-01-01" }, "relative_range"],
    ["a range it does not know", { relative_range: "this-decade" }, "relative_range"],
    ["a range that ends where it starts", { datetime_range: { start: "2026-01-01", end: "2026-01-01" } }, "datetime_range"],
    ["a day that does not exist", { datetime_range: { start: "2026-02-29", end: "2026-03-01" } }, "datetime_range.start"],
    ["half a range", { datetime_range: { start: "2026-02-28" } }, "datetime_range.end"],
    ["somebody who is no member", { users: ["user_00000000000000000000000000"] }, "users.0"],
    ["a query that says for nothing", { query: { type: "match_all" } }, "query"],
    ["a query for other things", { query: { type: "object_type", object_type: "task" } }, "query"],
    [
      "a query with a field that is none",
      {
        query: {
          type: "and",
          queries: [
            { type: "object_type", object_type: "lead" },
            { type: "field_condition", field: { type: "regular_field", field_name: "nmae" }, condition: { type: "exists" } },
          ],
        },
      },
      "query.queries.1.field.field_name",
    ],
    ["a currency that is none", { currency: "usd" }, "currency"],
  ];
  for (const [what, body, field] of refusals)
    test(what, async () => {
      const acme = await organization();

      for (const path of paths) await acme.refused(400, "POST", path, body, field);
    });

  test("a day that begins before the first year, where the caller is", async () => {
    const acme = await organization();
    const body = { datetime_range: { start: "0001-01-01", end: null } };

    const answers = await Promise.all(paths.map((path) => acme.ask("POST", path, { body, headers: { "x-tz-offset": "14" } })));

    for (const { status, text } of answers) {
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(JSON.parse(text)["field-errors"]), ["datetime_range.start"]);
    }
  });

  test("what it cannot count, and pipelines and members that do not exist", async () => {
    const acme = await organization();

    await acme.refused(400, "POST", "/report/activity/", { metrics: ["calls.all.all.count", "calls.made"] }, "metrics");
    await acme.refused(400, "POST", "/report/activity/", { type: "overview", interval: "hour" }, "interval");
    await acme.refused(
      400,
      "POST",
      "/report/activity/",
      { type: "overview", datetime_range: { start: "0001-01-01", end: "9999-12-31" } },
      "datetime_range",
    );
    for (const path of ["funnel", "opportunity_funnels", "sales", "status_change/opportunity"])
      await acme.refused(400, "POST", `/report/${path}/`, { pipeline_id: "pipe_none" }, "pipeline_id");
    await acme.refused(400, "POST", "/report/sent_emails/", { user_id: "user_none" }, "user_id");
    await acme.refused(
      400,
      "POST",
      "/report/opportunity_funnels/",
      { cohort_relative_range: "today", cohort_datetime_range: { start: null, end: null } },
      "cohort_relative_range",
    );
    await acme.refused(
      400,
      "POST",
      "/report/opportunity_funnels/",
      { relative_range: "today", report_relative_range: "this-month" },
      "relative_range",
    );
  });
});

test("the catalog lists what the activity report counts, a page at a time", async () => {
  const acme = await organization();

  const { metrics, data, has_more } = await acme.get("/report/activity/");
  const page = await acme.get("/report/activity/?_limit=2&_skip=1&_fields=key");
  const report = await acme.post("/report/activity/", { metrics: metrics.map((one: any) => one.key) });

  assert.deepEqual([metrics, has_more], [data, false]);
  assert.deepEqual(page.data, [{ key: "calls.all.all.sum_duration" }, { key: "calls.all.all.avg_duration" }]);
  assert.deepEqual(Object.keys(report.aggregations.totals).sort(), metrics.map((one: any) => one.key).sort());
});

describe("a query narrows a report", () => {
  test("for leads to what belongs to them, for deals to those deals", async () => {
    const acme = await organization();
    (await service()).clock.now = null;
    const [one, other] = [await acme.lead({ name: "Rare" }), await acme.lead({ name: "Common" })];
    for (const lead of [one, other]) {
      await acme.post("/activity/call/", { lead_id: lead.id });
      await acme.opportunity({ lead_id: lead.id, value: lead === one ? 100 : 7000 });
    }
    await acme.opportunity({ lead_id: other.id, value: 200 });
    const rare = {
      query: {
        type: "and",
        queries: [
          { type: "object_type", object_type: "lead" },
          { type: "text", value: "rare" },
        ],
      },
    };
    const small = {
      type: "field_condition",
      field: { type: "regular_field", field_name: "value" },
      condition: { type: "number_range", lt: 150 },
    };
    const cheap = { query: { type: "and", queries: [{ type: "object_type", object_type: "opportunity" }, small] } };

    for (const body of [rare, cheap]) {
      assert.equal((await acme.post("/report/activity/", { ...calls, ...body })).aggregations.totals["calls.all.all.count"], 1);
      assert.deepEqual((await acme.post("/report/funnel/", body)).totals.value, 100);
      assert.deepEqual((await acme.post("/report/sales/", body)).totals.open_value, 100);
      assert.deepEqual((await acme.post("/report/opportunity_funnels/", body)).pipelines[0].totals.count, 1);
      assert.equal((await acme.post("/report/status_change/lead/", body)).status_overview[0].ended, 1);
    }
  });
});

describe("a member who does not see all leads", () => {
  test("is told by every report only of those they see", async () => {
    const acme = await organization();
    const bob = await acme.member("restricteduser");
    const [won] = (await acme.get("/status/opportunity/?type=won")).data;
    const [, potential] = (await acme.get("/status/lead/")).data;
    for (const owner_id of [acme.userId, bob.userId]) {
      const lead = await acme.lead({ owner_id });
      const user_id = bob.userId;
      await acme.post("/activity/call/", { lead_id: lead.id, user_id, duration: 100 });
      await acme.post("/activity/meeting/", { lead_id: lead.id, user_id, title: "Talk", starts_at: new Date().toISOString() });
      await acme.post("/activity/email/", { lead_id: lead.id, user_id, status: "sent", to: ["a@example.com"] });
      const deal = await acme.opportunity({ lead_id: lead.id, user_id, value: 500 });
      await acme.put(`/opportunity/${deal.id}/`, { status_id: won.id });
      await acme.put(`/lead/${lead.id}/`, { status_id: potential.id });
    }

    const reports = Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path, [await acme.post(path), await bob.post(path)]])),
    );

    const seen = (path: string, number: (report: any) => unknown) => reports[`/report/${path}/`].map(number);
    for (const metric of [
      "calls.all.all.count",
      "leads.created.all.count",
      "leads.contacted.all.count",
      "opportunities.won.all.count",
    ])
      assert.deepEqual(
        seen("activity", (one) => one.aggregations.totals[metric]),
        [2, 1],
        metric,
      );
    assert.deepEqual(
      seen("funnel", (one) => one.won_in_period.value),
      [1000, 500],
    );
    assert.deepEqual(
      seen("calls_funnel", (one) => one.funnel.map((row: any) => row.count)),
      [
        [2, 2, 2, 2],
        [1, 1, 1, 1],
      ],
    );
    assert.deepEqual(
      seen("opportunity_funnels", (one) => one.pipelines[0].totals.count),
      [2, 1],
    );
    assert.deepEqual(
      seen("sales", (one) => [one.totals.won_value, one.totals.calls, one.stage_conversion[0].entered]),
      [
        [1000, 2, 2],
        [500, 1, 1],
      ],
    );
    assert.deepEqual(
      seen("status_change/lead", (one) => one.status_transitions[0].count),
      [2, 1],
    );
    assert.deepEqual(
      seen("status_change/opportunity", (one) => one.status_transitions[0].count),
      [2, 1],
    );
    assert.deepEqual(
      seen("sent_emails", (one) => one.sent_email_stats[0].total),
      [2, 1],
    );
  });

  test("gets reports of what was moved from them without it", async () => {
    const acme = await organization();
    const bob = await acme.member("restricteduser");
    const lead = await acme.lead({ owner_id: bob.userId });
    await bob.post("/activity/call/", { lead_id: lead.id });
    const count = async () => (await bob.post("/report/activity/", calls)).aggregations.totals["calls.all.all.count"];

    const before = await count();
    await acme.put(`/lead/${lead.id}/`, { owner_id: acme.userId });

    assert.deepEqual([before, await count()], [1, 0]);
  });
});

test("an organization's reports know nothing of another's, not by its members and groups either", async () => {
  const [acme, other] = [await organization(), await organization()];
  const lead = await other.lead();
  await other.post("/activity/call/", { lead_id: lead.id });
  await other.opportunity({ lead_id: lead.id, value: 100 });

  const activity = await acme.post("/report/activity/");
  const funnel = await acme.post("/report/funnel/");

  assert.ok(Object.values(activity.aggregations.totals).every((number) => number === 0));
  assert.equal(funnel.totals.count, 0);
  await acme.refused(400, "POST", "/report/activity/", { users: [other.userId] }, "users.0");
  await acme.refused(400, "POST", "/report/funnel/", { pipeline_id: (await other.get("/pipeline/")).data[0].id }, "pipeline_id");
});

describe("goals in the sales report", () => {
  test("are those of the range, a longer one before its parts, reached by what was won in their time", async () => {
    const acme = await organization();
    const bob = await acme.member();
    (await service()).clock.now = new Date("2026-05-20T10:00:00.000Z");
    const won = (date_won: string, value: number, user_id: string, value_currency = "USD") =>
      acme.opportunity({ status: "Won", date_won, value, user_id, value_currency });
    for (const [day, value] of [
      ["2026-01-31", 400],
      ["2026-02-01", 50],
      ["2026-04-01", 1000],
      ["2025-12-31", 5],
    ] as const)
      await won(day, value, bob.userId);
    await won("2026-02-02", 7000, bob.userId, "EUR");
    for (const [period, target] of [
      ["2026-Q1", 900],
      ["2026-02", 100],
      ["2026-04", 600],
      ["2027", 5],
    ] as const)
      await acme.post("/goal/", { period, target, user_id: bob.userId });

    const { leaderboard, totals } = await acme.post("/report/sales/");
    const february = await acme.post("/report/sales/", { datetime_range: { start: "2026-02-01", end: "2026-03-01" } });
    await acme.post("/goal/", { period: "2026", target: 2900 });
    const whole = await acme.post("/report/sales/");
    const ofBob = await acme.post("/report/sales/", { users: [bob.userId] });

    const bobs = leaderboard.find((row: any) => row.user_id === bob.userId);
    const nobodys = leaderboard.find((row: any) => row.user_id === acme.userId);
    assert.deepEqual([bobs.won_value, bobs.goal, bobs.goal_progress], [1450, 1500, 0.9667]);
    assert.deepEqual([nobodys.goal, nobodys.goal_progress], [null, null]);
    assert.deepEqual([totals.goal, totals.goal_progress], [1500, 0.9667]);
    assert.deepEqual([february.totals.goal, february.totals.goal_progress], [100, 0.5]);
    assert.deepEqual([whole.totals.goal, whole.totals.goal_progress], [2900, 0.5]);
    assert.deepEqual(ofBob.totals.goal, 1500);
  });
});

test("the sales report has every sequence and automation, with who was enrolled in the range and how that went", async () => {
  const acme = await organization();
  (await service()).clock.now = null;
  const sequence = await acme.post("/sequence/", { name: "Welcome", steps: [{ step_type: "task", text: "Call" }] });
  const automation = await acme.post("/automations/", {
    name: "Follow up",
    trigger: { type: "record.created", config: { object_type: "lead" } },
  });
  for (const email of ["a@example.com", "b@example.com"]) {
    const contact = await acme.contact({ emails: [{ email }] });
    await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id });
  }

  const { workflow_performance } = await acme.post("/report/sales/", { relative_range: "today" });
  const before = await acme.post("/report/sales/", { relative_range: "yesterday" });

  const none = { completed: 0, failed: 0, goals: 0, replies: 0 };
  assert.deepEqual(workflow_performance, [
    { sequence_id: sequence.id, automation_id: null, name: "Welcome", kind: "sequence", runs: 2, ...none },
    { sequence_id: null, automation_id: automation.id, name: "Follow up", kind: "automation", runs: 0, ...none },
  ]);
  assert.deepEqual(
    before.workflow_performance.map((row: any) => row.runs),
    [0, 0],
  );
});

test("sent e-mails are counted for each template, under its name, or the one it had", async () => {
  const acme = await organization();
  (await service()).clock.now = null;
  const lead = await acme.lead();
  const [hello, gone] = [
    await acme.post("/email_template/", { name: "Hello", is_shared: true }),
    await acme.post("/email_template/", { name: "Gone" }),
  ];
  for (const template_id of [hello.id, hello.id, gone.id, null])
    await acme.post("/activity/email/", {
      lead_id: lead.id,
      template_id,
      status: "sent",
      to: ["a@example.com"],
      body_text: "Hi",
    });
  await acme.delete(`/email_template/${gone.id}/`);

  const { sent_email_stats } = await acme.post("/report/sent_emails/");

  assert.deepEqual(
    sent_email_stats.map((row: any) => [row.template_id, row.name, row.is_shared, row.total]),
    [
      [null, "All Emails", null, 4],
      [hello.id, "Hello", true, 2],
      [gone.id, null, null, 1],
    ],
  );
  assert.ok(sent_email_stats[1].template_url.endsWith(`/api/v1/email_template/${hello.id}/`));
});

test("a status that is gone is named as it was, and marked", async () => {
  const acme = await organization();
  const gone = await acme.post("/status/lead/", { label: "Gone" });
  const lead = await acme.lead({ status_id: gone.id });
  const [first] = (await acme.get("/status/lead/")).data;
  await acme.put(`/lead/${lead.id}/`, { status_id: first.id });
  await acme.delete(`/status/lead/${gone.id}/`);

  const { status_overview, status_transitions } = await acme.post("/report/status_change/lead/");

  const row = status_overview.find((one: any) => one.status_id === gone.id);
  assert.deepEqual([row.status_label, row.status_is_deleted, row.entered, row.left, row.ended], ["Gone", true, 1, 1, 0]);
  assert.deepEqual([status_transitions[0].from_status_label, status_transitions[0].from_status_is_deleted], ["Gone", true]);
});

describe("as a table", () => {
  test("a report is answered to who prefers text/csv", async () => {
    const acme = await organization();
    const ask = (accept: string, path = "/report/funnel/", body: object = {}) =>
      acme.ask("POST", path, { body, headers: { accept } });

    const answer = await ask("text/csv");

    assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="funnel.csv"');
    const [header, ...lines] = answer.text.trim().split("\n");
    assert.equal(
      header,
      "pipeline_id,pipeline_name,status_id,label,type,count,value,annualized_value,expected_value,average_confidence",
    );
    assert.equal(lines.length, 3);
    for (const accept of ["*/*", "application/json", "text/csv;q=0", "application/json, text/csv;q=0.5"])
      assert.match((await ask(accept)).headers.get("content-type")!, /json/, accept);
    for (const path of paths) assert.match((await ask("application/json;q=0.1, text/csv", path)).text, /^[\w,.]+\n/, path);
    assert.match(
      (await ask("text/csv", "/report/calls_funnel/", { table: "funnel" })).text,
      /^stage,count,conversion_rate\ndialed,0,0\n/,
    );
    await acme.refused(400, "POST", "/report/calls_funnel/", { table: "everything" }, "table");
  });

  test("a name that looks like a formula is none, and a negative number stays one", async () => {
    const acme = await organization();
    const first = (await acme.get("/status/lead/")).data[0];
    await acme.put(`/status/lead/${first.id}/`, { label: '=HYPERLINK("x"), "y"' });
    const clock = (await service()).clock;
    clock.now = new Date("2026-01-10T10:00:00.000Z");
    const lead = await acme.lead();
    clock.now = new Date("2026-02-10T10:00:00.000Z");
    await acme.put(`/lead/${lead.id}/`, { status_id: (await acme.get("/status/lead/")).data[1].id });

    const { text } = await acme.ask("POST", "/report/status_change/lead/", {
      body: { relative_range: "this-month" },
      headers: { accept: "text/csv" },
    });

    assert.equal(text.split("\n")[1], `${first.id},"'=HYPERLINK(""x""), ""y""",false,1,0,-1,-100,0,1,0,1`);
  });
});
