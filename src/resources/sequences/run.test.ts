// Sequences run: mail leaves at its hour, once, in its thread; the steps follow each other to the end.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import {
  address,
  anotherThursday,
  at,
  day,
  eventsOf,
  hour,
  office,
  openOutreach,
  outreach,
  run,
} from "../../../test/support/outreach.ts";
import type { Service } from "../../../test/support/service.ts";
import type { MailServer } from "../../../test/support/smtp.ts";
import { failAccount } from "../accounts/account_states.ts";
import { byRule } from "../mail_class/classification.ts";
import { followClass } from "../mail_class/follow.ts";

let server: MailServer;
let on: Service;

before(async () => {
  ({ server, on } = await openOutreach());
});
after(() => server?.close());

describe("a subscription", () => {
  beforeEach(anotherThursday);

  test("sends its mails at their hours, once each and in one thread, and is finished", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const follow = mail({ delay: { amount: 2, unit: "days" }, threading: "old_thread" });
    const way = await subscribe(await sequence([mail({ delay: 3600 }), follow], { schedule: office }));

    await run();
    assert.deepEqual(server.to(way.email), []);
    await run(hour);
    await run();

    const [first, ...others] = server.to(way.email);
    const later = await shown(way);
    assert.deepEqual(others, []);
    assert.equal(first!.subject, "Hello Ann");
    assert.match(first!.html!, /Dear Ann of Client, Ada here\./);
    assert.match(first!.html!, /\/u\//, "a mail of a sequence has a link to unsubscribe");
    // Two days later it is Saturday.
    assert.deepEqual([later.status, later.next_step_at], ["active", "2031-01-06T09:00:00.000Z"]);
    await at("2031-01-06T08:59:00.000Z");
    assert.equal(server.to(way.email).length, 1);
    await at("2031-01-06T09:00:00.000Z");
    await at("2031-01-08T09:00:00.000Z");

    const [, second, ...more] = server.to(way.email);
    const over = await shown(way);
    assert.deepEqual(more, []);
    assert.deepEqual([second!.subject, second!.inReplyTo], ["Re: Hello Ann", first!.messageId]);
    assert.deepEqual([over.status, over.status_reason, over.current_step_id], ["finished", null, null]);
    assert.equal(over.finished_at, "2031-01-06T09:00:00.000Z");
    const sent = (await acme.get(`/activity/email/?lead_id=${way.lead_id}`)).data;
    assert.deepEqual(new Set(sent.map((one: any) => one.thread_id)).size, 1);
    assert.ok(sent.every((one: any) => one.sequence_id === way.sequence_id && one.user_id === acme.userId));
    const told = (await eventsOf(acme, way)).filter((one) => !["created", "updated"].includes(one));
    assert.deepEqual(told, ["step_done", "step_done", "finished"]);
  });

  test("writes nothing while it or its sequence is paused, and goes on where it was", async () => {
    const { acme, mail, sequence, subscribe } = await outreach();
    const made = await sequence([mail()]);
    const [one, two] = [await subscribe(made), await subscribe(made)];
    await acme.put(`/sequence/${made.id}/`, { status: "paused" });
    await acme.put(`/sequence_subscription/${two.id}/`, { status: "paused" });

    await run();
    await acme.put(`/sequence/${made.id}/`, { status: "active" });
    await run(hour);
    const [first, second] = [server.to(one.email).length, server.to(two.email).length];
    await acme.put(`/sequence_subscription/${two.id}/`, { status: "active" });
    await run(hour);

    assert.deepEqual([first, second, server.to(two.email).length], [1, 0, 1]);
  });

  test("that is stopped between its step and its mail sends nothing, and a pause puts it back to its step", async () => {
    const { acme, mail, sequence, subscribe, shown, account } = await outreach();
    const [opted, paused, gone] = [
      await subscribe(await sequence([mail()])),
      await subscribe(await sequence([mail()])),
      await subscribe(await sequence([mail()])),
    ];
    // The server is away, so that the mails are made and wait.
    await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, port: 9 } });
    await run();
    const waiting = await Promise.all([opted, paused, gone].map(shown));
    const mails = () => acme.get("/activity/email/?status=outbox").then(({ data }: any) => data.length);
    assert.equal(await mails(), 3);
    await acme.post("/activity/email/", {
      contact_id: opted.contact_id,
      status: "inbox",
      sender: opted.email,
      in_reply_to_id: waiting[0].waiting_message_id,
      subject: "Re",
      body_text: "Call me",
    });
    await acme.put(`/sequence_subscription/${paused.id}/`, { status: "paused" });
    await acme.delete(`/sequence/${gone.sequence_id}/`);
    await acme.put(`/connected_account/${account.id}/`, { smtp: server.smtp });
    await run(2 * hour);

    assert.deepEqual(
      [opted, paused, gone].map(({ email }) => server.to(email).length),
      [0, 0, 0],
    );
    assert.equal(await mails(), 0);
    const states = (await Promise.all([opted, paused, gone].map(shown))).map((one) => `${one.status} ${one.status_reason}`);
    assert.deepEqual(states, ["goal reply-received", "paused manual", "error sequence-deleted"]);
    await acme.put(`/sequence_subscription/${paused.id}/`, { status: "active" });
    await run(hour);
    assert.equal(server.to(paused.email).length, 1);
  });

  test("keeps to what a sender, a sequence and a domain may get on a day, follow-ups first, and to the gap", async () => {
    const { sequence, subscribe, mail } = await outreach();
    const throttle = { max_per_sender_per_day: 3, min_gap_seconds: 600 };
    const steps = [mail(), mail({ delay: { amount: 1, unit: "days" }, threading: "old_thread" })];
    const made = await sequence(steps, { schedule: office, throttle });
    const ways: any[] = [];
    for (let i = 0; i < 5; i++) ways.push(await subscribe(made));
    const arrived = () =>
      ways
        .map(({ email }) => server.to(email).length)
        .sort()
        .join("");

    const days: string[] = [];
    const minutes: number[] = [];
    const begin = on.clock.now!.getTime();
    // From Thursday on, without the weekend.
    for (const date of [0, 1, 4, 5]) {
      for (const minute of [0, 10, 20]) {
        const count = arrived();
        await at(new Date(begin + date * day + minute * 60_000).toISOString());
        if (arrived() !== count) minutes.push(minute);
      }
      days.push(arrived());
    }

    assert.deepEqual(days, ["00111", "00222", "11222", "22222"]);
    assert.deepEqual(minutes, [0, 10, 20, 0, 10, 20, 0, 10, 0, 10]);
  });

  test("of several sequences get together no more than one sender may, and what members write by hand does not count", async () => {
    const { acme, account, sequence, subscribe, mail, shown } = await outreach();
    const free = await sequence([mail()]);
    const limited = () => sequence([mail()], { throttle: { max_per_sender_per_day: 3 } });
    const [one, other] = [await limited(), await limited()];
    const { id: lead_id } = await acme.lead();
    const byHand = { lead_id, subject: "Hello", body_text: "Hello", status: "outbox", email_account_id: account.id };
    for (let i = 0; i < 4; i++) await acme.post("/activity/email/", { ...byHand, to: [address()] });
    await subscribe(free);
    await run();
    const ways: any[] = [];
    for (const made of [one, other, one, other]) ways.push(await subscribe(made));

    await run();
    const today = ways.filter(({ email }) => server.to(email).length === 1).length;
    await run(day);

    assert.equal(today, 2);
    for (const { email } of ways) assert.equal(server.to(email).length, 1);
    assert.equal((await shown(ways[3])).status, "finished");
  });

  test("is found when its job was lost, and old counts are dropped", async () => {
    const { acme, mail, sequence, subscribe } = await outreach();
    const way = await subscribe(await sequence([mail()], { throttle: { max_per_sender_per_day: 9 } }));
    const rows = (text: string) => on.app.db.query(acme.id, { text, values: [acme.id] });
    await rows("delete from job where organization_id = $1");
    const counts = () => rows("select name from sequence_quota where organization_id = $1").then((found) => found.length);

    await atMoment(on, new Date(on.clock.now!.getTime() + hour).toISOString(), "waiting_steps");
    await run();
    const kept = await counts();
    await atMoment(on, new Date(on.clock.now!.getTime() + 31 * day).toISOString(), "sequence_quotas");

    assert.deepEqual([server.to(way.email).length, kept > 0, await counts()], [1, true, 0]);
  });

  test("waits for a mailbox that does not work, and after a day tries whether it does again", async () => {
    const { acme, mail, sequence, subscribe, shown, account } = await outreach();
    const way = await subscribe(await sequence([mail()]));
    await acme.inside((ctx) => failAccount(ctx, account.id, ["send"], "Refused by three"));

    await run();
    const held = await shown(way);
    await run(23 * hour);
    const early = server.to(way.email).length;
    await run(hour);
    await run(hour);

    assert.match(held.error_message, /does not work: Refused by three/);
    assert.deepEqual([early, server.to(way.email).length, (await shown(way)).status], [0, 1, "finished"]);
    assert.equal((await acme.get(`/connected_account/${account.id}/`)).send_status, "ok");
  });

  test("is said to lack a mailbox or a number before it is due, and no more once it has one", async () => {
    const { acme, mail, sequence, subscribe, account } = await outreach();
    const bob = await acme.member("admin");
    const [mails, texts] = [await sequence([mail()]), await sequence([{ step_type: "sms", text: "Hi" }])];
    const person = await acme.contact({ name: "Ann", emails: [{ email: "ann@client.example" }] });
    const start_date = new Date(on.clock.now!.getTime() + day).toISOString();
    const asBob = (one: any) => bob.post("/sequence_subscription/", { sequence_id: one.id, contact_id: person.id, start_date });

    const [silent, mute] = [await asBob(mails), await asBob(texts)];
    const fine = await subscribe(mails);
    await acme.put(`/connected_account/${account.id}/`, { shared_with: [bob.userId] });
    const mended = await bob.put(`/sequence_subscription/${silent.id}/`, { sender_account_id: account.id });

    assert.match(silent.error_message, /no mailbox for its e-mails: connect one/);
    assert.match(mute.error_message, /no number for its text messages/);
    assert.deepEqual([fine.error_message, mended.error_message], [null, null]);
  });

  test("says what holds it up, and after three days ends with that", async () => {
    const { acme, mail, sequence, subscribe, shown, account } = await outreach();
    const way = await subscribe(await sequence([mail()]));
    await acme.put(`/connected_account/${account.id}/`, { enabled_features: ["email_syncing"] });

    await run();
    const held = await shown(way);
    await run(3 * day);
    const over = await shown(way);

    assert.equal(held.status, "active");
    assert.match(held.error_message, /There is no mailbox to send from: connect one/);
    assert.deepEqual([over.status, over.status_reason], ["error", "account-invalid"]);
    assert.equal((await acme.get("/notification/?type=sequence_error")).data.length, 1);
  });
});

describe("a subscription ends", () => {
  beforeEach(anotherThursday);

  test("when its contact replies, calls, meets, texts or buys, and as its sequence says with the status of the lead", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const steps = [mail(), mail({ delay: { amount: 1, unit: "days" } })];
    const qualified = (await acme.get("/status/lead/")).data.at(-1);
    const made = await sequence(steps, { stop_rules: { lead_status_ids: [qualified.id] } });
    const deaf = await sequence(steps, {
      stop_on_reply: false,
      stop_on_meeting: false,
      stop_rules: { reply_sms: false, call_answered: false, opportunity_won: false },
    });
    const starts_at = new Date(on.clock.now!.getTime() + day).toISOString();
    const won = (await acme.get("/status/opportunity/")).data.find((one: any) => one.type === "won");
    const acts: Record<string, (way: any) => Promise<unknown>> = {
      "goal reply-received": ({ contact_id, email }) =>
        acme.post("/activity/email/", { contact_id, status: "inbox", sender: email, subject: "Re", body_text: "Call me" }),
      "goal reply-received by text": ({ contact_id }) =>
        acme.post("/activity/sms/", { contact_id, status: "inbox", remote_phone: "+12125550123", text: "Call me" }),
      "goal reply-received by WhatsApp": ({ contact_id }) =>
        acme.post("/activity/channel_message/", { contact_id, status: "inbox", channel: "whatsapp", text: "Call me" }),
      "goal call-answered": ({ contact_id, lead_id }) =>
        acme.post("/activity/call/", { contact_id, lead_id, direction: "outbound", duration: 60 }),
      "goal meeting-booked": ({ contact_id, lead_id }) =>
        acme.post("/activity/meeting/", { contact_id, lead_id, title: "Demo", starts_at }),
      "goal outcome-met": async ({ lead_id }) => {
        const deal = await acme.opportunity({ lead_id });
        await acme.put(`/opportunity/${deal.id}/`, { status_id: won.id });
      },
      "goal outcome-met by a deal that is won when it is written down": ({ lead_id }) =>
        acme.opportunity({ lead_id, status_id: won.id }),
      "finished lead-status-changed": ({ lead_id }) => acme.put(`/lead/${lead_id}/`, { status_id: qualified.id }),
    };
    const ways = await Promise.all(Object.keys(acts).map(() => subscribe(made)));
    const earlier = await subscribe(made);
    const others = await Promise.all(Object.keys(acts).map(() => subscribe(deaf)));
    await run();

    for (const [i, act] of Object.values(acts).entries()) for (const way of [ways[i], others[i]]) await act(way);
    await acme.opportunity({ lead_id: earlier.lead_id, status_id: won.id, date_won: "2030-12-02" });
    await run(day);

    const states = (await Promise.all(ways.map(shown))).map((one) => `${one.status} ${one.status_reason}`);
    assert.deepEqual(
      states,
      Object.keys(acts).map((act) => act.split(" by ")[0]),
    );
    for (const { email } of ways) assert.equal(server.to(email).length, 1);
    for (const { email } of [...others, earlier]) assert.equal(server.to(email).length, 2);
  });

  test("and when it is resumed, its next mail keeps the time that it had, or leaves now", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail(), mail({ delay: { amount: 1, unit: "days" } })]);
    const [soon, late] = [await subscribe(made), await subscribe(made)];
    await run();
    const due = (await shown(soon)).next_step_at;
    const resume = (way: any) => acme.put(`/sequence_subscription/${way.id}/`, { status: "active" });
    for (const { contact_id, email } of [soon, late])
      await acme.post("/activity/email/", { contact_id, status: "inbox", sender: email, subject: "Re", body_text: "Call me" });

    await run(hour);
    const resumed = await resume(soon);
    await run(hour);
    const early = server.to(soon.email).length;
    await run(2 * day);
    await resume(late);
    await run();

    assert.deepEqual([resumed.status, resumed.next_step_at, early], ["active", due, 1]);
    assert.deepEqual([server.to(soon.email).length, server.to(late.email).length], [2, 2]);
  });

  test("with the account that sends for it, and a reply holds the others of its lead", async () => {
    const { acme, account, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail(), mail({ delay: { amount: 1, unit: "days" } })]);
    const [ann, bob] = [await subscribe(made), await subscribe(made)];
    const eve = await acme.contact({ lead_id: ann.lead_id, emails: [{ email: address("eve") }] });
    const other = await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id: eve.id });
    await run();

    await acme.post("/activity/email/", {
      contact_id: ann.contact_id,
      status: "inbox",
      sender: ann.email,
      subject: "Re",
      body_text: "Yes",
    });
    await acme.delete(`/connected_account/${account.id}/`);
    await run(day);

    const states = (await Promise.all([ann, bob, other].map(shown))).map((one) => `${one.status} ${one.status_reason}`);
    assert.deepEqual(states, ["goal reply-received", "error account-invalid", "error account-invalid"]);
    assert.deepEqual(
      (await eventsOf(acme, other)).filter((one) => one === "paused" || one === "failed"),
      ["paused", "failed"],
    );
    assert.equal(server.to(bob.email).length, 1);
  });

  test("with mail that comes back or asks for no more, and waits for who is away", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const steps = [mail(), mail({ delay: { amount: 1, unit: "days" } })];
    const made = await sequence(steps);
    const [gone, opted, away, ignored] = [
      await subscribe(made),
      await subscribe(made),
      await subscribe(made),
      await subscribe(await sequence(steps, { out_of_office: { action: "ignore" } })),
    ];
    await run();
    const receive = (way: any, body: object) =>
      acme.post("/activity/email/", {
        contact_id: way.contact_id,
        status: "inbox",
        sender: way.email,
        subject: "Re",
        body_text: "Re",
        ...body,
      });
    const first = (await shown(gone)).initial_email_id;
    await receive(gone, { sender: "mailer-daemon@client.example", in_reply_to_id: first, classification: { class: "bounce" } });
    await receive(opted, { classification: { class: "opt_out" } });
    const absence = { class: "auto_reply", returns_at: new Date(on.clock.now!.getTime() + 5 * day).toISOString().slice(0, 10) };
    for (const one of [away, ignored]) await receive(one, { classification: absence });

    await run(2 * day);
    const states = (await Promise.all([gone, opted, away, ignored].map(shown))).map(
      (one) => `${one.status} ${one.status_reason}`,
    );
    const counts = () => [gone, opted, away, ignored].map(({ email }) => server.to(email).length);
    const before = counts();
    await run(4 * day);

    assert.deepEqual(states, ["error email-bounced", "finished unsubscribed", "paused out-of-office", "finished null"]);
    assert.deepEqual(
      [before, counts()],
      [
        [1, 1, 1, 2],
        [1, 1, 2, 2],
      ],
    );
  });

  test("sends again on the next day what came back for now, and ends when it came back three times", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail(), { step_type: "wait_reply", step_allowed_delay: 3 * 86_400 }]);
    const alone = await sequence([mail()]);
    const [way, last] = [await subscribe(made), await subscribe(alone)];
    const comesBack = ({ email }: any) => {
      const failed = [{ address: email, kind: "soft", status: "4.2.2", reason: "4.2.2 mailbox full" } as const];
      const about = [server.to(email).at(-1)!.messageId!];
      return acme.inside((ctx) => followClass(ctx, null, byRule({ class: "bounce", confidence: 1, rule: "dsn", about, failed })));
    };
    await run();

    for (const one of [way, last]) await comesBack(one);
    const held = [await shown(way), await shown(last)];
    await run(hour);
    const sameDay = server.to(way.email).length;
    await run(day);
    const nextDay = [server.to(way.email).length, server.to(last.email).length];
    await comesBack(way);
    await run(day);
    await comesBack(way);

    assert.deepEqual(
      held.map(({ status, current_step_id }) => [status, current_step_id]),
      [
        ["active", made.steps[0].id],
        ["active", alone.steps[0].id],
      ],
    );
    assert.deepEqual([sameDay, nextDay, server.to(way.email).length], [1, [2, 2], 3]);
    const [over, done] = [await shown(way), await shown(last)];
    assert.deepEqual([over.status, over.status_reason, done.status], ["error", "email-bounced", "finished"]);
    const { stats } = await acme.get(`/sequence/${alone.id}/?_fields=stats`);
    assert.deepEqual([stats[0].sent, stats[0].delivered, stats[0].bounced], [1, 1, 0]);
  });
});

describe("a step", () => {
  beforeEach(anotherThursday);

  test("for a member is a task; a required one is waited for, and one with a time of its own is skipped after it", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([
      { step_type: "call", required: true, note: "Introduce yourself" },
      { step_type: "task", text: "Send a card", step_allowed_delay: 3600 },
      { step_type: "task", text: "Note it" },
    ]);
    const way = await subscribe(made);
    const tasks = async () => (await acme.get(`/task/?lead_id=${way.lead_id}&_order_by=date_created`)).data;

    await run();
    await run(day);
    const [call, ...none] = await tasks();
    const waiting = await shown(way);
    await acme.put(`/task/${call.id}/`, { is_complete: true });
    await run();
    const [, card, ...fewer] = await tasks();
    await run(hour);

    assert.deepEqual([call._type, call.text, call.sequence_id], ["call", "Introduce yourself", made.id]);
    assert.deepEqual([none, waiting.status, waiting.waiting_task_id, waiting.next_step_at], [[], "active", call.id, null]);
    assert.deepEqual([card.text, fewer], ["Send a card", []]);
    const all = await tasks();
    assert.deepEqual(
      all.map((one: any) => [one.text, one.is_complete, one.resolution]),
      [
        ["Introduce yourself", true, null],
        ["Send a card", true, "skipped"],
        ["Note it", false, null],
      ],
    );
    assert.equal((await shown(way)).status, "finished");
  });

  test("says words of its own, in variants of which each contact gets one, and counts what became of them", async () => {
    const { acme, sequence, subscribe } = await outreach();
    const variants = ["a", "b"].map((id) => ({
      id,
      weight: 1,
      subject: `${id}: {{ vars.topic }}`,
      body: "<p>For {{ lead.name }}</p>",
    }));
    const made = await sequence([
      { step_type: "email", variants },
      { step_type: "email", subject: "Again", body: "<p>Again</p>", delay: { amount: 1, unit: "days" }, at: "14:30" },
    ]);
    const ways: any[] = [];
    // Chance gives all twenty the same variant once in half a million runs.
    for (let i = 0; i < 20; i++) ways.push(await subscribe(made, { vars: { topic: "Roofs" } }));
    await run();
    const reply = { status: "inbox", subject: "Re", body_text: "Yes" };
    const first = (await acme.get(`/sequence_subscription/${ways[0].id}/`)).initial_email_id;
    await acme.post("/activity/email/", {
      contact_id: ways[0].contact_id,
      sender: ways[0].email,
      in_reply_to_id: first,
      ...reply,
    });
    const due = (await acme.get(`/sequence_subscription/${ways[1].id}/`)).next_step_at;
    await run(2 * day);

    const subjects = ways.map(({ email }) => server.to(email)[0]!.subject!);
    const { stats } = await acme.get(`/sequence/${made.id}/?_fields=stats`);
    const of = (variant: string) => stats.find((one: any) => one.variant === variant);
    assert.match(due, /T14:30:00\.000Z$/);
    assert.deepEqual([...new Set(subjects)].sort(), ["a: Roofs", "b: Roofs"]);
    for (const id of ["a", "b"]) assert.equal(of(id).delivered, subjects.filter((one) => one.startsWith(id)).length);
    assert.deepEqual([of(subjects[0]![0]!).replied, of(subjects[0]![0] === "a" ? "b" : "a").replied], [1, 0]);
    assert.equal(stats.find((one: any) => one.step_id === made.steps[1].id).sent, ways.length - 1);
    await acme.refused(400, "POST", "/sequence/", { name: "X", steps: [{ step_type: "email", body: "{{ a" }] }, "steps.0.body");
  });

  test("refuses a tag that names nothing, in its own words and in a template, and keeps those that it had", async () => {
    const { acme, sequence } = await outreach();
    const field = await acme.post("/custom_field/contact/", { name: "Roof kind", type: "text" });
    const template = await acme.post("/email_template/", { name: "T", subject: "Hi", body: "Dear {{ contact.foo }}" });
    const text = await acme.post("/sms_template/", { name: "T", text: "{{ boo }} {{ vars.x }}" });
    const refuse = async (step: object, at: string, words: RegExp) => {
      const refusal = await acme.refused(400, "POST", "/sequence/", { name: "X", steps: [step] }, `steps.0.${at}`);
      assert.match(refusal["field-errors"][`steps.0.${at}`], words);
    };

    const mail = (more: object) => ({ step_type: "email", subject: "Hi", body: "Hi", ...more });
    await refuse(mail({ subject: "{{ boo }}" }), "subject", /names boo, which is not a first word/);
    await refuse(mail({ body: "Hi {{ contact.first_nam }}" }), "body", /not offered by contact; did you mean first_name\?/);
    await refuse(mail({ body: "{{ organization.settings }}" }), "body", /names settings, which is not offered by organization/);
    await refuse(mail({ body: "{{ contact.name.first_word }}" }), "body", /has first_word below name/);
    await refuse({ step_type: "task", text: "{{ contact.custom.Nothing }}" }, "text", /names Nothing/);
    await refuse({ step_type: "email", email_template_id: template.id }, "email_template_id", /has a body that names foo/);
    await refuse({ step_type: "sms", sms_template_id: text.id }, "sms_template_id", /has a text that names boo/);
    const body = `{{ vars.a.b }} {{ contact.custom["Roof kind"] }} {{ lead.address.city }} {{ lead.owner.email }} {{ user.signature }}
      {% for one in vars.list %}{{ one.x }}{% endfor %} {{ unsubscribe_link }} {{ opportunity.custom.size }}`;
    const made = await sequence([mail({ body })]);
    await acme.delete(`/custom_field/contact/${field.id}/`);
    const kept = await acme.put(`/sequence/${made.id}/`, { steps: [{ ...made.steps[0], subject: "Hello" }] });

    assert.equal(kept.steps[0].subject, "Hello");
    assert.deepEqual(
      [template.warnings, text.warnings].map((all) => all.map(({ code, path }: any) => [code, path])),
      [[["ref_unknown", "body"]], [["ref_unknown", "text"]]],
    );
  });

  test("counts a meeting and an opt-out by words for the message before it", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail(), mail({ delay: { amount: 1, unit: "days" } })]);
    const [early, late, met] = [await subscribe(made), await subscribe(made), await subscribe(made)];
    const asks = ({ contact_id, email }: any, in_reply_to_id?: string) =>
      acme.post("/activity/email/", {
        contact_id,
        status: "inbox",
        sender: email,
        subject: "Re",
        body_text: "Unsubscribe",
        classification: "opt_out",
        ...(in_reply_to_id && { in_reply_to_id }),
      });
    await run();
    const said = await asks(early);
    await acme.post("/activity/meeting/", { contact_id: met.contact_id, title: "Demo", starts_at: on.clock.now!.toISOString() });
    await run(day);
    const over = await shown(late);
    const late_said = await asks(late, over.initial_email_id);

    const statsOf = async () => (await acme.get(`/sequence/${made.id}/?_fields=stats`)).stats;
    const stats = await statsOf();
    for (const { id } of [said, late_said]) {
      await acme.put(`/activity/email/${id}/`, { classification: "auto_reply" });
      await acme.put(`/activity/email/${id}/`, { classification: "human" });
    }
    const corrected = await statsOf();
    assert.equal(
      corrected.reduce((sum: number, one: any) => sum + one.unsubscribed, 0),
      0,
    );
    assert.equal(over.status, "finished");
    assert.deepEqual(
      made.steps
        .map(({ id }: any) => stats.find((one: any) => one.step_id === id))
        .map(({ sent, unsubscribed, meetings }: any) => [sent, unsubscribed, meetings]),
      [
        [3, 2, 1],
        [1, 0, 0],
      ],
    );
  });

  test("is left out where its condition does not hold, and nothing is left to do once the goal is reached", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const named = (name: string) => ({
      type: "and",
      queries: [
        { type: "object_type", object_type: "contact" },
        {
          type: "field_condition",
          field: { type: "regular_field", object_type: "contact", field_name: "name" },
          condition: { type: "text", mode: "full_words", value: name },
        },
      ],
    });
    const mail = (subject: string, more: object = {}) => ({ step_type: "email", subject, body: "<p>Hello</p>", ...more });
    const made = await sequence([mail("To Ann", { condition: named("Ann") }), mail("To all", { delay: 3600 })], {
      goal: named("Customer"),
    });
    const [ann, bob] = [await subscribe(made), await subscribe(made, { name: "Bob Ray" })];
    await run();
    await acme.put(`/contact/${ann.contact_id}/`, { name: "Ann Customer" });
    await run(hour);

    assert.deepEqual(
      [ann, bob].map(({ email }) => server.to(email).map(({ subject }) => subject)),
      [["To Ann"], ["To all"]],
    );
    assert.deepEqual(
      (await Promise.all([ann, bob].map(shown))).map((one) => `${one.status} ${one.status_reason}`),
      ["goal outcome-met", "finished null"],
    );
    await acme.refused(400, "PUT", `/sequence/${made.id}/`, { goal: { type: "nothing" } }, "goal.type");
  });

  test("may be kept as it was by those who are under way, and is sent by the mailbox that has least to do", async () => {
    const { acme, account, sequence, subscribe, shown } = await outreach();
    const other = await acme.post("/connected_account/", { email: address("other"), smtp: server.smtp });
    const mail = (subject: string, more: object = {}) => ({ step_type: "email", subject, body: "<p>Hello</p>", ...more });
    const made = await sequence([mail("One"), mail("Two", { delay: 3600 })], {
      sender: { mode: "rotate", account_ids: [account.id, other.id] },
    });
    const [old, second] = [await subscribe(made), await subscribe(made)];
    await run();
    const steps = [made.steps[0], { ...made.steps[1], subject: "Three" }];
    await acme.put(`/sequence/${made.id}/`, { steps, apply_edits: "new_only" });
    const young = await subscribe(made);
    await run();
    await run(hour);

    const subjects = (way: any) => server.to(way.email).map(({ subject }) => subject);
    assert.deepEqual([old, second, young].map(subjects), [
      ["One", "Two"],
      ["One", "Two"],
      ["One", "Three"],
    ]);
    assert.deepEqual(
      (await Promise.all([old, young].map(shown))).map((one) => one.steps_version),
      [1, 2],
    );
    assert.deepEqual([old, second].map((one) => one.sender_account_id).sort(), [account.id, other.id].sort());
    await acme.inside((ctx) => failAccount(ctx, account.id, ["send"], "The login was refused"));
    const byTheOther = [await subscribe(made), await subscribe(made), await subscribe(made)];
    assert.deepEqual(new Set(byTheOther.map((one) => one.sender_account_id)), new Set([other.id]));
    await acme.refused(400, "POST", "/sequence/", { name: "X", sender: { mode: "rotate" } }, "sender.account_ids");
  });
});

describe("a contact gets into a sequence", () => {
  beforeEach(anotherThursday);

  test("by its query, once they begin to match it: not those who matched it when it was written", async () => {
    const { acme, mail, sequence } = await outreach();
    const about = (object_type: string, field_name: string, value: string) => ({
      type: "and",
      queries: [
        { type: "object_type", object_type },
        {
          type: "field_condition",
          field: { type: "regular_field", object_type, field_name },
          condition: { type: "text", mode: "full_words", value },
        },
      ],
    });
    const lead = await acme.lead({ industry: "Steel" });
    const person = (title: string) => acme.contact({ lead_id: lead.id, title, emails: [{ email: address() }] });
    const early = await person("Architect");
    const byTitle = await sequence([mail()], { trigger_query: about("contact", "title", "Architect") });
    const byIndustry = await sequence([mail()], { trigger_query: about("lead", "industry", "Steel") });
    const late = await person("Architect");
    const sweep = () => atMoment(on, new Date(on.clock.now!.getTime() + hour).toISOString(), "matching_contacts");
    const subscribed = async ({ id }: any) =>
      (await acme.get(`/sequence_subscription/?sequence_id=${id}`)).data.map((one: any) => one.contact_id).sort();

    await sweep();
    const first = [await subscribed(byTitle), await subscribed(byIndustry)];
    for (const title of ["Baker", "Architect"]) {
      await acme.put(`/contact/${early.id}/`, { title });
      await sweep();
    }
    await acme.put(`/sequence/${byIndustry.id}/`, { trigger_query: about("lead", "industry", "Wood") });
    await acme.put(`/lead/${lead.id}/`, { industry: "Wood" });
    await sweep();

    assert.deepEqual(first, [[late.id], [late.id]]);
    assert.deepEqual(
      [await subscribed(byTitle), await subscribed(byIndustry)],
      [[early.id, late.id].sort(), [early.id, late.id].sort()],
    );
  });

  test("by its query, once, and by a mail that nobody has answered", async () => {
    const { acme, mail, sequence } = await outreach();
    const query = {
      type: "and",
      queries: [
        { type: "object_type", object_type: "contact" },
        {
          type: "field_condition",
          field: { type: "regular_field", object_type: "contact", field_name: "title" },
          condition: { type: "text", mode: "full_words", value: "Architect" },
        },
      ],
    };
    const made = await sequence([mail()], { trigger_query: query, allow_manual_enrollment: false });
    const chasing = await sequence([mail()]);
    const person = (title: string, email = address()) => acme.contact({ title, emails: [{ email }] });
    // Another sequence asks for a field that is gone.
    const gone = await acme.customField("contact", { type: "text" });
    const field = { type: "custom_field", custom_field_id: gone.id };
    const broken = {
      type: "and",
      queries: [query.queries[0], { type: "field_condition", field, condition: { type: "exists" } }],
    };
    await sequence([mail()], { trigger_query: broken });
    await acme.delete(`/custom_field/contact/${gone.id}/`);
    const [architect, other] = [await person("Architect"), await person("Baker")];
    await acme.contact({ title: "Architect" });
    await acme.post("/activity/email/", {
      contact_id: other.id,
      status: "sent",
      subject: "Our offer",
      body_text: "Dear Baker",
      followup_date: new Date(on.clock.now!.getTime() + hour).toISOString(),
      followup_sequence_id: chasing.id,
    });

    for (let i = 1; i <= 2; i++) await atMoment(on, new Date(on.clock.now!.getTime() + hour).toISOString(), "matching_contacts");
    await run(hour);

    const contacts = async ({ id }: any) =>
      (await acme.get(`/sequence_subscription/?sequence_id=${id}`)).data.map((one: any) => one.contact_id);
    assert.deepEqual([await contacts(made), await contacts(chasing)], [[architect.id], [other.id]]);
    assert.equal(server.to(architect.emails[0].email).length, 1);
    assert.equal((await acme.get(`/task/?lead_id=${other.lead_id}`)).data.length, 0);
  });
});
