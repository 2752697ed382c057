// Whatever a tool finds, an agent can read its answer, and read on.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Agent, agentOf } from "../../test/support/agent.ts";
import { organization, type Workspace } from "../../test/support/given.ts";

const sizeMax = 64 * 1024;
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

let acme: Workspace;
let agent: Agent;
let lead: any;
before(async () => {
  acme = await organization();
  agent = await agentOf(acme, { scope: "write_destructive" });
  const contacts = Array.from({ length: 100 }, (_, i) => ({
    name: `Ann ${i} ${"é".repeat(200)}`,
    title: "t".repeat(200),
    emails: [{ email: `ann${i}@client.example` }],
  }));
  lead = await acme.lead({ name: "Globex", contacts });
});

/** An answer that an agent can read. */
async function read(name: string, args: Record<string, unknown>): Promise<any> {
  const { content, structuredContent, isError } = await agent.call(name, args);
  const size = Buffer.byteLength(JSON.stringify({ content, structuredContent }));
  assert.ok(size <= sizeMax, `${name} ${JSON.stringify(args).slice(0, 200)}: ${size} bytes`);
  assert.notEqual(isError, true, JSON.stringify(structuredContent).slice(0, 500));
  return structuredContent;
}

describe("rows that do not fit", () => {
  test("are left for the next page of a search, whose cursor is whole", async () => {
    const other = await organization();
    const there = await agentOf(other);
    const description = "é".repeat(2000);
    for (let i = 0; i < 30; i++) await other.lead({ name: `Lead ${i}`, description });
    const query = { type: "object_type", object_type: "lead" };

    const seen: string[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const data = { query, _limit: 200, cursor };
      const { structuredContent, content } = await there.call("create_record", { object_type: "data/search", data });
      const { record } = structuredContent;
      assert.ok(Buffer.byteLength(JSON.stringify({ content, structuredContent })) <= sizeMax);
      for (const row of record.data) assert.equal(row.description, description);
      seen.push(...idsOf(record.data));
      ({ has_more: more, cursor_next: cursor } = record);
    }

    assert.deepEqual([seen.length, new Set(seen).size], [30, 30]);
  });

  test("of a record are counted, and read on by their number", async () => {
    const seen: string[] = [];
    for (let rows_from = 0, left = "first"; left !== ""; ) {
      const args = { object_type: "lead", id: lead.id, fields: ["id", "contacts"], rows_from };
      const { record, left_out = {} } = await read("get_record", args);
      seen.push(...idsOf(record.contacts));
      left = left_out["record.contacts"] ?? "";
      if (left === "") break;
      const [, more, next] = /^(\d+) more: get_record with rows_from (\d+)$/.exec(left)!;
      assert.equal(Number(more) + Number(next), 100);
      rows_from = Number(next);
    }

    assert.deepEqual([seen.length, new Set(seen).size], [100, 100]);
  });

  test("of what was created are counted too", async () => {
    const contacts = lead.contacts.map(({ name, title }: any) => ({ name, title }));

    const { record, left_out } = await read("create_record", { object_type: "lead", data: { name: "Initech", contacts } });

    assert.equal(record.contacts.length + Number.parseInt(left_out["record.contacts"], 10), 100);
    assert.match(left_out["record.contacts"], new RegExp(`get_record with rows_from ${record.contacts.length}$`));
  });

  test("of many scores are asked for again, and each score is whole", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) ids.push((await acme.lead({ name: `Scored ${i} ${"é".repeat(200)}` })).id);

    const { record, left_out } = await read("score_lead", { lead_ids: ids });

    assert.ok(record.data.every((one: any) => one.breakdown.length > 1 && one.tier !== undefined));
    assert.match(left_out["record.data"], /^\d+ more: call again with the lead_ids that are missing$/);
  });

  test("of a schema, of a try and of a refusal are counted", async () => {
    const schema = await read("get_record", { object_type: "automation_schema" });
    const tried = await read("delete_record", { object_type: "lead", id: lead.id, dry_run: true });
    const wrong = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`nobody_knows_this_${i}`, 1]));
    const { structuredContent: refused } = await agent.call("create_record", { object_type: "lead", data: wrong });

    assert.match(Object.values<string>(schema.left_out)[0]!, /^\d+ more: get_record with rows_from \d+$/);
    assert.ok(tried.n_records > 100);
    assert.ok(Buffer.byteLength(JSON.stringify(refused)) <= sizeMax);
    assert.match(refused.left_out["field-errors"], /^\d+ more members$/);
  });
});

describe("an overview of a lead", () => {
  test("says how many there are of what it shows the first of", async () => {
    await acme.note({ lead_id: lead.id });
    for (let i = 0; i < 15; i++) await acme.task({ lead_id: lead.id });

    const { contacts, tasks, total } = await read("get_lead_overview", { lead_id: lead.id });
    const { content } = await agent.call("get_lead_overview", { lead_id: lead.id });

    assert.deepEqual([contacts.length, tasks.length], [20, 10]);
    assert.deepEqual(total, { contacts: 100, opportunities: 0, tasks: 15, activities: 2 });
    assert.match(content[0].text, /^contacts \(20 of 100\):$/m);
  });
});

describe("a long text", () => {
  for (const [script, text] of [
    ["Japanese", "営業報告".repeat(15_000)],
    ["symbols of two units", "ä😀€".repeat(15_000)],
  ] as const)
    test(`in ${script} is read to its end by doing what each piece says`, async () => {
      const { id } = await acme.note({ note: text });
      const ask = async (text_from: number) => {
        const { record } = await read("get_record", { object_type: "activity/note", id, fields: ["note", "id"], text_from });
        assert.equal(record.id, id);
        return record.note as string;
      };

      let seen = "";
      for (let from = 0, more = true; more; ) {
        const [, part, next] = /^(.*?)(?:…\(\+\d+ chars: get_record with text_from (\d+)\))?$/s.exec(await ask(from))!;
        seen += part;
        more = next !== undefined;
        assert.ok(!more || Number(next) > from, "goes on");
        from = Number(next);
      }

      assert.equal(seen, text);
      assert.equal(await ask(text.length), "");
    });

  test("below a record is read on as well", async () => {
    const field = await acme.post("/custom_field/lead/", { name: "Story", type: "text" });
    const story = "0123456789".repeat(150);
    const { id } = await acme.lead({ [`custom.${field.id}`]: story });

    const { record } = await read("get_record", { object_type: "lead", id, text_from: 500 });

    assert.ok(JSON.stringify(record).includes(`"${story.slice(500)}"`));
    assert.equal(record.status_label, "Potential");
  });
});

describe("a report", () => {
  test("takes each range that the description of its tool names", async () => {
    const { tools } = await agent.client.listTools();
    const { description, inputSchema } = tools.find(({ name }) => name === "run_report")!;
    const ranges = [...description!.matchAll(/\b(?:this|last|all)-\w+/g)].map(([range]) => range);
    const { enum: reports } = (inputSchema.properties as any).report;

    assert.ok(ranges.length >= 2 && reports.length >= 8, description);
    for (const report of reports)
      for (const relative_range of ranges) await read("run_report", { report, arguments: { relative_range } });
  });
});
