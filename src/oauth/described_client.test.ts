// Clients that nobody registered: the id of one is the address of a document in which it describes itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { bearer } from "../../test/support/bearer.ts";
import { selfSigned } from "../../test/support/certificate.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { callback, OauthClient } from "../../test/support/oauth_client.ts";
import { type Service, service, startService } from "../../test/support/service.ts";
import { Visitor } from "../../test/support/visitor.ts";

interface Site {
  url: string;
  visits: number;
  /** What it answers, by path. */
  documents: Map<string, { status?: number; headers?: Record<string, string>; text: string }>;
  server: Server;
}

let on: Service;
let site: Site;
let acme: Workspace;

before(async () => {
  setDefaultCACertificates([...getCACertificates("default"), selfSigned.cert]);
  on = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  acme = await organization(on);
  const server = createServer(selfSigned, (request, response) => {
    site.visits++;
    const { status = 200, headers = {}, text } = site.documents.get(request.url!) ?? { status: 404, text: "" };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  site = { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, visits: 0, documents: new Map(), server };
});
after(async () => {
  site.server.close();
  site.server.closeAllConnections();
  await on.close();
});

/** A document as clients publish it, with what a test changes. */
function describes(path: string, changes: object = {}): string {
  const client_id = site.url + path;
  const document = { client_id, client_name: "Described", redirect_uris: [callback], token_endpoint_auth_method: "none" };
  site.documents.set(path, { text: JSON.stringify({ ...document, ...changes }) });
  return client_id;
}

async function clientWith(client_id: string): Promise<OauthClient> {
  const client = await OauthClient.register(on);
  client.client = { client_id };
  return client;
}

describe("a client with a document", () => {
  test("is shown by its host, works, is read once, and may ask for more than its document says", async () => {
    const client_id = describes("/agent.json", {
      scope: "read",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      client_uri: "https://agent.example/",
    });
    const client = await clientWith(client_id);

    const tokens = await client.connect(acme, { scope: "write_safe" });
    const again = await client.connect(acme);

    assert.equal(site.visits, 1);
    assert.deepEqual([tokens.scope, again.scope], ["read write_safe", "read"]);
    assert.equal((await bearer(on, tokens.access_token)("POST", "/lead/", { name: "Acme" })).status, 201);
    await client.refresh(tokens.refresh_token);
    const visitor = new Visitor(on);
    await visitor.signIn((await acme.get("/me/")).email, "seven purple otters");
    const { text } = await visitor.open(await client.address("v".repeat(43)));
    assert.match(text, new RegExp(`It is from</dt><dd>${new URL(site.url).host}</dd>`));
    assert.match(text, /a program on this device/);
    assert.match((await visitor.open("/account/")).text, /Described/);
  });

  const refused: Record<string, (path: string) => string> = {
    "a document about another": (path) => describes(path, { client_id: "https://agent.example/" }),
    "one with a secret": (path) => describes(path, { client_secret: "known to all" }),
    "one that wants to authenticate with a secret": (path) =>
      describes(path, { token_endpoint_auth_method: "client_secret_post" }),
    "one with a redirect address by http": (path) => describes(path, { redirect_uris: [callback, "http://agent.example/back"] }),
    "one with a script for an address": (path) => describes(path, { redirect_uris: [callback, "javascript:alert(1)"] }),
    "one with another redirect address": (path) => describes(path, { redirect_uris: ["http://127.0.0.1/elsewhere"] }),
    "one without a redirect address": (path) => describes(path, { redirect_uris: [] }),
    "one of more than five kilobytes": (path) => describes(path, { client_name: "x".repeat(6000) }),
    "a page": (path) => {
      site.documents.set(path, { headers: { "content-type": "text/html" }, text: "<h1>Agent</h1>" });
      return site.url + path;
    },
    "a list": (path) => {
      site.documents.set(path, { text: "[]" });
      return site.url + path;
    },
    "one that is elsewhere now": (path) => {
      site.documents.set(path, { status: 302, headers: { location: describes("/agent.json") }, text: "" });
      return site.url + path;
    },
    "one that is not there": (path) => site.url + path,
    "one by plain http": () => describes("/agent.json").replace("https:", "http:"),
    "one with a name and a password": () => describes("/agent.json").replace("//", "//a:b@"),
    "one of a part of a page": () => `${describes("/agent.json")}#x`,
    "one by way of another folder": () => `${site.url}/x/../agent.json`,
  };
  for (const [what, publish] of Object.entries(refused))
    test(`is refused with ${what}`, async () => {
      const client = await clientWith(publish(`/${what.replaceAll(" ", "_")}.json`));

      const { status, left } = await new Visitor(on).open(await client.address("v".repeat(43)));

      assert.deepEqual([status, left], [400, null]);
    });

  test("is asked once in a while for a document that is not there", async () => {
    const client = await clientWith(`${site.url}/gone.json`);
    const { visits } = site;

    for (let i = 0; i < 3; i++) await new Visitor(on).open(await client.address("v".repeat(43)));

    assert.equal(site.visits, visits + 1);
  });

  test("is not asked for in the operator's own network", async () => {
    const usual = await service();
    const client = await clientWith(describes("/agent.json"));
    const { visits } = site;

    for (const client_id of [
      client.client.client_id,
      "https://169.254.169.254/latest",
      "https://localhost/x",
      "https://[::1]/x",
    ]) {
      client.client = { client_id };
      assert.equal((await new Visitor(usual).open(await client.address("v".repeat(43)))).status, 400, client_id);
    }
    assert.equal(site.visits, visits);
  });
});
