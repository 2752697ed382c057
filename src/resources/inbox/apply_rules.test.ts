import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { applyRules, type Incoming, isLike, type Rule } from "./apply_rules.ts";
import type { Action, Condition } from "./rule_grammar.ts";

const message = (given: Partial<Incoming> = {}): Incoming => ({
  channel: "email",
  sender: ["Ann@Example.com", "Ann Lee"],
  recipients: ["sales@acme.io"],
  subject: "Invoice 2026-17",
  body: "Please find attached",
  has_attachments: true,
  is_reply: false,
  unknown_sender: false,
  lead_status_id: "stat_1",
  ...given,
});

const rule = (given: Partial<Rule> = {}): Rule => ({
  id: "rule_1",
  is_enabled: true,
  position: 0,
  match: "all",
  conditions: [{ field: "subject", operator: "contains", value: "invoice" }],
  exceptions: [],
  actions: [{ type: "add_tag", value: "billing" }],
  stop_processing: false,
  ...given,
});

const matches = (...conditions: Condition[]) => applyRules([rule({ conditions })], message()).matched.length === 1;

describe("a condition", () => {
  for (const [condition, met] of [
    [{ field: "sender", operator: "equals", value: "ann@example.com" }, true],
    [{ field: "sender", operator: "equals", value: ["bob@example.com", "ANN LEE"] }, true],
    [{ field: "sender", operator: "equals", value: "example.com" }, false],
    [{ field: "sender", operator: "ends_with", value: "@example.com" }, true],
    [{ field: "sender", operator: "not_equals", value: "ann@example.com" }, false],
    [{ field: "recipient", operator: "starts_with", value: "sales@" }, true],
    [{ field: "subject", operator: "not_contains", value: ["offer", "quote"] }, true],
    [{ field: "subject", operator: "matches", value: "invoice ????-*" }, true],
    [{ field: "subject", operator: "matches", value: "invoice ????" }, false],
    [{ field: "body_or_subject", operator: "contains", value: "ATTACHED" }, true],
    [{ field: "body", operator: "exists", value: true }, true],
    [{ field: "body", operator: "exists", value: false }, false],
    [{ field: "has_attachments", operator: "equals", value: true }, true],
    [{ field: "is_reply", operator: "equals", value: false }, true],
    [{ field: "is_reply", operator: "not_equals", value: false }, false],
    [{ field: "unknown_sender", operator: "exists", value: true }, false],
    [{ field: "channel", operator: "equals", value: ["sms", "email"] }, true],
    [{ field: "lead_status_id", operator: "equals", value: "stat_2" }, false],
  ] as [Condition, boolean][])
    test(`${condition.field} ${condition.operator} ${condition.value} is ${met ? "met" : "not met"}`, () => {
      assert.equal(matches(condition), met);
    });
});

test("all conditions, or any of them; never with an exception", () => {
  const [yes, no]: Condition[] = [
    { field: "subject", operator: "contains", value: "invoice" },
    { field: "subject", operator: "contains", value: "offer" },
  ];
  const matched = (given: Partial<Rule>) => applyRules([rule(given)], message()).matched.length === 1;

  assert.equal(matched({ conditions: [yes!, no!] }), false);
  assert.equal(matched({ conditions: [yes!, no!], match: "any" }), true);
  assert.equal(matched({ exceptions: [no!] }), true);
  assert.equal(matched({ exceptions: [yes!, no!] }), false);
});

test("rules are asked by position; the first to say has the say, and tags add up", () => {
  const rules = [
    rule({
      id: "rule_b",
      position: 2,
      actions: [
        { type: "move_to_folder", value: "folder_b" },
        { type: "add_tag", value: "b" },
      ],
    }),
    rule({
      id: "rule_a",
      position: 1,
      actions: [
        { type: "move_to_folder", value: "folder_a" },
        { type: "add_tag", value: "a" },
      ],
    }),
  ];

  const outcome = applyRules(rules, message());

  assert.deepEqual([outcome.matched, outcome.folder_id, outcome.tags], [["rule_a", "rule_b"], "folder_a", ["a", "b"]]);
});

test("a rule that stops is the last, whether it says so itself or by an action", () => {
  const [first, last] = [rule({ id: "rule_1" }), rule({ id: "rule_2", position: 1 })];
  const stop: Action = { type: "stop_processing", value: true };

  assert.deepEqual(applyRules([last, { ...first, stop_processing: true }], message()).matched, ["rule_1"]);
  assert.deepEqual(applyRules([last, { ...first, actions: [stop] }], message()).matched, ["rule_1"]);
});

// --- limits ---

const condition = fc.oneof(
  fc.record({
    field: fc.constantFrom("sender", "recipient", "subject", "body", "body_or_subject"),
    operator: fc.constantFrom("equals", "not_equals", "contains", "not_contains", "starts_with", "ends_with", "matches"),
    value: fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    field: fc.constantFrom("has_attachments", "is_reply", "unknown_sender", "subject", "lead_status_id"),
    operator: fc.constant("exists"),
    value: fc.boolean(),
  }),
) as fc.Arbitrary<Condition>;

const action = fc.oneof(
  fc.record({ type: fc.constantFrom("move_to_folder", "add_tag", "assign_to"), value: fc.string() }),
  fc.record({ type: fc.constantFrom("mark_as_read", "delete", "dismiss", "stop_processing"), value: fc.constant(true) }),
) as fc.Arbitrary<Action>;

const anyRule = fc.record({
  id: fc.uuid(),
  is_enabled: fc.boolean(),
  position: fc.nat(5),
  match: fc.constantFrom("all", "any"),
  conditions: fc.array(condition, { maxLength: 3 }),
  exceptions: fc.array(condition, { maxLength: 2 }),
  actions: fc.array(action, { maxLength: 3 }),
  stop_processing: fc.boolean(),
}) as fc.Arbitrary<Rule>;

const anyMessage = fc.record({
  channel: fc.constantFrom("email", "sms"),
  sender: fc.array(fc.string(), { maxLength: 2 }),
  recipients: fc.array(fc.string(), { maxLength: 2 }),
  subject: fc.string(),
  body: fc.string(),
  has_attachments: fc.boolean(),
  is_reply: fc.boolean(),
  unknown_sender: fc.boolean(),
  lead_status_id: fc.option(fc.string()),
});

const rules = fc.uniqueArray(anyRule, { selector: (one) => one.id, maxLength: 6 });

test("the order rules are handed over in does not matter, and they are left as they are", () => {
  fc.assert(
    fc.property(rules, anyMessage, (all, given) => {
      const before = JSON.stringify(all);
      assert.deepEqual(applyRules(all, given), applyRules([...all].reverse(), given));
      assert.equal(JSON.stringify(all), before);
    }),
  );
});

test("disabled rules, rules without conditions and rules after a stop have no effect", () => {
  fc.assert(
    fc.property(rules, anyMessage, (all, given) => {
      const { matched } = applyRules(all, given);
      const asked = all.filter((one) => one.is_enabled && one.conditions.length > 0);
      assert.ok(matched.every((id) => asked.some((one) => one.id === id)));
      assert.deepEqual(applyRules(asked, given), applyRules(all, given));
      const stops = matched.findIndex((id) => {
        const one = all.find((rule) => rule.id === id)!;
        return one.stop_processing || one.actions.some(({ type }) => type === "stop_processing");
      });
      assert.ok(stops === -1 || stops === matched.length - 1);
    }),
  );
});

test("an exception only ever takes a rule away", () => {
  fc.assert(
    fc.property(anyRule, condition, anyMessage, (one, exception, given) => {
      const with_ = applyRules([{ ...one, exceptions: [...one.exceptions, exception] }], given).matched;
      assert.ok(applyRules([one], given).matched.length >= with_.length);
    }),
  );
});

test("patterns with stars and question marks mean what a regular expression would", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  const patterns = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 6 });
  fc.assert(
    fc.property(texts, patterns, (text, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      assert.equal(isLike(text, pattern), expression.test(text));
    }),
  );
});

test("a hostile pattern takes no longer than text times pattern", () => {
  assert.equal(isLike("a".repeat(20_000), `${"*a".repeat(200)}b`), false);
});
