// What steps wait for, and what members do to subscriptions that are under way.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { address, anotherThursday, at, day, hour, office, openOutreach, outreach, run } from "../../../test/support/outreach.ts";
import type { Service } from "../../../test/support/service.ts";
import type { MailServer } from "../../../test/support/smtp.ts";

let server: MailServer;
let on: Service;

before(async () => {
  ({ server, on } = await openOutreach());
});
after(() => server?.close());
beforeEach(() => anotherThursday());

const mail = (subject: string, more: object = {}) => ({ step_type: "email", subject, body: "<p>Hello</p>", ...more });
const tomorrow = { amount: 1, unit: "days" };
const subjectsTo = ({ email }: { email: string }) => server.to(email).map(({ subject }) => subject);
const answer = ({ contact_id, email }: any, more: object = {}) => ({
  contact_id,
  status: "inbox",
  sender: email,
  subject: "Hello",
  body_text: "Call me",
  ...more,
});
const stateOf = (one: any) => `${one.status} ${one.status_reason}`;

describe("a step", () => {
  test("answers the mail before it where its sequence says so, and it does not say otherwise", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const steps = [mail("One"), mail("Two", { delay: 60 }), mail("Three", { delay: 60, threading: "new_thread" })];
    const made = await sequence(steps, { thread_mode: "reply_in_thread" });
    const way = await subscribe(made);

    await run();
    await run(hour);
    await run(hour);

    assert.deepEqual(subjectsTo(way), ["One", "Re: One", "Three"]);
    const [, second, third] = server.to(way.email);
    assert.deepEqual([second!.inReplyTo, third!.inReplyTo], [server.to(way.email)[0]!.messageId, undefined]);
    const { thread_mode, steps: kept } = await acme.put(`/sequence/${made.id}/`, { thread_mode: "new_thread" });
    assert.deepEqual([thread_mode, kept[1].threading], ["new_thread", null]);
  });

  test("brings files of its own besides those of its template", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const [one, two] = [
      await acme.post("/file/", { name: "prices.txt", content_base64: "eA==" }),
      await acme.post("/file/", { name: "terms.txt", content_base64: "eA==" }),
    ];
    const letter = { name: "L", subject: "S", body: "<p>B</p>", attachments: [{ file_id: one.id }] };
    const { id } = await acme.post("/email_template/", letter);
    const attachments = [{ file_id: two.id }];
    const made = await sequence([{ step_type: "email", email_template_id: id, attachments }, mail("Plain", { delay: 60 })]);
    const way = await subscribe(made);

    await run();
    await run(hour);

    assert.deepEqual(
      server.to(way.email).map((sent) => sent.attachments.map(({ filename }) => filename)),
      [["prices.txt", "terms.txt"], []],
    );
    assert.deepEqual([made.steps[0].attachments[0].filename, made.steps[0].attachments[0].size], ["terms.txt", 1]);
    const path = `/sequence/${made.id}/`;
    assert.equal((await acme.put(path, { steps: made.steps })).steps_version, 1);
    const refuse = (step: object, at: string) =>
      acme.refused(400, "POST", "/sequence/", { name: "X", timezone: "UTC", steps: [step] }, at);
    await refuse(mail("X", { attachments: [{ file_id: "file_none" }] }), "steps.0.attachments.0.file_id");
    await refuse({ step_type: "call", attachments }, "steps.0.attachments");
  });

  test("goes to whoever owns the lead then, with its priority", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const bob = await acme.member();
    const steps = [
      { step_type: "task", text: "Look", assigned_to: "owner", priority: "high" },
      { step_type: "task", text: "Ask", assigned_to: "owner", delay: 3600 },
    ];
    const way = await subscribe(await sequence(steps));
    await acme.put(`/lead/${way.lead_id}/`, { owner_id: null });

    await run();
    await acme.put(`/lead/${way.lead_id}/`, { owner_id: bob.userId });
    await run(2 * hour);

    const tasks = (await acme.get(`/task/?sequence_subscription_id=${way.id}`)).data;
    const shown = (text: string) =>
      tasks.filter((one: any) => one.text === text).map((one: any) => [one.assigned_to, one.priority]);
    assert.deepEqual([shown("Look"), shown("Ask")], [[[acme.userId, "high"]], [[bob.userId, null]]]);
    await acme.refused(
      400,
      "POST",
      "/sequence/",
      { name: "X", timezone: "UTC", steps: [mail("A", { priority: "low" })] },
      "steps.0.priority",
    );
  });

  test("texts from a number of its own", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const [usual, own] = [
      await acme.post("/phone_number/", { number: "+14155550100", type: "external" }),
      await acme.post("/phone_number/", { number: "+14155550101", type: "external" }),
    ];
    const text = { step_type: "sms", text: "Hello" };
    const ways: any[] = [];
    for (const step of [text, { ...text, from_phone_number_id: own.id }]) {
      const way = await subscribe(await sequence([step]), { from_phone_number_id: usual.id });
      await acme.put(`/contact/${way.contact_id}/`, { phones: [{ phone: "+12125550123" }] });
      ways.push(way);
    }

    await run();

    const sent = (way: any) => acme.get(`/activity/sms/?lead_id=${way.lead_id}`).then(({ data }: any) => data);
    const numbers = (await Promise.all(ways.map(sent))).flat().map((one: any) => one.local_phone);
    assert.deepEqual(numbers, [usual.number, own.number]);
    const refuse = (step: object) =>
      acme.refused(400, "POST", "/sequence/", { name: "X", timezone: "UTC", steps: [step] }, "steps.0.from_phone_number_id");
    await refuse({ ...text, from_phone_number_id: "phon_none" });
    await refuse(mail("A", { from_phone_number_id: own.id }));
  });

  test("waits for a reply where replies do not end the sequence, for as long as it says", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const wait = { step_type: "wait_reply", step_allowed_delay: 86_400 };
    const made = await sequence([mail("One"), wait, mail("Two")], { stop_on_reply: false });
    const [ann, bob] = [await subscribe(made), await subscribe(made)];
    await run();
    await run(hour);
    const waiting = await shown(ann);

    await acme.post("/activity/email/", answer(ann));
    await run();
    const early = [ann, bob].map(subjectsTo);
    await run(day);

    assert.equal(waiting.reply_awaited_until, new Date(Date.parse(waiting.start_date) + day).toISOString());
    assert.deepEqual(early, [["One", "Two"], ["One"]]);
    assert.deepEqual(subjectsTo(bob), ["One", "Two"]);
    const { stats } = await acme.get(`/sequence/${made.id}/?_fields=stats`);
    const { taken, skipped } = stats.find((one: any) => one.step_id === made.steps[1].id);
    assert.deepEqual([taken, skipped], [2, 1]);
    const bad = { name: "X", steps: [{ step_type: "wait_reply" }] };
    await acme.refused(400, "POST", "/sequence/", bad, "steps.0.step_allowed_delay");
  });

  test("on LinkedIn is a task with the words for the contact and their page", async () => {
    const { acme, sequence } = await outreach();
    const text = "Invite {{ contact.first_name }}: {{ vars.topic }}";
    const made = await sequence([{ step_type: "linkedin_task", text, required: true }]);
    const person = await acme.contact({ name: "Ann Lee", urls: [{ url: "https://www.linkedin.com/in/annlee", type: "url" }] });
    await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id: person.id, vars: { topic: "Roofs" } });

    await run();

    const [task] = (await acme.get(`/task/?lead_id=${person.lead_id}`)).data;
    assert.deepEqual(
      [task._type, task.text, task.contact_id],
      ["todo", "Invite Ann: Roofs\nhttps://www.linkedin.com/in/annlee", person.id],
    );
  });

  test("that is a call is left out where the contact wants no calls", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const made = await sequence([{ step_type: "call", required: true }, mail("Written")]);
    const [ann, bob] = [await subscribe(made), await subscribe(made)];
    await acme.put(`/contact/${ann.contact_id}/`, { do_not_call: true });

    await run();

    const tasks = (await acme.get(`/task/?sequence_id=${made.id}`)).data;
    assert.deepEqual(
      tasks.map((one: any) => [one._type, one.contact_id]),
      [["call", bob.contact_id]],
    );
    assert.deepEqual([ann, bob].map(subjectsTo), [["Written"], []]);
    const { stats } = await acme.get(`/sequence/${made.id}/?_fields=stats`);
    const { taken, skipped } = stats.find((one: any) => one.step_id === made.steps[0].id);
    assert.deepEqual([taken, skipped], [2, 1]);
  });

  test("that is a call does what its map has for the outcome, and for an answer nothing else", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const settings = { call_outcomes: [{ name: "Interested" }, { name: "Wants no calls" }] };
    await acme.put(`/organization/${acme.id}/`, { settings });
    const { settings: stored } = await acme.get(`/organization/${acme.id}/`);
    const [interested, angry] = stored.call_outcomes.map((one: any) => one.id);
    const call = {
      step_type: "call",
      required: true,
      outcome_map: {
        [interested]: { action: "goal" },
        [angry]: { action: "pause" },
        "vm-left": { action: "next" },
        "no-answer": { action: "repeat", delay: tomorrow },
        busy: { action: "finish" },
      },
    };
    const made = await sequence([call, mail("After the call")]);
    const given: Record<string, object> = {
      "goal outcome-met": { outcome_id: interested },
      "paused outcome-met": { outcome_id: angry },
      "finished null": { disposition: "vm-left" },
      "active null": { disposition: "no-answer" },
      "finished outcome-met": { disposition: "busy" },
      "active  null": {},
    };
    const ways = await Promise.all(Object.keys(given).map(() => subscribe(made)));
    await run();
    const waiting = await Promise.all(ways.map(shown));
    for (const [i, more] of Object.values(given).entries())
      await acme.post("/activity/call/", { contact_id: ways[i].contact_id, direction: "outbound", duration: 60, ...more });
    await run();

    const states = await Promise.all(ways.map(shown));
    assert.deepEqual(
      states.map(stateOf),
      Object.keys(given).map((one) => one.replace("  ", " ")),
    );
    assert.deepEqual(
      ways.map((one) => subjectsTo(one).length),
      [0, 0, 1, 0, 0, 0],
    );
    assert.equal(states[5].waiting_task_id, waiting[5].waiting_task_id, "a mere answer leaves the task open");
    await run(day);
    const again = await shown(ways[3]);
    assert.ok(again.waiting_task_id !== null && again.waiting_task_id !== waiting[3].waiting_task_id);
    const steps = [{ ...call, outcome_map: { outcome_none: { action: "goal" } } }];
    await acme.refused(400, "POST", "/sequence/", { name: "X", steps }, "steps.0.outcome_map.outcome_none");
    const idle = [{ ...call, required: false }];
    await acme.refused(400, "POST", "/sequence/", { name: "X", steps: idle }, "steps.0.required");
  });

  test("is not taken on a holiday of the calendar that the sequence names", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const today = on.clock.now!.toISOString().slice(0, 10);
    const dates = [today, new Date(on.clock.now!.getTime() + day).toISOString().slice(0, 10)];
    await acme.put(`/organization/${acme.id}/`, { settings: { holiday_calendars: [{ id: "de", dates }] } });
    const made = await sequence([mail("One")], { schedule: { ...office, skip_holidays: "de" } });

    const way = await subscribe(made);

    // Thursday and Friday are off, and then it is the weekend.
    assert.equal(way.next_step_at, new Date(Date.parse(`${today}T09:00:00Z`) + 4 * day).toISOString());
    const other = { name: "X", schedule: { ...office, skip_holidays: "fr" } };
    await acme.refused(400, "POST", "/sequence/", other, "schedule.skip_holidays");
    const wrong = { settings: { holiday_calendars: [{ id: "de", dates: ["1.1."] }] } };
    await acme.refused(400, "PUT", `/organization/${acme.id}/`, wrong, "settings.holiday_calendars.0.dates.0");
  });

  test("counts business days without the holidays of its calendar, or else of the organization's", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const inDays = (days: number) => new Date(on.clock.now!.getTime() + days * day).toISOString();
    const calendars = [
      { id: "de", dates: [inDays(1).slice(0, 10)] },
      { id: "fr", dates: [inDays(1), inDays(4)].map((one) => one.slice(0, 10)) },
    ];
    await acme.put(`/organization/${acme.id}/`, { settings: { holiday_calendars: calendars, business_calendar: "fr" } });
    const steps = [mail("One", { delay: { amount: 1, unit: "business_days" } })];
    const allWeek = { ranges: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: "00:00", end: "24:00" })) };
    const named = await sequence(steps, { schedule: { ...allWeek, skip_holidays: "de" } });
    const unnamed = await sequence(steps);

    // Friday is off in both, and the Monday after it in one.
    assert.equal((await subscribe(named)).next_step_at, inDays(4));
    assert.equal((await subscribe(unnamed)).next_step_at, inDays(5));
    const unknown = { settings: { business_calendar: "it" } };
    await acme.refused(400, "PUT", `/organization/${acme.id}/`, unknown, "settings.business_calendar");
  });

  test("records opens and clicks as the sequence says, or as it says itself", async () => {
    const { sequence, subscribe } = await outreach();
    const tracked = { body: '<p><a href="https://acme.example/offer">Offer</a></p>' };
    const steps = [mail("One", tracked), mail("Two", { ...tracked, delay: tomorrow, tracking: { opens: false, clicks: false } })];
    const way = await subscribe(await sequence(steps, { tracking: { opens: true, clicks: true } }));
    await run();
    await run(day);

    const [first, second] = server.to(way.email).map(({ html }) => html!);
    assert.match(first!, /<img src=/);
    assert.doesNotMatch(first!, /acme\.example\/offer/);
    assert.doesNotMatch(second!, /<img src=/);
    assert.match(second!, /href="https:\/\/acme\.example\/offer"/);
  });

  test("waits while the mailbox in which the answer may lie is not read", async () => {
    const { sequence, subscribe, shown, readAt } = await withInbox();
    const way = await subscribe(await sequence([mail("One"), mail("Two", { delay: 3600 })]));
    await run();
    await readAt(on.clock.now!);

    await run(hour);
    const held = await shown(way);
    const before = subjectsTo(way);
    await readAt(new Date(on.clock.now!.getTime() + 4 * 60_000));
    await run(5 * 60_000);

    assert.deepEqual(before, ["One"]);
    assert.match(held.error_message, /Answers to .* were last read at .*: the step waits/);
    assert.deepEqual(subjectsTo(way), ["One", "Two"]);
    assert.deepEqual([(await shown(way)).status, (await shown(way)).error_message], ["finished", null]);
  });

  test("is taken back at the last moment where an answer has come since, or may lie unread", async () => {
    const { acme, account, sequence, subscribe, shown, readAt } = await withInbox();
    const made = await sequence([mail("One"), mail("Two", { delay: 3600 })]);
    const [answered, other] = [await subscribe(made), await subscribe(made)];
    await run();
    // The server is away, so that the second mails are made and wait.
    await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, port: 9 } });
    await run(hour);
    const made_ids = (await Promise.all([answered, other].map(shown))).map((one) => one.waiting_message_id);
    await acme.post("/activity/email/", answer(answered));
    await acme.put(`/connected_account/${account.id}/`, { smtp: server.smtp });
    await readAt(on.clock.now!);

    await run(hour);
    const unread = [answered, other].map(subjectsTo);
    const held = await shown(other);
    await readAt(on.clock.now!);
    await run(5 * 60_000);

    assert.ok(made_ids.every((id) => id !== null));
    assert.deepEqual(unread, [["One"], ["One"]]);
    assert.deepEqual([held.status, held.waiting_message_id], ["active", null]);
    assert.match(held.error_message, /Answers to .* were last read at/);
    assert.deepEqual([answered, other].map(subjectsTo), [["One"], ["One", "Two"]]);
    assert.deepEqual((await Promise.all([answered, other].map(shown))).map(stateOf), ["goal reply-received", "finished null"]);
  });

  test("that is a message to a number keeps to the throttle too", async () => {
    const { acme, sequence } = await outreach();
    const made = await sequence([{ step_type: "channel_message", text: "Hello" }], { throttle: { max_per_sequence_per_day: 1 } });
    for (const phone of ["+12125550151", "+12125550152"]) {
      const { id: contact_id } = await acme.contact({ phones: [{ phone, type: "mobile" }] });
      await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id });
    }
    const written = async () => (await acme.get("/activity/channel_message/")).data.length;

    await run();
    const today = await written();
    await run(day);

    assert.deepEqual([today, await written()], [1, 2]);
  });
});

/** An organization whose mailbox is read when the test says so. */
async function withInbox() {
  const own = await outreach();
  const readAt = (at: Date) =>
    on.app.db.query(own.acme.id, {
      text: "update connected_account set receive_status = 'ok', last_synced_at = $3 where organization_id = $1 and id = $2 returning 1",
      values: [own.acme.id, own.account.id, at],
    });
  return { ...own, readAt };
}

describe("a reply", () => {
  test("counts only in the sequence's own thread where it says so", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const steps = [mail("One"), mail("Two", { delay: tomorrow })];
    const [narrow, wide] = [await sequence(steps, { reply_scope: "thread" }), await sequence(steps)];
    const [ann, bob, eve] = [await subscribe(narrow), await subscribe(wide), await subscribe(narrow)];
    await run();

    for (const one of [ann, bob]) await acme.post("/activity/email/", answer(one, { subject: "Something else" }));
    const { initial_email_id: in_reply_to_id } = await shown(eve);
    await acme.post("/activity/email/", answer(eve, { in_reply_to_id }));

    const states = (await Promise.all([ann, bob, eve].map(shown))).map(stateOf);
    assert.deepEqual(states, ["active null", "goal reply-received", "goal reply-received"]);
  });
});

describe("what was before a subscription began", () => {
  test("does not end it or hold it up, though it is read or logged later; an opt-out and an answer to its mail do", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One"), mail("Two", { delay: tomorrow })]);
    const wait = { step_type: "wait_reply", step_allowed_delay: 86_400 };
    const patient = await sequence([wait, mail("Later")], { stop_on_reply: false });
    const activity_at = new Date(on.clock.now!.getTime() - 10 * day).toISOString();
    const log: Record<string, (way: any, at: object) => Promise<unknown>> = {
      mail: (way, at) => acme.post("/activity/email/", answer(way, { subject: "Invoice", ...at })),
      absence: (way, at) =>
        acme.post(
          "/activity/email/",
          answer(way, { subject: "Away", classification: { class: "auto_reply", is_absent: true }, ...at }),
        ),
      call: ({ contact_id }, at) => acme.post("/activity/call/", { contact_id, disposition: "answered", ...at }),
      text: ({ contact_id }, at) =>
        acme.post("/activity/sms/", { contact_id, status: "inbox", remote_phone: "+12125550123", text: "Call me", ...at }),
      WhatsApp: ({ contact_id }, at) =>
        acme.post("/activity/channel_message/", { contact_id, status: "inbox", channel: "whatsapp", text: "Call me", ...at }),
    };
    const acts = Object.values(log);
    const ways = await Promise.all(acts.map(() => subscribe(made)));
    const [waiting, done, replied] = [await subscribe(patient), await subscribe(made), await subscribe(made)];
    await run();

    for (const [i, act] of acts.entries()) await act(ways[i], { activity_at });
    await log.mail!(waiting, { activity_at });
    await acme.post("/activity/sms/", {
      contact_id: done.contact_id,
      status: "inbox",
      remote_phone: "+12125550123",
      text: "STOP",
      activity_at,
    });
    const in_reply_to_id = (await shown(replied)).latest_email_id;
    await log.mail!(replied, { activity_at, in_reply_to_id });
    const before = await Promise.all(ways.map(shown));
    const held = await shown(waiting);
    const ended = await Promise.all([done, replied].map(shown));
    for (const [i, act] of acts.entries()) await act(ways[i], {});
    const after = await Promise.all(ways.map(shown));

    assert.deepEqual(
      before.map(stateOf),
      acts.map(() => "active null"),
    );
    assert.ok(held.reply_awaited_until !== null);
    assert.deepEqual(ended.map(stateOf), ["finished unsubscribed", "goal reply-received"]);
    assert.deepEqual(after.map(stateOf), [
      "goal reply-received",
      "paused out-of-office",
      "goal call-answered",
      "goal reply-received",
      "goal reply-received",
    ]);
  });
});

describe("a meeting that was held, or a deal that was won", () => {
  test("before a subscription began does not end it; since then it does, whenever it is written down", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One"), mail("Two", { delay: { amount: 20, unit: "days" } })]);
    const won = (await acme.get("/status/opportunity/")).data.find((one: any) => one.type === "won");
    const log: ((way: any, at: Date) => Promise<unknown>)[] = [
      ({ contact_id, lead_id }, at) =>
        acme.post("/activity/meeting/", { contact_id, lead_id, title: "Demo", starts_at: at.toISOString() }),
      ({ lead_id }, at) => acme.opportunity({ lead_id, status_id: won.id, date_won: at.toISOString().slice(0, 10) }),
      async ({ lead_id }, at) => {
        const deal = await acme.opportunity({ lead_id, date_created: "2020-01-01T00:00:00Z" });
        await acme.put(`/opportunity/${deal.id}/`, { status_id: won.id, date_won: at.toISOString().slice(0, 10) });
      },
    ];
    const ways = await Promise.all(log.map(() => subscribe(made)));
    const began = on.clock.now!;
    await run(9 * day);

    const after = async (days: number) => {
      for (const [i, act] of log.entries()) await act(ways[i], new Date(began.getTime() + days * day));
      return (await Promise.all(ways.map(shown))).map(stateOf);
    };

    assert.deepEqual(await after(-3), ["active null", "active null", "active null"]);
    assert.deepEqual(await after(4), ["goal meeting-booked", "goal outcome-met", "goal outcome-met"]);
  });
});

describe("a subscription that ends", () => {
  test("leaves nobody a task for it: done by a call that was answered, else abandoned", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([{ step_type: "call", required: true, text: "Call {{ contact.first_name }}" }]);
    const [replied, called, byHand] = [await subscribe(made), await subscribe(made), await subscribe(made)];
    await run();
    const tasks = (await Promise.all([replied, called, byHand].map(shown))).map((one) => one.waiting_task_id);

    await acme.post("/activity/email/", answer(replied));
    await acme.post("/activity/call/", { contact_id: called.contact_id, direction: "outbound", duration: 60 });
    await acme.put(`/sequence_subscription/${byHand.id}/`, { status: "finished" });
    await run();

    const closed = await Promise.all(tasks.map((id) => acme.get(`/task/${id}/`)));
    assert.deepEqual(
      closed.map((one: any) => [one.is_complete, one.resolution]),
      [
        [true, "abandoned"],
        [true, null],
        [true, "abandoned"],
      ],
    );
    await acme.put(`/sequence_subscription/${replied.id}/`, { status: "active" });
    await run();
    const again = (await shown(replied)).waiting_task_id;
    assert.ok(again !== null && again !== tasks[0], "whoever resumes it gets the task anew");
  });
});

describe("a mailbox that ramps up", () => {
  test("sends twenty automatic mails on its first day, and a tenth more on the next", async () => {
    const { acme, account, sequence, shown } = await outreach({ ramp_up: true });
    const made = await sequence([mail("One")], { schedule: office });
    const lead_id = (await acme.lead()).id;
    const ways: any[] = [];
    for (let i = 0; i < 23; i++) {
      const person = await acme.contact({ lead_id, emails: [{ email: address("ramp") }] });
      ways.push(await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id: person.id }));
    }
    const finished = async () => (await Promise.all(ways.map(shown))).filter(({ status }) => status === "finished").length;
    await run();
    const first = await finished();
    const own = await acme.post("/activity/email/", {
      contact_id: ways[0].contact_id,
      subject: "By hand",
      body_text: "Hello",
      status: "outbox",
      email_account_id: account.id,
    });
    await run();
    const written = await acme.get(`/activity/email/${own.id}/`);
    await run(day);

    assert.deepEqual([first, written.status, await finished()], [20, "sent", 23]);
    const plain = await acme.put(`/connected_account/${account.id}/`, { ramp_up: false });
    assert.deepEqual([plain.ramp_up, plain.ramp_up_since], [false, null]);
  });
});

describe("a member", () => {
  test("moves a subscription on: its mail is taken back, its task is closed, and the next step is due", async () => {
    const { acme, account, sequence, subscribe, shown } = await outreach();
    await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, port: 9 } });
    const steps = [mail("One"), { step_type: "task", text: "Ring", required: true }, mail("Two", { delay: tomorrow })];
    const way = await subscribe(await sequence(steps));
    const skip = () => acme.put(`/sequence_subscription/${way.id}/`, { skip_step: true });
    await run();
    const waiting = await shown(way);

    const second = await skip();
    await acme.put(`/connected_account/${account.id}/`, { smtp: server.smtp });
    await run(hour);
    const task = await acme.get(`/task/${(await shown(way)).waiting_task_id}/`);
    const third = await skip();
    await run();
    await run(day);

    assert.ok(waiting.waiting_message_id !== null);
    assert.deepEqual(
      [second.waiting_message_id, second.current_step_id],
      [null, way.sequence_id && (await acme.get(`/sequence/${way.sequence_id}/`)).steps[1].id],
    );
    assert.equal(third.next_step_at, new Date(on.clock.now!.getTime()).toISOString());
    assert.equal((await acme.get(`/task/${task.id}/`)).resolution, "skipped");
    assert.deepEqual(subjectsTo(way), ["Two"]);
    await acme.refused(400, "PUT", `/sequence_subscription/${way.id}/`, { skip_step: true }, "skip_step");
  });

  test("sets when the next step is due, in the hours of the sequence, and ends a subscription", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const way = await subscribe(await sequence([mail("One", { delay: tomorrow })], { schedule: office }));
    const put = (body: object) => acme.put(`/sequence_subscription/${way.id}/`, body);
    const sunday = `${new Date(on.clock.now!.getTime() + 3 * day).toISOString().slice(0, 10)}T12:00:00Z`;

    const moved = await put({ next_step_at: sunday });
    const same = await put(moved);
    await at(moved.next_step_at);
    const late = { next_step_at: "2040-01-01T00:00:00Z" };

    assert.equal(moved.next_step_at, new Date(Date.parse(sunday) + day - 3 * hour).toISOString());
    assert.equal(same.next_step_at, moved.next_step_at);
    assert.deepEqual(subjectsTo(way), ["One"]);
    await acme.refused(400, "PUT", `/sequence_subscription/${way.id}/`, late, "next_step_at");
    const other = await subscribe(await sequence([mail("One", { delay: tomorrow })]));
    const ended = await acme.put(`/sequence_subscription/${other.id}/`, { status: "finished" });
    await run(2 * day);
    assert.deepEqual([stateOf(ended), ended.next_step_at, subjectsTo(other)], ["finished manual", null, []]);
  });

  test("says what happens where the contact is in the sequence, or was lately", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One", { delay: tomorrow })]);
    const way = await subscribe(made);
    const again = (more: object) => ({ sequence_id: made.id, contact_id: way.contact_id, ...more });
    const path = "/sequence_subscription/";

    const kept = await acme.post(path, again({ on_conflict: "skip" }));
    const fresh = await acme.post(path, again({ on_conflict: "replace" }));
    await acme.put(`${path}${fresh.id}/`, { status: "finished" });
    await acme.refused(400, "POST", path, again({}), "contact_id");
    const forced = await acme.post(path, again({ force: true }));
    await acme.put(`${path}${forced.id}/`, { status: "finished" });
    on.clock.now = new Date(on.clock.now!.getTime() + 91 * day);
    const later = await acme.post(path, again({}));

    assert.equal(kept.id, way.id);
    assert.deepEqual([stateOf(await shown(way)), fresh.status, later.status], ["finished replaced", "active", "active"]);
    const free = await sequence([mail("One")], { resubscribe_after: null });
    const one = await subscribe(free);
    await acme.put(`${path}${one.id}/`, { status: "finished" });
    const two = await acme.post(path, { sequence_id: free.id, contact_id: one.contact_id });
    assert.equal(two.status, "active");
  });
});
