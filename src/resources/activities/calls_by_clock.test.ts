// A call that nobody makes fails after an hour.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const asked = "2031-05-06T10:00:00.000Z";

async function dialled(ws: Workspace): Promise<any> {
  const person = await ws.contact({ phones: [{ phone: "+12125559876", type: "office" }] });
  ws.service.clock.now = new Date(asked);
  return ws.post("/dialer/call/", { contact_id: person.id });
}

const stateOf = async (ws: Workspace, of: { id: string }) => {
  const { status, disposition } = await ws.get(`/activity/call/${of.id}/`);
  return [status, disposition, (await ws.events(of.id)).length];
};

test("a call that stays created for an hour has failed, once", async () => {
  const acme = await organization();
  const call = await dialled(acme);

  await atMoment(acme.service, "2031-05-06T10:59:59.999Z", "calls");
  const before = await stateOf(acme, call);
  await atMoment(acme.service, "2031-05-06T11:00:00.000Z", "calls");
  const after = await stateOf(acme, call);
  await atMoment(acme.service, "2031-05-07T11:00:00.000Z", "calls");

  assert.deepEqual(before, ["created", null, 1]);
  assert.deepEqual(after, ["failed", "error", 2]);
  assert.deepEqual(await stateOf(acme, call), after);
  const [, failed] = await acme.events(call.id);
  assert.deepEqual(
    [failed.event, failed.changed_fields, failed.user_id],
    ["activity.call.updated", ["status", "disposition"], null],
  );
});

test("a call that was taken up, or is logged, stays as it is", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  acme.service.clock.now = new Date(asked);
  const talking = await acme.post("/activity/call/", { lead_id: lead.id, status: "in-progress" });
  const logged = await acme.post("/activity/call/", { lead_id: lead.id, duration: 60 });
  const gone = await acme.post("/activity/call/", { lead_id: lead.id, status: "created" });
  await acme.delete(`/activity/call/${gone.id}/`);

  await atMoment(acme.service, "2031-05-06T12:00:00.000Z", "calls");

  assert.deepEqual((await stateOf(acme, talking))[0], "in-progress");
  assert.deepEqual((await stateOf(acme, logged))[0], "completed");
  assert.deepEqual((await acme.events(gone.id)).at(-1).action, "deleted");
});
