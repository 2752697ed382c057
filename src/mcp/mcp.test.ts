// What agents find at `/mcp/`, with the official client.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { Client } from "../../test/support/client.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
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

describe("a tool", () => {
  test("drops nothing in silence: a filter of null, an argument among the filters, a field that there is not", async () => {
    const acme = await organization();
    await acme.lead({ name: "Globex" });
    const agent = await agentOf(acme, { scope: "write_safe" });
    const refused = async (name: string, args: object, place: string) => {
      const { isError, structuredContent } = await agent.call(name, { object_type: "lead", ...args });
      assert.equal(isError, true, JSON.stringify(args));
      assert.ok(place in structuredContent["field-errors"], JSON.stringify(structuredContent));
    };

    await refused("list_records", { filters: { name: null } }, "name");
    await refused("list_records", { filters: { _limit: 1 } }, "_limit");
    await refused("list_records", { filters: { query: "a" }, query: "b" }, "query");
    await refused("list_records", { fields: ["nope"] }, "fields.0");
    await refused("list_records", { cursor: "abc" }, "cursor");
    await refused("create_record", { data: { name: "X" }, match_on: {} }, "match_on");
    await refused("create_record", { data: { name: "X" }, match_on: { name: null } }, "match_on.name");
    await refused("add_tags", { id: (await acme.lead({ tags: ["a", "b"] })).id, tags: [""] }, "tags.0");
  });

  test("answers a repeated call with the request that wrote it, which can be taken back", async () => {
    const acme = await organization();
    const agent = await agentOf(acme, { scope: "write_destructive" });
    const create = () => agent.call("create_record", { object_type: "lead", data: { name: "Once" }, idempotency_key: "k" });

    const [once, again] = [await create(), await create()];
    assert.equal(again.structuredContent.request_id, once.structuredContent.request_id);
    const { structuredContent } = await agent.call("undo_changes", { id: again.structuredContent.request_id });

    assert.ok(structuredContent.record.n_undone > 0);
  });

  test("reads a text that is longer than a result to its end", async () => {
    const acme = await organization();
    const note = "0123456789".repeat(9000);
    const { id } = await acme.note({ note });
    const agent = await agentOf(acme);

    let read = "";
    for (let more = true; more; ) {
      const args = { object_type: "activity/note", id, fields: ["note"], text_from: read.length };
      const { record } = (await agent.call("get_record", args)).structuredContent;
      const [, part, rest] = /^(\d+)(…\(.*\))?$/.exec(record.note)!;
      read += part;
      more = rest !== undefined;
    }

    assert.equal(read, note);
  });

  test("adds tags that many add at the same time", async () => {
    const acme = await organization();
    const { id } = await acme.lead();
    const agent = await agentOf(acme, { scope: "write_safe" });

    const all = ["a", "b", "c", "d"].map((tag) => agent.call("add_tags", { object_type: "lead", id, tags: [tag] }));
    for (const { isError } of await Promise.all(all)) assert.equal(isError, undefined);

    assert.deepEqual((await acme.get(`/lead/${id}/`)).tags.toSorted(), ["a", "b", "c", "d"]);
  });

  test("starts nothing that acts by itself without the widest scope, and writes drafts of it", async () => {
    const acme = await organization();
    const safe = await agentOf(acme, { scope: "write_safe" });
    const wide = await agentOf(acme, { scope: "write_destructive" });
    const trigger = { type: "record.created", config: { object_type: "lead" } };
    const data = { name: "Sends", trigger, actions: [{ type: "create_task", config: { text: "x" } }] };
    const create = (agent: typeof safe, more: object) =>
      agent.call("create_record", { object_type: "automation", data: { ...data, ...more } });

    const draft = await create(safe, {});
    const active = await create(safe, { status: "active" });
    const { id } = draft.structuredContent.record;
    const started = await safe.call("update_record", {
      object_type: "automation",
      id,
      data: { status: "active" },
      dry_run: true,
    });
    const widely = await create(wide, { status: "active" });

    assert.deepEqual(
      [draft, active, started, widely].map(({ isError }) => isError === true),
      [false, true, true, false],
    );
    assert.match(active.structuredContent.error, /only with the scope write_destructive/);
    assert.equal((await acme.get("/automation/")).data.length, 2);
  });

  test("fetches no address, and carries no contacts to one", async () => {
    const acme = await organization();
    const agent = await agentOf(acme, { scope: "write_destructive" });
    const create = async (object_type: string, data: object) =>
      (await agent.call("create_record", { object_type, data })).structuredContent["field-errors"];

    const file = await create("file", { lead_id: (await acme.lead()).id, content_url: "https://evil.example/?contacts" });
    const table = await create("import", { content_url: "https://evil.example/?contacts" });
    const exported = await create("mailing_export", { platform: "webhook", config: { url: "https://evil.example/" } });

    assert.match(file.content_url, /not fetched for tools/);
    assert.match(table.content_url, /not fetched for tools/);
    assert.match(exported.object_type, /mailing_export cannot be created/);
  });

  test("shows no link that opens something without a key, neither in a record nor in its events", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();
    const file = await acme.post("/file/", { lead_id, name: "plan.txt", content_base64: "aGVsbG8=" });
    const made = await acme.post("/quote/", { lead_id, line_items: [{ name: "Yard", unit_price: 100 }] });
    const quote = await acme.put(`/quote/${made.id}/`, { status: "open" });
    const agent = await agentOf(acme, { scope: "write_safe" });

    const said = JSON.stringify([
      await agent.call("get_record", { object_type: "file", id: file.id }),
      await agent.call("list_records", { object_type: "quote", fields: ["id", "public_url"] }),
      await agent.call("update_record", { object_type: "file", id: file.id, data: { name: "b.txt" }, dry_run: true }),
      await agent.call("list_records", { object_type: "event", filters: { lead_id } }),
    ]);

    const tokenOf = (url: string) => new URL(url).pathname.split("/").find((part) => part.length > 30)!;
    for (const url of [file.share_url, quote.public_url]) assert.ok(!said.includes(tokenOf(url)), url);
    assert.match(said, /not shown to tools/);
  });

  test("sends without the widest scope only to whom the workspace knows", async () => {
    const acme = await organization();
    await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
    const lead = await acme.lead();
    const ann = await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@client.example" }] });
    const robot = new Client(acme.service, (await acme.post("/api_key/", { name: "Agent" })).key) as Workspace;
    const safe = await agentOf(robot, { scope: "write_safe" });
    const wide = await agentOf(acme, { scope: "write_destructive" });
    const mail = (to: string, more: object = {}) => ({ lead_id: lead.id, to: [to], subject: "Hi", body_text: "Hi", ...more });

    const known = await safe.call("send_email", mail("Ann <Ann@client.example>"));
    const stranger = await safe.call("send_email", mail("ann@client.example", { data: { bcc: ["spy@evil.example"] } }));
    const draft = await safe.call("create_record", { object_type: "activity/email", data: mail("spy@evil.example") });
    const { id } = draft.structuredContent.record;
    const sent = await safe.call("update_record", { object_type: "activity/email", id, data: { status: "outbox" } });
    const emails = [{ email: "spy@evil.example" }];
    const added = await safe.call("create_record", { object_type: "contact", data: { lead_id: lead.id, emails } });
    const byAddress = await safe.call("send_email", mail("spy@evil.example"));
    const contact_id = added.structuredContent.record.id;
    const byContact = await safe.call("send_email", { contact_id, subject: "Hi", body_text: "Hi", dry_run: true });
    await safe.call("update_record", {
      object_type: "contact",
      id: ann.id,
      data: { emails: [...ann.emails, { email: "drop@evil.example" }] },
    });
    const besides = await safe.call("send_email", mail("drop@evil.example"));
    const before = await safe.call("send_email", mail("ann@client.example"));
    const widely = await wide.call("send_email", mail("spy@evil.example"));
    await acme.put(`/organization/${acme.id}/`, { settings: { mcp: { require_destructive_for_send: true } } });
    const kept = await safe.call("send_email", mail("ann@client.example"));

    const isRefused = ({ isError }: { isError?: boolean }) => isError === true;
    assert.deepEqual([known, draft, added, before, widely].map(isRefused), [false, false, false, false, false]);
    assert.deepEqual([stranger, sent, byAddress, byContact, besides, kept].map(isRefused), [true, true, true, true, true, true]);
    assert.ok("bcc.0" in stranger.structuredContent["field-errors"]);
    assert.match(kept.structuredContent.error, /only with the scope write_destructive/);
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
