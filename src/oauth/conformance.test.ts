// The official conformance suite of the protocol for agents, at the server of tokens: its document, and the way to a token.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/support/free_port.ts";
import { organization } from "../../test/support/given.ts";
import { startService } from "../../test/support/service.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

const suite = fileURLToPath(new URL("dist/index.js", import.meta.resolve("@modelcontextprotocol/conformance/package.json")));

test("the conformance suite finds the server of tokens, and is given one", async (t) => {
  // The service has to know its own address before it listens.
  const [port, back] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const on = await startService({ baseUrl: base });
  const outside = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(on.url + incoming.url!, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  }).listen(port, "127.0.0.1");
  await once(outside, "listening");
  t.after(async () => {
    outside.closeAllConnections();
    outside.close();
    await on.close();
  });
  const acme = await organization(on);
  await givePassword(on, acme.userId);
  const visitor = new Visitor({ ...on, url: base });
  await visitor.signIn((await acme.get("/me/")).email, goodPassword);
  const registered = await fetch(`${base}/oauth2/register/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${back}/callback`], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };

  const args = ["authorization", "--url", base, "--client-id", client_id, "--port", String(back), "--resource", `${base}/mcp`];
  const child = spawn(process.execPath, [suite, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let asked = false;
  for await (const some of child.stdout.setEncoding("utf8")) {
    said += some;
    const address = /https?:\S+\/oauth2\/authorize\/(\?\S+)\s/.exec(said)?.[1];
    if (asked || address === undefined) continue;
    asked = true;
    await allow(visitor, address, acme.id);
  }

  assert.match(said, /Total: 3 passed, 0 failed/);
});

/** The suite prints the address that a person opens, and waits for the browser to come back. */
async function allow(visitor: Visitor, search: string, workspace: string): Promise<void> {
  const own = new URL(visitor.service.url).origin;
  const step = async (left: URL | null): Promise<URL> =>
    left?.origin === own ? step((await visitor.open(left.pathname + left.search)).left) : left!;
  const { left } = await visitor.open(`/oauth2/authorize/${search}`);
  if (left !== null) await visitor.open(left.pathname);
  const answered = await visitor.send({ answer: "allow", workspace, scope: "read" });
  await fetch(await step(answered.left));
}
