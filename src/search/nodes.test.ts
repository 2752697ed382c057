import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "./nodes.ts";

const conditionOn = (condition: unknown) => ({
  type: "field_condition",
  field: { type: "custom_field", custom_field_id: "cf_1" },
  condition,
});
const reasonsFor = (query: unknown) => readQuery(query).errors;
const read = (query: unknown) => {
  const { query: tree, errors } = readQuery(query);
  assert.deepEqual(errors, null);
  return tree!;
};
const chain = (depth: number): unknown => (depth === 1 ? { type: "match_all" } : { type: "and", queries: [chain(depth - 1)] });

test("the example of the documentation is understood", () => {
  const email = { type: "regular_field", object_type: "contact_email", field_name: "email" };
  const bob = {
    type: "field_condition",
    field: email,
    condition: { type: "text", mode: "beginning_of_words", value: "bob" },
  };
  const related = (from: string, to: string, related_query: unknown) => ({
    type: "has_related",
    this_object_type: from,
    related_object_type: to,
    related_query,
  });

  const tree = read({
    type: "and",
    queries: [
      { type: "object_type", object_type: "lead" },
      conditionOn({ type: "reference", reference_type: "status.lead", object_ids: ["stat_1"] }),
      related("lead", "contact", related("contact", "contact_email", bob)),
      { negate: true, ...conditionOn({ type: "exists" }) },
    ],
  });

  assert.equal(tree.type, "and");
  assert.deepEqual(tree.type === "and" && tree.queries.map(({ negate }) => negate), [false, false, false, true]);
});

test("what may be left out is filled in", () => {
  assert.deepEqual(read({ type: "id", value: "lead_1" }), { type: "id", value: ["lead_1"], negate: false });
  assert.deepEqual(read({ type: "text", value: "a" }), {
    type: "text",
    value: "a",
    mode: "full_words",
    negate: false,
  });
  assert.deepEqual(read({ type: "list", list_id: "llist_1" }), {
    type: "list",
    list_id: "llist_1",
    negate: false,
  });
  assert.deepEqual(read({ type: "tag", value: "vip", negate: true }), {
    type: "tag",
    value: "vip",
    negate: true,
  });
  assert.deepEqual(read({ type: "has_related", related_object_type: "task", related_query: { type: "match_all" } }), {
    type: "has_related",
    negate: false,
    this_object_type: null,
    related_object_type: "task",
    related_query: { type: "match_all", negate: false },
  });
});

test("dates as text become moments: a day is the caller's, `lte` reaches to its end", () => {
  const range = (bounds: object) => {
    const node = read(conditionOn({ type: "moment_range", ...bounds }));
    return node.type === "field_condition" ? node.condition : null;
  };
  const day = (which: "start" | "end") => ({ type: "fixed_local_date", value: "2026-01-31", which });
  const time = (value: string) => ({ type: "fixed_utc", value });

  const whole = range({ gte: "2026-01-31", lte: "2026-01-31" });
  const after = range({ gt: "2026-01-31" });
  const exact = range({ gte: "2026-01-31T09:00:00+02:00", lte: "2026-01-31T09:00" });

  assert.deepEqual(whole, { type: "moment_range", on_or_after: day("start"), before: day("end") });
  assert.deepEqual(after, { type: "moment_range", on_or_after: day("end"), before: null });
  assert.deepEqual(exact, {
    type: "moment_range",
    on_or_after: time("2026-01-31T07:00:00.000Z"),
    before: time("2026-01-31T09:00:00.001Z"),
  });
});

test("every mistake is named with its place", () => {
  const moment = {
    type: "offset",
    direction: "up",
    moment: { type: "soon" },
    offset: { days: -1, hours: 1.5 },
  };
  const errors = reasonsFor({
    type: "and",
    queries: [
      { type: "text", mode: "loud", value: 5 },
      conditionOn({ type: "moment_range", on_or_after: moment, lt: "31.1.2026" }),
      conditionOn({ type: "number_range", gte: "10" }),
      conditionOn({ type: "regex" }),
      { type: "and" },
      { type: "id", value: 5, negate: "yes" },
    ],
  });

  assert.deepEqual(errors, {
    "query.queries.0.value": "must be text",
    "query.queries.0.mode": "must be one of phrase, full_words, beginning_of_words",
    "query.queries.1.condition.on_or_after.direction": "must be one of past, future",
    "query.queries.1.condition.on_or_after.moment.type":
      "must be one of now, offset, fixed_utc, fixed_local_date, start_end_of_predefined_relative_period",
    "query.queries.1.condition.on_or_after.offset.days": "must be 0 or more",
    "query.queries.1.condition.on_or_after.offset.hours": "must be a whole number",
    "query.queries.1.condition.lt": "must be a date or time such as 2026-01-31 or 2026-01-31T09:30:00Z",
    "query.queries.2.condition.gte": "must be a number",
    "query.queries.3.condition.type":
      "must be one of text, term, boolean, exists, reference, current_user, number_range, moment_range",
    "query.queries.4.queries": "is required",
    "query.queries.5.value": "must be an id or a list of ids",
    "query.queries.5.negate": "must be true or false",
  });
});

test("a misspelled member is refused rather than dropped from the question", () => {
  assert.deepEqual(reasonsFor({ type: "text", value: "a", mod: "phrase" }), {
    "query.mod": "is not known here",
  });
});

test("a range without bounds, or with two for one side, is refused", () => {
  const now = { type: "now" };
  assert.deepEqual(reasonsFor(conditionOn({ type: "number_range", gt: null })), {
    "query.condition": "needs gt, gte, lt or lte",
  });
  assert.deepEqual(reasonsFor(conditionOn({ type: "moment_range", before: null })), {
    "query.condition": "needs on_or_after or before",
  });
  assert.deepEqual(reasonsFor(conditionOn({ type: "moment_range", before: now, lte: "2026-01-31" })), {
    "query.condition": "must have only one of before, lt and lte",
  });
});

test("days that no calendar has are refused", () => {
  for (const gte of ["2026-02-30", "2026-13-01", "0000-01-01", "2026-01-31T25:00Z", "yesterday", ""])
    assert.match(reasonsFor(conditionOn({ type: "moment_range", gte }))!["query.condition.gte"]!, /^must be a date/, gte);
});

test("a saved search and what only text queries may hold are refused", () => {
  assert.deepEqual(reasonsFor({ type: "saved_search", saved_search_id: "s_1" }), {
    "query.type": "must be the query itself: saved searches are not kept here",
  });
  assert.match(reasonsFor({ type: "named_field", name: "a", operator: ":", values: [] })!["query.type"]!, /^must be one of/);
});

test("anything but a node is refused by name", () => {
  assert.deepEqual(reasonsFor(undefined), { query: "is required" });
  for (const given of [null, 5, "lead", [], true]) assert.deepEqual(reasonsFor(given), { query: "must be an object" });
  assert.deepEqual(reasonsFor({}), { "query.type": "is required" });
  assert.deepEqual(reasonsFor({ type: "or", queries: [null] }), { "query.queries.0": "must be an object" });
});

test("a query may be 20 deep, hold 500 nodes and 64 KB, and no more", () => {
  const wide = (nodes: number) => ({ type: "or", queries: Array(nodes - 1).fill({ type: "match_all" }) });
  const long = (values: number) => conditionOn({ type: "term", values: Array(values).fill("x".repeat(1_000)) });

  for (const query of [chain(20), wide(500), long(60)]) assert.equal(reasonsFor(query), null);
  assert.deepEqual(reasonsFor(chain(21)), { query: "must be nested at most 20 deep" });
  assert.deepEqual(reasonsFor(chain(1_000)), { query: "must be nested at most 20 deep" });
  assert.deepEqual(reasonsFor(wide(501)), { query: "must have at most 500 nodes" });
  assert.deepEqual(reasonsFor(long(70)), { query: "must be at most 64 KB" });
});
