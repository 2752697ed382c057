// The official conformance suite of the protocol, at the address of agents.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addFixtures } from "../../test/support/conformance.ts";
import { organization } from "../../test/support/given.ts";
import { type Service, startService } from "../../test/support/service.ts";

const suite = fileURLToPath(new URL("dist/index.js", import.meta.resolve("@modelcontextprotocol/conformance/package.json")));

/** The suite cannot send a key: this passes its requests on with one. */
async function withKey(service: Service, key: string): Promise<{ url: string; close(): void }> {
  const { port } = new URL(service.url);
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request({ port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** Runs the suite. Returns which of the scenarios that the revision requires passed, and which failed. */
async function run(url: string, ...args: string[]): Promise<{ passed: string[]; failed: string[]; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-conformance-"));
  const child = spawn(process.execPath, [suite, "server", "--url", url, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (some: string) => (said += some));
  await once(child, "close");
  await rm(folder, { recursive: true, force: true });
  const scenarios = (mark: string) =>
    [...said.matchAll(new RegExp(`^${mark} ([\\w-]+): \\d+ passed`, "gm"))].map(([, name]) => name!);
  const unscored = new Set(
    [...said.matchAll(/^ +. ([\w-]+) \((?:extension|added-after-release|pending)\)/gm)].map(([, name]) => name),
  );
  const scored = (mark: string) => scenarios(mark).filter((name) => !unscored.has(name));
  return { passed: scored("✓"), failed: scored("✗"), said };
}

/**
 * What the older revision requires and a server without sessions cannot pass: in each, a tool asks its client in the middle of a call, and
 * the answer comes by another request, which only a session ties to the first. See docs/decisions/0035-agents-without-sessions.md.
 */
const needSessions = {
  "tools-call-sampling": "the tool asks for a text of the client's model",
  "tools-call-elicitation": "the tool asks the client's person for a name and an address",
  "elicitation-sep1034-defaults": "the tool asks the person by a form with values filled in",
  "elicitation-sep1330-enums": "the tool asks the person to choose from lists",
};

describe("the conformance suite", () => {
  let service: Service;
  let proxy: Awaited<ReturnType<typeof withKey>>;
  before(async () => {
    service = await startService({ extendAgents: addFixtures });
    proxy = await withKey(service, (await organization(service)).key);
  });
  after(async () => {
    proxy.close();
    await service.close();
  });

  test("passes all that 2026-07-28 requires", async () => {
    const { passed, failed, said } = await run(proxy.url, "--requirements", "2026-07-28");

    assert.deepEqual(failed, [], said);
    assert.ok(passed.length >= 37, said);
  });

  test("passes all that 2025-11-25 requires of a server without sessions", async () => {
    const { passed, failed, said } = await run(proxy.url, "--requirements", "2025-11-25");

    assert.deepEqual(failed, Object.keys(needSessions), said);
    assert.equal(passed.length, 26, said);
  });

  test("passes for the tools that the service itself lists", async () => {
    const acme = await organization();
    const own = await withKey(acme.service, acme.key);

    const { passed, said } = await run(own.url, "--scenario", "tools-list");
    own.close();

    assert.match(said, /Failed: 0|0 failed/, said);
    assert.ok(passed.length <= 1);
  });
});
