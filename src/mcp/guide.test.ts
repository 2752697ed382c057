// Follows docs/agents.md to the letter: every configuration, every program, and the ten prompts with what they cost.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { agentOf } from "../../test/support/agent.ts";
import { organization, type Workspace } from "../../test/support/given.ts";

const run = promisify(execFile);
const guide = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");
const address = "http://localhost:4000";

/** The blocks of a language, in their order. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, "gms"))].map(([, , text]) => text!);
const [prompts, configurations] = ["[", "{"].map((begin) => blocks("json").filter((text) => text.trimStart().startsWith(begin)));

let acme: Workspace;
let lead: any;
let contact: any;
let deal: any;
before(async () => {
  acme = await organization();
  lead = await acme.lead({ name: "Globex", url: "globex.example", description: "Makes everything. ".repeat(20) });
  contact = await acme.contact({ lead_id: lead.id, name: "Ann Lee", emails: [{ email: "ann@globex.example" }] });
  deal = await acme.opportunity({ lead_id: lead.id, value: 2_500_000, note: "Two hundred seats. ".repeat(10) });
  for (let i = 0; i < 12; i++) await acme.note({ lead_id: lead.id, note: `Visit ${i}: they asked for references. `.repeat(5) });
  const many = Array.from({ length: 99 }, (_, i) => ({
    name: `Company ${i}`,
    description: "A company like others. ".repeat(10),
  }));
  for (const body of many) {
    const { id } = await acme.lead(body);
    if (Number(body.name.slice(8)) % 2 === 0)
      await acme.opportunity({ lead_id: id, value: 1_100_000 + Number(body.name.slice(8)) });
    if (Number(body.name.slice(8)) % 3 === 0) await acme.task({ lead_id: id, date: "2027-01-04" });
  }
});

const here = (text: string) => text.replaceAll(address, acme.service.url).replaceAll("api_…", acme.key);
const env = () => ({ ...process.env, KEY: acme.key });

test("every configuration of a client names the address and a key that work", async () => {
  assert.equal(configurations!.length, 3);
  for (const text of configurations!) {
    const { mcpServers, servers } = JSON.parse(here(text));
    const { headwater } = mcpServers ?? servers;
    const given: string[] = headwater.args?.slice(3).filter((one: string) => one !== "--header") ?? [];
    const pairs = given.map((one) => one.replace("${KEY}", headwater.env.KEY).split(": "));
    const headers: Record<string, string> = headwater.headers ?? Object.fromEntries(pairs);

    const answer = await fetch(headwater.url ?? headwater.args[1], {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });

    assert.match(await answer.text(), /create_record/, text);
  }
});

describe("a program", () => {
  test("of curl", async () => {
    const { stdout } = await run("sh", ["-c", here(blocks("sh")[0]!).replace('"blu"', '"Globex"')], { env: env() });

    assert.match(stdout, /"structuredContent".*Globex/);
  });

  test("of Python's standard library", async () => {
    const { stdout } = await run("python3", ["-c", here(blocks("python")[0]!)], { env: env() });

    assert.equal(stdout, "They want a second visit.\n");
    assert.equal((await acme.get("/lead/?name=Sitwell Housing")).data.length, 1);
  });

  test("of the official TypeScript client", async () => {
    const args = ["--input-type=module-typescript", "--eval", here(blocks("ts")[0]!)];
    const { stdout } = await run(process.execPath, args, { env: { ...env(), NODE_OPTIONS: "" } });

    assert.match(stdout, /status_id_label: 'Potential'/);
  });
});

describe("the ten prompts", () => {
  test("need at most five calls and 20 KB each, and no more than the guide says", async () => {
    const agent = await agentOf(acme, { scope: "write_safe" });
    const stated = [...guide.matchAll(/^\d+\. \*.*?\*\s\((\d+) calls?, ([\d.]+) KB\)$/gm)].map(([, calls, kb]) => [
      Number(calls),
      Number(kb),
    ]);
    const measured: [number, number][] = [];
    const { data: newest } = await acme.get("/lead/?_limit=10&_fields=id");
    assert.equal(prompts!.length, 10);

    for (const text of prompts!) {
      const meant = text
        .replaceAll('"TEN_LEADS"', newest.map(({ id }: any) => `"${id}"`).join(","))
        .replaceAll('"LEAD"', `"${lead.id}"`)
        .replaceAll('"CONTACT"', `"${contact.id}"`)
        .replaceAll('"DEAL"', `"${deal.id}"`);
      const calls: [string, Record<string, unknown>][] = JSON.parse(meant);
      let bytes = 0;
      for (const [tool, args] of calls) {
        const { isError, content, structuredContent } = await agent.call(tool, args);
        assert.notEqual(isError, true, `${tool}: ${JSON.stringify(structuredContent)}`);
        bytes += Buffer.byteLength(JSON.stringify({ content, structuredContent }));
      }
      measured.push([calls.length, bytes]);
    }

    const said = measured.map(([n, bytes]) => `${n} calls, ${(bytes / 1000).toFixed(1)} KB`).join("; ");
    assert.ok(
      measured.every(([n, bytes]) => n <= 5 && bytes <= 20_000),
      said,
    );
    // A figure that is a tenth too small is a reason to write a new one.
    assert.ok(
      measured.every(([n, bytes], i) => n === stated[i]?.[0] && bytes <= stated[i]![1]! * 1100),
      said,
    );
  });
});

test("/llms.txt says where to read on", async () => {
  const answer = await fetch(`${acme.service.url}/llms.txt`);
  const text = await answer.text();

  assert.match(answer.headers.get("content-type")!, /^text\/plain/);
  for (const part of ["# Headwater", "/mcp/", "/api/v1/openapi.json", "/.well-known/oauth-protected-resource/mcp"])
    assert.ok(text.includes(part), part);
});
