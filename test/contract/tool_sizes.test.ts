// Every tool answers what an agent can read, however much there is: in a workspace where each record is large, and has many others.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { objectTypesOf } from "../../src/mcp/object_types.ts";
import { tools } from "../../src/mcp/tools.ts";
import { operations } from "../../src/resources/index.ts";
import { type Agent, agentOf } from "../support/agent.ts";
import { organization, type Workspace } from "../support/given.ts";
import { type Subjects, subjects, uses } from "../support/tool_uses.ts";

const sizeMax = 64 * 1024;
const many = (count: number) => Array.from({ length: count }, (_, i) => i);
/** Three bytes for each character. */
const long = (i: number, length: number) => `Globex ${i} ${"営".repeat(length)}`;

let acme: Workspace;
let agent: Agent;
let of: Subjects;
before(async () => {
  acme = await organization();
  agent = await agentOf(acme, { scope: "write_destructive" });
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
  await acme.post("/phone_number/", { number: "+12125551234" });
  of = await subjects(acme);
  await acme.put(`/lead/${of.lead}/`, { name: long(0, 80), description: long(0, 30_000) });
  for (const i of many(40)) await acme.contact({ lead_id: of.lead, name: long(i, 80), title: long(i, 80) });
  for (const i of many(30)) {
    await acme.note({ lead_id: of.lead, note: long(i, 5000) });
    await acme.task({ lead_id: of.lead, text: long(i, 400) });
    await acme.opportunity({ lead_id: of.lead, note: long(i, 5000) });
    await acme.post("/email_template/", { name: long(i, 80), subject: long(i, 80), body: `<p>${long(i, 5000)}</p>` });
    const choices = many(30).map((one) => long(one, 60));
    await acme.post("/custom_field/lead/", { name: long(i, 40), type: "choices", choices, description: long(i, 80) });
  }
});

/** Arguments that ask a tool for as much as it gives; those of `uses` where it has none for that. */
const most: Record<string, () => Record<string, unknown>> = {
  search: () => ({ query: "Globex", limit: 25 }),
  list_records: () => ({ object_type: "activity/note", limit: 200, fields: ["id", "note"] }),
  create_record: () => ({ object_type: "lead", data: { name: "Large", contacts: many(80).map((i) => ({ name: long(i, 80) })) } }),
  aggregate: () => ({ object_type: "task", group_by: ["text"] }),
  complete_tasks: () => ({ ids: many(50).map((i) => `task_${String(i).padStart(26, "0")}`) }),
  delete_record: () => ({ object_type: "lead", id: of.lead, dry_run: true }),
  extract_tasks: () => ({
    text: many(200)
      .map((i) => `Please send me the offer ${i} tomorrow.`)
      .join("\n"),
  }),
};

async function measured(name: string, args: Record<string, unknown>): Promise<void> {
  const { content, structuredContent } = await agent.call(name, args);
  const bytes = Buffer.byteLength(JSON.stringify({ content, structuredContent }));
  assert.ok(bytes <= sizeMax, `${name} ${JSON.stringify(args).slice(0, 100)} answers ${bytes} bytes`);
  assert.ok(!/cursor[^,]{0,400}…\(\+/.test(JSON.stringify(structuredContent)), `${name} cuts a cursor`);
}

test("every tool answers at most 64 KB, and no cursor is cut", async () => {
  for (const { name } of tools) await measured(name, most[name]?.() ?? uses[name]!(of).args);
});

test("every type is listed, read and described in at most 64 KB", async () => {
  const types = objectTypesOf(operations, new Set(tools.flatMap((tool) => tool.operations)));

  for (const { name: object_type, operations: can, parents, resource } of types.values()) {
    await measured("describe_fields", { object_type });
    if (can.list && parents.length === 0) {
      await measured("list_records", { object_type, limit: 200 });
      const { structuredContent } = await agent.call("list_records", { object_type, limit: 1 });
      const [first] = structuredContent.data ?? [];
      if (resource !== null && first !== undefined) await measured("get_record", { object_type, id: first.id });
    }
    if (resource === null && (can.get || can.list)) await measured("get_record", { object_type });
  }
});

test("a tool of a helper takes all that the helper takes, so that advice of its refusals can be followed", () => {
  const asked = new Map([
    ["draft_email", "ai.draft_email"],
    ["extract_tasks", "ai.extract_tasks"],
    ["score_lead", "ai.score_lead"],
    ["search", "ai.search"],
    ["suggest_opportunity", "ai.suggest_opportunity"],
    ["summarize_conversation", "ai.summarize_conversation"],
    ["summarize_lead", "ai.summarize_lead"],
  ]);
  /** What the tool says in another way. */
  const otherwise = new Set([
    "ai.draft_email instructions",
    "ai.score_lead lead_id",
    "ai.search object_type",
    "ai.search _limit",
  ]);

  for (const [name, operation] of asked) {
    const { input } = tools.find((one) => one.name === name)!;
    const { body } = operations.find((one) => one.name === operation)!;
    const missing = Object.keys((body as any).shape).filter(
      (key) => !(key in input.shape) && !otherwise.has(`${operation} ${key}`),
    );
    assert.deepEqual(missing, [], name);
  }
});
