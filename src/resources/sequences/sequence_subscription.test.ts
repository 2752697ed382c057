// Subscriptions: who can be subscribed, when the first step is due, pausing and resuming.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { asService } from "../../records/acting.ts";
import { newId } from "../../values/id.ts";
import { suppress } from "../contacts/suppress.ts";

async function mailing(ws: Workspace, body: object = {}): Promise<any> {
  const template = await ws.post("/email_template/", { name: "Hello", is_shared: true });
  const steps = [{ step_type: "email", email_template_id: template.id, delay: 3600 }];
  return ws.post("/sequence/", { name: "Mailing", steps, ...body });
}

const calling = (ws: Workspace, body: object = {}): Promise<any> =>
  ws.post("/sequence/", { name: "Calls", steps: [{ step_type: "call" }], ...body });

const person = (ws: Workspace, ...emails: string[]): Promise<any> => ws.contact({ emails: emails.map((email) => ({ email })) });

const optOut = (ws: Workspace, address: string, scope = "all"): Promise<boolean> =>
  asService(ws.service.app.core, ws.id, ws.userId, { id: newId("req"), method: "POST", path: "/u/" }, (ctx) =>
    suppress(ctx, { address, scope, reason: "unsubscribed", source: "link", source_id: null }),
  );

describe("once at a time", () => {
  const eight = Array.from({ length: 8 });
  const made = (answers: { status: number }[]) => answers.filter((one) => one.status === 201).length;
  const field = (answer: any, of: string): string => {
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(Object.keys(answer.body["field-errors"]), [of]);
    return answer.body["field-errors"][of];
  };
  const ask = (ws: Workspace, sequence: any, contact: any, more: object = {}) =>
    ws.ask("POST", "/sequence_subscription/", { body: { sequence_id: sequence.id, contact_id: contact.id, ...more } });

  test("an address goes through a sequence, whichever contacts have it and however many ask at once", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const people = await Promise.all(eight.map((_, i) => person(acme, i % 2 ? "Info@Example.com" : "info@example.com")));

    const answers = await Promise.all(people.map((one) => ask(acme, sequence, one)));

    assert.equal(made(answers), 1);
    for (const one of answers.filter(({ status }) => status !== 201)) assert.match(field(one, "contact_email"), /merge/);
    const late = await ask(acme, sequence, await person(acme, "own@example.com", "INFO@example.com"), {
      contact_email: "info@example.com",
    });
    assert.match(field(late, "contact_email"), /merge/);
    assert.equal((await ask(acme, await mailing(acme), people[0])).status, 201);
  });

  test("a contact goes through a sequence, however many ask at once, and whoever is told says what to do", async () => {
    const acme = await organization();
    const [sequence, ann] = [await calling(acme), await acme.contact()];

    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(acme, sequence, ann)));

    assert.equal(made(answers), 1);
    assert.equal(answers.length - made(answers), 49);
    for (const one of answers.filter(({ status }) => status !== 201)) assert.match(field(one, "contact_id"), /delete/);
  });

  test("an address whose contact one may not see is taken as well, and who has it is not told", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const bob = await acme.memberWith(["manage_email_sequences"]);
    await ask(acme, sequence, await person(acme, "info@example.com"));

    const refused = await ask(bob, sequence, await person(bob, "info@example.com"));

    assert.match(field(refused, "contact_email"), /^takes nothing from this sequence at present/);
    const skipped = await ask(bob, sequence, await person(bob, "info@example.com"), { on_conflict: "skip" });
    assert.match(field(skipped, "contact_email"), /^takes nothing from this sequence at present/);
  });

  test("a way that ended is not resumed while the address goes through the sequence as another contact's", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const [ann, team] = [await person(acme, "info@example.com"), await person(acme, "info@example.com")];
    const first = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
    await acme.put(`/sequence_subscription/${first.id}/`, { status: "finished" });
    await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: team.id, force: true });

    await acme.refused(400, "PUT", `/sequence_subscription/${first.id}/`, { status: "active" }, "status");
  });

  test("a contact goes through one sequence, where the organization says so, however many ask at once", async () => {
    const acme = await organization();
    const ann = await person(acme, "ann@example.com");
    const sequences = await Promise.all(eight.map(() => calling(acme)));
    const settings = (one_at_a_time: unknown) =>
      acme.ask("PUT", `/organization/${acme.id}/`, { body: { settings: { sequences: { one_at_a_time } } } });

    await settings(true);
    const answers = await Promise.all(sequences.map((one) => ask(acme, one, ann)));
    const twin = await ask(acme, sequences[0], await person(acme, "ann@example.com"));
    await settings(false);
    const several = await ask(acme, await calling(acme), ann);

    assert.equal(made(answers), 1);
    for (const one of answers.filter(({ status }) => status !== 201)) assert.match(field(one, "contact_id"), /one_at_a_time/);
    assert.match(field(twin, "contact_email"), /already|one_at_a_time/);
    assert.equal(several.status, 201);
    assert.deepEqual(Object.keys((await settings("yes")).body["field-errors"]), ["settings.sequences.one_at_a_time"]);
  });
});

describe("subscribing a contact", () => {
  test("says who is written to and by whom, and when the first step is due", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const ann = await person(acme, "ann@example.com", "ann@home.example");

    const one = await acme.post("/sequence_subscription/", {
      sequence_id: sequence.id,
      contact_id: ann.id,
      start_date: "2026-01-02T10:00:00.000Z",
    });

    const me = await acme.get("/me/");
    assert.equal(one.status, "active");
    assert.equal(one.lead_id, ann.lead_id);
    assert.equal(one.contact_email, "ann@example.com");
    assert.deepEqual([one.sender_account_id, one.sender_name, one.sender_email], [null, me.full_name, me.email]);
    assert.deepEqual(one.calls_assigned_to, [acme.userId]);
    assert.equal(one.current_step_id, sequence.steps[0].id);
    assert.equal(one.next_step_at, "2026-01-02T11:00:00.000Z");
    assert.deepEqual(
      (await acme.events(one.id)).map((event) => event.event),
      ["sequence_subscription.created"],
    );
  });

  test("waits for the hours of the sequence", async () => {
    const acme = await organization();
    const schedule = { ranges: [{ weekday: 1, start: "09:00", end: "17:00" }] };
    const sequence = await calling(acme, { schedule, timezone: "Europe/Berlin" });

    const one = await acme.post("/sequence_subscription/", {
      sequence_id: sequence.id,
      contact_id: (await acme.contact()).id,
      start_date: "2026-01-02T10:00:00.000Z",
    });

    assert.equal(one.next_step_at, "2026-01-05T08:00:00.000Z");
  });

  test("waits by the clock of who is written to, or of who writes, where the sequence says so", async () => {
    const acme = await organization();
    await acme.put(`/organization/${acme.id}/`, { timezone: "Asia/Tokyo" });
    await acme.put("/me/", { timezone: "America/New_York" });
    const schedule = { ranges: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" })) };
    const steps = [{ step_type: "call", delay: { amount: 2, unit: "days" } }];
    const due = async (timezone: string, contact: object) => {
      const sequence = await acme.post("/sequence/", { name: "Calls", steps, schedule, timezone });
      assert.deepEqual([sequence.timezone, sequence.steps[0].delay], [timezone, steps[0]!.delay]);
      const one = await acme.post("/sequence_subscription/", {
        sequence_id: sequence.id,
        contact_id: (await acme.contact(contact)).id,
        start_date: "2026-01-02T10:00:00.000Z",
      });
      return one.next_step_at;
    };

    assert.equal(await due("recipient", { timezone: "Europe/Berlin" }), "2026-01-05T08:00:00.000Z");
    assert.equal(await due("recipient", {}), "2026-01-05T00:00:00.000Z");
    assert.equal(await due("sender", { timezone: "Europe/Berlin" }), "2026-01-05T14:00:00.000Z");
  });

  test("writes by the caller's usual account, or the one that is named", async () => {
    const acme = await organization();
    const sequence = await calling(acme);
    const smtp = { host: "93.184.216.34" };
    const [usual, other] = [
      await acme.post("/connected_account/", {
        email: "a@example.com",
        smtp,
        identities: [{ email: "sales@example.com", name: "Sales" }],
      }),
      await acme.post("/connected_account/", { email: "b@example.com", smtp }),
    ];
    const subscribe = async (body: object = {}) =>
      acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: (await acme.contact()).id, ...body });

    const number = await acme.post("/phone_number/", { number: "+14155550100", type: "external" });
    const one = await subscribe({ from_phone_number_id: number.id });
    const two = await subscribe({ sender_account_id: other.id, sender_name: "Bob" });

    assert.deepEqual([one.sender_account_id, one.sender_name, one.sender_email], [usual.id, "Sales", "sales@example.com"]);
    assert.equal(one.from_phone_number_id, number.id);
    assert.deepEqual([two.sender_account_id, two.sender_name, two.sender_email], [other.id, "Bob", "b@example.com"]);
  });

  test("is refused where it cannot work, and the field is named", async () => {
    const acme = await organization();
    const [sequence, draft, closed] = [
      await mailing(acme),
      await acme.post("/sequence/", { name: "Draft" }),
      await calling(acme, { allow_manual_enrollment: false }),
    ];
    const [ann, nobody] = [await person(acme, "ann@example.com"), await acme.contact()];
    const refuse = (body: object, field: string) =>
      acme.refused(400, "POST", "/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id, ...body }, field);

    await refuse({ sequence_id: draft.id }, "sequence_id");
    await refuse({ sequence_id: closed.id }, "sequence_id");
    await refuse({ sequence_id: "seq_none" }, "sequence_id");
    await refuse({ contact_id: "cont_none" }, "contact_id");
    await refuse({ contact_id: nobody.id }, "contact_email");
    await refuse({ contact_email: "bob@example.com" }, "contact_email");
    await refuse({ status: "finished" }, "status");
    await refuse({ sender_account_id: "emailacct_none" }, "sender_account_id");
    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
    const path = `/sequence_subscription/${one.id}/`;
    await acme.refused(400, "PUT", path, { sender_account_id: "emailacct_none" }, "sender_account_id");
    await acme.delete(path);
    await refuse({ calls_assigned_to: ["user_none"] }, "calls_assigned_to.0");
    await refuse({ from_phone_number_id: "phon_none" }, "from_phone_number_id");
  });

  test("of a paused sequence waits there", async () => {
    const acme = await organization();
    const sequence = await calling(acme, { status: "paused" });

    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: (await acme.contact()).id });

    assert.equal(one.status, "active");
  });

  test("happens once, however many ask for it at the same time", async () => {
    const acme = await organization();
    const sequence = await calling(acme);
    const contact = await acme.contact();
    const body = { sequence_id: sequence.id, contact_id: contact.id };

    const answers = await Promise.all(Array.from({ length: 50 }, () => acme.ask("POST", "/sequence_subscription/", { body })));

    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array(49).fill(400)]);
    for (const refusal of answers.filter((answer) => answer.status === 400))
      assert.ok("contact_id" in refusal.body["field-errors"]);
    await acme.refused(400, "POST", "/sequence_subscription/", body, "contact_id");
    await acme.post("/sequence_subscription/", { ...body, sequence_id: (await calling(acme)).id });
  });

  test("is refused for a contact of a lead the caller may not see", async () => {
    const acme = await organization();
    const restricted = await acme.member("restricteduser");
    const sequence = await calling(acme);
    const body = { sequence_id: sequence.id, contact_id: (await acme.contact()).id };

    await restricted.refused(400, "POST", "/sequence_subscription/", body, "contact_id");
    const one = await acme.post("/sequence_subscription/", body);
    await restricted.refused(404, "GET", `/sequence_subscription/${one.id}/`);
  });
});

describe("an address that has unsubscribed", () => {
  test("is shown by every contact that has it, now and later, and cannot be claimed or taken back by a caller", async () => {
    const acme = await organization();
    const before = await person(acme, "Ann@Example.com", "ann@home.example");
    assert.equal(before.emails[0].is_unsubscribed, false);

    await optOut(acme, "ann@example.com");
    await optOut(acme, "ANN@example.com");

    const path = `/contact/${before.id}/`;
    const flags = async () => (await acme.get(path)).emails.map((one: any) => one.is_unsubscribed);
    assert.deepEqual(await flags(), [true, false]);
    await acme.put(path, { emails: before.emails });
    assert.deepEqual(await flags(), [true, false]);
    assert.equal((await person(acme, "ann@example.com")).emails[0].is_unsubscribed, true);
    const claimed = await acme.contact({ emails: [{ email: "b@example.com", is_unsubscribed: true }] });
    assert.equal(claimed.emails[0].is_unsubscribed, false);
  });

  test("is written to by no sequence, nor when a paused one is resumed", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const [ann, bob] = [await person(acme, "ann@example.com"), await person(acme, "bob@example.com")];
    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: bob.id, status: "paused" });
    await optOut(acme, "ann@example.com");
    await optOut(acme, "bob@example.com");

    const body = { sequence_id: sequence.id, contact_id: ann.id };
    await acme.refused(400, "POST", "/sequence_subscription/", body, "contact_email");
    await acme.refused(400, "PUT", `/sequence_subscription/${one.id}/`, { status: "active" }, "status");
    await acme.post("/sequence_subscription/", { ...body, sequence_id: (await calling(acme)).id });
  });

  test("may want none of one sequence and go through another", async () => {
    const acme = await organization();
    const [one, other] = [await mailing(acme), await mailing(acme)];
    const ann = await person(acme, "ann@example.com");

    await optOut(acme, "ann@example.com", one.id);

    const body = { contact_id: ann.id };
    await acme.refused(400, "POST", "/sequence_subscription/", { ...body, sequence_id: one.id }, "contact_email");
    await acme.post("/sequence_subscription/", { ...body, sequence_id: other.id });
    assert.equal((await acme.get(`/contact/${ann.id}/`)).emails[0].is_unsubscribed, false);
  });
});

describe("a subscription", () => {
  test("is paused and resumed by hand, each with an event, and goes on when it would have", async () => {
    const acme = await organization();
    const sequence = await mailing(acme);
    const ann = await person(acme, "ann@example.com");
    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
    const path = `/sequence_subscription/${one.id}/`;

    const paused = await acme.put(path, { status: "paused" });
    const resumed = await acme.put(path, { status: "active" });

    assert.equal(paused.status_reason, "manual");
    assert.notEqual(paused.paused_at, null);
    assert.deepEqual([resumed.status, resumed.status_reason, resumed.paused_at], ["active", null, null]);
    assert.equal(resumed.next_step_at, one.next_step_at);
    assert.deepEqual(
      (await acme.events(one.id)).map((event) => event.action),
      ["created", "updated", "paused", "updated", "resumed"],
    );
    for (const status of ["goal", "error"]) await acme.refused(400, "PUT", path, { status }, "status");
  });

  test("that ended is resumed unless the contact is in the sequence by another one", async () => {
    const acme = await organization();
    const sequence = await calling(acme);
    const [gone, kept] = [await acme.contact(), await acme.contact()];
    const subscribe = (contact: any, body: object = {}) =>
      acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id, ...body });
    const [one, two] = [await subscribe(gone, { status: "paused" }), await subscribe(kept)];
    await acme.post("/contact/merge/", { source: gone.id, destination: kept.id });
    const ended = await acme.get(`/sequence_subscription/${one.id}/`);

    await acme.refused(400, "PUT", `/sequence_subscription/${one.id}/`, { status: "active" }, "status");
    await acme.delete(`/sequence_subscription/${two.id}/`);
    const resumed = await acme.put(`/sequence_subscription/${one.id}/`, { status: "active" });

    assert.deepEqual([ended.status, ended.paused_at], ["finished", null]);
    assert.deepEqual([resumed.status, resumed.finished_at], ["active", null]);
    assert.equal(resumed.current_step_id, sequence.steps[0].id);
    assert.notEqual(resumed.next_step_at, null);
  });

  test("that ended goes on at a step that is still there, and not at all where none is left", async () => {
    const acme = await organization();
    const sequence = await calling(acme, { steps: [{ step_type: "call" }, { step_type: "task" }] });
    const [gone, kept] = [await acme.contact(), await acme.contact()];
    const [one, two] = [gone, kept].map((contact) =>
      acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id }),
    );
    const path = `/sequence_subscription/${(await one).id}/`;
    await two;
    await acme.post("/contact/merge/", { source: gone.id, destination: kept.id });
    await acme.delete(`/sequence_subscription/${(await two).id}/`);

    await acme.put(`/sequence/${sequence.id}/`, { steps: [sequence.steps[1]] });
    const moved = await acme.get(path);
    await acme.put(`/sequence/${sequence.id}/`, { steps: [] });

    assert.deepEqual([moved.status, moved.current_step_id], ["finished", sequence.steps[1].id]);
    await acme.refused(400, "PUT", path, { status: "active" }, "status");
  });

  test("of a sequence without steps is due when the first one comes", async () => {
    const acme = await organization();
    const sequence = await acme.post("/sequence/", { name: "Later", status: "paused" });
    const body = { sequence_id: sequence.id, contact_id: (await acme.contact()).id };
    const one = await acme.post("/sequence_subscription/", body);
    const path = `/sequence_subscription/${one.id}/`;
    await acme.put(path, { status: "paused" });
    const waiting = await acme.put(path, { status: "active" });

    const { steps } = await acme.put(`/sequence/${sequence.id}/`, { steps: [{ step_type: "call", delay: 60 }] });

    const begun = await acme.get(path);
    assert.deepEqual([one.next_step_at, waiting.next_step_at], [null, null]);
    assert.equal(begun.current_step_id, steps[0].id);
    assert.equal(Date.parse(begun.next_step_at) - Date.parse(one.start_date), 60_000);
  });

  test("of somebody's private sequence is paused and resumed by whoever sees its contact", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const sequence = await calling(acme, { is_shared: false });
    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: (await acme.contact()).id });

    await bob.put(`/sequence_subscription/${one.id}/`, { status: "paused" });

    assert.equal((await bob.put(`/sequence_subscription/${one.id}/`, { status: "active" })).status, "active");
  });

  test("is found by sequence, contact, lead and state, and shown on its contact when asked for", async () => {
    const acme = await organization();
    const sequence = await calling(acme);
    const contact = await acme.contact();
    const one = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id });
    const count = async (query: string) => (await acme.get(`/sequence_subscription/?${query}`)).data.length;

    assert.equal(await count(`sequence_id=${sequence.id}`), 1);
    assert.equal(await count(`contact_id=${contact.id}&status__in=active,paused`), 1);
    assert.equal(await count(`lead_id=${contact.lead_id}&status=paused`), 0);
    const { subscriptions } = await acme.get(`/contact/${contact.id}/?_fields=subscriptions`);
    assert.deepEqual(subscriptions, [
      {
        subscription_id: one.id,
        sequence_id: sequence.id,
        sequence_name: "Calls",
        sequence_status: "active",
        subscription_status: "active",
        subscription_status_reason: null,
        contact_email: null,
        start_date: one.start_date,
        date_created: one.date_created,
      },
    ]);
    assert.equal("subscriptions" in (await acme.get(`/contact/${contact.id}/`)), false);
  });

  test("goes with its contact", async () => {
    const acme = await organization();
    const contact = await acme.contact();
    const one = await acme.post("/sequence_subscription/", { sequence_id: (await calling(acme)).id, contact_id: contact.id });

    await acme.delete(`/contact/${contact.id}/`);

    await acme.refused(404, "GET", `/sequence_subscription/${one.id}/`);
    assert.equal((await acme.events(one.id)).at(-1).event, "sequence_subscription.deleted");
  });

  test("follows a contact that is merged; of two through one sequence, that of the contact that stays goes on", async () => {
    const acme = await organization();
    const [both, only] = [await calling(acme), await calling(acme)];
    const [gone, kept] = [await acme.contact(), await acme.contact()];
    const subscribe = (sequence: any, contact: any) =>
      acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id });
    const [double, staying, moving] = [await subscribe(both, gone), await subscribe(both, kept), await subscribe(only, gone)];

    await acme.post("/contact/merge/", { source: gone.id, destination: kept.id });

    const read = async (one: any) => acme.get(`/sequence_subscription/${one.id}/`);
    for (const one of [double, staying, moving])
      assert.deepEqual([(await read(one)).contact_id, (await read(one)).lead_id], [kept.id, kept.lead_id]);
    assert.deepEqual(
      [(await read(double)).status, (await read(staying)).status, (await read(moving)).status],
      ["finished", "active", "active"],
    );
    assert.equal((await read(double)).status_reason, "replaced");
  });

  test("ends with a merge where one sequence at a time is allowed and the contact that stays is in another", async () => {
    const acme = await organization();
    const [one, other] = [await calling(acme), await calling(acme)];
    const [gone, kept] = [await acme.contact(), await acme.contact()];
    await acme.put(`/organization/${acme.id}/`, { settings: { sequences: { one_at_a_time: true } } });
    const ending = await acme.post("/sequence_subscription/", { sequence_id: one.id, contact_id: gone.id });
    const staying = await acme.post("/sequence_subscription/", { sequence_id: other.id, contact_id: kept.id });

    await acme.post("/contact/merge/", { source: gone.id, destination: kept.id });

    const after = await acme.get(`/sequence_subscription/${ending.id}/`);
    assert.deepEqual([after.status, after.status_reason, after.contact_id], ["finished", "replaced", kept.id]);
    assert.equal((await acme.get(`/sequence_subscription/${staying.id}/`)).status, "active");
  });

  test("stays behind when its lead moves to another organization", async () => {
    const acme = await organization();
    const there = await acme.post("/organization/", { name: "Elsewhere" });
    const contact = await acme.contact();
    const one = await acme.post("/sequence_subscription/", { sequence_id: (await calling(acme)).id, contact_id: contact.id });

    await acme.post(`/lead/${contact.lead_id}/move/`, { target_organization_id: there.id });

    await acme.refused(404, "GET", `/sequence_subscription/${one.id}/`);
    assert.equal((await acme.events(one.id)).at(-1).event, "sequence_subscription.deleted");
  });
});
