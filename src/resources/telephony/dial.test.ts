import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const phones = (phone: string, type = "office") => [{ phone, type }];

test("a call begins as a record in the state created, from one's own number", async () => {
  const acme = await organization();
  await acme.post("/phone_number/", { number: "+12125551234" });
  const person = await acme.contact({ phones: phones("(212) 555-9876") });

  const answer = await acme.ask("POST", "/dialer/call/", { body: { contact_id: person.id } });

  const { body } = answer;
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get("location"), `/api/v1/activity/call/${body.id}/`);
  assert.equal(body.call_id, body.id);
  assert.deepEqual([body.status, body.source, body.direction, body.call_method], ["created", "Internal", "outbound", "regular"]);
  assert.deepEqual([body.phone, body.local_phone], ["+12125559876", "+12125551234"]);
  assert.deepEqual([body.contact_id, body.lead_id, body.user_id], [person.id, person.lead_id, acme.userId]);
  assert.deepEqual(
    (await acme.events(body.id)).map((one) => one.event),
    ["activity.call.created"],
  );
});

test("a call to a number finds its contact, and a call to a lead finds a contact to call", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [...phones("+12125550001", "fax"), ...phones("+12125550002")] });
  const company = await acme.lead({ phones: phones("+12125550003") });

  const byNumber = await acme.post("/dialer/call/", { phone: "212 555 0002" });
  const atLead = await acme.post("/dialer/call/", { lead_id: person.lead_id });
  const atCompany = await acme.post("/dialer/call/", { lead_id: company.id });

  assert.deepEqual([byNumber.contact_id, byNumber.lead_id], [person.id, person.lead_id]);
  assert.deepEqual([atLead.contact_id, atLead.phone], [person.id, "+12125550002"]);
  assert.deepEqual([atCompany.contact_id, atCompany.phone], [null, "+12125550003"]);
});

test("what cannot be dialled is refused, and so is what is not there", async () => {
  const acme = await organization();
  const silent = await acme.contact();
  const refused = (body: object, field: string) => acme.refused(400, "POST", "/dialer/call/", body, field);

  await refused({}, "phone");
  await refused({ phone: "call me 12345" }, "phone");
  await refused({ contact_id: silent.id }, "phone");
  await refused({ lead_id: silent.lead_id }, "phone");
  await refused({ contact_id: "cont_nobody" }, "contact_id");
  await refused({ lead_id: "lead_nobody" }, "lead_id");
  await refused({ phone: "+12125550000" }, "lead_id");
  await refused({ phone: "+12125550000", lead_id: silent.lead_id, dialer_id: "dial_nobody" }, "dialer_id");
});

test("a call from a dialer carries it, and is made from its number; none is dialled ahead, whatever the dialer's type", async () => {
  const acme = await organization();
  const [usual, other] = [
    await acme.post("/phone_number/", { number: "+12125551234" }),
    await acme.post("/phone_number/", { number: "+12125551235" }),
  ];
  const dialer = await acme.post("/dialer/", { type: "predictive", caller_id: other.id });
  const lead = await acme.lead({ phones: phones("+12125550003") });
  const call = (body: object = {}) => acme.post("/dialer/call/", { lead_id: lead.id, ...body });

  const made = await call({ dialer_id: dialer.id });

  assert.deepEqual([made.dialer_id, made.call_method, made.local_phone], [dialer.id, "power", other.number]);
  assert.equal((await call()).local_phone, usual.number);
  assert.equal((await call({ from: "(212) 555-1235" })).local_phone, other.number);
  assert.equal((await call({ phone_number_id: other.id })).local_phone, other.number);
});

test("nobody calls from another member's number, or without the permission to call", async () => {
  const acme = await organization();
  const colleague = await acme.member();
  const silent = await acme.memberWith(["view_all_leads"]);
  const foreign = await colleague.post("/phone_number/", { number: "+12125551234" });
  const lead = await acme.lead({ phones: phones("+12125550003") });

  await acme.refused(400, "POST", "/dialer/call/", { lead_id: lead.id, phone_number_id: foreign.id }, "phone_number_id");
  await acme.refused(400, "POST", "/dialer/call/", { lead_id: lead.id, from: foreign.number }, "from");
  await acme.refused(400, "POST", "/dialer/call/", { lead_id: lead.id, from: "+12125559999" }, "from");
  await silent.refused(403, "POST", "/dialer/call/", { lead_id: lead.id });
  const shared = await colleague.post("/dialer/", { lead_ids: [lead.id] });
  assert.equal(shared.caller_id, foreign.id);
  assert.equal((await acme.post("/dialer/call/", { lead_id: lead.id, dialer_id: shared.id })).local_phone, null);
});
