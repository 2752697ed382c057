// What agents find at `/mcp/`, with the official client.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { organization } from "../../test/support/given.ts";
import { resultBytesMax } from "./result.ts";

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("an agent", () => {
  for (const era of ["2025-11-25", "2026-07-28"] as const)
    test(`of the era ${era} lists tools, lists records and reads one`, async () => {
      const acme = await organization();
      const lead = await acme.post("/lead/", { name: "Globex" });
      const agent = await agentOf(acme, { era });

      const { tools } = await agent.client.listTools();
      const list = await agent.call("list_records", { object_type: "lead", query: "Globex" });
      const one = await agent.call("get_record", { object_type: "lead", id: lead.id });

      assert.equal(agent.client.getNegotiatedProtocolVersion(), era);
      assert.ok(tools.some(({ name }) => name === "list_records"));
      assert.deepEqual(idsOf(list.structuredContent.data), [lead.id]);
      assert.equal(one.structuredContent.record.name, "Globex");
      await agent.client.close();
    });

  test("reads all its tools in 24 KB, and each says what it may change", async () => {
    const agent = await agentOf(await organization(), { scope: "write_destructive" });

    const { tools } = await agent.client.listTools();

    assert.ok(tools.length <= 30, `${tools.length} tools`);
    assert.ok(JSON.stringify(tools).length <= 24_000, `${JSON.stringify(tools).length} bytes`);
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      assert.ok(description!.length > 20 && annotations !== undefined && outputSchema !== undefined, name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.equal(annotations.readOnlyHint, !("dry_run" in inputSchema.properties!) && name !== "switch_workspace", name);
    }
  });

  test("of a client that chose some sets of tools lists and calls only these", async () => {
    const acme = await organization();
    const ask = async (method: string, params: object, path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${acme.service.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${acme.key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const text = await answer.text();
      return { status: answer.status, ...JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) };
    };
    const count = { name: "aggregate", arguments: { object_type: "lead" } };

    const listed = await ask("tools/list", {}, "/mcp/", { "service-toolsets": "reports, AI" });
    const called = await ask("tools/call", count, "/mcp/?toolsets=reports");
    const left = await ask("tools/call", { name: "search", arguments: { query: "x" } }, "/mcp/?toolsets=reports");
    const wrong = await ask("tools/list", {}, "/mcp/?toolsets=report");

    const names = listed.result.tools.map(({ name }: { name: string }) => name);
    assert.ok(names.includes("run_report") && names.includes("summarize_lead") && !names.includes("search"), names.join());
    assert.equal(called.result.isError, undefined);
    assert.equal(left.error.code, -32602);
    assert.deepEqual([wrong.status, Object.keys(wrong["field-errors"])], [400, ["Service-Toolsets"]]);
  });

  test("gets refusals in the words of REST, with the nearest name", async () => {
    const acme = await organization();
    const agent = await agentOf(acme, { scope: "write_safe" });
    const refusal = async (name: string, args: object) => {
      const { isError, structuredContent } = await agent.call(name, args as any);
      assert.equal(isError, true);
      return structuredContent;
    };

    const rest = await acme.refused(400, "GET", "/lead/?stutus_id=x");
    assert.deepEqual(await refusal("list_records", { object_type: "lead", filters: { stutus_id: "x" } }), rest);
    assert.deepEqual(
      await refusal("get_record", { object_type: "lead", id: "lead_no" }),
      await acme.refused(404, "GET", "/lead/lead_no/"),
    );
    const { "field-errors": unknown } = await refusal("list_records", { object_type: "lead", limits: 3 });
    assert.match(unknown.limits, /did you mean limit/);
    const { "field-errors": typo } = await refusal("create_record", { object_type: "lead", data: { nmae: "X" } });
    assert.match(typo.nmae, /did you mean name/);
    const { "field-errors": type } = await refusal("list_records", { object_type: "leed" });
    assert.match(type.object_type, /such as lead/);
  });

  test("tries a write with dry_run, and does it once for a key", async () => {
    const acme = await organization();
    const agent = await agentOf(acme, { scope: "write_safe" });
    const create = (more: object) => agent.call("create_record", { object_type: "lead", data: { name: "Initech" }, ...more });

    const tried = await create({ dry_run: true });
    assert.equal(tried.structuredContent.dry_run, true);
    assert.equal((await acme.get("/lead/?name=Initech")).data.length, 0);
    const [once, again] = [await create({ idempotency_key: "k" }), await create({ idempotency_key: "k" })];
    assert.equal(once.structuredContent.record.id, again.structuredContent.record.id);
    const found = await create({ match_on: { name: "Initech" } });
    assert.equal(found.structuredContent.found, true);
    assert.equal((await acme.get("/lead/?name=Initech")).data.length, 1);
  });

  test("creates one record where several calls match on the same at once, and the others find it", async () => {
    const acme = await organization();
    const agent = await agentOf(acme, { scope: "write_safe" });
    const create = () =>
      agent.call("create_record", { object_type: "lead", data: { name: "Hooli" }, match_on: { name: "Hooli" } });

    const answers = (await Promise.all(Array.from({ length: 6 }, create))).map(({ structuredContent }) => structuredContent);

    assert.equal((await acme.get("/lead/?name=Hooli")).data.length, 1);
    assert.equal(new Set(answers.map(({ record }) => record.id)).size, 1);
    assert.equal(answers.filter(({ found }) => found === true).length, 5);
  });

  test("takes back what a call deleted, by the request that its answer names", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Globex" });
    const agent = await agentOf(acme, { scope: "write_destructive" });

    const { structuredContent: gone } = await agent.call("delete_record", { object_type: "lead", id: lead.id });
    await acme.refused(404, "GET", `/lead/${lead.id}/`);
    const { structuredContent: back } = await agent.call("undo_changes", { id: gone.request_id });

    assert.equal(back.record.n_undone > 0, true);
    assert.equal((await acme.get(`/lead/${lead.id}/`)).name, "Globex");
  });

  test("destroys or changes more than 20 records only with their number, and a preview uses no key", async () => {
    const acme = await organization();
    const { id } = await acme.lead();
    for (let i = 0; i < 21; i++) await acme.task({ lead_id: id });
    const leads = [];
    for (let i = 0; i < 21; i++) leads.push((await acme.lead()).id);
    const agent = await agentOf(acme, { scope: "write_destructive" });
    const calls: [string, Record<string, unknown>][] = [
      ["delete_record", { object_type: "lead", id }],
      ["start_bulk_action", { action: "delete", data: { ids: leads }, idempotency_key: "k" }],
    ];

    for (const [name, args] of calls) {
      const refused = await agent.call(name, { ...args, confirm: 3 });
      const { structuredContent: tried } = await agent.call(name, { ...args, dry_run: true });
      const done = await agent.call(name, { ...args, confirm: tried.n_records });
      assert.ok(tried.n_records > 20, name);
      assert.match(refused.structuredContent["field-errors"].confirm, /^must be the n_records that dry_run tells/);
      assert.equal(done.isError, undefined, JSON.stringify(done.structuredContent));
    }
    await acme.refused(404, "GET", `/lead/${id}/`);
  });

  test("gets fewer rows rather than cut ones, and goes on where they ended", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    for (let i = 0; i < 12; i++) await acme.note({ lead_id: lead.id, note: `${i} ${"é".repeat(4000)}` });
    const agent = await agentOf(acme);

    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await agent.call("list_records", {
        object_type: "activity/note",
        fields: ["id", "note"],
        ...(cursor && { cursor }),
      });
      assert.ok(Buffer.byteLength(JSON.stringify(page)) <= resultBytesMax + 200);
      for (const { note } of page.structuredContent.data) assert.ok(note.length > 4000, "is whole");
      seen.push(...idsOf(page.structuredContent.data));
      ({ has_more: more, next_cursor: cursor } = page.structuredContent);
    }

    assert.equal(new Set(seen).size, 12);
    assert.equal(seen.length, 12);
  });

  test("gets as many finds of each kind as a result can hold", async () => {
    const acme = await organization();
    const name = `Zebra ${"é".repeat(240)}`;
    for (let i = 0; i < 25; i++) {
      const { id } = await acme.post("/lead/", { name: `${i} ${name}`, contacts: [{ name, title: name }] });
      await acme.task({ lead_id: id, text: name });
    }
    const agent = await agentOf(acme);

    const { structuredContent: all, content } = await agent.call("search", { query: "zebra", limit: 25 });

    assert.ok(Buffer.byteLength(JSON.stringify({ all, content })) <= resultBytesMax + 200);
    for (const { data, has_more } of Object.values<any>(all.found))
      assert.ok(data.length > 10 && (has_more || data.length === 25));
  });

  test("reads without Service-Scope, and sees no tool beyond its scope", async () => {
    const acme = await organization();
    const reader = await agentOf(acme);
    const safe = await agentOf(acme, { scope: "write_safe" });

    const names = async (agent: typeof reader) => (await agent.client.listTools()).tools.map(({ name }) => name);
    assert.ok((await names(reader)).every((name) => !/^(create|update|delete|send|merge)_/.test(name)));
    assert.ok((await names(safe)).includes("create_record"));
    assert.ok(!(await names(safe)).includes("delete_record"));
    const refused = await reader.call("create_record", { object_type: "lead", data: {} });
    assert.equal(refused.isError, true);
    assert.match(refused.structuredContent.error, /write_safe/);
    await assert.rejects(agentOf(acme, { scope: "all" }), /Service-Scope|400/);
  });
});

describe("the address of agents", () => {
  const post = (url: string, headers: Record<string, string>, body = "{}") =>
    fetch(`${url}/mcp/`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

  test("takes a key in X-API-Key", async () => {
    const acme = await organization();
    const ask = (key: string) =>
      fetch(`${acme.service.url}/mcp/`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_workspaces" } }),
      });

    assert.match(await (await ask(acme.key)).text(), new RegExp(acme.id));
    assert.equal((await ask(`${acme.key}x`)).status, 401);
  });

  test("answers strangers with the way to a token, and foreign pages with nothing", async () => {
    const { service, key } = await organization();
    const authorization = `Bearer ${key}`;

    const stranger = await post(service.url, {});
    assert.equal(stranger.status, 401);
    assert.match(
      stranger.headers.get("www-authenticate")!,
      /^Bearer scope="read write_safe", resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/mcp"$/,
    );
    const forged = await post(service.url, { authorization: "Bearer oat_nobody" });
    assert.match(forged.headers.get("www-authenticate")!, /error="invalid_token"/);
    assert.equal((await post(service.url, { authorization, origin: "https://evil.example" })).status, 403);
    assert.equal((await fetch(`${service.url}/mcp`, { headers: { authorization } })).status, 405);
    const broken = await post(service.url, { authorization }, "[");
    assert.deepEqual([broken.status, ((await broken.json()) as any).error.code], [400, -32700]);
    assert.equal((await post(service.url, { authorization }, JSON.stringify({ x: "y".repeat(1_100_000) }))).status, 400);
  });
});
