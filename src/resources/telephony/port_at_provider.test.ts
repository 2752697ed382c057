// Numbers that Twilio is asked to take over, at a server that speaks its porting API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [one, two] = ["+12125551234", "+12125551235"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let order: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  const bill = await acme.post("/file/", { name: "bill.pdf", content_base64: Buffer.from("%PDF-1.4 bill").toString("base64") });
  order = {
    phone_numbers: [one, two],
    authorized_name: "Ada Admin",
    authorized_email: "ada@acme.example",
    account_number: "12345",
    pin: "9876",
    customer_name: "Acme Inc.",
    billing_address: { address_1: "101 Spear St", city: "San Francisco", state: "CA", zipcode: "94105" },
    invoice_file_id: bill.id,
  };
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const shown = async ({ id }: any) => acme.get(`/port/${id}/`);

/** An hour later, with all that follows. */
async function later(): Promise<void> {
  const moment = new Date((service.clock.now ?? new Date()).getTime() + 3_600_000).toISOString();
  await atMoment(service, moment, "open_ports");
  await drained();
}

test("Twilio is asked once with all that it wants to know, and the port says how far it is until the numbers are there", async () => {
  const made = await acme.post("/port/close/", order);
  await drained();
  const [asked, ...others] = twilio.ports.orders;
  const states = [await shown(made)];
  const becomes = async (port_in_request_status: string, each: object = {}) => {
    Object.assign(asked!, { port_in_request_status });
    for (const number of asked!.phone_numbers) Object.assign(number, each);
    await later();
    states.push(await shown(made));
  };
  await becomes("Waiting for Signature");
  await becomes("Action Required", { rejection_reason: "PIN mismatch" });
  await becomes("In progress", { rejection_reason: null });
  await becomes("In progress", { port_date: "2026-12-24T00:00:00Z" });
  await becomes("Completed");

  assert.deepEqual(others, []);
  assert.deepEqual(asked!.losing_carrier_information, {
    customer_type: "Business",
    customer_name: "Acme Inc.",
    account_number: "12345",
    authorized_representative: "Ada Admin",
    authorized_representative_email: "ada@acme.example",
    address: { street: "101 Spear St", city: "San Francisco", state: "CA", zip: "94105", country: "US" },
  });
  assert.match(twilio.ports.documents.get(asked!.documents[0]!)!, /utility_bill[^]*filename="bill\.pdf"[^]*%PDF-1\.4 bill/);
  assert.deepEqual(
    states.map(({ status, status_details, foc_date }) => [status, status_details, foc_date]),
    [
      ["submitted", "Twilio reviews it", null],
      ["submitted", "Ada Admin has to sign the letter of authorization that Twilio sent to ada@acme.example", null],
      ["exception", `${one}: PIN mismatch; ${two}: PIN mismatch`, null],
      ["in_process", null, null],
      ["foc_date_confirmed", null, "2026-12-24"],
      ["ported", null, "2026-12-24"],
    ],
  );
  assert.deepEqual([made.provider, states[0].provider_id, states[5].exceptions], ["twilio", "KW0", []]);
  assert.equal((await acme.get("/notification/?type=account_error")).data.length, 2);
  assert.doesNotMatch(JSON.stringify(states), /9876|12345"/);
});

test("one that is ended is taken back at Twilio, and one that Twilio ends says why", async () => {
  const made = await acme.post("/port/close/", order);
  await drained();
  await acme.post("/port/close/", { port_id: made.id });
  await drained();
  const again = await acme.post("/port/close/", order);
  await drained();
  const reason = "Numbers are not active";
  Object.assign(twilio.ports.orders[1]!, { port_in_request_status: "Canceled", order_cancellation_reason: reason });
  await later();

  assert.deepEqual(
    twilio.ports.orders.map(({ port_in_request_status }) => port_in_request_status),
    ["Canceled", "Canceled"],
  );
  assert.deepEqual([(await shown(made)).status, (await shown(made)).provider_state], ["cancelled", "Canceled"]);
  assert.deepEqual([(await shown(again)).status, (await shown(again)).status_details], ["cancelled", reason]);
});

test("what Twilio refuses is an exception with its words, and what it may have taken is not asked for again", async () => {
  twilio.ports.refuses = { status: 400, code: 22102, message: "Customer name is too long" };
  const refused = await acme.post("/port/close/", { ...order, phone_numbers: [one] });
  await drained();
  twilio.ports.refuses = "deaf";
  const lost = await acme.post("/port/close/", { ...order, phone_numbers: [two] });
  await drained();
  twilio.ports.refuses = null;
  await later();

  const [one_, two_] = [await shown(refused), await shown(lost)];
  assert.deepEqual([one_.status, two_.status, twilio.ports.orders.length], ["exception", "exception", 1]);
  assert.match(one_.status_details, /Customer name is too long/);
  assert.match(two_.status_details, /^It may have been ordered/);
});

test("an order that Twilio would send back names what is missing, and one that it cannot take stays a record with the reason", async () => {
  const { authorized_email: _, customer_name: __, billing_address: ___, ...bare } = order;
  const { body } = await acme.ask("POST", "/port/close/", { body: bare });
  const outside = await acme.post("/port/close/", {
    ...order,
    phone_numbers: ["+442079460000"],
    loa_file_id: order.invoice_file_id,
  });
  const free = await acme.post("/port/close/", { ...order, phone_numbers: ["+18005551234"], loa_file_id: order.invoice_file_id });
  const unproven = await acme.post("/port/close/", { ...order, invoice_file_id: null });
  await drained();

  assert.deepEqual(Object.keys(body["field-errors"]).sort(), [
    "authorized_email",
    "billing_address.address_1",
    "billing_address.city",
    "billing_address.state",
    "billing_address.zipcode",
    "customer_name",
  ]);
  assert.deepEqual([outside.provider, free.provider, unproven.provider, twilio.ports.orders], [null, null, null, []]);
  for (const { status_details } of [outside, free])
    assert.match(status_details, /^Nobody is asked for it: Twilio takes over only/);
  assert.match(unproven.status_details, /^The carriers want a recent invoice/);
});
