// What agents can reach: neither identity nor administration nor secrets, and of some areas only what is read. Every address of the
// service is in exactly one of these lists, so that nobody offers a new one to agents without having thought of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "../../src/core/operation.ts";
import { operations } from "../../src/resources/index.ts";

const words = (text: string): string[] => text.split(/\s+/);

/** By the first part of their paths. */
const prefixes = {
  absent:
    words(`agent_call api_key budget connected_account credentials erasure me membership oauth_app organization organization_export role send_as user
    webhook`),
  read: words("event group phone_number port"),
  offered: words(`activity ai automation automation_condition_types automation_events automation_runs automation_schema
    automation_step_types automation_trigger_types automations bulk_action change_set comment comment_thread
    contact contact_list contact_tag conversation custom_activity custom_field custom_field_schema custom_object
    custom_object_type data dialer email_template enrichment export file file_subtype goal import inbox_folder
    inbox_prospect inbox_rule lead lead_list lead_tag mailing_export notification opportunity pipeline product
    project project_task quote report sequence sequence_subscription sms_template status task`),
};

/** Of what is offered: secrets, files and streams, which are nothing for a tool. */
const withheld = [
  "automations.rotate_secret",
  "bulk_action_item.list",
  "contact.erase",
  "contact_list.copy_from_named_source",
  "custom_field.delete",
  "dialer.token",
  "event.stream",
  "export.download",
  "file.download",
  "import.errors",
  "mailing_export.create",
];

const prefixOf = ({ path }: Operation): string => path.split("/")[1]!;
const below = (name: string) => operations.filter((one) => prefixOf(one) === name);
const named = (those: readonly { name: string }[]) => those.map(({ name }) => name);

test("every address of the service is in exactly one list of what agents can reach", () => {
  const listed = Object.values(prefixes).flat();

  assert.deepEqual(listed.toSorted(), [...new Set(operations.map(prefixOf))].toSorted());
});

test("agents have no operation of identity and administration, nor of anything below it", () => {
  const offered = prefixes.absent.flatMap(below).filter(({ mcp }) => mcp);

  assert.deepEqual(named(offered), []);
});

test("agents read groups, numbers, ports and events, and change nothing of them", () => {
  for (const name of prefixes.read) {
    const offered = below(name).filter(({ mcp }) => mcp);
    assert.ok(named(offered).includes(`${name}.list`), `the list of ${name} is offered`);
    assert.deepEqual(named(offered.filter(({ method }) => method !== "GET")), []);
  }
});

test("of everything else agents have all but what is named here", () => {
  const missing = [...prefixes.offered, ...prefixes.read].flatMap(below).filter(({ mcp }) => !mcp);

  const isWithheld = ({ name }: Operation) => withheld.includes(name);
  assert.deepEqual(named(missing.filter(isWithheld)).toSorted(), withheld);
  assert.ok(missing.every((one) => isWithheld(one) || prefixes.read.includes(prefixOf(one))));
});
