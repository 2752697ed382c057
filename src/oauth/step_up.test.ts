// A client that was allowed too little asks for more, when it needs it: the official client of agents, and one of REST.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { auth, Client, extractWWWAuthenticateParams, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { organization, type Workspace } from "../../test/support/given.ts";
import { callback } from "../../test/support/oauth_client.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

/** What a client keeps, and its person in a browser, who allows all that it asks for. */
class Keeper {
  readonly redirectUrl = callback;
  readonly clientMetadata = { client_name: "An agent", redirect_uris: [callback], token_endpoint_auth_method: "none" };
  readonly asked: (string | null)[] = [];
  private readonly acme: Workspace;
  private readonly visitor: Visitor;
  private client: any;
  private kept: any;
  private verifier = "";
  back = new URLSearchParams();

  constructor(acme: Workspace) {
    this.acme = acme;
    this.visitor = new Visitor(acme.service);
  }

  async signIn(): Promise<void> {
    await givePassword(this.acme.service, this.acme.userId);
    await this.visitor.signIn((await this.acme.get("/me/")).email, goodPassword);
  }

  clientInformation = () => this.client;
  saveClientInformation = (client: unknown) => void (this.client = client);
  tokens = () => this.kept;
  saveTokens = (tokens: unknown) => void (this.kept = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);

  async redirectToAuthorization(url: URL): Promise<void> {
    const scope = url.searchParams.get("scope");
    this.asked.push(scope);
    await this.visitor.open(url.pathname + url.search);
    const widest = scope?.split(" ").findLast((one) => one !== "offline_access") ?? "read";
    const { left } = await this.visitor.send({ answer: "allow", workspace: this.acme.id, scope: widest });
    this.back = left!.searchParams;
  }
}

async function keeping() {
  const acme = await organization();
  const keeper = new Keeper(acme);
  await keeper.signIn();
  const at = (url: string | URL, init?: RequestInit) => fetch(String(url).replace("http://localhost", acme.service.url), init);
  return { acme, keeper, at };
}

/** The client has sent its person to the consent, and is told how that went. */
const untilAllowed = async (step: () => Promise<unknown>, allowed: () => Promise<void>): Promise<any> => {
  try {
    return await step();
  } catch (error) {
    if (!/Unauthorized/.test((error as Error).constructor.name)) throw error;
    await allowed();
    return step();
  }
};

describe("a client steps up", () => {
  test("by itself at the address of agents", async () => {
    const { acme, keeper, at } = await keeping();
    const lead = await acme.lead();
    const open = async () => {
      const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        authProvider: keeper as never,
        fetch: at,
      });
      const client = new Client({ name: "an agent", version: "1" });
      return {
        transport,
        client,
        connected: await client
          .connect(transport)
          .then(() => true)
          .catch((error) => error),
      };
    };

    const first = await open();
    assert.match(String(first.connected), /Unauthorized/i);
    await first.transport.finishAuth(keeper.back);
    const { client, transport } = await open();
    const remove = () => client.callTool({ name: "delete_record", arguments: { object_type: "lead", id: lead.id } });
    const deleted = await untilAllowed(remove, () => transport.finishAuth(keeper.back));

    assert.equal(deleted.isError, undefined, JSON.stringify(deleted));
    await acme.refused(404, "GET", `/lead/${lead.id}/`);
    assert.deepEqual(keeper.asked.length, 2);
    assert.match(keeper.asked[1]!, /write_destructive/);
    await client.close();
  });

  test("at REST, by what the refusals say", async () => {
    const { acme, keeper, at } = await keeping();
    const serverUrl = "http://localhost/api/v1";
    const lead = await acme.lead();
    const remove = (headers: Record<string, string> = {}) => at(`${serverUrl}/lead/${lead.id}/`, { method: "DELETE", headers });
    const obtain = async (refused: Response) => {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
      const asked = { serverUrl, resourceMetadataUrl, scope, fetchFn: at, forceReauthorization: true };
      assert.equal(await auth(keeper as never, asked as never), "REDIRECT");
      assert.equal(
        await auth(
          keeper as never,
          { ...asked, authorizationCode: keeper.back.get("code"), iss: keeper.back.get("iss") } as never,
        ),
        "AUTHORIZED",
      );
      return { authorization: `Bearer ${keeper.tokens().access_token}` };
    };

    const little = await obtain(await remove({ authorization: "Bearer oat_none" }));
    const refused = await remove(little);
    assert.equal(refused.status, 403);
    const enough = await obtain(refused);

    assert.deepEqual(keeper.asked, ["read write_safe", "read write_safe write_destructive"]);
    assert.equal((await remove(enough)).status, 200);
  });
});
