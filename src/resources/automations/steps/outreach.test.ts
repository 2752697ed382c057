// Steps that talk to people: to whom they write and to whom not, in whose name, with what words.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chain, published } from "../../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { outboundService } from "../../../../test/support/outbound.ts";
import type { Service } from "../../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../../test/support/smtp.ts";
import { withWorker } from "../../../../test/support/worker.ts";
import { store } from "../../../records/store.ts";
import { unsubscribedEmail } from "../../contacts/unsubscribed_email.ts";

let mail: MailServer;
let on: Service;
before(async () => {
  mail = await startMailServer();
  on = await outboundService();
});
after(() => mail?.close());

async function work(): Promise<void> {
  await withWorker(on, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const manual = { trigger: { type: "manual", config: {} } };
let count = 0;

/** An organization whose admin has a mailbox, and a contact. */
async function outreach(): Promise<{ acme: Workspace; box: any; ann: any }> {
  const acme = await organization(on);
  const box = await acme.post("/connected_account/", { email: `ada-${++count}@acme.example`, smtp: mail.smtp });
  const lead = await acme.lead({ name: "Client" });
  const ann = await acme.contact({ lead_id: lead.id, name: "Ann Lee", emails: [{ email: `ann-${++count}@client.example` }] });
  return { acme, box, ann };
}

async function runFor(acme: Workspace, graph: object, record: any, settings: object = {}): Promise<any> {
  const made = await published(acme, graph, { ...manual, settings });
  const { id } = await acme.post(`/automations/${made.id}/run/`, { record_id: record.id });
  await work();
  return acme.get(`/automation_runs/${id}/`);
}

const letter = { to: { $ref: "record" }, subject: "Hello {{ contact.first_name }}", body: "Dear {{ contact.first_name }}" };

describe("email.send", () => {
  test("sends in the author's name, says which run wrote it, and answers what it wrote before", async () => {
    const { acme, box, ann } = await outreach();
    const again = { ...letter, subject: "Other", thread: "reply_to_step", cc: [{ $ref: "record.created_by" }] };

    const run = await runFor(acme, chain(["email.send", letter], ["email.send", again]), ann);

    // Both leave at once, in any order.
    const [first, second] = mail.to(ann.emails[0].email).sort((a, b) => (a.subject! < b.subject! ? -1 : 1));
    assert.deepEqual([first!.subject, first!.from!.address, first!.text!.trim()], ["Hello Ann", box.email, "Dear Ann"]);
    assert.deepEqual([second!.subject, second!.cc!.length], ["Re: Hello Ann", 1]);
    assert.equal(first!.header("list-unsubscribe") === undefined, false);
    const stored = await acme.get(`/activity/email/${run.steps[0].output.id}/`);
    assert.deepEqual([stored.status, stored.automation_run_id, stored.contact_id], ["sent", run.id, ann.id]);
    const { subject, body } = run.steps[0].input;
    assert.deepEqual([subject, body], ["Hello Ann", "Dear Ann"]);
    const [created] = await acme.events(stored.id);
    assert.equal(created.meta.automation_run_id, run.id);
  });

  test("attaches the file of a subtype that is for e-mails, and is held where there is none", async () => {
    const { acme, ann } = await outreach();
    const graph = chain(["email.send", { ...letter, attach_file_slot: "proposal" }]);
    const held = await runFor(acme, graph, ann);
    const stored = {
      subtype: "proposal",
      outreach_channel: "email",
      content_base64: Buffer.from("Our offer").toString("base64"),
    };
    await acme.post("/file/", { name: "ours.txt", ...stored });
    await acme.post("/file/", { name: "theirs.txt", lead_id: ann.lead_id, ...stored });

    await acme.post(`/automation_runs/${held.id}/retry/`, {});
    await work();

    assert.deepEqual([held.status, held.error.code], ["held", "file_missing"]);
    const [arrived] = mail.to(ann.emails[0].email);
    assert.deepEqual(
      arrived!.attachments.map(({ filename }) => filename),
      ["theirs.txt"],
    );
  });

  test("writes to nobody who does not want it or has no address, and says why", async () => {
    const { acme, ann } = await outreach();
    const mute = await acme.contact({ name: "Mute" });
    const graph = { start: "s1", steps: { s1: { type: "email.send", config: letter, ports: { out: null, suppressed: null } } } };
    await acme.inside(async (ctx) => {
      await store.insertNew(ctx, unsubscribedEmail, { address: ann.emails[0].email, scope: "marketing", source: "link" });
    });

    const runs = [await runFor(acme, graph, ann), await runFor(acme, graph, mute)];

    assert.deepEqual(
      runs.map(({ status, steps: [step] }) => [status, step.branch, step.output.reason]),
      [
        ["completed", "suppressed", "unsubscribed"],
        ["completed", "suppressed", "no_address"],
      ],
    );
    assert.deepEqual(
      runs.map(({ explanation, output }) => [explanation, output.not_sent]),
      [
        ["It came to its end; s1 sent nothing, because of unsubscribed.", [{ step_id: "s1", reason: "unsubscribed" }]],
        ["It came to its end; s1 sent nothing, because there is no address.", [{ step_id: "s1", reason: "no_address" }]],
      ],
    );
    assert.equal(runs[1]!.steps[0].explanation, "It left by suppressed: there is no address.");
    assert.deepEqual((await acme.get(`/activity/email/?lead_id=${ann.lead_id}`)).data, []);
  });

  test("is held where the sender is not allowed or the template fails, and goes on when that is mended", async () => {
    const { acme, ann } = await outreach();
    const bob = await acme.member();
    const from = { $template: bob.userId };
    const broken = { ...letter, body: "{% for a in (1..900) %}{% for b in (1..900) %}too long{% endfor %}{% endfor %}" };

    const refused = await runFor(acme, chain(["email.send", { ...letter, from }]), ann);
    const failed = await runFor(acme, chain(["email.send", broken]), ann);

    assert.deepEqual([refused.status, refused.error.code], ["held", "connected_account_missing"]);
    assert.deepEqual([failed.status, failed.error.code], ["held", "template_failed"], JSON.stringify(failed));
    assert.deepEqual(mail.to(ann.emails[0].email), []);
    await bob.post("/send_as/", { allowing_user_id: bob.userId, allowed_user_id: acme.userId });
    await bob.post("/connected_account/", { email: `bob-${++count}@acme.example`, smtp: mail.smtp });
    await acme.post(`/automations/${refused.automation_id}/pause/`, {});
    await acme.post(`/automations/${refused.automation_id}/publish/`, {});
    await work();
    assert.equal((await acme.get(`/automation_runs/${refused.id}/`)).status, "completed");
    assert.equal(mail.to(ann.emails[0].email).length, 1);
  });

  test("is held where who sends has no mailbox, tells one of many, and goes on when there is one", async () => {
    const acme = await organization(on);
    const email = `eve-${++count}@client.example`;
    const eve = await acme.contact({ emails: [{ email }] });
    const made = await published(acme, chain(["email.send", letter]), { ...manual, settings: { re_enroll: "always" } });
    for (let i = 0; i < 2; i++) await acme.post(`/automations/${made.id}/run/`, { record_id: eve.id });
    await work();

    const runs = await acme.all(`/automations/${made.id}/runs/`);
    const told = (await acme.get("/notification/?type=automation_failed")).data;
    const written = (await acme.get(`/activity/email/?lead_id=${eve.lead_id}`)).data;
    await acme.post("/connected_account/", { email: `fay-${++count}@acme.example`, smtp: mail.smtp });
    await acme.post(`/automations/${made.id}/retry/`, {});
    await work();

    assert.equal(made.warnings[0].code, "connected_account_missing");
    assert.deepEqual(
      runs.map((run: any) => [run.status, run.status_reason]),
      [1, 2].map(() => ["held", "connected_account_missing"]),
    );
    assert.deepEqual([told.length, written.length, mail.to(email).length], [1, 0, 2]);
  });

  test("never fills in a link that came with a record", async () => {
    const { acme, ann } = await outreach();
    await acme.put(`/contact/${ann.id}/`, { title: "{{ unsubscribe_link }} <b>Boss</b>" });
    const body = "<p>To {{ record.title }}</p>";

    await runFor(acme, chain(["email.send", { ...letter, body, subject: { $ref: "record.title" } }]), ann);

    const [got] = mail.to(ann.emails[0].email);
    assert.match(got!.subject!, /<b>Boss<\/b>$/);
    assert.doesNotMatch(got!.html!, /\/u\/|<b>/);
  });
});

test("a sequence that does not take a contact says why in a word that a branch can ask for", async () => {
  const { acme } = await outreach();
  const mute = await acme.contact({ name: "Mute" });
  const step = { step_type: "email", subject: "Hi", body: "<p>Hi</p>", delay: { amount: 1, unit: "days" } };
  const { id: sequence_id } = await acme.post("/sequence/", { name: "S", timezone: "UTC", steps: [step] });

  const run = await runFor(acme, chain(["sequence.subscribe", { sequence_id, contact: { $ref: "record" } }]), mute);

  const [{ branch, output }] = run.steps;
  assert.deepEqual([branch, output.reason, output.id], ["skipped", "no_address", null]);
  assert.match(output.message, /has no address/);
});

test("a text goes to nobody without a number, and only from a number that the member may use", async () => {
  const { acme, ann } = await outreach();
  const bob = await acme.member();
  await bob.post("/phone_number/", { number: "+12125550001" });
  const text = { to: { $ref: "record" }, from_number: { $template: "+12125550001" }, text: "Hi" };

  const silent = await runFor(acme, chain(["sms.send", text]), ann);
  await acme.put(`/contact/${ann.id}/`, { phones: [{ phone: "+12125559876", type: "mobile" }] });
  const refused = await runFor(acme, chain(["sms.send", text]), ann);

  assert.deepEqual([silent.steps[0].branch, silent.steps[0].output.reason], ["suppressed", "no_number"]);
  assert.deepEqual([refused.status, refused.error.code], ["held", "phone_number_missing"]);
});

test("people hear of it within its hours, where they are, and delays are not moved", async () => {
  const { acme, ann } = await outreach();
  await acme.put(`/contact/${ann.id}/`, { timezone: "Asia/Kathmandu" });
  on.clock.now = new Date("2031-03-08T10:00:00Z");
  const time_window = { days: ["mon", "tue"], from: "09:00", to: "17:30", blocked_dates: ["2031-03-10"], spread_minutes: 15 };
  const graph = chain(
    ["wait.duration", { amount: 1, unit: "minutes" }],
    ["email.draft", { ...letter, subject: "Draft" }],
    ["email.send", letter],
    ["email.send", { ...letter, respect_window: false }],
  );

  const { id } = await runFor(acme, graph, ann, { time_window });
  on.clock.now = new Date("2031-03-08T10:02:00Z");
  await work();
  const waiting = await acme.get(`/automation_runs/${id}/`);
  on.clock.now = new Date("2031-03-11T03:30:01Z");
  await work();

  const [opens, until] = [Date.parse("2031-03-11T03:15:00Z"), Date.parse(waiting.wait.until)];
  assert.deepEqual([waiting.status, waiting.wait.kind, waiting.current_step_id], ["waiting", "window", "s3"]);
  assert.ok(until >= opens && until < opens + 15 * 60_000, waiting.wait.until);
  assert.equal((await acme.get(`/automation_runs/${id}/`)).status, "completed");
  assert.equal(mail.to(ann.emails[0].email).length, 2);
  const never = { name: "X", ...manual, graph, settings: { time_window: { days: ["mon"], blocked_dates: mondays() } } };
  const made = await acme.post("/automations/", never);
  const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
  assert.equal(errors[0].code, "window_empty");
});

/** All of the next fourteen months. */
const mondays = (): string[] =>
  Array.from({ length: 60 }, (_, i) => new Date(Date.UTC(2031, 2, 10 + 7 * i)).toISOString().slice(0, 10));

test("who is in a sequence as a contact that the run's member does not see is neither named nor replaced", async () => {
  const { acme, ann } = await outreach();
  const { email } = ann.emails[0];
  const { id: sequence_id } = await acme.post("/sequence/", {
    name: "Welcome",
    timezone: "UTC",
    steps: [{ step_type: "email", subject: "Hi", body: "<p>Hi</p>", delay: { amount: 3, unit: "days" } }],
  });
  const theirs = await acme.post("/sequence_subscription/", { sequence_id, contact_id: ann.id });
  const member = await acme.memberWith(["manage_email_sequences"]);
  const own = await member.contact({ emails: [{ email }] });
  const subscribe = { sequence_id, contact: { $ref: "record" } };

  for (const on_conflict of ["skip", "replace"]) {
    const run = await runFor(member, chain(["sequence.subscribe", { ...subscribe, on_conflict }]), own, {
      run_as_user_id: member.userId,
    });
    assert.deepEqual([run.steps[0].branch, run.steps[0].output], ["skipped", { id: null, reason: "already_subscribed" }]);
  }
  assert.equal((await acme.get(`/sequence_subscription/${theirs.id}/`)).status, "active");
});
