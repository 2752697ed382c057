// What a count in groups promises: the records that the list shows, no more, and no sums across currencies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("records are counted in groups, with labels, as many as the list shows to the caller", async () => {
  const acme = await organization();
  for (const name of ["Globex", "Initech", "Globex Two"]) await acme.lead({ name });
  const { data: statuses } = await acme.get("/status/lead/");
  const other = statuses.find(({ label }: any) => label === "Qualified");
  await acme.lead({ name: "Umbrella", status_id: other.id });
  const member = await acme.member("restricteduser");
  await member.lead();

  const all = await acme.post("/report/aggregate/", { object_type: "lead", group_by: ["status_id"] });
  const some = await acme.post("/report/aggregate/", { object_type: "lead", filters: { query: "Globex" } });
  const own = await member.post("/report/aggregate/", { object_type: "lead", group_by: ["created_by"] });

  assert.deepEqual(
    all.groups.map((one: any) => [one.status_id_label, one.count]),
    [
      ["Potential", 4],
      ["Qualified", 1],
    ],
  );
  assert.equal(all.groups[1].status_id, other.id);
  assert.deepEqual(some.groups, [{ count: 2 }]);
  assert.deepEqual(own.groups, [{ created_by_label: own.groups[0].created_by_label, created_by: member.userId, count: 1 }]);
});

test("money is summed by its currency, and periods are those of the caller", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  const deal = (value: number, date_won: string, value_currency = "USD") =>
    acme.opportunity({ lead_id, value, value_currency, status: "Won", date_won });
  await deal(1000, "2026-01-03");
  await deal(500, "2026-01-31");
  await deal(70, "2026-02-01");
  await deal(9, "2026-02-01", "EUR");
  const field = await acme.customField("opportunity", { name: "Seats", type: "number" });
  await acme.opportunity({ lead_id, [`custom.${field.id}`]: 12.5 });

  const { groups } = await acme.post("/report/aggregate/", {
    object_type: "opportunity",
    filters: { status_type: "won" },
    group_by: ["date_won__month"],
    sum: ["value"],
    avg: ["value"],
  });
  const seats = await acme.post("/report/aggregate/", { object_type: "opportunity", max: [`custom.${field.id}`] });
  const west = await acme.post(
    "/report/aggregate/",
    { object_type: "opportunity", group_by: ["date_created__year"] },
    { "x-tz-offset": "-4" },
  );

  assert.deepEqual(
    groups.map((one: any) => [one.date_won__month, one.value_currency, one.count, one.sum_value, one.avg_value]).sort(),
    [
      ["2026-01-01", "USD", 2, 1500, 750],
      ["2026-02-01", "EUR", 1, 9, 9],
      ["2026-02-01", "USD", 1, 70, 70],
    ],
  );
  assert.equal(seats.groups.find((one: any) => one.value_currency === "USD")[`max_custom.${field.id}`], 12.5);
  assert.equal(west.groups[0].count, 5);
});

test("what cannot be grouped, summed or filtered is refused with the names that can", async () => {
  const acme = await organization();
  const refused = (body: object, field: string) =>
    acme.refused(400, "POST", "/report/aggregate/", { object_type: "opportunity", ...body }, field);

  await refused({ object_type: "user" }, "object_type");
  const { "field-errors": date } = await refused({ group_by: ["date_created"] }, "group_by.0");
  assert.match(date["group_by.0"], /date_created__month/);
  await refused({ group_by: ["date_created__decade"] }, "group_by.0");
  await refused({ group_by: ["attachments"] }, "group_by.0");
  await refused({ sum: ["note"] }, "sum.0");
  await refused({ filters: { stutus_id: "x" } }, "filters.stutus_id");
  await refused({ filters: { _limit: 3 } }, "filters._limit");
  await refused({ group: ["status_id"] }, "group");
});
