import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("an exact count says what all matches are worth together, whatever the page", async () => {
  const acme = await organization();
  await acme.opportunity({ value: 100, confidence: 50 });
  await acme.opportunity({ value: 300, value_period: "monthly", confidence: 10 });
  await acme.opportunity({ value: 500, value_period: "annual", confidence: 100 });
  await acme.opportunity({ status: "Lost", value: 7000 });
  await acme.opportunity();

  const page = await acme.get("/opportunity/?_count=exact&_limit=1&status_type=active");
  const plain = await acme.get("/opportunity/?_limit=1");

  const { data, has_more, cursor_next, ...totals } = page;
  const sums = {
    total_value_one_time: 100,
    total_value_monthly: 300,
    total_value_annual: 500,
    total_value_annualized: 100 + 3600 + 500,
    expected_value_one_time: 50,
    expected_value_monthly: 30,
    expected_value_annual: 500,
    expected_value_annualized: 50 + 360 + 500,
  };
  assert.equal(data.length, 1);
  assert.equal(has_more, true);
  assert.ok(cursor_next);
  assert.deepEqual(totals, {
    total_results: 4,
    count_by_value_period: { one_time: 2, monthly: 1, annual: 1 },
    currency: "USD",
    ...sums,
    by_currency: { USD: { total_results: 4, ...sums } },
  });
  assert.deepEqual(Object.keys(plain).sort(), ["cursor_next", "data", "has_more"]);
});

test("without a match all totals are zero", async () => {
  const acme = await organization();

  const page = await acme.get("/opportunity/?_count=exact&_limit=0");

  assert.equal(page.total_results, 0);
  assert.equal(page.total_value_annualized, 0);
});

test("no sum adds amounts of different currencies: figures are in the organization's, and each has its own", async () => {
  const acme = await organization();
  const other = await acme.member();
  await acme.opportunity({ value: 1000, confidence: 50 });
  await acme.opportunity({ value: 70, value_currency: "EUR", value_period: "monthly", confidence: 100 });
  await other.opportunity({ value: 5, value_currency: "JPY" });

  const page = await acme.get("/opportunity/?_count=exact&_limit=0");
  const groups = (await acme.get("/opportunity/?_group_by=user_id")).data;

  assert.deepEqual([page.total_results, page.count_by_value_period.monthly], [3, 1]);
  assert.deepEqual([page.currency, page.total_value_one_time, page.total_value_annualized], ["USD", 1000, 1000]);
  assert.deepEqual([page.total_value_monthly, page.expected_value_annualized], [0, 500]);
  assert.deepEqual(Object.keys(page.by_currency), ["EUR", "JPY", "USD"]);
  const { EUR } = page.by_currency;
  assert.deepEqual([EUR.total_results, EUR.total_value_monthly, EUR.expected_value_annualized], [1, 70, 840]);
  const [mine, theirs] = [acme, other].map(({ userId }) => groups.find((one: any) => one.key === userId));
  assert.deepEqual([mine.total_value_one_time, mine.by_currency.EUR.total_value_monthly], [1000, 70]);
  assert.deepEqual([theirs.total_value_one_time, theirs.by_currency.JPY.total_value_one_time], [0, 5]);
});

test("groups by user have their own totals and objects; deals of nobody come last", async () => {
  const acme = await organization();
  const other = await acme.member();
  const mine = [await acme.opportunity({ value: 1 }), await acme.opportunity({ value: 2 })];
  const theirs = await other.opportunity({ value: 5 });
  const nobodys = await acme.opportunity({ user_id: null });

  const { data, has_more } = await acme.get("/opportunity/?_group_by=user_id&_order_by=value");

  const [last] = data.splice(-1);
  const own = data.find((group: any) => group.key === acme.userId);
  const others = data.find((group: any) => group.key === other.userId);
  assert.equal(has_more, false);
  assert.deepEqual(
    own.objects.map((one: any) => one.id),
    mine.map((one) => one.id),
  );
  assert.deepEqual([own.total_results, own.total_value_one_time], [2, 3]);
  assert.deepEqual(own.objects[0], await acme.get(`/opportunity/${mine[0].id}/`));
  assert.deepEqual(
    others.objects.map((one: any) => one.id),
    [theirs.id],
  );
  assert.equal(last.key, null);
  assert.deepEqual(
    last.objects.map((one: any) => one.id),
    [nobodys.id],
  );
});

test("groups by the day of winning are weeks, months, quarters or years, in the order of the list", async () => {
  const acme = await organization();
  for (const date_won of ["2025-12-29", "2026-01-01", "2026-03-31", "2026-04-01"])
    await acme.opportunity({ status: "Won", date_won });
  const groups = async (by: string, order = "-date_won") =>
    (await acme.get(`/opportunity/?_group_by=${by}&_order_by=${order}`)).data.map(({ objects: _, ...group }: any) => group);
  const keys = (found: any[]) => found.map((group) => `${group.key}:${group.total_results}`);

  const months = await groups("date_won__month");
  const quarters = await groups("date_won__quarter", "date_won");
  const weeks = await groups("date_won__week", "date_won");
  const years = await groups("date_won__year");

  assert.deepEqual(keys(months), ["2026-04:1", "2026-03:1", "2026-01:1", "2025-12:1"]);
  assert.deepEqual([months[0].year, months[0].month], [2026, 4]);
  assert.deepEqual(keys(quarters), ["2025-Q4:1", "2026-Q1:2", "2026-Q2:1"]);
  assert.deepEqual([quarters[1].year, quarters[1].quarter], [2026, 1]);
  assert.deepEqual(keys(weeks), ["2026-W01:2", "2026-W14:2"]);
  assert.deepEqual([weeks[0].year, weeks[0].week], [2026, 1]);
  assert.deepEqual(keys(years), ["2026:3", "2025:1"]);
});

test("groups are passed over by _skip, trimmed, and take the list's filters", async () => {
  const acme = await organization();
  for (const month of ["01", "02", "03"]) await acme.opportunity({ status: "Won", date_won: `2026-${month}-15`, value: 10 });
  await acme.opportunity({ value: 10 });
  const path = "/opportunity/?_group_by=date_won__month&status_type=won&_order_by=date_won&_fields=date_won";

  const page = await acme.get(`${path}&_skip=1&_count=exact`);
  const none = await acme.get(`${path}&_limit=0`);

  assert.deepEqual(
    page.data.map((group: any) => [group.key, group.objects, group.has_more]),
    ["02", "03"].map((month) => [`2026-${month}`, [{ date_won: `2026-${month}-15` }], false]),
  );
  assert.equal(page.has_more, false);
  assert.deepEqual([page.total_results, page.total_value_one_time], [3, 30]);
  assert.deepEqual(
    none.data.map((group: any) => [group.total_results, group.objects, group.has_more, group.cursor_next]),
    [1, 2, 3].map(() => [1, [], true, undefined]),
  );
  await acme.refused(400, "GET", "/opportunity/?_group_by=value", undefined, "_group_by");
  await acme.refused(400, "GET", "/opportunity/?_group_by=user_id&_expand=lead", undefined, "_expand");
});

for (const order of ["value", "-value", "expected_close_date", "-expected_close_date", "-expected_close_date,value", "user_name"])
  test(`each group is paged by its own cursor, by ${order}, and keeps its sums`, async () => {
    const acme = await organization();
    const other = await acme.member();
    const lead_id = (await acme.lead()).id;
    for (let i = 0; i < 7; i++) {
      const expected_close_date = i % 3 === 0 ? null : `2026-0${1 + (i % 4)}-01`;
      const value = i === 5 ? null : (i * 7) % 4;
      await acme.opportunity({ lead_id, value, expected_close_date, user_id: i % 2 === 0 ? acme.userId : other.userId });
    }
    const whole = (await acme.get(`/opportunity/?_order_by=${order}`)).data;
    const path = `/opportunity/?_group_by=user_id&_order_by=${order}&_limit=2`;

    const { data } = await acme.get(path);

    assert.equal(data.length, 2);
    for (const first of data) {
      const found = [...first.objects];
      for (let group = first; group.has_more; ) {
        const page = await acme.get(`${path}&_cursor=${group.cursor_next}`);
        assert.equal(page.data.length, 1);
        group = page.data[0];
        assert.equal(group.key, first.key);
        assert.ok(group.objects.length <= 2);
        assert.deepEqual([group.total_results, group.total_value_one_time], [first.total_results, first.total_value_one_time]);
        found.push(...group.objects);
      }
      const expected = whole.filter((one: any) => one.user_id === first.key);
      assert.deepEqual(
        found.map((one) => one.id),
        expected.map((one: any) => one.id),
      );
      assert.equal(first.total_results, expected.length);
    }
  });

test("a group's cursor is bound to the groups, the filters and the order", async () => {
  const acme = await organization();
  const lead_id = (await acme.lead()).id;
  for (let i = 0; i < 2; i++) await acme.opportunity({ lead_id });
  const path = "/opportunity/?_group_by=user_id&_limit=1";
  const [{ cursor_next }] = (await acme.get(path)).data;

  for (const wrong of [
    "/opportunity/?_group_by=user_id&_cursor=x",
    `${path}&_order_by=value&_cursor=${cursor_next}`,
    `${path}&value__gt=1&_cursor=${cursor_next}`,
    `/opportunity/?_group_by=date_won__year&_limit=1&_cursor=${cursor_next}`,
    `/opportunity/?_limit=1&_cursor=${cursor_next}`,
  ])
    await acme.refused(400, "GET", wrong, undefined, "_cursor");
  await acme.refused(400, "GET", `${path}&_skip=1&_cursor=${cursor_next}`, undefined, "_skip");
});

test("a group tells how many it has and brings a hundred along where no limit is given", async () => {
  const acme = await organization();
  const lead_id = (await acme.lead()).id;
  for (let i = 0; i < 110; i += 10) await Promise.all(Array.from({ length: 10 }, () => acme.opportunity({ lead_id })));

  const [group] = (await acme.get("/opportunity/?_group_by=user_id&_fields=id")).data;

  assert.equal(group.total_results, 110);
  assert.equal(group.objects.length, 100);
});
