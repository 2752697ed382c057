import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "../../test/support/client.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { announcements } from "../core/directory.ts";

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const statusWith = async (acme: Workspace, authorization: string) =>
  (await acme.ask("GET", "/me/", { headers: { authorization } })).status;

test("a key is taken as a user name without password, and as a bearer token", async () => {
  const acme = await organization();

  for (const authorization of [
    basic(`${acme.key}:`),
    `basic ${basic(`${acme.key}:`).slice(6)}`,
    `Bearer ${acme.key}`,
    `bearer   ${acme.key} `,
  ]) {
    assert.equal(await statusWith(acme, authorization), 200, authorization);
  }
});

test("anything else is refused, however long", async () => {
  const acme = await organization();

  const others = [
    basic(acme.key),
    basic(`${acme.key}:password`),
    basic(`:${acme.key}`),
    basic(`${acme.key}x:`),
    basic(":"),
    "Basic",
    "Basic !!!",
    acme.key,
    `Token ${acme.key}`,
    `Bearer ${"x".repeat(20_000)}`,
  ];

  for (const authorization of others) assert.equal(await statusWith(acme, authorization), 401, authorization.slice(0, 80));
});

test("who came with a token is told that it is the token", async () => {
  const acme = await organization();

  const answer = await acme.ask("GET", "/me/", { headers: { authorization: "Bearer oat_nobody" } });

  assert.match(answer.headers.get("www-authenticate")!, /^Bearer error="invalid_token"/);
});

test("a key the operator chose works although it has no checksum", async () => {
  const acme = await organization();
  const { db } = acme.service.app;
  const { writeKey } = await import("../resources/organization/found.ts");

  const text = `chosen-${process.pid}-0123456789`;
  await db.unscopedTransaction(async (tx) =>
    writeKey(tx, { organizationId: acme.id, userId: acme.userId, name: "chosen", text, now: new Date() }),
  );

  await new Client(acme.service, text).get("/me/");
});

test("a key stops when it expires, also one that was used a moment ago", async () => {
  const service = await startService();
  try {
    const acme = await organization(service);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { key } = await acme.post("/api_key/", { expires_at });
    const client = new Client(service, key);
    await client.get("/me/");

    service.clock.now = new Date(expires_at);

    await client.refused(401, "GET", "/me/");
    await acme.get("/me/");
  } finally {
    await service.close();
  }
});

test("the key of an invited member is refused until the invitation is accepted", async () => {
  const acme = await organization();
  const { id, user_id } = await acme.post("/membership/", { email: `invited-${process.pid}@example.com` });
  const { writeKey } = await import("../resources/organization/found.ts");
  const { db } = acme.service.app;
  const { api_key } = await db.unscopedTransaction(async (tx) =>
    writeKey(tx, { organizationId: acme.id, userId: user_id, name: "early", now: new Date() }),
  );
  const client = new Client(acme.service, api_key);
  await client.refused(401, "GET", "/me/");

  await db.unscopedTransaction(async (tx) => {
    tx.write({
      text: "update membership set status = 'active', accepted = true where organization_id = $1 and id = $2",
      values: [acme.id, id],
    });
    tx.write({ text: "select pg_notify($1, $2)", values: [announcements, acme.id] });
  });

  await soon(() => client.get("/me/"));
});

test("when the account is past due, reading and leaving go on and writing does not", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [lead, spare, second] = [
    await acme.lead(),
    await acme.post("/api_key/"),
    await acme.post("/organization/", { name: "Second" }),
  ];
  const [{ id }] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
  const { db } = acme.service.app;

  await db.unscopedTransaction(async (tx) => {
    tx.write({ text: "update account set billing_status = 'past_due' where owner_id = $1", values: [acme.userId] });
    tx.write({ text: "select pg_notify($1, $2)", values: [announcements, acme.id] });
  });
  acme.service.app.core.forget(acme.id);

  await acme.get(`/lead/${lead.id}/`);
  await acme.refused(402, "POST", "/lead/", { name: "New" });
  await acme.refused(402, "PUT", `/lead/${lead.id}/`, { name: "New" });
  await acme.refused(402, "DELETE", `/lead/${lead.id}/`);
  await acme.refused(402, "POST", "/api_key/");
  await acme.refused(402, "POST", "/organization/", { name: "Third" });
  await acme.put("/me/", { signature: "Bye" });
  await acme.delete(`/api_key/${spare.id}/`);
  await acme.delete(`/membership/${id}/`);
  await new Client(acme.service, second.api_key).delete(`/organization/${second.id}/`);
});

describe("two processes on one database", () => {
  let one: Service;
  let other: Service;
  before(async () => {
    one = await startService();
    other = await startService({ databaseUrl: one.databaseUrl });
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  test("a key deleted in one is refused by the other within a second", async () => {
    const acme = await organization(one);
    const made = await acme.post("/api_key/");
    const elsewhere = new Client(other, made.key);
    await elsewhere.get("/me/");

    await acme.delete(`/api_key/${made.id}/`);

    await soon(() => elsewhere.refused(401, "GET", "/me/"));
  });

  test("a key that was refused is taken as soon as it exists", async () => {
    const acme = await organization(one);
    const text = `later-${process.pid}-0123456789abcdef`;
    const elsewhere = new Client(other, text);
    await elsewhere.refused(401, "GET", "/me/");
    const { writeKey } = await import("../resources/organization/found.ts");

    await one.app.db.unscopedTransaction(async (tx) => {
      writeKey(tx, { organizationId: acme.id, userId: acme.userId, name: "later", text, now: new Date() });
      tx.write({ text: "select pg_notify($1, $2)", values: [announcements, acme.id] });
    });

    await soon(() => elsewhere.get("/me/"));
  });

  test("a removed member, a changed role and a role's new permissions are heard within a second", async () => {
    const acme = await organization(one);
    const sales = await acme.post("/role/", { name: "Sales", permissions: ["view_all_leads"] });
    const bob = await acme.member("user");
    const elsewhere = new Client(other, bob.key);
    const [{ id }] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
    const lead = await acme.lead();
    const mayDelete = async () => (await elsewhere.ask("DELETE", "/lead/lead_nobody/")).status === 404;
    assert.ok(await mayDelete());

    await acme.put(`/membership/${id}/`, { role_id: sales.id });
    await soon(async () => assert.ok(!(await mayDelete())));

    await acme.put(`/role/${sales.id}/`, { permissions: ["view_all_leads", "delete_leads"] });
    await soon(async () => assert.ok(await mayDelete()));

    await acme.delete(`/membership/${id}/`);
    await soon(() => elsewhere.refused(401, "GET", `/lead/${lead.id}/`));
  });

  test("a new name, a new group and a deleted organization are heard within a second", async () => {
    const acme = await organization(one);
    const elsewhere = new Client(other, acme.key);
    const lead = await acme.lead();
    await elsewhere.get("/group/");

    await acme.put("/me/", { name: "Another Name" });
    await soon(async () => assert.equal((await elsewhere.get(`/lead/${lead.id}/`)).created_by_name, "Another Name"));

    const second = await acme.post("/organization/", { name: "Second" });
    const there = new Client(other, second.api_key);
    await there.get("/me/");
    await new Client(one, second.api_key).delete(`/organization/${second.id}/`);
    await soon(() => there.refused(401, "GET", "/me/"));
  });
});

/** The change shows after a short delay: another process hears of it within a second. The rest is slack for a busy machine. */
async function soon(holds: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + 20_000;
  for (;;) {
    try {
      await holds();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
