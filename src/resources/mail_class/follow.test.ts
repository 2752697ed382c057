import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { email } from "../activities/email.ts";
import { byRule } from "./classification.ts";
import type { Verdict } from "./classify.ts";
import { followClass } from "./follow.ts";

const verdict = (more: Partial<Verdict> & Pick<Verdict, "class">): Verdict => ({
  confidence: 0.9,
  rule: "test",
  about: [],
  ...more,
});

interface Scene {
  acme: Workspace;
  ann: any;
  sequence: any;
  way: any;
  sent: any;
  messageId: string;
}

/** Ann is subscribed to a sequence that has sent her a mail. */
async function scene(body: { emails?: string[]; to?: string[]; sequence?: object } = {}): Promise<Scene> {
  const acme = await organization();
  const emails = (body.emails ?? ["ann@example.com"]).map((one) => ({ email: one }));
  const ann = await acme.contact({ emails });
  const template = await acme.post("/email_template/", { name: "Hello", is_shared: true });
  const steps = [{ step_type: "email", email_template_id: template.id, delay: 3600 }];
  const sequence = await acme.post("/sequence/", { name: "Mailing", steps, timezone: "Europe/Berlin", ...body.sequence });
  const way = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
  const to = body.to ?? ["Ann@Example.com"];
  const mail = { lead_id: ann.lead_id, contact_id: ann.id, status: "sent", subject: "Our offer", body_text: "Hello", to };
  const sent = await acme.post("/activity/email/", mail);
  const messageId = `<${sent.id}@acme.example>`;
  const at = { acme, ann, sequence, way, sent, messageId };
  await changeSent(at, { message_ids: [messageId], sequence_subscription_id: way.id });
  return at;
}

/** A report that is not stored. */
const report = ({ acme, messageId }: Scene, said: Partial<Verdict> & Pick<Verdict, "class">) =>
  acme.inside((ctx) => followClass(ctx, null, byRule(verdict({ about: [messageId], ...said }))));

const failure = (address: string, kind: "hard" | "soft" | "policy" | "delayed", status = "5.1.1") => ({
  address,
  kind,
  status,
  reason: `${status} said the server`,
});

/** A message that Ann wrote, logged with its class. */
const arrives = ({ acme, ann, sent }: Scene, classification?: object | string, more: object = {}): Promise<any> =>
  acme.post("/activity/email/", {
    lead_id: ann.lead_id,
    contact_id: ann.id,
    status: "inbox",
    sender: "Ann <ann@example.com>",
    to: ["eva@acme.example"],
    subject: "Re: Our offer",
    body_text: "Hello",
    in_reply_to_id: sent.id,
    ...(classification !== undefined && { classification }),
    ...more,
  });

const wayOf = async ({ acme, way }: Scene) => acme.get(`/sequence_subscription/${way.id}/`);
const stateOf = async (at: Scene) => {
  const { status, status_reason } = await wayOf(at);
  return [status, status_reason];
};
const marksOf = async ({ acme, ann }: Scene) => {
  const [{ is_unsubscribed, is_invalid }] = (await acme.get(`/contact/${ann.id}/`)).emails;
  return { is_unsubscribed, is_invalid };
};
const eventsOf = async (acme: Workspace, name: string): Promise<any[]> => (await acme.get(`/event/?event=${name}`)).data;
const noticesOf = async (acme: Workspace): Promise<any[]> => (await acme.get("/notification/")).data;

/** Values that nobody can write by the API. */
const changeSent = ({ acme, sent }: Scene, values: object): Promise<void> =>
  acme.inside(async (ctx) => {
    const [row] = await lockWhere(ctx, email, sql`t.id = ${sent.id}`);
    store.update(ctx, email, row!, values);
  });

async function anotherSent(at: Scene, messageId: string): Promise<void> {
  const sent = await at.acme.post("/activity/email/", { lead_id: at.ann.lead_id, status: "sent", to: ["ann@example.com"] });
  await changeSent({ ...at, sent }, { message_ids: [messageId] });
}

describe("a mail that came back", () => {
  test("marks the address wherever it is, ends the sequence, and tells it on the mail", async () => {
    const at = await scene();

    await report(at, { class: "bounce", failed: [failure("ann@example.com", "hard")] });

    const { bounces } = await at.acme.get(`/activity/email/${at.sent.id}/`);
    assert.deepEqual(
      bounces.map(({ address, status, kind }: any) => [address, status, kind]),
      [["ann@example.com", "5.1.1", "hard"]],
    );
    assert.deepEqual(await marksOf(at), { is_unsubscribed: false, is_invalid: true });
    assert.deepEqual(await stateOf(at), ["error", "email-bounced"]);
    const [bounced, ...more] = await eventsOf(at.acme, "activity.email.bounced");
    assert.deepEqual([bounced.object_id, bounced.meta.address, more.length], [at.sent.id, "ann@example.com", 0]);
    assert.equal((await eventsOf(at.acme, "sequence_subscription.failed")).length, 1);
    const again = { sequence_id: at.sequence.id, contact_id: at.ann.id };
    await at.acme.refused(400, "POST", "/sequence_subscription/", again, "contact_email");
  });

  test("is told once, however often the report comes", async () => {
    const at = await scene();
    const bounce = { class: "bounce" as const, failed: [failure("ann@example.com", "hard")] };

    await report(at, bounce);
    await report(at, bounce);

    assert.equal((await eventsOf(at.acme, "activity.email.bounced")).length, 1);
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).bounces.length, 1);
  });

  test("for now changes nothing, until it was the third mail in two weeks", async () => {
    const at = await scene();
    const softly = { class: "bounce" as const, failed: [failure("ann@example.com", "soft", "4.2.2")] };
    const again = async (messageId: string) => {
      await anotherSent(at, messageId);
      await report({ ...at, messageId }, softly);
    };

    await report(at, softly);
    await report(at, softly);
    await again("<second@acme.example>");
    assert.deepEqual([await marksOf(at), (await wayOf(at)).status], [{ is_unsubscribed: false, is_invalid: false }, "active"]);

    await again("<third@acme.example>");
    assert.deepEqual([(await marksOf(at)).is_invalid, (await wayOf(at)).status], [true, "error"]);
  });

  test("long ago does not count", async () => {
    const at = await scene();
    const softly = (messageId: string) => ({
      class: "bounce" as const,
      about: [messageId],
      failed: [failure("ann@example.com", "soft", "4.2.2")],
    });
    const ids = ["<a@acme.example>", "<b@acme.example>", "<c@acme.example>"];
    for (const id of ids) await anotherSent(at, id);
    await report(at, softly(ids[0]!));
    await report(at, softly(ids[1]!));

    at.acme.service.clock.now = new Date(Date.now() + 15 * 86_400_000);
    await report(at, softly(ids[2]!));

    assert.equal((await marksOf(at)).is_invalid, false);
  });

  test("because of its sender leaves the contact alone: who sent it is told, and from three recipients on the account shows why", async () => {
    const to = ["ann@example.com", "bea@example.com", "cid@example.com"];
    const at = await scene({ to });
    const bob = await at.acme.member();
    const account = await bob.post("/connected_account/", { email: "eva@acme.example", smtp: { host: "93.184.216.34" } });
    await changeSent(at, { user_id: bob.userId, email_account_id: account.id });
    const refuses = (address: string) => report(at, { class: "bounce", failed: [failure(address, "policy", "5.7.515")] });
    const shown = async () => {
      const { send_status, latest_smtp_error } = await bob.get(`/connected_account/${account.id}/`);
      return [send_status, latest_smtp_error];
    };

    for (const address of [to[0]!, to[1]!, to[1]!]) await refuses(address);
    const before = await shown();
    await refuses(to[2]!);

    assert.deepEqual([await marksOf(at), (await wayOf(at)).status], [{ is_unsubscribed: false, is_invalid: false }, "active"]);
    assert.deepEqual(before, ["untested", null]);
    assert.deepEqual(await shown(), ["error", "Refused by cid@example.com: 5.7.515 said the server"]);
    assert.deepEqual(new Set((await noticesOf(bob)).map((one) => one.type)), new Set(["account_error", "email_bounced"]));
  });

  test("is accepted only about mail that was sent from here, and about its recipients", async () => {
    const at = await scene();

    await report(at, { class: "bounce", failed: [failure("somebody@else.example", "hard")] });
    await report(at, { class: "bounce", about: ["<forged@x>"], failed: [failure("ann@example.com", "hard")] });
    const other = await scene();
    await report({ ...other, messageId: at.messageId }, { class: "bounce", failed: [failure("ann@example.com", "hard")] });

    assert.deepEqual([(await marksOf(at)).is_invalid, (await marksOf(other)).is_invalid], [false, false]);
    assert.deepEqual(await eventsOf(at.acme, "activity.email.bounced"), []);
  });

  test("that still may arrive is no reason for anything", async () => {
    const at = await scene();

    await report(at, { class: "bounce", rule: "delivery-delayed", failed: [failure("ann@example.com", "delayed", "4.4.1")] });

    assert.deepEqual(await eventsOf(at.acme, "activity.email.bounced"), []);
    assert.equal((await wayOf(at)).status, "active");
  });

  test("is over when somebody writes from the address", async () => {
    const at = await scene();
    await report(at, { class: "bounce", failed: [failure("ann@example.com", "hard")] });

    await arrives(at);

    assert.equal((await marksOf(at)).is_invalid, false);
  });
});

describe("a complaint", () => {
  test("suppresses the address of the complaint, for good", async () => {
    const at = await scene();
    const bob = await at.acme.member();
    await changeSent(at, { user_id: bob.userId });

    await report(at, { class: "complaint", complained: ["ANN@example.com"] });

    assert.equal((await marksOf(at)).is_unsubscribed, true);
    assert.deepEqual(await stateOf(at), ["finished", "complained"]);
    await at.acme.refused(400, "PUT", `/sequence_subscription/${at.way.id}/`, { status: "active" }, "status");
    assert.match((await noticesOf(bob))[0].title, /^ann@example.com complained/);
  });

  test("that hides who it was means the only recipient, and of several none", async () => {
    const [one, several] = [await scene(), await scene({ to: ["ann@example.com", "bob@example.com"] })];

    await report(one, { class: "complaint", complained: [] });
    await report(several, { class: "complaint", complained: ["redacted@provider.example"] });

    assert.deepEqual([(await marksOf(one)).is_unsubscribed, (await marksOf(several)).is_unsubscribed], [true, false]);
  });
});

describe("an answer", () => {
  test("of a person ends the sequence and marks what was sent", async () => {
    const at = await scene();

    await arrives(at);

    assert.deepEqual(await stateOf(at), ["goal", "reply-received"]);
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, true);
    assert.equal((await eventsOf(at.acme, "sequence_subscription.goal")).length, 1);
  });

  test("from another address counts for what it answers", async () => {
    const at = await scene();

    await arrives(at, undefined, { sender: "ann@private.example", contact_id: null });

    assert.deepEqual(await stateOf(at), ["goal", "reply-received"]);
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, true);
  });

  test("does not end a sequence that does not stop for it", async () => {
    const at = await scene({ sequence: { stop_on_reply: false } });

    await arrives(at);

    assert.equal((await wayOf(at)).status, "active");
  });

  test("notifies the member who subscribed them", async () => {
    const at = await scene();
    const bob = await at.acme.member();
    await bob.post("/activity/email/", {
      lead_id: at.ann.lead_id,
      contact_id: at.ann.id,
      status: "inbox",
      sender: "ann@example.com",
      to: [],
    });

    const told = (await noticesOf(at.acme)).find((one) => one.type === "sequence_reply");
    assert.deepEqual([told.object_id, told.lead_id], [at.way.id, at.ann.lead_id]);
    assert.match(told.title, /Mailing/);
  });

  test("of a machine is none: nothing is marked and nobody is told", async () => {
    const at = await scene();
    const bob = await at.acme.member();
    await at.acme.put(`/lead/${at.ann.lead_id}/`, { owner_id: bob.userId });

    await arrives(at, { class: "list" });
    await arrives(at, "bounce", { sender: "mailer-daemon@example.com", in_reply_to_id: undefined });

    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, false);
    assert.equal((await wayOf(at)).status, "active");
    assert.deepEqual(
      (await noticesOf(bob)).filter((one) => one.type === "message_received"),
      [],
    );
  });
});

describe("a contact who is away", () => {
  test("is waited for until the first hour of the sequence on the day they are back", async () => {
    const ranges = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" }));
    const at = await scene({ sequence: { schedule: { ranges } } });

    await arrives(at, { class: "auto_reply", returns_at: "2031-08-16" });

    const { status, status_reason, resume_at, paused_at } = await wayOf(at);
    assert.deepEqual([status, status_reason, resume_at], ["paused", "out-of-office", "2031-08-18T07:00:00.000Z"]);
    assert.ok(paused_at);
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, false);
  });

  test("goes on by themselves when they are back, once", async () => {
    const at = await scene();
    await arrives(at, { class: "auto_reply", returns_at: "2031-08-18" });
    const until = (await wayOf(at)).resume_at;

    await atMoment(at.acme.service, "2031-08-17T21:59:59.999Z", "absences");
    assert.equal((await wayOf(at)).status, "paused");
    await atMoment(at.acme.service, until, "absences");
    await atMoment(at.acme.service, "2031-09-01T00:00:00.000Z", "absences");

    const { status, status_reason, resume_at, next_step_at } = await wayOf(at);
    assert.deepEqual([status, status_reason, resume_at, next_step_at], ["active", null, null, until]);
    assert.equal((await eventsOf(at.acme, "sequence_subscription.resumed")).length, 1);
  });

  test("is waited for two weeks where they do not say when", async () => {
    const at = await scene();
    const now = Date.now();

    await arrives(at, "auto_reply");

    const days = (Date.parse((await wayOf(at)).resume_at) - now) / 86_400_000;
    assert.ok(days > 13.9 && days < 14.1, `${days}`);
  });

  test("may be resumed by hand before, and then nothing waits", async () => {
    const at = await scene();
    await arrives(at, "auto_reply");

    await at.acme.put(`/sequence_subscription/${at.way.id}/`, { status: "active" });

    assert.equal((await wayOf(at)).resume_at, null);
  });
});

describe("a contact who opts out", () => {
  test("gets none: the address is suppressed, and every sequence ends", async () => {
    const at = await scene();

    await arrives(at, "opt_out");

    assert.equal((await marksOf(at)).is_unsubscribed, true);
    assert.deepEqual(await stateOf(at), ["finished", "unsubscribed"]);
    assert.equal((await eventsOf(at.acme, "contact.unsubscribed")).length, 1);
  });

  test("gets none also where somebody only logs what they wrote, whenever that was; logged absences hold their sequences", async () => {
    const [now, lately, away, answers] = await Promise.all([scene(), scene(), scene(), scene()]);
    const activity_at = "2020-01-01T10:00:00Z";

    const asked = await arrives(now, undefined, { subject: "stop", body_text: "Please remove me from your list." });
    await arrives(lately, undefined, { subject: "Re: Our offer", body_text: "unsubscribe", activity_at });
    await arrives(away, undefined, { subject: "Automatic reply: Our offer", body_text: "I am out of the office until 3 March." });
    const answer = await arrives(answers);

    assert.deepEqual([asked.classification.class, asked.classification.decided_by], ["opt_out", "rule"]);
    assert.equal(answer.classification, null);
    assert.deepEqual(await Promise.all([now, lately, away, answers].map(stateOf)), [
      ["finished", "unsubscribed"],
      ["finished", "unsubscribed"],
      ["paused", "out-of-office"],
      ["goal", "reply-received"],
    ]);
    assert.equal((await marksOf(now)).is_unsubscribed, true);
    assert.equal((await now.acme.get(`/activity/email/${now.sent.id}/`)).has_reply, false);
  });

  test("from another address than was written to means that one too", async () => {
    const at = await scene();

    await arrives(at, "opt_out", { sender: "ann@private.example" });

    assert.equal((await marksOf(at)).is_unsubscribed, true);
  });
});

describe("a message that somebody only logged", () => {
  test("says nothing about an address of contacts whom they do not see", async () => {
    const at = await scene();
    const rex = await at.acme.memberWith(["manage_lead_statuses"]);
    const own = await rex.contact({ emails: [{ email: "ann@example.com" }] });
    const log = (values: object) =>
      rex.post("/activity/email/", { lead_id: own.lead_id, contact_id: own.id, subject: "Hello", ...values });
    const sent = await log({ status: "sent", to: ["ann@example.com"] });
    const forged = await log({ status: "inbox", sender: "ann@example.com", in_reply_to_id: sent.id });
    const path = `/activity/email/${forged.id}/`;

    for (const said of ["opt_out", "bounce", "complaint"]) {
      await rex.put(path, { classification: said });
      assert.deepEqual(await marksOf(at), { is_unsubscribed: false, is_invalid: false }, said);
    }
    assert.equal((await wayOf(at)).status, "active");
    await report(at, { class: "bounce", failed: [failure("ann@example.com", "hard")] });
    await rex.put(path, { classification: "human" });
    assert.equal((await marksOf(at)).is_invalid, true);

    await at.acme.put(path, { classification: "opt_out" });
    assert.equal((await marksOf(at)).is_unsubscribed, true);
  });

  test("counts where they see everybody with the address", async () => {
    const at = await scene();
    const rex = await at.acme.memberWith(["manage_lead_statuses"]);
    const zoe = await rex.contact({ emails: [{ email: "zoe@example.com" }] });
    const mail = { lead_id: zoe.lead_id, contact_id: zoe.id, status: "inbox", sender: "zoe@example.com" };

    await rex.post("/activity/email/", { ...mail, classification: "opt_out" });

    assert.equal((await rex.get(`/contact/${zoe.id}/`)).emails[0].is_unsubscribed, true);
  });
});

describe("a class that is wrong", () => {
  test("can be corrected by everybody who may change the message, and its effects are undone", async () => {
    const at = await scene();
    const before = await wayOf(at);
    const answer = await arrives(at, "opt_out");
    const path = `/activity/email/${answer.id}/`;

    const { classification } = await at.acme.put(path, { classification: { class: "human" } });

    assert.deepEqual(
      [classification.class, classification.rule, classification.decided_by, classification.confidence],
      ["human", "manual", "member", 1],
    );
    assert.equal((await marksOf(at)).is_unsubscribed, false);
    assert.deepEqual(await stateOf(at), ["goal", "reply-received"]);
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, true);

    await at.acme.put(path, { classification: "auto_reply" });
    assert.equal((await at.acme.get(`/activity/email/${at.sent.id}/`)).has_reply, false);
    assert.deepEqual(await stateOf(at), ["paused", "out-of-office"]);

    await at.acme.put(path, { classification: "list" });
    const { status, next_step_at, finished_at, resume_at } = await wayOf(at);
    assert.deepEqual([status, next_step_at, finished_at, resume_at], ["active", before.next_step_at, null, null]);
  });

  test("leaves alone what somebody changed since", async () => {
    const at = await scene();
    const answer = await arrives(at);
    const again = await at.acme.post("/sequence_subscription/", {
      sequence_id: at.sequence.id,
      contact_id: at.ann.id,
      force: true,
    });

    await at.acme.put(`/activity/email/${answer.id}/`, { classification: "list" });

    assert.deepEqual(await stateOf(at), ["goal", "reply-received"]);
    assert.equal((await at.acme.get(`/sequence_subscription/${again.id}/`)).status, "active");
  });

  test("does not free an address that another message speaks of too", async () => {
    const at = await scene();
    const [first, second] = [await arrives(at, "opt_out"), await arrives(at, "opt_out")];

    await at.acme.put(`/activity/email/${first.id}/`, { classification: "list" });
    assert.equal((await marksOf(at)).is_unsubscribed, true);
    await at.acme.put(`/activity/email/${second.id}/`, { classification: "list" });
    assert.equal((await marksOf(at)).is_unsubscribed, false);
  });

  test("that was a bounce: the mail did not come back, and the address is good", async () => {
    const at = await scene();
    const returned = await arrives(at, "bounce", { sender: "mailer-daemon@example.com" });
    assert.deepEqual([(await marksOf(at)).is_invalid, (await wayOf(at)).status], [true, "error"]);

    await at.acme.put(`/activity/email/${returned.id}/`, { classification: "list" });

    assert.deepEqual([(await marksOf(at)).is_invalid, (await wayOf(at)).status], [false, "active"]);
    assert.deepEqual((await at.acme.get(`/activity/email/${at.sent.id}/`)).bounces, []);
  });

  test("can be sent back as it was read, and nothing happens", async () => {
    const at = await scene();
    const answer = await arrives(at, { class: "auto_reply", returns_at: "2031-08-16" });
    const path = `/activity/email/${answer.id}/`;

    await at.acme.put(path, { classification: (await at.acme.get(path)).classification });

    assert.equal((await at.acme.events(answer.id)).filter((one: any) => one.action === "updated").length, 0);
  });

  test("is refused where it makes no sense, with what to do", async () => {
    const at = await scene();
    const answer = await arrives(at);
    const path = `/activity/email/${answer.id}/`;
    const bob = await at.acme.member("restricteduser");

    const refusal = await at.acme.refused(400, "PUT", path, { classification: "junk" }, "classification");
    const inside = await at.acme.refused(400, "PUT", path, { classification: { class: "junk" } }, "classification");
    assert.match(refusal["field-errors"].classification, /^must be one of .*opt_out/);
    assert.match(inside["field-errors"].classification, /^class must be one of .*opt_out/);
    await at.acme.refused(
      400,
      "PUT",
      path,
      { classification: { class: "auto_reply", returns_at: "soon" } },
      "classification.returns_at",
    );
    await at.acme.refused(400, "PUT", `/activity/email/${at.sent.id}/`, { classification: "human" }, "classification");
    await at.acme.refused(
      400,
      "POST",
      "/activity/email/",
      { lead_id: at.ann.lead_id, classification: "human" },
      "classification",
    );
    const list = await arrives(at, "list");
    await at.acme.refused(400, "PUT", `/activity/email/${list.id}/`, { classification: null }, "classification");
    await bob.refused(404, "PUT", path, { classification: "list" });
    const eve = await at.acme.memberWith(["view_all_leads"]);
    await eve.refused(403, "PUT", path, { classification: "list" });
  });

  test("is found by it", async () => {
    const at = await scene();
    const list = await arrives(at, "list");
    await arrives(at);

    const found = await at.acme.get("/activity/email/?class=list,bounce");

    assert.deepEqual(
      found.data.map((one: any) => one.id),
      [list.id],
    );
    await at.acme.refused(400, "GET", "/activity/email/?class=junk", undefined, "class");
  });
});
