// Dialers that are fed by the call steps of sequences.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const ours = "+12125551234";
const day = 86_400_000;
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;

beforeEach(async () => {
  service = await outboundService();
  // A Thursday at noon in New York.
  service.clock.now = new Date("2031-01-02T17:00:00Z");
  twilio = await startTwilio();
  twilio.clock = () => service.clock.now!;
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
async function after(ms: number): Promise<void> {
  service.clock.now = new Date(service.clock.now!.getTime() + ms);
  await drained();
}
const next = (who: Workspace, { id }: { id: string }, body: object = {}): Promise<any> => who.post(`/dialer/${id}/next/`, body);

let count = 1000;
const sequence = (
  steps: object[] = [
    { step_type: "call", required: true },
    { step_type: "task", text: "Write" },
  ],
) => acme.post("/sequence/", { name: "Outreach", timezone: "UTC", steps });

/** Somebody in a sequence. */
async function subscribed({ id }: { id: string }, body: object = {}): Promise<any> {
  const { contacts } = await acme.lead({ contacts: [{ name: "Carla", phones: [{ phone: `+1212555${++count}` }] }] });
  return acme.post("/sequence_subscription/", { sequence_id: id, contact_id: contacts[0].id, ...body });
}
const shown = ({ id }: { id: string }) => acme.get(`/sequence_subscription/${id}/`);
const openTasks = async ({ lead_id }: { lead_id: string }) =>
  (await acme.get(`/task/?lead_id=${lead_id}&is_complete=false`)).data.map((one: any) => one._type);

/** Calls from the dialer. The other side does not answer. */
async function call(dialer: any, handed: any): Promise<any> {
  await acme.put("/user/availability/", { availability: "online" });
  const made = await acme.post("/dialer/call/", { dialer_id: dialer.id, contact_id: handed.contact_id });
  await drained();
  const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
  await caller.isAfterDial({ DialCallStatus: "no-answer" });
  await drained();
  return acme.get(`/activity/call/${made.id}/`);
}

test("the due calls of sequences come up, also those that become due later, and a call finishes its step", async () => {
  const made = await sequence();
  const first = await subscribed(made);
  const tomorrow = await subscribed(made, { start_date: new Date(service.clock.now!.getTime() + day).toISOString() });
  await subscribed(await sequence());
  await drained();

  const dialer = await acme.post("/dialer/", { sequence_id: made.id, skip_rules: { local_hours: null } });
  const handed = await next(acme, dialer);
  const rung = await call(dialer, handed);
  const went = await shown(first);
  await after(day);
  const later = await next(acme, dialer);
  const manual = await next(acme, dialer, { entry_id: later.entry_id });
  await drained();

  assert.deepEqual([dialer.source_type, dialer.source_value, dialer.n_leads], ["sequence-calls", made.id, 1]);
  assert.deepEqual([handed.contact_id, later.contact_id, manual], [first.contact_id, tomorrow.contact_id, { done: true }]);
  assert.deepEqual([rung.status, rung.dialer_id], ["no-answer", dialer.id]);
  assert.equal(went.status, "finished", "nobody waits for the task of the last step");
  assert.deepEqual([await openTasks(first), await openTasks(tomorrow)], [["todo"], ["todo"]]);
  const [task] = (await acme.get(`/task/?lead_id=${first.lead_id}&_type=call`)).data;
  assert.deepEqual([task.is_complete, task.completed_by], [true, acme.userId]);
});

test("a call that somebody made elsewhere, was skipped, or is asked for no more finishes nothing, and does not come up", async () => {
  const made = await sequence();
  const [done, left, skipped] = [await subscribed(made), await subscribed(made), await subscribed(made)];
  await drained();
  const dialer = await acme.post("/dialer/", { source_type: "sequence-calls", skip_rules: { local_hours: null } });
  const [task] = (await acme.get(`/task/?lead_id=${done.lead_id}`)).data;
  await acme.put(`/task/${task.id}/`, { is_complete: true });
  await acme.put(`/sequence_subscription/${left.id}/`, { status: "paused" });

  const only = await next(acme, dialer);
  const end = await next(acme, dialer, { entry_id: only.entry_id, skip: true });
  await drained();

  assert.deepEqual([dialer.n_leads, only.contact_id, end], [3, skipped.contact_id, { done: true }]);
  assert.deepEqual([await openTasks(left), await openTasks(skipped)], [["call"], ["call"]]);
  assert.equal((await shown(skipped)).waiting_task_id !== null, true);
});

test("a dialer has the calls of its member and their groups, of leads that they see, and of a sequence that exists", async () => {
  const bob = await acme.member();
  const group = await acme.post("/group/", { name: "Callers", user_ids: [bob.userId] });
  const made = await sequence([{ step_type: "call", assigned_to: group.id }]);
  const theirs = await subscribed(made);
  await subscribed(await sequence());
  await drained();

  const own = await bob.post("/dialer/", { source_type: "sequence-calls" });
  const forBob = await acme.post("/dialer/", { source_value: made.id, user_id: bob.userId });
  const none = await acme.post("/dialer/", { sequence_id: made.id });

  assert.deepEqual([own.n_leads, forBob.n_leads, none.n_leads], [1, 1, 0]);
  assert.equal((await next(bob, forBob)).contact_id, theirs.contact_id);
  const restricted = await acme.member("restricteduser");
  await restricted.refused(403, "POST", "/dialer/", { source_type: "sequence-calls", user_id: bob.userId });
  const stranger = await organization(service);
  await stranger.refused(400, "POST", "/dialer/", { sequence_id: made.id }, "sequence_id");
  await stranger.refused(400, "POST", "/dialer/", { source_type: "sequence-calls", source_value: made.id }, "source_value");
  await acme.refused(400, "POST", "/dialer/", { sequence_id: made.id, lead_ids: [theirs.lead_id] }, "sequence_id");
});
