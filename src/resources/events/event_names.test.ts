import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Field } from "../../core/field.ts";
import { buildRegistry } from "../../core/registry.ts";
import type { Resource } from "../../core/resource.ts";
import { operations, silentResources } from "../index.ts";
import { eventCatalog, eventPattern, matchesEvent, unknownEvent } from "./event_names.ts";

test("every kind of record that leaves events is in the catalog", () => {
  const { resources } = buildRegistry(operations, silentResources);

  for (const of of resources) {
    for (const type of objectTypes(of)) {
      assert.ok(eventCatalog.has(type), `${of.name} leaves events of ${type}: add it to event_names.ts`);
      for (const action of ["created", "updated", "deleted"]) assert.ok(eventPattern(`${type}.${action}`), `${type}.${action}`);
    }
  }
});

// What the function that names events returns for every value of every choice field.
function objectTypes(of: Resource): string[] {
  if (of.event === null || of.kinds !== undefined) return [];
  const rows: Record<string, unknown>[] = [{}];
  for (const [key, field] of of.columns as readonly [string, Field][]) {
    for (const option of (field.schema as { options?: string[] }).options ?? []) rows.push({ [key]: option });
  }
  return [...new Set(rows.flatMap((row) => of.event!(row) ?? []))].filter((type) => !/undefined|null/.test(type));
}

test("every action that is emitted anywhere is one of the catalog", () => {
  const actions = new Set([...eventCatalog.values()].flat());

  for (const file of globSync("src/resources/**/*.ts", { exclude: ["**/*.test.ts"] })) {
    for (const [, action] of readFileSync(file, "utf8").matchAll(/emit\([^;]*?action: "(\w+)"/g))
      assert.ok(actions.has(action!), `${file} emits ${action}, which no object type in event_names.ts has`);
  }
});

describe("a name", () => {
  const known = [
    "lead.created",
    "lead.updated",
    "opportunity.status_updated",
    "task.call.completed",
    "activity.email.sent",
    "activity.email.bounced",
    "email.replied",
    "sms.failed",
    "channel_message.received",
    "task.overdue",
    "task.call.overdue",
    "opportunity.won",
    "opportunity.lost",
    "sequence_subscription.step_done",
    "sequence_subscription.goal",
    "sequence_subscription.failed",
    "bulk_action.edit.completed",
    "*",
    "lead.*",
    "task.*",
    "activity.*",
    "activity.note.*",
    "task.completed",
    "note.created",
    "email.sent",
    "meeting.scheduled",
    "note.*",
    "custom.order_ready",
    "custom.*",
  ];
  for (const name of known) test(`${name} is one`, () => assert.ok(eventPattern(name)));

  const unknown = [
    "",
    "lead",
    "lead.exploded",
    "custom.Order ready",
    "custom",
    "Lead.Created",
    "lead.created ",
    "*.created",
    "lead*",
    ".*",
    "lead..*",
    "task.call.exploded",
    "webhook.created",
    "api_key.created",
    "activity.activity.note.created",
    "constructor.created",
    "lead.created.*",
  ];
  for (const name of unknown) test(`${JSON.stringify(name)} is none`, () => assert.equal(eventPattern(name), null));

  test("that is nearly one is told which", () => assert.match(unknownEvent("lead.craeted"), /did you mean lead.created\?/));
});

describe("what is subscribed to", () => {
  const matching: [string, string, boolean][] = [
    ["*", "anything.at.all", true],
    ["lead.*", "lead.created", true],
    ["lead.*", "lead_status.created", false],
    ["lead.*", "lead_tag.created", false],
    ["activity.*", "activity.note.created", true],
    ["task.*", "task.call.completed", true],
    ["task.completed", "task.call.completed", true],
    ["task.overdue", "task.lead.overdue", true],
    ["email.replied", "activity.email.replied", true],
    ["task.completed", "task.call.updated", false],
    ["task.updated", "project_task.updated", false],
    ["note.created", "activity.note.created", true],
    ["email.*", "activity.email.sent", true],
    ["email.*", "activity.email_thread.created", false],
    ["lead.updated", "lead.status_updated", false],
  ];
  for (const [given, event, matches] of matching)
    test(`${given} ${matches ? "is" : "is not"} told of ${event}`, () =>
      assert.equal(matchesEvent(eventPattern(given)!, event), matches));
});
