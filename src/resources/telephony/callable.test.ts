// Numbers that cannot be called or forwarded to, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { Caller } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [first, second, mobile, premium] = ["+12125551234", "+12125551235", "+12125553000", "+19005551234"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let number: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  number = await line(first);
});
afterEach(() => twilio.close());

/** A number of the account that works here. */
async function line(of: string, more: object = {}): Promise<any> {
  twilio.own(of);
  const made = await acme.post("/phone_number/", { number: of, ...more });
  await withWorker(service, (worker) => worker.drained());
  return acme.get(`/phone_number/${made.id}/`);
}

async function arrives(call: { from?: string; to?: string }, form: Record<string, string> = {}): Promise<Caller> {
  const rows = await service.app.db.query(acme.id, {
    text: "select webhook_token from credential where organization_id = $1",
    values: [acme.id],
  });
  return twilio.calls.arrives(service.url, `http://localhost/provider/twilio/${rows[0]![0]}/call/`, call, form);
}

const forwards = (to: string) => acme.put(`/phone_number/${number.id}/`, { forward_to: to, forward_to_enabled: true });

test("a number is not forwarded to itself, to another of the organization, nor to a premium-rate number", async () => {
  assert.equal(number.status, "active");
  await line(second);
  const path = `/phone_number/${number.id}/`;
  const group = { number: "+12125551236", is_group_number: true };
  twilio.own(group.number);

  for (const forward_to of [first, "(212) 555-1234", second, premium])
    await acme.refused(400, "PUT", path, { forward_to, forward_to_enabled: true }, "forward_to");
  await acme.refused(400, "POST", "/phone_number/", { ...group, phone_numbers: [mobile, first] }, "phone_numbers.1");
  await acme.refused(400, "POST", "/phone_number/", { ...group, phone_numbers: [group.number] }, "phone_numbers.0");
  await acme.refused(400, "POST", "/phone_number/", { ...group, phone_numbers: [premium] }, "phone_numbers.0");
  await acme.refused(400, "POST", "/phone_number/", { ...group, forward_to: second }, "forward_to");
  const kept = await acme.post("/phone_number/", { ...group, phone_numbers: [mobile] });
  await acme.refused(400, "PUT", `/phone_number/${kept.id}/`, { phone_numbers: [mobile, second] }, "phone_numbers.1");
  assert.equal((await acme.get(path)).forward_to, null);
});

test("a phone that became a number of the organization later does not ring, and the rest of the number can be changed", async () => {
  await forwards(second);
  const before = await arrives({});
  await line(second);

  const after = await arrives({});

  assert.deepEqual(before.rings, [second]);
  assert.deepEqual(
    after.verbs.map(({ name }) => name),
    ["Say", "Record", "Hangup"],
  );
  assert.equal((await acme.put(`/phone_number/${number.id}/`, { label: "Desk" })).label, "Desk");
});

test("a member's own mobile may be forwarded to, also while it is listed as a number elsewhere", async () => {
  await acme.post("/phone_number/", { number: mobile, type: "external" });

  await forwards(mobile);

  assert.deepEqual((await arrives({})).rings, [mobile]);
});

test("numbers elsewhere whose calls come in here do not ring each other", async () => {
  const [one, other] = ["+12125557001", "+12125557002"];
  await acme.post("/phone_number/", { number: one, type: "external" });
  const made = await acme.post("/phone_number/", { number: other, type: "external" });

  await acme.refused(400, "PUT", `/phone_number/${made.id}/`, { forward_to: one, forward_to_enabled: true }, "forward_to");
  await acme.refused(400, "PUT", `/phone_number/${made.id}/`, { forward_to: other, forward_to_enabled: true }, "forward_to");
});

test("a call from a number of the organization, or forwarded by one, or back to its caller, is not forwarded", async () => {
  await line(second);
  await forwards(mobile);
  const rings = async (from: string, form = {}) => (await arrives({ from }, form)).rings;

  assert.deepEqual(await rings("+12125559876"), [mobile]);
  assert.deepEqual(await rings(first), []);
  assert.deepEqual(await rings(second), []);
  assert.deepEqual(await rings(mobile), []);
  assert.deepEqual(await rings("+12125559876", { ForwardedFrom: second }), []);
  assert.deepEqual(await rings("+12125559876", { ForwardedFrom: mobile }), []);
  assert.deepEqual(await rings("+12125559876", { ForwardedFrom: "+12125554444" }), [mobile]);
});

test("members ring before the phones of a group, which have what is left of ten places", async () => {
  const bob = await acme.member();
  for (const one of [acme, bob]) await one.put("/user/availability/", { availability: "online" });
  const phone_numbers = Array.from({ length: 12 }, (_, i) => `+121255560${10 + i}`);
  await line("+12125551236", { is_group_number: true, phone_numbers });

  const { rings } = await arrives({ to: "+12125551236" });

  const clients = [acme, bob].map(({ userId }) => `client:${userId}`);
  assert.deepEqual(rings.toSorted(), [...phone_numbers.slice(0, 8), ...clients].toSorted());
});

test("premium-rate numbers and the organization's own are not called, whoever has them", async () => {
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id, phones: [{ phone: premium }] });
  await line(second);

  for (const phone of [premium, "1 900 555 1234", first, second, `${second}x12`])
    await acme.refused(400, "POST", "/dialer/call/", { phone }, "phone");
  await acme.refused(400, "POST", "/dialer/call/", { contact_id: contact.id }, "phone");
  await acme.refused(400, "POST", "/dialer/call/", { lead_id: lead.id }, "phone");
  await acme.put(`/contact/${contact.id}/`, { phones: [{ phone: premium }, { phone: mobile }] });
  assert.equal((await acme.post("/dialer/call/", { contact_id: contact.id })).phone, mobile);
});

test("a call that waited while its target became a number of the organization is not placed", async () => {
  await acme.put("/user/availability/", { availability: "online" });
  const { id } = await acme.contact({ phones: [{ phone: second }] });
  const call = await acme.post("/dialer/call/", { contact_id: id });

  await line(second);

  assert.match((await acme.get(`/activity/call/${call.id}/`)).error_message ?? "", /is a number of this organization/);
  assert.deepEqual(twilio.calls.all, []);
});
