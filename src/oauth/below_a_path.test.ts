// A service that lies below a path of its host, behind a proxy that takes the path away.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { bearer } from "../../test/support/bearer.ts";
import { organization } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { startService } from "../../test/support/service.ts";

test("a client connects to a service below a path", async (t) => {
  const on = await startService({ baseUrl: "http://localhost/crm" });
  const acme = await organization(on);
  const proxy = createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, "http://localhost");
    const isOurs = pathname.startsWith("/crm/") || pathname.startsWith("/.well-known/oauth-");
    if (!isOurs) return void response.writeHead(404).end();
    const path = pathname.replace(/^\/crm/, "") + search;
    const on = ask(inner + path, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(on);
  });
  const inner = on.url;
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(async () => {
    proxy.close();
    await on.close();
  });
  const outside = { ...on, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };

  const client = await OauthClient.register(outside);
  const tokens = await client.connect(acme, { scope: "read", resource: "http://localhost/crm/mcp" });
  const rest = await client.connect(acme, { scope: "read" });

  assert.equal(client.server.issuer, "http://localhost/crm");
  await client.refresh(tokens.refresh_token);
  const me = await bearer({ ...outside, url: `${outside.url}/crm` }, rest.access_token)("GET", "/me/");
  assert.equal(me.body.id, acme.userId);
  const refused = await bearer(on, tokens.access_token)("GET", "/me/");
  const document = /resource_metadata="http:\/\/localhost([^"]+)"/.exec(refused.headers.get("www-authenticate")!)![1]!;
  const said = (await (await fetch(outside.url + document)).json()) as { resource: string; authorization_servers: string[] };
  assert.deepEqual([said.resource, said.authorization_servers], ["http://localhost/crm/api/v1", ["http://localhost/crm"]]);
});
