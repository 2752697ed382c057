import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

const starts_at = "2031-05-06T10:00:00.000Z";

const planned = async (acme: Workspace, body: object = {}) =>
  acme.post("/activity/meeting/", { lead_id: (await acme.lead()).id, title: "Demo", starts_at, ...body });

/** Runs `act` at another time of the service's clock. */
async function at<T>(time: string, act: () => Promise<T>): Promise<T> {
  const { clock } = await service();
  clock.now = new Date(time);
  return act().finally(() => (clock.now = null));
}

test("a meeting takes half an hour unless its end or its duration is given", async () => {
  const acme = await organization();

  const short = await planned(acme);
  const byEnd = await planned(acme, { ends_at: "2031-05-06T12:00:00Z" });
  const byDuration = await planned(acme, { duration: 900 });

  assert.deepEqual([short.ends_at, short.duration], ["2031-05-06T10:30:00.000Z", 1800]);
  assert.deepEqual([byEnd.ends_at, byEnd.duration], ["2031-05-06T12:00:00.000Z", 7200]);
  assert.deepEqual([byDuration.ends_at, byDuration.duration], ["2031-05-06T10:15:00.000Z", 900]);
  assert.equal(short.activity_at, starts_at);
  const bad = { lead_id: short.lead_id, title: "Demo", starts_at };
  await acme.refused(400, "POST", "/activity/meeting/", { ...bad, ends_at: starts_at }, "ends_at");
  await acme.refused(400, "POST", "/activity/meeting/", { ...bad, ends_at: "2031-05-06T11:00:00Z", duration: 5 }, "duration");
  await acme.refused(400, "POST", "/activity/meeting/", { ...bad, duration: 0 }, "duration");
  await acme.refused(400, "POST", "/activity/meeting/", { ...bad, title: " " }, "title");
});

test("a meeting that is moved keeps its length", async () => {
  const acme = await organization();
  const meeting = await planned(acme, { duration: 3600 });
  const path = `/activity/meeting/${meeting.id}/`;

  const moved = await acme.put(path, { starts_at: "2031-05-07T09:00:00Z" });
  const whole = await acme.put(path, { ...moved, starts_at: "2031-05-08T09:00:00Z" });
  const longer = await acme.put(path, { ...whole, ends_at: "2031-05-08T11:00:00Z" });

  assert.deepEqual(
    [moved.ends_at, moved.duration, moved.activity_at],
    ["2031-05-07T10:00:00.000Z", 3600, "2031-05-07T09:00:00.000Z"],
  );
  assert.equal(whole.ends_at, "2031-05-08T10:00:00.000Z");
  assert.equal(longer.duration, 7200);
  await acme.refused(400, "PUT", path, { ends_at: "2031-05-01T00:00:00Z" }, "ends_at");
});

test("its state is where the clock has it, in reads, in lists and in filters", async () => {
  const acme = await organization();
  const meeting = await planned(acme, { duration: 3600 });
  const path = `/activity/meeting/${meeting.id}/`;
  const found = async (status: string) => (await acme.get(`/activity/meeting/?status=${status}`)).data.length;

  assert.equal(meeting.status, "upcoming");
  await at("2031-05-06T10:00:00.000Z", async () => {
    assert.equal((await acme.get(path)).status, "in-progress");
    assert.deepEqual([await found("upcoming"), await found("in-progress"), await found("completed")], [0, 1, 0]);
    assert.equal((await acme.get("/activity/?_type=Meeting")).data[0].status, "in-progress");
  });
  await at("2031-05-06T11:00:00.000Z", async () => {
    assert.equal((await acme.get(path)).status, "completed");
    assert.equal((await acme.get("/activity/meeting/?status__in=completed,canceled")).data.length, 1);
    assert.equal(await found("in-progress"), 0);
  });
});

test("a meeting can be canceled at any time, and stays so", async () => {
  const acme = await organization();
  const meeting = await planned(acme);
  const path = `/activity/meeting/${meeting.id}/`;

  await acme.refused(400, "PUT", path, { status: "completed" }, "status");
  await acme.put(path, { status: "upcoming", title: "Demo again" });
  await at("2031-05-06T10:10:00.000Z", () => acme.put(path, { status: "canceled" }));

  await acme.refused(400, "PUT", path, { status: "upcoming" }, "status");
  assert.equal((await acme.get(path)).status, "canceled");
  assert.equal((await acme.get("/activity/meeting/?status=canceled")).data.length, 1);
  const events = await acme.events(meeting.id);
  assert.deepEqual(
    events.map((event) => event.action),
    ["created", "scheduled", "updated", "started", "updated", "canceled"],
  );
  const [, , , , canceled] = events;
  assert.ok(canceled.changed_fields.includes("status"));
  assert.equal(canceled.previous_data.status, "in-progress", "what readers saw before");
});

test("that a meeting begins and ends is told once, when the clock has come there, though nobody looks at it", async () => {
  const acme = await organization();
  const [meeting, canceled] = [await planned(acme), await planned(acme)];
  await acme.put(`/activity/meeting/${canceled.id}/`, { status: "canceled" });
  const by = (moment: string) => atMoment(acme.service, moment, "meetings");
  const told = async (of: any) => (await acme.events(of.id)).filter((one) => /started|completed/.test(one.action));

  await by("2031-05-06T09:59:59.999Z");
  const before = await told(meeting);
  await by("2031-05-06T10:00:00.000Z");
  const during = await told(meeting);
  await by("2031-05-06T10:30:00.000Z");
  const after = await told(meeting);

  assert.deepEqual(before, []);
  assert.deepEqual(
    during.map((one) => [one.event, one.data.status, one.previous_data.status]),
    [["activity.meeting.started", "in-progress", "upcoming"]],
  );
  assert.deepEqual(
    after.map((one) => [one.event, one.date_created]),
    [
      ["activity.meeting.started", "2031-05-06T10:00:00.000Z"],
      ["activity.meeting.completed", "2031-05-06T10:30:00.000Z"],
    ],
  );
  assert.deepEqual(await told(canceled), []);
});

test("a meeting that begins by the clock was changed by nobody", async () => {
  const acme = await organization();
  const eve = await acme.member();
  const meeting = await planned(eve);
  await acme.put(`/activity/meeting/${meeting.id}/`, { location: "Room 1" });

  await atMoment(acme.service, "2031-05-06T10:00:00.000Z", "meetings");

  const started = (await acme.events(meeting.id)).at(-1);
  const { status, updated_by } = await acme.get(`/activity/meeting/${meeting.id}/`);
  assert.deepEqual([started.action, started.user_id], ["started", null]);
  assert.deepEqual([status, updated_by], ["in-progress", acme.userId]);
});

test("a meeting that went by unnoticed has begun and ended, in that order, also when it is moved", async () => {
  const acme = await organization();
  const [meeting, moved] = [await planned(acme), await planned(acme)];
  const actions = async (of: any) => (await acme.events(of.id)).map((one) => one.action).slice(2);

  await at("2031-06-01T00:00:00.000Z", async () => {
    await acme.put(`/activity/meeting/${moved.id}/`, { starts_at: "2031-07-01T00:00:00.000Z" });
    await atMoment(acme.service, "2031-06-01T00:00:00.000Z", "meetings");
  });

  assert.deepEqual(await actions(meeting), ["started", "completed"]);
  assert.deepEqual(await actions(moved), ["started", "completed", "updated"]);
  assert.equal((await acme.get(`/activity/meeting/${moved.id}/`)).status, "upcoming");
});

test("a meeting of the past is over, whatever its body says", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const past = { lead_id: lead.id, title: "Kick-off", starts_at: "2020-01-01T10:00:00Z" };

  const meeting = await acme.post("/activity/meeting/", past);
  const declined = await acme.post("/activity/meeting/", { ...past, status: "declined-by-lead" });

  assert.equal(meeting.status, "completed");
  assert.equal(declined.status, "declined-by-lead");
  await acme.refused(400, "POST", "/activity/meeting/", { ...past, status: "upcoming" }, "status");
});

test("a meeting names contacts of its own lead, and people of other leads only by what was said of them", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const ann = await acme.contact({ lead_id: lead.id, name: "Ann", emails: [{ email: "ann@client.example" }] });
  const zoe = await acme.contact({ name: "Zoe of elsewhere", emails: [{ email: "zoe@elsewhere.example" }] });
  const attendees = [{ email: "ann@client.example" }, { email: "zoe@elsewhere.example" }, { contact_id: zoe.id }];

  const meeting = await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Demo", starts_at, attendees });

  const shown = meeting.attendees.map((one: any) => [one.email, one.contact_id, one.name]);
  assert.deepEqual(shown, [
    ["ann@client.example", ann.id, "Ann"],
    ["zoe@elsewhere.example", null, null],
    [null, zoe.id, null],
  ]);
});

test("attendees are found by their e-mail address", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const { email } = await bob.get("/me/");
  const person = await acme.contact({ name: "Carla", emails: [{ email: "carla@client.example" }] });

  const meeting = await acme.post("/activity/meeting/", {
    title: "Demo",
    starts_at,
    attendees: [
      { email },
      { email: "CARLA@client.example", status: "yes" },
      { email: "new@client.example" },
      { contact_id: person.id },
    ],
  });

  const [member, contact, stranger, named] = meeting.attendees;
  assert.equal(meeting.lead_id, person.lead_id, "a contact among them tells the lead");
  assert.equal(meeting.contact_id, person.id);
  assert.equal(member.user_id, bob.userId);
  assert.deepEqual([contact.contact_id, contact.name, contact.status], [person.id, "Carla", "yes"]);
  assert.deepEqual([stranger.user_id, stranger.contact_id], [null, null]);
  assert.equal(named.email, "carla@client.example");
  assert.deepEqual(meeting.users, [acme.userId, bob.userId]);
  const refuse = (attendee: object, field: string) =>
    acme.refused(400, "PUT", `/activity/meeting/${meeting.id}/`, { attendees: [attendee] }, field);
  await refuse({ contact_id: "cont_nobody" }, "attendees.0.contact_id");
  await refuse({ user_id: "user_nobody" }, "attendees.0.user_id");
  await refuse({ email: "no" }, "attendees.0.email");
  await refuse({}, "attendees.0");
  await refuse({ name: "X", status: "later" }, "attendees.0.status");
});

test("notes on a meeting are kept plain and rich, and its outcome is one of the settings", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { settings: { meeting_outcomes: [{ id: "outcome_1", name: "Won over" }] } });
  const meeting = await planned(acme, { user_note: "Bring the\ncontract", outcome_id: "outcome_1" });

  assert.equal(meeting.user_note_html, "<body>Bring the<br />contract</body>");
  await acme.refused(400, "PUT", `/activity/meeting/${meeting.id}/`, { outcome_id: "outcome_2" }, "outcome_id");
  await acme.refused(
    400,
    "PUT",
    `/activity/meeting/${meeting.id}/`,
    { conference_links: [{ url: "nowhere" }] },
    "conference_links.0.url",
  );
});

test("meetings are listed by when they take place", async () => {
  const acme = await organization();
  const later = await planned(acme, { starts_at: "2031-06-01T10:00:00Z" });
  const sooner = await planned(acme, { starts_at: "2031-05-01T10:00:00Z" });

  const all = await acme.get("/activity/meeting/?_order_by=starts_at");
  const june = await acme.get("/activity/meeting/?starts_at__gte=2031-06-01");

  assert.deepEqual(
    all.data.map((one: any) => one.id),
    [sooner.id, later.id],
  );
  assert.deepEqual(
    june.data.map((one: any) => one.id),
    [later.id],
  );
});
