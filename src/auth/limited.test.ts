// What an operator does to an organization that takes more than its part: leaves it a share of the limits, or suspends it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { organization, Workspace } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { receiver } from "../../test/support/receiver.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { drained, subscribe } from "../../test/support/webhooks.ts";
import { limitOrganization } from "./unscoped.ts";
import { backgroundState, backgroundStateOf } from "./unscoped_state.ts";

let service: Service | null = null;
after(() => service?.close());
const limits = { RATE_LIMIT: "on", RATE_LIMIT_READ: "200/600", RATE_LIMIT_WRITE: "100/600", OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" };
const given = async () => organization((service ??= await startService({ env: limits })));

async function limit({ app }: Service, id: string, percent: number | null): Promise<string | null> {
  const name = await limitOrganization(app.db, id, percent);
  // As the announcement does in each process, a moment later.
  app.core.forget(id);
  return name;
}

test("a limited organization has its part of the limits, all its keys together too, and others have theirs", async () => {
  const [acme, other] = [await given(), await given()];
  const policy = async (ws: typeof acme) => (await ws.ask("GET", "/me/")).headers.get("ratelimit-policy");

  await limit(acme.service, acme.id, 10);

  assert.equal(await policy(acme), '"read";q=20;w=600');
  assert.equal(await policy(other), '"read";q=200;w=600');
  for (let i = 1; i < 20; i++) await acme.get("/me/");
  await acme.refused(429, "GET", "/me/");
  await other.get("/me/");
  await limit(acme.service, acme.id, null);
  assert.equal(await policy(acme), '"read";q=200;w=600');
});

test("a suspended organization is refused everywhere and its work waits; others notice nothing, and afterwards it goes on", async () => {
  const [acme, other] = [await given(), await given()];
  const target = await receiver();
  for (const ws of [acme, other]) await subscribe(ws, target);
  const [theirs, ours] = [await acme.lead(), await other.lead()];

  await limit(acme.service, acme.id, 0);
  await drained(other);

  assert.deepEqual(target.objects(), [ours.id]);
  for (const [method, path] of [
    ["GET", "/me/"],
    ["POST", "/lead/"],
    ["DELETE", `/lead/${theirs.id}/`],
  ] as const) {
    const { status, body } = await acme.ask(method, path, method === "POST" ? { body: { name: "More" } } : {});
    assert.equal(status, 403);
    assert.match(body.error, /operator of this service has suspended/);
  }
  await assert.rejects(agentOf(acme), /denied access \(HTTP 403\)/);
  const { text, values } = backgroundState(new Date(Date.now() + 600_000));
  const state = backgroundStateOf(await acme.service.app.db.unscoped({ text, values }));
  assert.deepEqual(
    [state.jobs, state.limited.map(({ organization_id, percent, jobs }) => [organization_id, percent, jobs])],
    [[], [[acme.id, 0, 1]]],
  );

  await limit(acme.service, acme.id, null);
  await drained(acme);
  assert.deepEqual(target.objects(), [ours.id, theirs.id]);
  assert.equal((await acme.get(`/lead/${theirs.id}/`)).id, theirs.id);
});

test("a suspended organization is refused to a connection by OAuth too, also where it acts in another one of its person", async () => {
  const home = await given();
  const acme = await home.another();
  const lead = await acme.lead();
  const connected = async (there: Workspace) => {
    const client = await OauthClient.register(there.service);
    return client.connect(there, { scope: "read write_safe", resource: "http://localhost/mcp" });
  };
  const tokens = await connected(acme);
  const agent = await agentOf(home, { token: (await connected(home)).access_token });
  const read = () => agent.call("get_record", { object_type: "lead", id: lead.id, workspace: acme.id });
  assert.equal((await read()).structuredContent.record.id, lead.id);

  await limit(acme.service, acme.id, 0);

  for (const refused of [
    await read(),
    await agent.call("create_record", { object_type: "lead", data: { name: "More" }, workspace: acme.id }),
  ]) {
    assert.equal(refused.isError, true);
    assert.match(refused.structuredContent.error, /operator of this service has suspended/);
  }
  await assert.rejects(agentOf(acme, { token: tokens.access_token }), /denied access \(HTTP 403\)/);
  assert.equal((await agent.call("list_workspaces")).isError, undefined, "at home it goes on");

  await limit(acme.service, acme.id, null);
  assert.equal((await read()).structuredContent.record.id, lead.id);
});

test("a suspended organization that is deleted is deleted, and one that is not there is not limited", async () => {
  const first = await given();
  const { id, api_key } = await first.post("/organization/", { name: "Second" });
  const acme = new Workspace(first.service, api_key, id, first.userId);
  await acme.delete(`/organization/${id}/`);
  await acme.service.app.db.unscopedTransaction(async (tx) =>
    tx.write({ text: "update organization set limit_percent = 0 where id = $1 and organization_id = $1", values: [acme.id] }),
  );

  await drained(acme);

  const left = await acme.service.app.db.unscoped({ text: "select count(*) from organization where id = $1", values: [acme.id] });
  assert.deepEqual(left, [["0"]]);
  assert.equal(await limit(acme.service, acme.id, 10), null);
});
