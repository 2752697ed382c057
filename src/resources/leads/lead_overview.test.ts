import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { meeting } from "../activities/meeting.ts";
import { conversation } from "../conversations/conversation.ts";

const named =
  "primary_email,primary_phone,primary_address_summary,contacts_summary,localtime,integration_links,recent_calls,summaries";

test("a lead shows its address, its people and its local time on request", async () => {
  const acme = await organization();
  const contacts = [
    { name: "Ann" },
    { name: "Bob", emails: [{ email: "bob@x.io" }], phones: [{ phone: "+18004445555" }] },
    { name: "Cy", emails: [{ email: "cy@x.io" }] },
    { name: "Dan" },
    { name: "Eve" },
  ];
  const addresses = [{ city: "Berlin", country: "DE" }];
  const lead = await acme.lead({ contacts, addresses, emails: [{ email: "info@x.io", type: "office" }] });
  const bare = await acme.lead();

  const shown = await acme.get(`/lead/${lead.id}/?_fields=${named}`);
  const listed = (await acme.get(`/lead/?id=${lead.id}&_fields=${named}`)).data[0];
  const usual = await acme.get(`/lead/${lead.id}/`);

  assert.equal(shown.primary_email.email, "info@x.io");
  assert.deepEqual([shown.primary_phone.phone, shown.primary_phone.country], ["+18004445555", "US"]);
  assert.equal(shown.primary_address_summary, "Berlin, DE");
  assert.equal(shown.contacts_summary, "Ann, Bob, Cy and 2 more");
  assert.match(shown.localtime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0[12]:00$/);
  assert.ok(Math.abs(Date.parse(shown.localtime) - Date.now()) < 60_000);
  assert.deepEqual([shown.integration_links, shown.recent_calls, shown.summaries], [[], [], []]);
  assert.deepEqual({ ...listed, localtime: null }, { ...shown, localtime: null });
  for (const field of named.split(",")) assert.ok(!(field in usual), field);
  assert.deepEqual(await acme.get(`/lead/${bare.id}/?_fields=${named}`), {
    primary_email: null,
    primary_phone: null,
    primary_address_summary: null,
    contacts_summary: null,
    localtime: null,
    integration_links: [],
    recent_calls: [],
    summaries: [],
  });
});

test("the newest calls and summaries come first, five of them, of this record alone", async () => {
  const acme = await organization();
  const [lead, other] = [await acme.lead(), await acme.lead()];
  const ann = await acme.contact({ lead_id: lead.id });
  const call = (day: number, body: object) =>
    acme.post("/activity/call/", { activity_at: `2026-01-0${day}T10:00:00Z`, duration: day, ...body });
  for (const day of [3, 1, 6, 2, 5]) await call(day, { lead_id: lead.id });
  await call(4, { lead_id: lead.id, contact_id: ann.id });
  await call(7, { lead_id: other.id });
  const met = await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Kickoff", starts_at: "2026-01-02T10:00:00Z" });
  const spoken = await acme.post("/conversation/", { lead_id: lead.id });
  await acme.inside(async (ctx) => {
    store.update(ctx, meeting, await lockRecord(ctx, meeting, met.id), { summary: "They begin in May." });
    store.update(ctx, conversation, await lockRecord(ctx, conversation, spoken.id), { summary: "They ask for a price." });
  });

  const { recent_calls, summaries } = await acme.get(`/lead/${lead.id}/?_fields=recent_calls,summaries`);
  const ofContact = (await acme.get(`/contact/${ann.id}/?_fields=recent_calls,integration_links`)).recent_calls;

  assert.deepEqual(
    recent_calls.map((one: any) => one.duration),
    [6, 5, 4, 3, 2],
  );
  assert.deepEqual([ofContact.length, ofContact[0].contact_id, ofContact[0].duration], [1, ann.id, 4]);
  assert.deepEqual(
    summaries.map((one: any) => [one.object_type, one.object_id, one.summary]),
    [
      ["activity.meeting", met.id, "They begin in May."],
      ["conversation", spoken.id, "They ask for a price."],
    ],
  );
});

test("a contact shows no call at a lead that the caller does not see", async () => {
  const acme = await organization();
  const member = await acme.memberWith([]);
  const [mine, hidden] = [await acme.lead({ owner_id: member.userId }), await acme.lead()];
  const ann = await acme.contact({ lead_id: hidden.id });
  await acme.post("/activity/call/", { lead_id: hidden.id, contact_id: ann.id });
  const path = `/contact/${ann.id}/?_fields=recent_calls`;

  assert.equal((await acme.get(path)).recent_calls.length, 1);
  await member.refused(404, "GET", path);
  await acme.put(`/lead/${hidden.id}/`, { owner_id: member.userId });
  assert.equal((await member.get(path)).recent_calls.length, 1);
  assert.deepEqual((await member.get(`/lead/${mine.id}/?_fields=recent_calls`)).recent_calls, []);
});
