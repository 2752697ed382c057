// An agent that a person allowed something by OAuth: its scopes, its workspaces, and what is kept of its calls.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { atMoment } from "../../test/support/clock.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { until } from "../../test/support/processes.ts";

const resource = "http://localhost/mcp";

async function connection(person: Workspace, scope: string) {
  const client = await OauthClient.register(person.service);
  const tokens = await client.connect(person, { scope, resource });
  return { client, tokens, agent: await agentOf(person, { token: tokens.access_token }) };
}

describe("a connection", () => {
  test("lists its workspaces, acts in another for one call, and switches for good, over refreshed tokens too", async () => {
    const acme = await organization();
    const other = await acme.another();
    const foreign = await organization();
    const lead = await other.lead({ name: "Over there" });
    const { client, tokens, agent } = await connection(acme, "read write_safe offline_access");
    const get = (more: object = {}) => agent.call("get_record", { object_type: "lead", id: lead.id, ...more });

    const { workspaces } = (await agent.call("list_workspaces")).structuredContent;
    assert.deepEqual(
      workspaces.map(({ id, is_active }: any) => [id, is_active]),
      [
        [acme.id, true],
        [other.id, false],
      ],
    );
    assert.equal((await get()).isError, true);
    assert.equal((await get({ workspace: other.id })).structuredContent.record.name, "Over there");
    assert.deepEqual(
      (await get({ workspace: foreign.id })).structuredContent,
      (await get({ workspace: "nowhere" })).structuredContent,
    );
    await agent.call("switch_workspace", { to: other.id });
    assert.equal((await get()).structuredContent.record.name, "Over there");
    const refreshed = await client.refresh(tokens.refresh_token);
    const later = await agentOf(acme, { token: refreshed.access_token });
    assert.equal((await later.call("get_record", { object_type: "lead", id: lead.id })).isError, undefined);
  });

  test("is told by the protocol of OAuth which scopes a call needs, and a key by the tool", async () => {
    const acme = await organization();
    const { tokens } = await connection(acme, "read");
    const call = (authorization: string, headers: Record<string, string> = {}) =>
      fetch(`${acme.service.url}/mcp/`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "delete_record", arguments: { object_type: "lead", id: "lead_1" } },
        }),
      });

    const refused = await call(`Bearer ${tokens.access_token}`);
    assert.equal(refused.status, 403);
    assert.match(
      refused.headers.get("www-authenticate")!,
      /error="insufficient_scope", scope="read write_safe write_destructive", resource_metadata="/,
    );
    const byKey = await call(`Bearer ${acme.key}`);
    assert.equal(byKey.status, 200);
    assert.equal(byKey.headers.get("www-authenticate"), null);
    assert.match(await byKey.text(), /"isError":true/);
  });

  test("leaves a row for each call, which admins list", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const { client, agent } = await connection(acme, "read");
    await agent.call("get_record", { object_type: "lead", id: lead.id });
    await agent.call("get_record", { object_type: "lead", id: "lead_no" });

    await until(async () => (await acme.get("/agent_call/?tool=get_record")).data.length === 2);
    const [missed, read] = (await acme.get("/agent_call/?tool=get_record")).data;

    assert.deepEqual([read.status, read.object_ids, read.created_by], [200, [lead.id], acme.userId]);
    assert.equal(read.oauth_client_id, client.client.client_id);
    assert.ok(read.bytes > 0 && read.duration_ms >= 0 && read.request_id.startsWith("req_"));
    assert.deepEqual([missed.status, missed.error], [404, "Not Found"]);
    const member = await acme.member();
    await member.refused(403, "GET", "/agent_call/");
    await atMoment(acme.service, new Date(Date.now() + 91 * 86_400_000).toISOString(), "agent_calls");
    assert.deepEqual((await acme.get("/agent_call/")).data, []);
  });

  test("whose workspace is lost says so, and still lists the others, acts in them and moves there", async () => {
    const acme = await organization();
    const ann = await acme.member("user");
    const home = await organization();
    await ann.joins(home);
    const lead = await home.lead({ name: "At home" });
    const { agent } = await connection(ann, "read write_safe");
    const { data } = await acme.get("/membership/");
    await acme.delete(`/membership/${data.find(({ user_id }: any) => user_id === ann.userId).id}/`);
    const get = (more: object = {}) => agent.call("get_record", { object_type: "lead", id: lead.id, ...more });

    const dead = await get();
    const { workspaces } = (await agent.call("list_workspaces")).structuredContent;

    assert.equal(dead.isError, true);
    assert.match(dead.structuredContent.error, /no longer a member .* Switch to one of yours/);
    assert.deepEqual(
      workspaces.map(({ id, is_active }: any) => [id, is_active]),
      [[home.id, false]],
    );
    assert.equal((await get({ workspace: home.id })).structuredContent.record.name, "At home");
    await agent.call("switch_workspace", { to: home.id });
    assert.equal((await get()).structuredContent.record.name, "At home");
  });
});
