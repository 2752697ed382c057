// A tool answers as REST does: whoever calls it, with whatever scope, in whichever of their workspaces. What is refused is refused
// in the same words.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { pathFields, type Verb } from "../../src/core/operation.ts";
import { objectTypesOf, ownField } from "../../src/mcp/object_types.ts";
import { tools } from "../../src/mcp/tools.ts";
import { operations } from "../../src/resources/index.ts";
import { type Agent, agentOf } from "../support/agent.ts";
import { organization, type Workspace } from "../support/given.ts";
import { OauthClient } from "../support/oauth_client.ts";
import { nobody, type Subjects, subjects, type Use, uses } from "../support/tool_uses.ts";

const scopes = ["read", "write_safe", "write_destructive"] as const;
const readsOnly = new Set(tools.filter(({ scope }) => scope === "read").map(({ name }) => name));

let acme: Workspace;
let known: Subjects;
before(async () => {
  acme = await organization();
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
  await acme.post("/phone_number/", { number: "+12125551234" });
  known = await subjects(acme);
});

/** What was refused, in words, or that it was done. */
type Answered = "done" | { error: string; "field-errors": Record<string, string> };

async function byTool(agent: Agent, name: string, { args }: Use, more: object = {}): Promise<Answered> {
  const dry = readsOnly.has(name) ? {} : { dry_run: true };
  const { isError, structuredContent } = await agent.call(name, { ...args, ...dry, ...more });
  const [failed] = structuredContent.failed ?? [];
  if (failed !== undefined) return { error: failed.error, "field-errors": {} };
  return isError ? structuredContent : "done";
}

async function byRest(person: Workspace, name: string, { rest }: Use): Promise<Answered> {
  if (rest === null) return "done";
  const [method, path, body] = rest;
  const { status, body: answer } = await person.ask(method, readsOnly.has(name) ? path : `${path}?dry_run=true`, { body });
  return status < 300 ? "done" : answer;
}

/** Every tool that can be compared, with its use. */
const compared = (of: Subjects): [string, Use][] =>
  Object.entries(uses)
    .map(([name, use]): [string, Use] => [name, use(of)])
    .filter(([name]) => name !== "switch_workspace");

test("every tool has a use here, so that none goes untested", () => {
  assert.deepEqual(Object.keys(uses).sort(), tools.map(({ name }) => name).sort());
});

describe("a tool", () => {
  for (const role of ["user", "restricteduser", "nothing"])
    test(`answers the role ${role} as REST does`, async () => {
      const person = role === "nothing" ? await acme.memberWith([]) : await acme.member(role);
      const agent = await agentOf(person, { scope: "write_destructive" });

      for (const [name, use] of compared(known))
        assert.deepEqual(await byTool(agent, name, use), await byRest(person, name, use), name);
    });

  test("says of a record that does not exist what REST says", async () => {
    const agent = await agentOf(acme, { scope: "write_destructive" });

    for (const [name, use] of compared(nobody(known))) {
      if (JSON.stringify(use) === JSON.stringify(uses[name]!(known))) continue;
      assert.deepEqual(await byTool(agent, name, use), await byRest(acme, name, use), name);
    }
  });

  for (const scope of scopes)
    test(`answers a key of the scope ${scope} as REST does, and is offered to it if it may be used`, async () => {
      const { key } = await acme.post("/api_key/", { scopes: [scope] });
      const person = Object.assign(Object.create(acme), { key }) as Workspace;
      const narrow = await agentOf(person, { scope: "write_destructive" });
      const lowered = await agentOf(acme, { scope });

      const { tools: offered } = await narrow.client.listTools();
      assert.deepEqual((await lowered.client.listTools()).tools, offered, "a wider key that is lowered sees the same");
      for (const [name, use] of compared(known)) {
        const answer = await byTool(narrow, name, use);
        assert.deepEqual(answer, await byRest(person, name, use), name);
        const isOffered = offered.some((one) => one.name === name);
        assert.equal(isOffered, answer === "done", `${name} is offered to whom may use it`);
        if (isOffered) continue;
        const told = (await byTool(lowered, name, use)) as { error: string };
        const needed = tools.find((one) => one.name === name)!.scope;
        assert.ok(told.error.startsWith(`This needs the scope ${needed}: send it in the header Service-Scope`), told.error);
      }
    });

  test("acts in the named workspace by the role that the person has there", async () => {
    const person = await acme.member("restricteduser");
    const home = await organization();
    await person.joins(home, "admin");
    const client = await OauthClient.register(acme.service);
    const asked = {
      scope: "read write_safe write_destructive",
      resource: "http://localhost/mcp",
      choices: { workspace: home.id },
    };
    const { access_token: token } = await client.connect(person, asked);
    const agent = await agentOf(person, { token });

    for (const [name, use] of compared(known))
      assert.deepEqual(await byTool(agent, name, use, { workspace: acme.id }), await byRest(person, name, use), name);
  });

  test("that needs a wider scope than a connection has asks for it by the protocol", async () => {
    const client = await OauthClient.register(acme.service);
    const { access_token } = await client.connect(acme, { scope: "read", resource: "http://localhost/mcp" });
    const send = (name: string, args: object) =>
      fetch(`${acme.service.url}/mcp/`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${access_token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
      });

    for (const [name, { args }] of compared(known)) {
      const { status, headers } = await send(name, args);
      assert.equal(status, readsOnly.has(name) ? 200 : 403, name);
      const needed = tools.find((one) => one.name === name)!.scope;
      if (status === 403) assert.ok(headers.get("www-authenticate")!.includes(` ${needed}"`), name);
    }
  });

  test("does what it says, and refuses an argument that it does not know", async () => {
    const own = await organization();
    await own.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
    await own.post("/phone_number/", { number: "+12125551234" });
    const of = await subjects(own);
    const agent = await agentOf(own, { scope: "write_destructive" });

    for (const [name, use] of Object.entries(uses)) {
      const { args } = use(of);
      const unknown = await agent.call(name, { ...args, no_such: 1 });
      assert.deepEqual([unknown.isError, Object.keys(unknown.structuredContent["field-errors"])], [true, ["no_such"]], name);
      const { isError, structuredContent } = await agent.call(name, args);
      assert.equal(isError === true, name === "switch_workspace", `${name}: ${JSON.stringify(structuredContent)}`);
    }
    const lead = await own.get(`/lead/${of.lead}/`);
    assert.deepEqual([lead.description, lead.tags, lead.status_label], ["Large", ["Hot"], "Potential"]);
  });
});

describe("the generic tools", () => {
  const covered = new Set(tools.flatMap((tool) => tool.operations));
  const types = [...objectTypesOf(operations, covered).values()];
  const toolFor: Record<Verb, string> = {
    list: "list_records",
    get: "get_record",
    create: "create_record",
    update: "update_record",
    delete: "delete_record",
  };
  const nowhere = "lead_00000000000000000000000000";

  test("refuse each operation in the words of REST, or do it as REST does", async () => {
    const without = await acme.memberWith([]);
    const agents = new Map<Workspace, Agent>();
    for (const one of [acme, without]) agents.set(one, await agentOf(one, { scope: "write_destructive" }));

    for (const { name: object_type, operations: slots } of types)
      for (const [verb, operation] of Object.entries(slots)) {
        const person = operation.permission === "member" ? acme : without;
        const own = ownField(operation);
        const parents = pathFields(operation.path).filter((field) => field !== own);
        const given = Object.fromEntries(parents.map((field) => [field, nowhere]));
        const isWrite = verb !== "list" && verb !== "get";
        const where = isWrite ? { data: given, dry_run: true } : { filters: given };
        const path = operation.path.replace(/\{[^}]+\}/g, nowhere);
        const tries = isWrite ? "?dry_run=true" : "";

        const { isError, structuredContent } = await agents.get(person)!.call(toolFor[verb as Verb], {
          object_type,
          ...(own !== null && { id: nowhere }),
          ...where,
        });
        const rest = await person.ask(operation.method, `${path}${tries}`, operation.body ? { body: {} } : {});

        assert.deepEqual(isError ? structuredContent : "done", rest.status < 300 ? "done" : rest.body, operation.name);
      }
  });
});
