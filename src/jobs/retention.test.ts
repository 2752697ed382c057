// Rows with a limited lifetime are deleted after it, and none before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../test/support/clock.ts";
import { organization, type Workspace } from "../../test/support/given.ts";

const made = "2031-03-29T12:00:00.000Z";

const countOf = async (ws: Workspace, table: string): Promise<number> => {
  const [row] = await ws.service.app.db.query(ws.id, {
    text: `select count(*) from ${table} where organization_id = $1`,
    values: [ws.id],
  });
  return Number(row![0]);
};

test("the response for an Idempotency-Key is deleted after 24 hours, and the key can be used again", async () => {
  const acme = await organization();
  const ask = (name: string) => acme.ask("POST", "/lead/", { body: { name }, headers: { "idempotency-key": "once" } });
  acme.service.clock.now = new Date(made);
  const first = await ask("First");

  await atMoment(acme.service, "2031-03-30T11:59:59.999Z", "idempotency_keys");
  const again = await ask("First");
  const before = await countOf(acme, "idempotency_key");
  await atMoment(acme.service, "2031-03-30T12:00:00.001Z", "idempotency_keys");
  const after = await countOf(acme, "idempotency_key");
  const anew = await ask("Second");
  await atMoment(acme.service, "2031-03-30T12:00:00.002Z", "idempotency_keys");

  assert.deepEqual([again.body.id, again.headers.get("idempotency-replayed"), before, after], [first.body.id, "true", 1, 0]);
  assert.deepEqual([anew.status, anew.body.name, await countOf(acme, "idempotency_key")], [201, "Second", 1]);
});

test("notifications are forgotten after ninety days, more than fit into a transaction too, and newer ones stay", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const lead = await acme.lead();
  const give = (count: number) =>
    Promise.all(Array.from({ length: count }, () => acme.task({ lead_id: lead.id, assigned_to: bob.userId })));
  acme.service.clock.now = new Date(made);
  for (let i = 0; i < 10; i++) await give(23);
  acme.service.clock.now = new Date("2031-06-01T12:00:00.000Z");
  await give(1);
  const unread = async () => (await bob.get("/notification/?_limit=0")).unread_count;

  await atMoment(acme.service, "2031-06-27T12:00:00.000Z", "notifications");
  const before = await unread();
  await atMoment(acme.service, "2031-06-27T12:00:00.001Z", "notifications");

  assert.deepEqual([before, await unread()], [231, 1]);
});
