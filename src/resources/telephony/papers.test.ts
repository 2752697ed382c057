// Numbers that are rented only with an address or papers, with a server that speaks Twilio's API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const berlin = "+493012345678";
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const bundle = (status: string) => ({
  sid: "BU1",
  status,
  iso_country: "DE",
  number_type: "local",
  friendly_name: "Acme in Berlin",
});
const regulated = () =>
  twilio.regulations.push({
    sid: "RN1",
    iso_country: "DE",
    number_type: "local",
    end_user_type: "business",
    requirements: {
      end_user: [{ name: "Business" }],
      supporting_document: [[{ name: "Business Registration" }, { name: "Proof of Address" }]],
    },
  });
const refusal = async (body: object, field: string) =>
  (await acme.refused(400, "POST", "/phone_number/", body, field))["field-errors"] as Record<string, string>;

test("a number that takes papers is refused with the documents that are wanted, or with what holds them up", async () => {
  regulated();
  twilio.forSale.push({ number: berlin, address: true, bundle: true });

  const none = await refusal({ number: berlin }, "number");
  const picked = await refusal({ country: "DE" }, "country");
  const reasons = [];
  for (const status of ["twilio-rejected", "draft", "in-review"]) {
    twilio.bundles.push(bundle(status));
    reasons.push((await refusal({ number: berlin }, "number")).number);
  }

  assert.equal(none.status, "needs-more-info");
  assert.match(none.number!, /has approved, with Business Registration, Proof of Address: make one in its console/);
  assert.match(picked.country!, /^has only numbers of which each is rented only with a regulatory bundle/);
  assert.match(reasons[0]!, /rejected the regulatory bundle Acme in Berlin: correct it/);
  assert.match(reasons[1]!, /bundle Acme in Berlin: complete and submit it/);
  assert.match(reasons[2]!, /once Twilio has approved the regulatory bundle Acme in Berlin, which it is reviewing/);
  assert.deepEqual((await acme.get("/phone_number/")).data, []);
});

test("a number is rented with the papers or the address that the account has, once, and shows them", async () => {
  regulated();
  twilio.bundles.push(bundle("twilio-rejected"), { ...bundle("twilio-approved"), sid: "BU2" });
  twilio.addresses.push({ sid: "AD1", iso_country: "US" }, { sid: "AD2", iso_country: "DE" });
  twilio.forSale.push({ number: berlin, address: true, bundle: true }, { number: "+33123456789", address: true });

  const made = await acme.post("/phone_number/", { country: "DE" });
  const french = await acme.post("/phone_number/", { number: "+33123456789" });
  await drained();

  const [one, other] = [await acme.get(`/phone_number/${made.id}/`), await acme.get(`/phone_number/${french.id}/`)];
  assert.deepEqual([one.number, one.status, one.address_id, one.bundle_id], [berlin, "active", "AD2", "BU2"]);
  assert.deepEqual([other.status, other.address_id, other.bundle_id], ["active", "AD1", null]);
  assert.equal(twilio.rents, 2);
});

test("a number that turns out to take papers waits with the reason, and is rented once they are approved", async () => {
  regulated();
  twilio.forSale.push({ number: berlin, bundle: true });
  const made = await acme.post("/phone_number/", { number: berlin });
  await drained();
  const waiting = await acme.get(`/phone_number/${made.id}/`);

  twilio.bundles.push(bundle("twilio-approved"));
  await acme.put("/credentials/twilio/", twilio.credentials);
  await drained();

  const active = await acme.get(`/phone_number/${made.id}/`);
  assert.deepEqual([waiting.status, active.status, active.status_details, active.bundle_id], ["pending", "active", null, "BU1"]);
  assert.match(waiting.status_details, /regulatory bundle that Twilio has approved, with Business Registration/);
});
