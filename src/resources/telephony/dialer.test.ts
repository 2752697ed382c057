import assert from "node:assert/strict";
import { test } from "node:test";
import { organization as anyOrganization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

/** In New York it is one o'clock in the afternoon, or noon. */
const noon = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00Z`);
async function organization(): Promise<Workspace> {
  (await service()).clock.now = noon;
  return anyOrganization();
}

/** So much later. */
async function after(ms: number): Promise<void> {
  const { clock } = await service();
  clock.now = new Date(clock.now!.getTime() + ms);
}
const minute = 60_000;

let count = 1000;
const phone = () => `+1212555${++count}`;

/** Leads, each with a contact that can be called. */
async function callable(acme: Workspace, howMany: number): Promise<any[]> {
  const leads = [];
  for (let i = 0; i < howMany; i++)
    leads.push(await acme.lead({ contacts: [{ name: `Person ${i}`, phones: [{ phone: phone() }] }] }));
  return leads;
}
const ids = (records: { id: string }[]) => records.map((one) => one.id);
const next = (acme: Workspace, dialer: { id: string }, body: object = {}): Promise<any> =>
  acme.post(`/dialer/${dialer.id}/next/`, body);

/** The one after that. */
const afterThat = (acme: Workspace, dialer: { id: string }, { entry_id }: any): Promise<any> => next(acme, dialer, { entry_id });

test("each lead comes up once, in its order, with somebody to call and the number", async () => {
  const acme = await organization();
  const [a, b] = await callable(acme, 2);
  const dialer = await acme.post("/dialer/", { name: "Monday", lead_ids: [b.id, a.id, b.id] });

  const first = await next(acme, dialer);
  const second = await afterThat(acme, dialer, first);
  const end = await afterThat(acme, dialer, second);

  assert.deepEqual([dialer.status, dialer.source_type, dialer.n_leads, dialer.user_id], ["active", "leads", 2, acme.userId]);
  assert.deepEqual([first.lead_id, second.lead_id], [b.id, a.id]);
  assert.deepEqual([first.done, first.position, first.remaining, second.remaining], [false, 1, 1, 0]);
  assert.equal(first.lead.id, b.id);
  assert.equal(first.contact.lead_id, b.id);
  assert.equal(first.contact.phones[0].phone, first.phone.phone);
  assert.deepEqual(end, { done: true });
});

test("a lead with nobody who can be called is passed over, and so is one that is gone", async () => {
  const acme = await organization();
  const [good, gone] = await callable(acme, 2);
  const silent = await acme.lead({ phones: [{ phone: phone() }] });
  const fax = await acme.lead({ contacts: [{ name: "Fax", phones: [{ phone: phone(), type: "fax" }] }] });
  const words = await acme.lead({ contacts: [{ name: "Words", phones: [{ phone: "extension 123" }] }] });
  const dialer = await acme.post("/dialer/", { lead_ids: ids([silent, gone, fax, words, good]) });
  await acme.delete(`/lead/${gone.id}/`);

  const only = await next(acme, dialer);
  const end = await afterThat(acme, dialer, only);

  assert.deepEqual([only.lead_id, only.position], [good.id, 5]);
  assert.deepEqual(end, { done: true });
  const done = await acme.get(`/dialer/${dialer.id}/`);
  assert.deepEqual([done.n_called, done.n_skipped, done.position], [1, 4, 5]);
});

test("when there is nobody left the dialer is done, says so once as an event, and stays done", async () => {
  const acme = await organization();
  const [lead] = await callable(acme, 1);
  const dialer = await acme.post("/dialer/", { lead_ids: [lead.id] });
  await afterThat(acme, dialer, await next(acme, dialer));

  assert.deepEqual(await next(acme, dialer), { done: true });

  assert.equal((await acme.get(`/dialer/${dialer.id}/`)).status, "done");
  assert.deepEqual(
    (await acme.events(dialer.id)).map((one) => one.event),
    ["dialer.created", "dialer.updated", "dialer.updated", "dialer.completed"],
  );
  await acme.refused(400, "PUT", `/dialer/${dialer.id}/`, { action: "resume" }, "status");
});

test("those who ask at the same time never get the same lead, and whoever asks twice gets theirs twice", async () => {
  const acme = await organization();
  const leads = await callable(acme, 4);
  const members = [acme, await acme.member(), await acme.member()];
  const dialer = await acme.post("/dialer/", { lead_ids: ids(leads) });

  const answers = await Promise.all([...members, ...members].map((who) => next(who, dialer)));

  const handedOut = answers.map((one) => one.lead_id);
  assert.deepEqual(handedOut.slice(0, 3), handedOut.slice(3));
  assert.equal(new Set(handedOut).size, 3);
  assert.deepEqual(
    answers
      .map((one) => one.remaining)
      .sort()
      .at(0),
    1,
  );
  const { n_called, users } = await acme.get(`/dialer/${dialer.id}/`);
  assert.equal(n_called, 0);
  assert.deepEqual(users.map((one: any) => one.user_id).sort(), members.map(({ userId }) => userId).sort());
});

test("a lead comes again until it was called, skipped or named, and only what was called counts so", async () => {
  const acme = await organization();
  const [a, b, c] = await callable(acme, 3);
  const dialer = await acme.post("/dialer/", { lead_ids: ids([a, b, c]) });
  const counts = async () => {
    const { n_called, n_skipped } = await acme.get(`/dialer/${dialer.id}/`);
    return [n_called, n_skipped];
  };

  const twice = [await next(acme, dialer), await next(acme, dialer)];
  assert.deepEqual(
    twice.map(({ lead_id, position, remaining }) => [lead_id, position, remaining]),
    [
      [a.id, 1, 2],
      [a.id, 1, 2],
    ],
  );
  assert.deepEqual(await counts(), [0, 0]);

  await acme.post("/dialer/call/", { lead_id: a.id, dialer_id: dialer.id });
  const second = await next(acme, dialer);
  assert.deepEqual([second.lead_id, await counts()], [b.id, [1, 0]]);

  const third = await next(acme, dialer, { entry_id: second.entry_id, skip: true });
  assert.deepEqual([third.lead_id, await counts()], [c.id, [1, 1]]);
  assert.deepEqual(await next(acme, dialer, { entry_id: third.entry_id }), { done: true });
  assert.deepEqual(await counts(), [2, 1]);
});

test("a paused dialer hands out nothing until it is resumed, in either spelling", async () => {
  const acme = await organization();
  const [lead] = await callable(acme, 1);
  const dialer = await acme.post("/dialer/", { lead_ids: [lead.id] });
  const path = `/dialer/${dialer.id}/`;

  await acme.put(path, { action: "pause" });
  await acme.refused(400, "POST", `${path}next/`, {}, "status");
  const resumed = await acme.put(path, { status: "active" });
  const handedOut = await next(acme, dialer);
  const done = await acme.put(path, { action: "done" });

  assert.equal(resumed.status, "active");
  assert.equal(handedOut.lead_id, lead.id);
  assert.equal(done.status, "done");
  assert.deepEqual(await next(acme, dialer), { done: true });
  await acme.refused(400, "PUT", path, { action: "pause", status: "done" }, "action");
  await acme.refused(400, "POST", "/dialer/", { action: "pause" }, "action");
});

test("a lead that was not called counts as skipped, and an outcome is that of its call", async () => {
  const acme = await organization();
  const [a, b, c] = await callable(acme, 3);
  const dialer = await acme.post("/dialer/", { lead_ids: ids([a, b, c]) });
  await next(acme, dialer);
  await next(acme, dialer, { skip: true });
  const call = await acme.post("/dialer/call/", { lead_id: b.id, dialer_id: dialer.id });
  await next(acme, dialer, { outcome: "Interested" });

  const now = await acme.get(`/dialer/${dialer.id}/`);

  assert.deepEqual([now.n_called, now.n_skipped, now.current_lead_id, now.last_lead_id], [1, 1, c.id, b.id]);
  assert.equal((await acme.get(`/activity/call/${call.id}/`)).outcome, "Interested");
});

test("leads come from a text query in its order, from a search, or are all leads", async () => {
  const acme = await organization();
  const [a, b] = [
    await acme.lead({ name: "Alpha Ltd", industry: "Toys" }),
    await acme.lead({ name: "Beta Ltd", industry: "Toys" }),
  ];
  await acme.lead({ name: "Gamma" });
  const leadsOf = async (body: object) => {
    const { id, source_type } = await acme.post("/dialer/", body);
    return [source_type, (await acme.get(`/dialer/${id}/?_fields=lead_ids`)).lead_ids];
  };
  const industry = { type: "regular_field", object_type: "lead", field_name: "industry" };
  const node = { type: "field_condition", field: industry, condition: { type: "text", mode: "full_words", value: "toys" } };

  assert.deepEqual(await leadsOf({ source_value: "ltd sort:name" }), ["query", [a.id, b.id]]);
  assert.deepEqual(await leadsOf({ source_value: "ltd" }), ["query", [b.id, a.id]]);
  assert.deepEqual(await leadsOf({ query: node }), ["query", [b.id, a.id]]);
  assert.equal((await acme.post("/dialer/")).n_leads, 3);
});

test("leads come from a list of leads in its order, by either name of its id, and stay when the list goes", async () => {
  const acme = await organization();
  const [a, b] = await callable(acme, 2);
  const list = await acme.post("/lead_list/", { name: "Hot" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [b.id] });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [a.id] });

  const dialer = await acme.post("/dialer/", { lead_list_id: list.id });
  const byValue = await acme.post("/dialer/", { source_value: list.id });
  await acme.delete(`/lead_list/${list.id}/`);

  for (const one of [dialer, byValue])
    assert.deepEqual([one.source_type, one.source_value, one.lead_list_id, one.n_leads], ["lead-list", list.id, list.id, 2]);
  const first = await next(acme, dialer);
  assert.deepEqual([first.lead_id, (await afterThat(acme, dialer, first)).lead_id], [b.id, a.id]);
  await acme.refused(400, "POST", "/dialer/", { source_type: "lead-list", source_value: "Hot" }, "source_value");
  await acme.refused(400, "POST", "/dialer/", { lead_list_id: list.id }, "lead_list_id");
});

test("from a list of contacts each lead comes up once, and only those on the list are called", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Not asked", phones: [{ phone: phone() }] }] });
  const silent = await acme.contact({ lead_id: lead.id });
  const [first, second] = [
    await acme.contact({ lead_id: lead.id, phones: [{ phone: phone() }] }),
    await acme.contact({ lead_id: lead.id, phones: [{ phone: phone() }] }),
  ];
  const list = await acme.post("/contact_list/", { name: "Hot" });
  await acme.post(`/contact_list/${list.id}/members/`, { contact_ids: ids([silent, first, second]) });

  const dialer = await acme.post("/dialer/", { source_type: "contact-list", source_value: list.id });

  assert.deepEqual([dialer.contact_list_id, dialer.n_leads], [list.id, 1]);
  const only = await next(acme, dialer);
  assert.equal(only.contact_id, first.id);
  assert.deepEqual(await afterThat(acme, dialer, only), { done: true });
});

test("whatever its leads come from, a dialer that was read with all it has can be posted again", async () => {
  const acme = await organization();
  const [a, b] = await callable(acme, 2);
  const list = await acme.post("/lead_list/", { name: "Calls" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [a.id] });
  for (const source of [{ lead_ids: [b.id, a.id] }, { lead_list_id: list.id }, { source_value: "sort:name" }, {}]) {
    const read = await acme.get(`/dialer/${(await acme.post("/dialer/", source)).id}/?_fields=_all`);

    const copy = await acme.post("/dialer/?_fields=_all", read);

    assert.deepEqual([copy.source_type, copy.source_value, copy.lead_ids], [read.source_type, read.source_value, read.lead_ids]);
  }
});

test("a dialer that was read can be posted again, and has the same leads", async () => {
  const acme = await organization();
  const [a, b] = await callable(acme, 2);
  const given = await acme.post("/dialer/", { lead_ids: [b.id, a.id] });
  const found = await acme.post("/dialer/", { source_value: "sort:name" });

  for (const { id } of [given, found]) {
    const read = await acme.get(`/dialer/${id}/`);

    const copy = await acme.post("/dialer/", read);

    const leads = async (one: string) => (await acme.get(`/dialer/${one}/?_fields=lead_ids`)).lead_ids;
    assert.deepEqual(await leads(copy.id), await leads(id));
  }
  assert.deepEqual([(await acme.get(`/dialer/${given.id}/`)).lead_ids, found.lead_ids], [[b.id, a.id], null]);
});

test("a source that cannot be understood is refused by name", async () => {
  const acme = await organization();
  const [lead] = await callable(acme, 1);

  await acme.refused(400, "POST", "/dialer/", { source_value: '"open' }, "source_value");
  await acme.refused(400, "POST", "/dialer/", { query: { type: "nonsense" } }, "query.type");
  await acme.refused(400, "POST", "/dialer/", { query: { type: "object_type", object_type: "planet" } }, "query.object_type");
  await acme.refused(400, "POST", "/dialer/", { lead_ids: [lead.id, "lead_nobody"] }, "lead_ids.1");
  await acme.refused(400, "POST", "/dialer/", { lead_ids: [lead.id], source_value: "x" }, "lead_ids");
  await acme.refused(400, "POST", "/dialer/", { lead_ids: [] }, "lead_ids");
  for (const [body, reason] of [
    [{ source_type: "leads" }, "needs lead_ids"],
    [{ source_type: "contact-list" }, "needs contact_list_id"],
    [{ source_type: "leads", source_value: "x" }, "does not fit source_value: that is of type query"],
  ] as const) {
    const refusal = await acme.refused(400, "POST", "/dialer/", body, "source_type");
    assert.equal(refusal["field-errors"].source_type, reason);
  }
});

test("calls are made from one's usual number unless the dialer says another, which must be one's own", async () => {
  const acme = await organization();
  const colleague = await acme.member();
  const number = (client: Workspace, body: object = {}) => client.post("/phone_number/", { number: phone(), ...body });
  const [first, second] = [await number(acme), await number(acme)];
  const [foreign, group] = [await number(colleague), await number(acme, { is_group_number: true })];

  const usual = await acme.post("/dialer/");
  const named = await acme.post("/dialer/", { phone_number_id: second.id });

  assert.deepEqual([usual.caller_id, named.caller_id, named.phone_number_id], [first.id, second.id, second.id]);
  await acme.refused(400, "POST", "/dialer/", { caller_id: foreign.id }, "caller_id");
  await acme.refused(400, "POST", "/dialer/", { caller_id: "phon_nobody" }, "caller_id");
  assert.equal((await acme.put(`/dialer/${usual.id}/`, { caller_id: group.id })).caller_id, group.id);
  assert.equal((await acme.put(`/dialer/${usual.id}/`, { phone_number_id: null })).caller_id, null);
});

test("dialers take the permission to call, and are for oneself unless an admin says otherwise", async () => {
  const acme = await organization();
  const member = await acme.member();
  const silent = await acme.memberWith(["view_all_leads"]);
  const dialer = await acme.post("/dialer/", { user_id: member.userId });

  await silent.refused(403, "POST", "/dialer/", {});
  await silent.refused(403, "POST", `/dialer/${dialer.id}/next/`, {});
  await member.refused(403, "POST", "/dialer/", { user_id: acme.userId });
  assert.equal(dialer.user_id, member.userId);
});

test("who sees only some leads gets only those, and sees only their own dialers", async () => {
  const acme = await organization();
  const restricted = await acme.member("restricteduser");
  const [theirs, other] = await callable(acme, 2);
  await acme.put(`/lead/${theirs.id}/`, { owner_id: restricted.userId });
  const foreign = await acme.post("/dialer/", { lead_ids: [other.id] });

  const own = await restricted.post("/dialer/");
  const first = await next(restricted, own);

  assert.deepEqual([own.n_leads, first.lead_id], [1, theirs.id]);
  const list = await acme.post("/lead_list/", { name: "Both" });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [theirs.id, other.id] });
  const given = await acme.post("/dialer/", { source_type: "lead-list", source_value: list.id, user_id: restricted.userId });
  assert.equal((await restricted.get(`/dialer/${given.id}/`)).n_leads, 1, "what was made for them counts what they see");
  const unseen = { source_type: "leads", lead_ids: [theirs.id, other.id], user_id: restricted.userId };
  await acme.refused(400, "POST", "/dialer/", unseen, "lead_ids.1");
  await restricted.refused(404, "GET", `/dialer/${foreign.id}/`);
  await restricted.refused(404, "POST", `/dialer/${foreign.id}/next/`, {});
  assert.deepEqual(ids((await restricted.get("/dialer/")).data), [given.id, own.id]);
  await restricted.refused(400, "POST", "/dialer/", { lead_ids: [other.id] }, "lead_ids.0");
});

test("a token is refused with a sentence while no provider is connected", async () => {
  const acme = await organization();

  const refusal = await acme.refused(400, "GET", "/dialer/token/");

  assert.match(refusal.error, /No telephony provider is connected/);
});

test("dialers are found by state, kind of source and member", async () => {
  const acme = await organization();
  const [lead] = await callable(acme, 1);
  const [a, b] = [
    await acme.post("/dialer/", { lead_ids: [lead.id] }),
    await acme.post("/dialer/", { status: "paused", source_value: "x" }),
  ];
  const found = async (query: string) => ids((await acme.get(`/dialer/?${query}`)).data);

  assert.deepEqual(await found("status__in=paused,done"), [b.id]);
  assert.deepEqual(await found("source_type=leads"), [a.id]);
  assert.deepEqual(await found("source_value=x"), [b.id]);
  assert.deepEqual((await found(`user_id=${acme.userId}`)).sort(), [a.id, b.id].sort());
});

test("a lead is one caller's for ten minutes: who asks again by entry_id gets the same, and who never calls loses it to others", async () => {
  const acme = await organization();
  const colleague = await acme.member();
  const leads = await callable(acme, 3);
  const dialer = await acme.post("/dialer/", { lead_ids: ids(leads) });
  const first = await next(acme, dialer);
  const second = await next(acme, dialer, { entry_id: first.entry_id, outcome: "Interested" });
  const again = await next(acme, dialer, { entry_id: first.entry_id, outcome: "Interested" });
  const third = await next(colleague, dialer);
  const waiting = await next(colleague, dialer, { entry_id: third.entry_id });

  await after(10 * minute);
  const lost = await next(colleague, dialer, { entry_id: third.entry_id });
  const end = await next(colleague, dialer, { entry_id: lost.entry_id });

  assert.deepEqual(
    [first, second, again, third].map((one) => one.lead_id),
    [leads[0].id, leads[1].id, leads[1].id, leads[2].id],
  );
  assert.deepEqual([second.remaining, again.remaining, third.remaining, lost.remaining], [1, 1, 0, 0]);
  assert.deepEqual(waiting, { done: false, wait_until: new Date(noon.getTime() + 10 * minute).toISOString() });
  assert.deepEqual([lost.lead_id, end], [leads[1].id, { done: true }]);
  const done = await acme.get(`/dialer/${dialer.id}/`);
  assert.deepEqual([done.status, done.n_called, done.n_skipped], ["done", 3, 0]);
  const active = await acme.post("/dialer/", { lead_ids: ids(leads) });
  const { entry_id } = await next(acme, active);
  await colleague.refused(400, "POST", `/dialer/${active.id}/next/`, { entry_id }, "entry_id");
  await acme.refused(400, "POST", `/dialer/${active.id}/next/`, { entry_id: first.entry_id }, "entry_id");
});

test("a lead that was called from the dialer does not come again when its ten minutes are over", async () => {
  const acme = await organization();
  const colleague = await acme.member();
  const [lead] = await callable(acme, 1);
  const dialer = await acme.post("/dialer/", { lead_ids: [lead.id] });
  await next(acme, dialer);
  await acme.post("/dialer/call/", { lead_id: lead.id, dialer_id: dialer.id });
  await after(10 * minute);

  assert.deepEqual(await next(colleague, dialer), { done: true });
});

test("leads wait until it is eight in the morning where they are: by the contact's zone, the lead's address, or the number", async () => {
  const acme = await organization();
  const [berlin, tokyo, honolulu, newYork] = [
    await acme.lead({ contacts: [{ name: "By zone", timezone: "Europe/Berlin", phones: [{ phone: "+12125550011" }] }] }),
    await acme.lead({
      addresses: [{ city: "Tokyo", country: "JP" }],
      contacts: [{ name: "By address", phones: [{ phone: "+12125550012" }] }],
    }),
    await acme.lead({ contacts: [{ name: "By number", phones: [{ phone: "+18085550013" }] }] }),
    await acme.lead({ contacts: [{ name: "By number", phones: [{ phone: "+12125550014" }] }] }),
  ];
  const dialer = await acme.post("/dialer/", { lead_ids: ids([tokyo, honolulu, newYork, berlin]) });

  const first = await next(acme, dialer);
  const second = await afterThat(acme, dialer, first);
  const night = await afterThat(acme, dialer, second);
  const { status, n_called, n_skipped } = await acme.get(`/dialer/${dialer.id}/`);
  await after(Date.parse(night.wait_until) - noon.getTime());
  const inHonolulu = await next(acme, dialer);
  const stillNight = await afterThat(acme, dialer, inHonolulu);
  const always = await acme.post("/dialer/", { lead_ids: [tokyo.id], skip_rules: { local_hours: null } });

  assert.deepEqual([first.lead_id, second.lead_id], [newYork.id, berlin.id]);
  assert.deepEqual(night, { done: false, wait_until: noon.toISOString().replace("17:00", "18:00") });
  assert.deepEqual([status, n_called, n_skipped], ["active", 2, 0]);
  assert.equal(inHonolulu.lead_id, honolulu.id);
  assert.deepEqual(stillNight, { done: false, wait_until: noon.toISOString().replace("17:00", "23:00") });
  assert.equal((await next(acme, always)).lead_id, tokyo.id);
});

test("who does not want calls, or was called too often or too lately, is skipped by the rules of the dialer", async () => {
  const acme = await organization();
  const [silent, often, today, lately, fresh] = await callable(acme, 5);
  const person = (lead: any) => lead.contacts[0].id;
  await acme.put(`/contact/${person(silent)}/`, { do_not_call: true });
  const called = (lead: any, hoursAgo: number, more: object = {}) =>
    acme.post("/activity/call/", {
      contact_id: person(lead),
      activity_at: new Date(noon.getTime() - hoursAgo * 3_600_000).toISOString(),
      ...more,
    });
  for (const days of [3, 4]) await called(often, 24 * days);
  await called(today, 1);
  await called(lately, 30);
  await called(fresh, 24 * 5);
  await called(fresh, 1, { direction: "inbound" });
  await called(fresh, 1, { status: "failed" });
  const returned = async (skip_rules: object) => {
    const dialer = await acme.post("/dialer/", { lead_ids: ids([silent, often, today, lately, fresh]), skip_rules });
    const found = [];
    for (let one = await next(acme, dialer); !one.done; one = await afterThat(acme, dialer, one)) found.push(one.lead_id);
    return [found, (await acme.get(`/dialer/${dialer.id}/`)).n_skipped];
  };

  assert.deepEqual(await returned({}), [ids([often, today, lately, fresh]), 1]);
  assert.deepEqual(await returned({ exclude_dnc: false, max_attempts: 2 }), [ids([silent, today, lately, fresh]), 1]);
  assert.deepEqual(await returned({ exclude_called_today: true }), [ids([often, lately, fresh]), 2]);
  assert.deepEqual(await returned({ min_hours_between: 48 }), [ids([often, fresh]), 3]);
});

test("the rules have their defaults, and are refused by name", async () => {
  const acme = await organization();
  const usual = {
    min_hours_between: null,
    max_attempts: null,
    local_hours: "08:00-21:00",
    exclude_dnc: true,
    exclude_called_today: false,
  };
  const dialer = await acme.post("/dialer/", { skip_rules: { max_attempts: 3 } });

  assert.deepEqual(dialer.skip_rules, { ...usual, max_attempts: 3 });
  assert.deepEqual((await acme.post("/dialer/")).skip_rules, usual);
  await acme.refused(400, "POST", "/dialer/", { skip_rules: { local_hours: "21:00-08:00" } }, "skip_rules.local_hours");
  await acme.refused(400, "POST", "/dialer/", { skip_rules: { max_attempts: 0 } }, "skip_rules.max_attempts");
  await acme.refused(400, "POST", "/dialer/", { skip_rules: { nonsense: 1 } }, "skip_rules.nonsense");
});

test("a dialer counts its calls by how they ended", async () => {
  const acme = await organization();
  const [lead] = await callable(acme, 1);
  const dialer = await acme.post("/dialer/", { lead_ids: [lead.id] });
  for (const disposition of ["answered", "busy", "answered"]) {
    const call = await acme.post("/dialer/call/", { lead_id: lead.id, dialer_id: dialer.id });
    await acme.put(`/activity/call/${call.id}/`, { disposition });
  }

  assert.deepEqual((await acme.get(`/dialer/${dialer.id}/`)).stats, { by_disposition: { answered: 2, busy: 1 } });
  assert.deepEqual((await acme.post("/dialer/")).stats, { by_disposition: {} });
});
