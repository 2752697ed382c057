import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EventFilter, passes, problemOf } from "./event_filter.ts";

const event = {
  action: "updated",
  lead_id: null,
  changed_fields: ["status_id", "custom.cf_1"],
  data: {
    status_id: "stat_won",
    name: "Acme & Co",
    value: 5,
    "custom.cf_1": ["a", "b"],
    emails: [{ email: "a@b.c" }, { email: "x@y.z" }],
    empty: null,
  },
  previous_data: { status_id: "stat_open" },
};

const at = (field: string, filter: EventFilter): EventFilter => ({ type: "field_accessor", field, filter });
const inData = (field: string, filter: EventFilter): EventFilter => at("data", at(field, filter));

describe("a filter lets an event through", () => {
  const let_through: [string, EventFilter][] = [
    ["that equals a value", inData("status_id", { type: "equals", value: "stat_won" })],
    ["that equals no value when it is absent", inData("nothing", { type: "equals", value: null })],
    ["that differs from a value", inData("value", { type: "not_equals", value: 6 })],
    ["that is null", at("lead_id", { type: "is_null" })],
    ["that has a field", inData("name", { type: "non_null" })],
    ["that has a member in a list", at("changed_fields", { type: "contains", value: "custom.cf_1" })],
    ["that has some words in a text", inData("name", { type: "contains", value: "& Co" })],
    ["that has an object in a list", inData("emails", { type: "contains", value: { email: "x@y.z" } })],
    [
      "of which any element passes",
      inData("emails", { type: "any_array_value", filter: at("email", { type: "contains", value: "@y" }) }),
    ],
    [
      "that passes all",
      {
        type: "and",
        filters: [at("action", { type: "equals", value: "updated" }), inData("value", { type: "equals", value: 5 })],
      },
    ],
    [
      "that passes one",
      {
        type: "or",
        filters: [at("action", { type: "equals", value: "created" }), at("previous_data", at("status_id", { type: "non_null" }))],
      },
    ],
    ["that does not pass", { type: "not", filter: at("action", { type: "equals", value: "created" }) }],
  ];
  for (const [which, filter] of let_through)
    test(which, () => {
      assert.equal(problemOf(filter), null);
      assert.equal(passes(filter, event), true);
      assert.equal(passes({ type: "not", filter }, event), false);
    });
});

test("values are compared by type, and inherited properties are no fields", () => {
  assert.equal(passes(inData("value", { type: "equals", value: "5" }), event), false);
  assert.equal(passes(inData("empty", { type: "non_null" }), event), false);
  assert.equal(passes(inData("constructor", { type: "non_null" }), event), false);
  assert.equal(passes(inData("name", { type: "any_array_value", filter: { type: "non_null" } }), event), false);
  assert.equal(passes(inData("name", { type: "contains", value: 5 }), event), false);
  assert.equal(passes(at("action", at("length", { type: "equals", value: 7 })), event), false);
});

describe("a filter is wrong", () => {
  const wrong: [string, unknown, string][] = [
    ["without a type", {}, "type"],
    ["with what it does not know", { type: "not", filter: { type: "equals", value: 1, valeu: 2 } }, "filter.valeu"],
    ["of an unknown type", { type: "regex", value: "x" }, "type"],
    ["that is no object", "lead", ""],
    ["without filters", { type: "and" }, "filters"],
    ["of no filters", { type: "or", filters: [] }, "filters"],
    ["with a wrong one inside", { type: "or", filters: [{ type: "is_null" }, { type: "equals" }] }, "filters.1.value"],
    ["without a field", { type: "field_accessor", filter: { type: "is_null" } }, "field"],
    ["without what it is not", { type: "not" }, "filter"],
    ["without what it contains", { type: "field_accessor", field: "data", filter: { type: "contains" } }, "filter.value"],
  ];
  for (const [how, filter, place] of wrong) test(how, () => assert.equal(problemOf(filter)?.place.join("."), place));
});
