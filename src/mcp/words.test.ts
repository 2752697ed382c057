// What tools say of what they take and would do, so that an agent need not guess.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Agent, agentOf } from "../../test/support/agent.ts";
import { organization, type Workspace } from "../../test/support/given.ts";

let acme: Workspace;
let agent: Agent;
let lead: any;
before(async () => {
  acme = await organization();
  agent = await agentOf(acme, { scope: "write_safe" });
  lead = await acme.lead({ name: "Globex" });
});

describe("a tool", () => {
  test("that completes several tasks shows with dry_run what other tools show", async () => {
    const tasks = [await acme.task({ lead_id: lead.id }), await acme.task({ lead_id: lead.id })].map(({ id }) => id);
    const gone = "task_00000000000000000000000000";

    const { structuredContent: tried } = await agent.call("complete_tasks", { ids: [...tasks, gone], dry_run: true });

    assert.deepEqual([tried.dry_run, tried.status, tried.n_records >= 2], [true, 200, true]);
    assert.deepEqual([tried.done, tried.failed.map(({ id }: any) => id)], [tasks, [gone]]);
    const changed = new Set(
      tried.events.filter(({ action }: any) => action === "updated").map(({ object_id }: any) => object_id),
    );
    assert.ok(tasks.every((id) => changed.has(id)));
    assert.equal((await acme.get(`/task/${tasks[0]}/`)).is_complete, false);
  });

  test("refuses what its arguments and its data say differently", async () => {
    const contact = await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@client.example" }] });
    const calls: [string, object, string][] = [
      ["log_activity", { type: "call", lead_id: lead.id, data: { lead_id: "lead_x" } }, "data.lead_id"],
      ["log_activity", { type: "meeting", lead_id: lead.id, note: "a", data: { user_note: "b" } }, "data.user_note"],
      ["send_email", { contact_id: contact.id, subject: "a", data: { subject: "b", status: "draft" } }, "data.subject"],
      ["send_email", { contact_id: contact.id, subject: "a", data: { status: "draft" } }, "data.status"],
      [
        "enroll_in_sequence",
        { sequence_id: "seq_a", contact_id: contact.id, data: { sequence_id: "seq_b" } },
        "data.sequence_id",
      ],
    ];

    for (const [name, args, place] of calls) {
      const { isError, structuredContent } = await agent.call(name, args as Record<string, unknown>);
      assert.ok(isError && place in structuredContent["field-errors"], `${name}: ${JSON.stringify(structuredContent)}`);
    }
    const { isError } = await agent.call("log_activity", { type: "call", lead_id: lead.id, data: { lead_id: lead.id } });
    assert.equal(isError, undefined);
  });

  test("describes what lists and objects are made of, as they can be sent", async () => {
    const { structuredContent } = await agent.call("describe_fields", { object_type: "lead" });
    const shapes = Object.fromEntries(structuredContent.fields.map(({ name, shape }: any) => [name, shape]));

    assert.match(shapes.emails, /^\[\{email: string, type\?: [\w|]+\}\]$/);
    assert.match(shapes.phones, /^\[\{phone: string, type\?: [\w|]+\}\]$/);
    assert.match(shapes.addresses, /city\?: string/);
    assert.equal(shapes.name, undefined);
  });

  test("names object types in whole words", async () => {
    const { structuredContent } = await agent.call("list_object_types");
    const docs = Object.values<string>(structuredContent.types).concat(Object.values(structuredContent.actions));

    assert.ok(docs.some((one) => one.endsWith(" …")));
    for (const one of docs) assert.ok(one.length <= 102 && !/\w\w-?$/.test(one.slice(100)), one);
    assert.match(structuredContent.types.lead, /^list get create update delete: /);
  });
});
