// A snoozed conversation reopens at its time, with one event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const until = "2031-03-30T01:30:00.000Z";

async function snoozed(ws: Workspace): Promise<any> {
  const lead = await ws.lead();
  return ws.post("/conversation/", { lead_id: lead.id, subject: "Later", status: "snoozed", snoozed_until: until });
}

const told = async (ws: Workspace, of: { id: string }) => (await ws.events(of.id)).map((one) => one.action).slice(1);
const shown = async (ws: Workspace, of: { id: string }) => {
  const { status, snoozed_until } = await ws.get(`/conversation/${of.id}/`);
  return [status, snoozed_until];
};

test("a snoozed conversation opens at its hour and not before, with one event however many workers look", async () => {
  const acme = await organization();
  const one = await snoozed(acme);

  await atMoment(acme.service, "2031-03-30T01:29:59.999Z", "snoozes");
  const before = [await shown(acme, one), await told(acme, one)];
  acme.service.clock.now = new Date(until);
  const read = await shown(acme, one);
  await atMoment(acme.service, until, "snoozes");
  const after = [await shown(acme, one), await told(acme, one)];
  await atMoment(acme.service, "2031-04-30T00:00:00.000Z", "snoozes");

  assert.deepEqual(before, [["snoozed", until], []]);
  assert.deepEqual(read, ["open", null], "readers see it before it is written");
  assert.deepEqual(after, [read, ["updated", "reopened"]]);
  assert.deepEqual(await told(acme, one), ["updated", "reopened"]);
  const reopened = (await acme.events(one.id)).at(-1);
  assert.deepEqual([reopened.user_id, reopened.previous_data.status], [null, "snoozed"]);
});

test("who closes or answers a conversation after its hour closes or answers an open one", async () => {
  const acme = await organization();
  const [closed, answered] = [await snoozed(acme), await snoozed(acme)];

  acme.service.clock.now = new Date("2031-03-30T02:00:00.000Z");
  await acme.put(`/conversation/${closed.id}/`, { status: "closed" });
  await acme.post(`/conversation/${answered.id}/message/`, {
    type: "sms",
    status: "inbox",
    body: "Yes",
    remote_phone: "+18004445555",
  });
  await atMoment(acme.service, "2031-03-30T02:00:01.000Z", "snoozes");

  assert.deepEqual(await told(acme, closed), ["updated", "reopened", "updated", "closed"]);
  assert.deepEqual(await told(acme, answered), ["updated", "reopened", "updated"]);
});

test("what was woken, closed or deleted before its hour is left alone, and wakes once it is restored", async () => {
  const acme = await organization();
  const [woken, later, deleted] = [await snoozed(acme), await snoozed(acme), await snoozed(acme)];
  await acme.put(`/conversation/${woken.id}/`, { status: "open" });
  await acme.put(`/conversation/${later.id}/`, { snoozed_until: "2031-05-01T00:00:00.000Z" });
  await acme.delete(`/conversation/${deleted.id}/`);

  await atMoment(acme.service, "2031-04-01T00:00:00.000Z", "snoozes");
  const before = await Promise.all([woken, later, deleted].map((one) => told(acme, one)));
  await acme.post(`/conversation/${deleted.id}/restore/`);
  await atMoment(acme.service, "2031-04-01T00:00:01.000Z", "snoozes");

  assert.deepEqual(before, [["updated", "reopened"], ["updated"], ["deleted"]]);
  assert.deepEqual(await shown(acme, later), ["snoozed", "2031-05-01T00:00:00.000Z"]);
  assert.deepEqual(await told(acme, deleted), ["deleted", "restored", "updated", "reopened"]);
});

test("a conversation whose author has left opens all the same", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const one = await snoozed(bob);
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((each: any) => each.user_id === bob.userId).id}/`);

  await atMoment(acme.service, until, "snoozes");

  assert.deepEqual(await told(acme, one), ["updated", "reopened"]);
});
