// Behind the address of the credentials may be something else than Twilio. Whoever asks learns that, and where to look.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";

let server: Server;
let acme: Workspace;
let answer: { status: number; headers?: Record<string, string>; body: string };

before(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  acme = await organization(await outboundService());
  await acme.put("/credentials/twilio/", {
    account_sid: `AC${"0".repeat(32)}`,
    auth_token: "0".repeat(32),
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
});
after(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Without the client of the tests, which takes each 503 for a machine that is busy. */
async function ask(method: string, path: string, body?: object): Promise<{ status: number; error: string }> {
  const headers = { authorization: `Basic ${btoa(`${acme.key}:`)}`, "content-type": "application/json" };
  const given = await fetch(`${acme.service.url}/api/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
  return { status: given.status, ...((await given.json()) as { error: string }) };
}

const nonsense = /^Twilio answered something that Twilio does not answer: look at base_url/;
const ok = (body: unknown) => ({ status: 200, body: typeof body === "string" ? body : JSON.stringify(body) });
const cases: [string, typeof answer, RegExp][] = [
  ["a redirect", { status: 302, headers: { location: "/login" }, body: "" }, /^Twilio answered with a redirect \(302\)/],
  ["another shape", ok({ available_phone_numbers: "nope" }), nonsense],
  ["nothing of what is read", ok({}), nonsense],
  ["numbers that are none", ok({ available_phone_numbers: [{ phone_number: "x", capabilities: {} }] }), nonsense],
  ["a list", ok([1]), nonsense],
  ["a text", ok('"hello"'), nonsense],
  ["a page", ok("<html></html>"), /^Twilio answered something that Twilio does not answer: look at base_url/],
  ["a failure", { status: 500, body: "{}" }, /^Twilio answered 500\.$/],
];

for (const [name, given, words] of cases)
  test(`${name} in place of Twilio's answer is a reason and no failure of ours`, async () => {
    answer = given;

    const listed = await ask("GET", "phone_number/available/?country=US");
    const picked = await ask("POST", "phone_number/", { country: "US" });

    assert.deepEqual([listed.status, picked.status], [503, 503]);
    assert.match(listed.error, words);
    assert.match(picked.error, words);
  });
