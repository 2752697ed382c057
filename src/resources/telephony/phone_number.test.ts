import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const ids = (records: { id: string }[]) => records.map((one) => one.id).sort();

test("a number is stored as E.164 and read as people write it, with its country and whose it is", async () => {
  const acme = await organization();

  const made = await acme.post("/phone_number/", { number: "(212) 555-1234", label: "Desk" });
  const british = await acme.post("/phone_number/", { number: "+44 20 7946 0000", type: "external" });

  assert.equal(made.number, "+12125551234");
  assert.equal(made.number_formatted, "+1 212-555-1234");
  assert.deepEqual([made.country, made.user_id, made.status], ["US", acme.userId, "pending"]);
  assert.deepEqual([british.country, british.status], ["GB", "active"]);
});

test("what is no number, a number twice, and a choice left to a carrier that is not there are refused", async () => {
  const acme = await organization();
  await acme.post("/phone_number/", { number: "+12125551234" });

  await acme.refused(400, "POST", "/phone_number/", {}, "number");
  await acme.refused(400, "POST", "/phone_number/", { number: "call me" }, "number");
  await acme.refused(400, "POST", "/phone_number/", { number: "ring 12345" }, "number");
  await acme.refused(400, "POST", "/phone_number/", { number: "212 555 1234" }, "number");
  const refusal = await acme.refused(400, "POST", "/phone_number/", { country: "US" }, "number");
  assert.match(refusal["field-errors"].number, /no telephony provider/);
});

test("the number of a group rings members and other numbers, and is nobody's own", async () => {
  const acme = await organization();
  const member = await acme.member();
  const body = { number: "+12125551234", sharing: "group", participants: [member.userId], phone_numbers: ["(212) 555-1111"] };

  const made = await acme.post("/phone_number/", body);

  assert.deepEqual([made.is_group_number, made.user_id], [true, null]);
  assert.deepEqual(made.phone_numbers_formatted, ["+1 212-555-1111"]);
  const other = { ...body, number: "+12125551235" };
  await acme.refused(400, "POST", "/phone_number/", { ...other, participants: ["user_nobody"] }, "participants.0");
  await acme.refused(400, "POST", "/phone_number/", { ...other, sharing: "personal" }, "participants");
  await acme.refused(400, "POST", "/phone_number/", { ...other, user_id: acme.userId }, "user_id");
  await acme.refused(400, "POST", "/phone_number/", { ...other, is_group_number: false }, "sharing");
});

test("one's own number is one's own; those of others take an admin, those of groups a permission", async () => {
  const acme = await organization();
  const [ada, bob] = [await acme.member(), await acme.member()];
  const manager = await acme.memberWith(["manage_group_numbers"]);

  const own = await ada.post("/phone_number/", { number: "+12125551234" });
  assert.match(own.status_details, /^It is not rented yet: no telephony provider is connected/);
  const group = await manager.post("/phone_number/", { number: "+12125551235", is_group_number: true });

  await bob.refused(403, "PUT", `/phone_number/${own.id}/`, { label: "Mine" });
  await bob.refused(403, "DELETE", `/phone_number/${own.id}/`);
  await bob.refused(403, "POST", "/phone_number/", { number: "+12125551236", user_id: ada.userId });
  await bob.refused(403, "POST", "/phone_number/", { number: "+12125551236", is_group_number: true });
  await ada.refused(403, "PUT", `/phone_number/${own.id}/`, { user_id: bob.userId });
  const refusal = await bob.refused(403, "PUT", `/phone_number/${group.id}/`, { label: "Ours" });
  assert.match(refusal.error, /manage_group_numbers/);
  assert.equal((await bob.get(`/phone_number/${own.id}/`)).id, own.id);
  assert.equal((await acme.put(`/phone_number/${own.id}/`, { user_id: bob.userId })).user_id, bob.userId);
});

test("calls are forwarded only where there is a number to forward them to", async () => {
  const acme = await organization();
  const { id } = await acme.post("/phone_number/", { number: "+12125551234" });
  const path = `/phone_number/${id}/`;

  await acme.refused(400, "PUT", path, { forward_to_enabled: true }, "forward_to");
  const changed = await acme.put(path, { forward_to_enabled: true, forward_to: "(212) 555-9999" });
  await acme.refused(400, "PUT", path, { voicemail_greeting_url: "http://acme.com/hello.mp3" }, "voicemail_greeting_url");

  assert.equal(changed.forward_to_formatted, "+1 212-555-9999");
});

test("numbers are found however they are written, by whose they are, and sorted by label", async () => {
  const acme = await organization();
  const member = await acme.member();
  const b = await acme.post("/phone_number/", { number: "+12125551234", label: "B" });
  const a = await member.post("/phone_number/", { number: "+442079460000", label: "A" });
  const found = async (query: string) => (await acme.get(`/phone_number/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("number=%2B12125551234"), [b.id]);
  assert.deepEqual(await found("number=+442079460000"), [a.id]);
  assert.deepEqual(await found("number=(212) 555-1234"), [b.id]);
  assert.deepEqual(await found(`user_id=${member.userId}`), [a.id]);
  assert.deepEqual(await found("is_group_number=true"), []);
  assert.deepEqual(await found("_order_by=label"), [a.id, b.id]);
});

test("a person sees their own numbers, and the one they call from is one of the organization's", async () => {
  const acme = await organization();
  const member = await acme.member();
  const own = await acme.post("/phone_number/", { number: "+12125551234" });
  await member.post("/phone_number/", { number: "+12125551235" });
  const [membership] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;
  const path = `/membership/${membership.id}/`;

  await acme.refused(400, "PUT", path, { default_caller_id: "phon_nobody" }, "default_caller_id");
  const changed = await acme.put(path, { default_caller_id: own.id });

  assert.deepEqual(ids((await acme.get("/me/")).phone_numbers), [own.id]);
  assert.equal((await acme.get("/me/")).phone_numbers[0].number_formatted, "+1 212-555-1234");
  assert.equal(changed.default_caller_id, own.id);
  await acme.delete(`/phone_number/${own.id}/`);
  assert.equal((await acme.get(`/membership/?user_id=${acme.userId}`)).data[0].default_caller_id, null);
  assert.deepEqual((await acme.get("/me/")).phone_numbers, []);
});

test("a call keeps the number as text when the number goes, and a dialer that used it pauses", async () => {
  const acme = await organization();
  const own = await acme.post("/phone_number/", { number: "+12125551234" });
  const lead = await acme.lead({ phones: [{ phone: "+12125550000" }] });
  const dialer = await acme.post("/dialer/", { lead_ids: [lead.id] });
  const call = await acme.post("/dialer/call/", { lead_id: lead.id });

  await acme.delete(`/phone_number/${own.id}/`);

  assert.equal((await acme.get(`/activity/call/${call.id}/`)).local_phone, "+12125551234");
  const paused = await acme.get(`/dialer/${dialer.id}/`);
  assert.deepEqual([dialer.caller_id, paused.caller_id, paused.status], [own.id, null, "paused"]);
  assert.deepEqual(
    (await acme.events(dialer.id)).map((one) => [one.action, one.changed_fields.sort()]),
    [
      ["created", []],
      ["updated", ["caller_id", "status"]],
    ],
  );
});

test("no numbers are listed without a provider, and impossible filters are refused", async () => {
  const acme = await organization();

  assert.deepEqual(await acme.get("/phone_number/available/?country=DE&area_code=30&sms=true&type=mobile"), {
    data: [],
    has_more: false,
  });
  await acme.refused(400, "GET", "/phone_number/available/?country=Atlantis", undefined, "country");
  await acme.refused(400, "GET", "/phone_number/available/?sms=maybe", undefined, "sms");
  await acme.refused(400, "GET", "/phone_number/available/?type=red", undefined, "type");
});
