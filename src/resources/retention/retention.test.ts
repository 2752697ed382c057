// What an organization keeps for a time of its own is deleted after it, and nothing else is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

// Ids contain their creation time, and a process makes none that is older than its last one, so each test has its own year.
let year = 2040;

async function inItsYear(): Promise<{
  acme: Workspace;
  at(date: string): void;
  keep(retention: object | null): Promise<void>;
  run(date: string): Promise<void>;
}> {
  const acme = await organization();
  const thisYear = ++year;
  const moment = (date: string) => `${thisYear}-${date}T12:00:00.000Z`;
  return {
    acme,
    at: (date) => (acme.service.clock.now = new Date(moment(date))),
    keep: async (retention) => void (await acme.put(`/organization/${acme.id}/`, { settings: { retention } })),
    run: (date) => atMoment(acme.service, moment(date), "retention"),
  };
}

const statusOf = async (ws: Workspace, path: string): Promise<number> => (await ws.ask("GET", path)).status;
const upload = (ws: Workspace, lead_id: string, name: string): Promise<any> =>
  ws.post("/file/", { name, lead_id, content_base64: Buffer.from(name).toString("base64") });
const attached = (...files: { id: string }[]) => ({ attachments: files.map(({ id }) => ({ file_id: id })) });

test("old mail goes with its thread, its conversation's preview and its own files; drafts, newer mail and its files stay", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("01-01");
  const lead = await acme.lead();
  const [own, shared] = [await upload(acme, lead.id, "own.txt"), await upload(acme, lead.id, "shared.txt")];
  const mail = (more: object) => acme.post("/activity/email/", { lead_id: lead.id, to: ["bob@client.example"], ...more });
  const old = await mail({
    status: "inbox",
    sender: "bob@client.example",
    subject: "Zanzibar",
    body_text: "Zanzibar",
    ...attached(own, shared),
  });
  const draft = await mail({ status: "draft", subject: "Unfinished" });
  at("01-20");
  const newer = await mail({ status: "sent", subject: "Newer", ...attached(shared) });
  await keep({ mail_days: 30 });

  await run("01-31");
  const before = await statusOf(acme, `/activity/email/${old.id}/`);
  const counted = await acme.get(`/organization/${acme.id}/retention/`);
  at("02-01");
  const due = await acme.get(`/organization/${acme.id}/retention/`);
  await run("02-01");

  assert.deepEqual([before, counted.mail_days.count, due.mail_days], [200, 0, { days: 30, count: 1, has_more: false }]);
  for (const path of [`/activity/email/${old.id}/`, `/activity/emailthread/${old.thread_id}/`, `/file/${own.id}/`])
    assert.equal(await statusOf(acme, path), 404, path);
  for (const path of [`/activity/email/${draft.id}/`, `/activity/email/${newer.id}/`, `/file/${shared.id}/download/`])
    assert.equal(await statusOf(acme, path), 200, path);
  const events = (await acme.get("/event/?_limit=200")).data;
  const [deleted] = events.filter((one: any) => one.object_id === old.id && one.action === "deleted");
  assert.deepEqual(deleted.meta.retention, { mail_days: 30 });
  assert.ok(!JSON.stringify(events).includes("Zanzibar"), "the log still says what the mail said");
  const bytes = { text: "select 1 from stored_bytes_removal where organization_id = $1", values: [acme.id] };
  await acme.service.app.db.query(acme.id, bytes).then((rows) => assert.equal(rows.length, 0, "its bytes are gone"));
});

test("what was attached to old mail stays when a template has it too", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("01-01");
  const lead = await acme.lead();
  const names = ["own.txt", "template.txt", "sms.txt"];
  const files = await Promise.all(names.map((name) => upload(acme, lead.id, name)));
  const [own, inTemplate, inSms] = files;
  await acme.post("/activity/email/", { lead_id: lead.id, status: "inbox", sender: "bob@client.example", ...attached(...files) });
  await acme.post("/email_template/", { name: "Hello", ...attached(inTemplate) });
  await acme.post("/sms_template/", { name: "Hello", text: "hi", ...attached(inSms) });
  await keep({ mail_days: 30 });

  await run("03-01");

  const seen = await Promise.all([own, inTemplate, inSms].map(({ id }) => statusOf(acme, `/file/${id}/`)));
  assert.deepEqual(seen, [404, 200, 200]);
});

test("old recordings and voicemails go with their files and words, and the calls stay", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("01-01");
  const lead = await acme.lead();
  const sound = await upload(acme, lead.id, "recording.mp3");
  const call = (more: object) => acme.post("/activity/call/", { lead_id: lead.id, phone: "+12125550100", ...more });
  const old = await call({ recording_url: sound.share_url.replace("http:", "https:"), note: "He will buy." });
  at("01-10");
  const newer = await call({ recording_url: "https://sound.example/newer.mp3" });
  await keep({ recording_days: 7 });

  await run("01-12");

  const [left, kept] = [await acme.get(`/activity/call/${old.id}/`), await acme.get(`/activity/call/${newer.id}/`)];
  assert.deepEqual([left.recording_url, left.has_recording, left.note], [null, false, "He will buy."]);
  assert.equal(kept.recording_url, "https://sound.example/newer.mp3");
  assert.equal(await statusOf(acme, `/file/${sound.id}/`), 404);
  const updated = (await acme.events(old.id)).at(-1);
  assert.deepEqual([updated.event, updated.meta.retention], ["activity.call.updated", { recording_days: 7 }]);
});

test("old events go when they are read, by the day; a cursor from before them is refused", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("03-01");
  const early = await acme.lead();
  const { cursor_previous } = await acme.get("/event/?_limit=1");
  at("03-05");
  const late = await acme.lead();
  await acme.post("/webhook/", {
    url: "https://hooks.example/",
    events: [{ object_type: "lead", action: "created" }],
    status: "paused",
  });
  await keep({ event_days: 30 });

  await run("04-01");
  at("04-02");

  assert.deepEqual([(await acme.events(early.id)).length, (await acme.events(late.id)).length], [0, 1]);
  await acme.refused(400, "GET", `/event/?_cursor=${cursor_previous}`, undefined, "_cursor");
});

test("events that a webhook has not read stay", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("03-01");
  await acme.post("/webhook/", { url: "https://hooks.example/", events: [{ object_type: "lead", action: "created" }] });
  const lead = await acme.lead();
  await keep({ event_days: 30 });

  await run("04-10");

  assert.equal((await acme.events(lead.id)).length, 1);
});

test("another organization, and one that has taken its retention back, lose nothing", async () => {
  const { acme, at, keep, run } = await inItsYear();
  at("01-01");
  const other = await acme.another();
  const mails = [acme, other].map(async (ws) => {
    const lead = await ws.lead();
    return ws.post("/activity/email/", { lead_id: lead.id, status: "sent", to: ["bob@client.example"], subject: "Kept" });
  });
  const [own, theirs] = await Promise.all(mails);
  await keep({ mail_days: 30 });
  await keep({ mail_days: null });

  await run("12-01");

  assert.deepEqual(
    [await statusOf(acme, `/activity/email/${own.id}/`), await statusOf(other, `/activity/email/${theirs.id}/`)],
    [200, 200],
  );
});

test("what is too short, too long or misspelled is refused with its reason", async () => {
  const acme = await organization();
  const refused = async (retention: object, key: string, reason: RegExp) => {
    const { status, body } = await acme.ask("PUT", `/organization/${acme.id}/`, { body: { settings: { retention } } });
    assert.equal(status, 400);
    assert.match(body["field-errors"][`settings.retention.${key}`], reason);
  };

  await refused({ event_days: 7 }, "event_days", /30 or more, because webhooks, the feed, automations and undoing/);
  await refused({ event_days: 365 }, "event_days", /60 or less: the service itself deletes/);
  await refused({ mail_days: 1 }, "mail_days", /30 or more/);
  await refused({ recording_days: 0 }, "recording_days", /1 or more/);
  await refused({ recording_days: 1.5 }, "recording_days", /whole number/);
  await refused({ mails_days: 90 }, "mails_days", /is not a setting; did you mean mail_days/);
  const { body } = await acme.ask("GET", `/organization/${acme.id}/retention/?event_days=1&mail_days=x`);
  assert.deepEqual(Object.keys(body["field-errors"]).sort(), ["event_days", "mail_days"]);
});

test("only admins set it and see what would go, also among those who manage the organization", async () => {
  const acme = await organization();
  const office = await acme.memberWith(["manage_organization"]);
  const user = await acme.member();
  const body = { settings: { retention: { mail_days: 90 } } };

  for (const ws of [office, user]) {
    await ws.refused(403, "PUT", `/organization/${acme.id}/`, body);
    await ws.refused(403, "GET", `/organization/${acme.id}/retention/`);
  }
  await office.put(`/organization/${acme.id}/`, { settings: { ours: 1 } });
  await (await acme.another()).refused(404, "GET", `/organization/${acme.id}/retention/`);
});
