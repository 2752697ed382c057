// History can be imported: past events keep their dates, and appear at the right place.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildRegistry } from "../../src/core/registry.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations, silentResources } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, listedByRecord, minimalBody, verbsOf } from "../support/samples.ts";

buildRegistry(operations, silentResources);

const dated = createdResources(operations).filter((of: Resource) => of.fields.date_created.mode === "create");

test("contacts, deals, tasks, projects, quotes, conversations, comments, custom objects and activities may be older than the day they come in", () => {
  const names = dated.map(({ name }) => name);

  const known = ["lead", "contact", "opportunity", "task", "comment", "custom_object", "activity_note", "activity_call"];
  for (const name of [...known, "project", "project_task", "quote", "conversation"]) assert.ok(names.includes(name), name);
});

for (const of of dated) {
  describe(of.name, () => {
    test("takes the date it was created on, keeps it, and is listed by it", async () => {
      const acme = await organization();
      const path = await collectionPath(acme, of);
      const date_created = "2019-05-04T10:00:00.000Z";

      const made = await acme.post(path, { ...(await minimalBody(acme, of)), date_created });

      assert.equal(made.date_created, date_created);
      assert.ok(made.date_updated > date_created);
      if (verbsOf(operations, of).update) {
        await acme.put(`${path}${made.id}/`, { date_created });
        await acme.refused(400, "PUT", `${path}${made.id}/`, { date_created: "2020-01-01T00:00:00Z" }, "date_created");
      }
      if (listedByRecord.has(of.name)) return;
      const found = async (query: string) => (await acme.get(`${path}?${query}`)).data.map((one: any) => one.id);
      assert.ok((await found("date_created__lt=2019-05-05")).includes(made.id));
      assert.ok(!(await found("date_created__gte=2019-05-05")).includes(made.id));
      assert.equal((await found("_order_by=date_created"))[0], made.id);
    });

    test("refuses a date ahead of the clock and one of another age", async () => {
      const acme = await organization();
      const path = await collectionPath(acme, of);
      const body = await minimalBody(acme, of);

      for (const date_created of [new Date(Date.now() + 86_400_000).toISOString(), "9999-01-01", "0150-01-01", "1899-12-31"])
        await acme.refused(400, "POST", path, { ...body, date_created }, "date_created");
    });
  });
}

// --- three years of a sales team ---

const leads = 180;
const months = Array.from({ length: 36 }, (_, i) => `${2023 + Math.floor(i / 12)}-${String(1 + (i % 12)).padStart(2, "0")}`);
const monthOf = (i: number) => months[i % months.length]!;

/** A lead that was worked on from the 3rd to the 20th of its month. */
async function bringIn(acme: Workspace, i: number): Promise<void> {
  const month = monthOf(i);
  const on = (day: string) => ({ date_created: `${month}-${day}T09:00:00.000Z` });
  const { id: lead_id } = await acme.post("/lead/", { name: `Old ${i}`, ...on("03") });
  const outcome =
    i % 2 === 0 ? { status: "Won", date_won: `${month}-20` } : { status: "Lost", date_lost: `${month}-20T12:00:00.000Z` };
  await acme.post("/contact/", { lead_id, name: `Person ${i}`, ...on("04") });
  await acme.post("/opportunity/", { lead_id, value: 100 + i, ...outcome, ...on("05") });
  await acme.post("/task/", {
    lead_id,
    text: "Send the offer",
    date: `${month}-10`,
    is_complete: true,
    date_completed: `${month}-11T08:00:00.000Z`,
    ...on("06"),
  });
  await acme.post("/activity/note/", { lead_id, note: "They like it", ...on("07") });
  await acme.post("/activity/call/", { lead_id, duration: 60, ...on("08") });
  await acme.post("/activity/email/", { lead_id, status: "sent", subject: "Offer", ...on("09") });
}

test("180 leads with three years of history come in with their dates, and lists, reports and the stream show them there", async () => {
  const acme = await organization();
  for (let i = 0; i < leads; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => bringIn(acme, i + j)));
  const here = (month: string) => Array.from({ length: leads }, (_, i) => i).filter((i) => monthOf(i) === month);
  const range = (month: string) => `date_created__gte=${month}-01&date_created__lt=${month}-28`;

  for (const month of ["2023-01", "2024-06", "2025-12"]) {
    for (const path of ["lead", "contact", "opportunity", "task", "activity/note", "activity/call", "activity/email"]) {
      const page = await acme.get(`/${path}/?${range(month)}&_count=exact&_limit=0${path === "task" ? "&_type=all" : ""}`);
      assert.equal(page.total_results, here(month).length, `${path} in ${month}`);
    }
    const won = await acme.get(`/opportunity/?date_won__gte=${month}-01&date_won__lte=${month}-28&_count=exact`);
    assert.equal(won.total_results, here(month).filter((i) => i % 2 === 0).length);
    const done = await acme.get(`/activity/task_completed/?${range(month)}&_count=exact`);
    assert.ok(done.data.every((one: any) => one.activity_at === `${month}-11T08:00:00.000Z`));
    assert.equal(done.total_results, here(month).length);
  }

  const newest = (await acme.get("/lead/?_limit=200")).data.map((one: any) => one.date_created);
  const named = (await acme.all("/lead/?query=old&_limit=200")).map((one: any) => one.date_created);
  assert.deepEqual(newest, newest.toSorted().reverse());
  assert.equal(named.length, leads);
  assert.deepEqual(named, named.toSorted().reverse());
  await checkReports(acme, here);
  await checkStream(acme);
});

async function checkReports(acme: Workspace, here: (month: string) => number[]): Promise<void> {
  const span = { datetime_range: { start: "2023-01-01T00:00:00Z", end: "2026-01-01T00:00:00Z" } };
  const [sales, funnels, activity] = await Promise.all([
    acme.post("/report/sales/", span),
    acme.post("/report/opportunity_funnels/", span),
    acme.post("/report/activity/", { ...span, type: "overview", interval: "month" }),
  ]);

  assert.deepEqual(
    sales.won_by_month.map((row: any) => [row.month, row.count, row.value]),
    months.map((month) => {
      const won = here(month).filter((i) => i % 2 === 0);
      return [month, won.length, won.reduce((sum, i) => sum + 100 + i, 0)];
    }),
  );
  const fromTheFifthAtNineToTheTwentieth = (14 * 24 + 15) * 3600;
  assert.equal(funnels.pipelines[0].totals.average_time_to_win, fromTheFifthAtNineToTheTwentieth);
  for (const row of activity.data) {
    const all = here(row.datetime.slice(0, 7)).length;
    const lost = here(row.datetime.slice(0, 7)).filter((i) => i % 2 === 1).length;
    const counted = ["leads.created", "notes.created", "calls.all", "emails.sent", "tasks.completed", "opportunities.created"];
    for (const key of counted) assert.equal(row[`${key}.all.count`], all, `${key} in ${row.datetime}`);
    assert.equal(row["opportunities.lost.all.count"], lost);
  }
}

async function checkStream(acme: Workspace): Promise<void> {
  const [lead] = (await acme.get(`/lead/?date_created__gte=2024-06-01&_order_by=date_created&_limit=1`)).data;

  for (const order of ["", "&_order_by=-activity_at"]) {
    const { data } = await acme.get(`/activity/?lead_id=${lead.id}${order}`);
    assert.deepEqual(
      data.map((one: any) => [one._type, one.date_created.slice(0, 10), one.activity_at.slice(0, 10)]),
      [
        ["TaskCompleted", "2024-06-11", "2024-06-11"],
        ["Email", "2024-06-09", "2024-06-09"],
        ["Call", "2024-06-08", "2024-06-08"],
        ["Note", "2024-06-07", "2024-06-07"],
        ["Created", "2024-06-03", "2024-06-03"],
      ],
    );
  }
}

// --- states and their dates ---

test("a deal says when it was won or lost, where that fits its status", async () => {
  const acme = await organization();
  const lost = await acme.opportunity({ status: "Lost", date_lost: "2024-02-03T00:00:00Z" });
  const path = `/opportunity/${lost.id}/`;

  assert.equal(lost.date_lost, "2024-02-03T00:00:00.000Z");
  assert.equal((await acme.put(path, { date_lost: "2024-03-04T00:00:00Z" })).date_lost, "2024-03-04T00:00:00.000Z");
  await acme.refused(400, "PUT", path, { date_lost: null }, "date_lost");
  await acme.refused(400, "PUT", path, { date_lost: "2999-01-01T00:00:00Z" }, "date_lost");
  const open = await acme.put(path, {
    ...lost,
    status_id: (await acme.opportunity()).status_id,
    date_lost: "2024-03-04T00:00:00.000Z",
  });
  assert.equal(open.date_lost, null);
  await acme.refused(400, "PUT", path, { date_lost: "2024-03-04T00:00:00Z" }, "date_lost");
  await acme.refused(400, "POST", "/opportunity/", { date_lost: "2024-03-04T00:00:00Z" }, "date_lost");
  const won = await acme.put(path, { status: "Won", date_won: "2024-05-06" });
  assert.equal(won.date_won, "2024-05-06");
  await acme.refused(400, "PUT", path, { date_won: "2999-01-01" }, "date_won");
  await acme.refused(400, "POST", "/opportunity/", { status: "Won", date_won: "0024-01-01" }, "date_won");
});

test("what comes in as won, lost or done without its date became it when it was created", async () => {
  const acme = await organization();
  const date_created = "2022-02-03T10:00:00.000Z";

  const won = await acme.opportunity({ status: "Won", date_created });
  const lost = await acme.opportunity({ status: "Lost", date_created });
  const task = await acme.task({ is_complete: true, date_created });

  assert.deepEqual([won.date_won, lost.date_lost, task.date_completed], ["2022-02-03", date_created, date_created]);
  assert.equal((await acme.get(`/lead/${won.lead_id}/`)).date_created, date_created);
});

/** Records that end, and the body that ends them. */
const ending = [
  ["opportunity", { status: "Won" }, "date_won"],
  ["opportunity", { status: "Lost" }, "date_lost"],
  ["task", { is_complete: true }, "date_completed"],
  ["project", { status: "completed" }, "date_completed"],
  ["project_task", { is_complete: true }, "date_completed"],
] as const;

for (const [name, ended, key] of ending) {
  const of = dated.find((one) => one.name === name)!;
  test(`the ${key} of ${name} lies in its time, and is that of its beginning where nothing is said`, async () => {
    const acme = await organization();
    const path = await collectionPath(acme, of);
    const create = async (more: object) => acme.post(path, { ...(await minimalBody(acme, of)), ...ended, ...more });
    const date_created = "2022-02-03T10:00:00.000Z";
    const shown = (moment: string) => (key === "date_won" ? moment.slice(0, 10) : moment);
    const early = key === "date_won" ? "2022-02-01" : "2022-02-03T09:59:59.000Z";

    const body = { ...(await minimalBody(acme, of)), ...ended, date_created, [key]: early };
    const { "field-errors": reasons } = await acme.refused(400, "POST", path, body, key);
    assert.match(reasons[key], /is before date_created/);
    assert.equal((await create({ date_created }))[key], shown(date_created));
    assert.equal((await create({ date_created, [key]: shown(date_created) }))[key], shown(date_created));
    assert.equal((await create({ [key]: early }))[key], early);
  });
}

test("a task says when it was done, and its line in the lead's history stands there", async () => {
  const acme = await organization();
  const task = await acme.task({ is_complete: true, date_completed: "2024-02-03T10:00:00.000Z" });
  const path = `/task/${task.id}/`;
  const noted = async () =>
    (await acme.get(`/activity/task_completed/?lead_id=${task.lead_id}`)).data.map((one: any) => one.activity_at);

  assert.deepEqual(await noted(), ["2024-02-03T10:00:00.000Z"]);
  await acme.put(path, { date_completed: "2024-02-04T10:00:00.000Z" });
  assert.deepEqual(await noted(), ["2024-02-04T10:00:00.000Z"]);
  const open = await acme.put(path, { ...task, is_complete: false, date_completed: "2024-02-04T10:00:00.000Z" });
  assert.deepEqual([open.date_completed, open.completed_by, await noted()], [null, null, []]);
  await acme.refused(400, "PUT", path, { date_completed: "2024-02-04T10:00:00.000Z" }, "date_completed");
  const again = await acme.put(path, { ...open, is_complete: true, date_completed: null });
  assert.ok(again.date_completed > "2024-02-04");
  await acme.refused(400, "PUT", path, { date_completed: null }, "date_completed");
});

test("what was read of old records can be created again", async () => {
  const acme = await organization();
  const date_created = "2022-02-03T10:00:00.000Z";
  const lead = await acme.lead({ date_created });
  const kept = ["date_created", "date_won", "date_lost", "date_completed"];
  const old: [string, any][] = [
    ["/contact/", await acme.contact({ lead_id: lead.id, date_created })],
    ["/opportunity/", await acme.opportunity({ lead_id: lead.id, status: "Lost", date_created })],
    ["/opportunity/", await acme.opportunity({ lead_id: lead.id, status: "Won", date_created })],
    ["/task/", await acme.task({ lead_id: lead.id, is_complete: true, date_created })],
    ["/activity/note/", await acme.note({ lead_id: lead.id, date_created })],
  ];

  for (const [path, record] of old) {
    const { status_label: _, ...body } = record;
    const again = await acme.post(path, body);
    for (const key of kept) assert.equal(again[key], record[key], `${key} of ${path}`);
  }
});
