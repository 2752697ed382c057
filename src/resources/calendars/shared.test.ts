// One meeting in several calendars, and meetings that people here change too.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CalendarEntry } from "../../../test/support/calendars.ts";
import { customer, type Following, following, meetings } from "../../../test/support/following.ts";

const carla = "carla@client.example";
const times = { starts: "2031-03-04T10:00:00Z", ends: "2031-03-04T11:00:00Z" };
const uid = "shared@google.com";
/** The same id as Microsoft writes it. */
const wrapped = (day = "00000000") =>
  `040000008200E00074C5B7101A82E008${day}${"0".repeat(32)}${"25000000"}7643616C2D55696401000000${Buffer.from(uid).toString("hex").toUpperCase()}00`;

/** Ada creates a meeting with Carla and invites Bob, whose account is at `type`. */
async function calledByAda(type: "google" | "microsoft", series: Partial<CalendarEntry> = {}) {
  const ada = await following("google");
  const bob = await ada.joinedBy(type);
  const contact = await customer(ada.acme, carla);
  const event = (change: Partial<CalendarEntry> = {}): CalendarEntry => ({
    id: "of-ada",
    uid,
    title: "Demo",
    ...times,
    organizer: ada.person.email,
    guests: [{ email: carla }, { email: bob.person.email }],
    ...series,
    ...change,
  });
  const bobs = (change: Partial<CalendarEntry> = {}) =>
    event({ id: "of-bob", uid: type === "google" ? uid : wrapped(), ...change });
  return { ada, bob, contact, event, bobs };
}

const said = (meeting: any) =>
  meeting.attendees.map((one: any) => [one.email, one.user_id !== null || one.contact_id !== null, one.status]);

for (const type of ["google", "microsoft"] as const)
  describe(`with a colleague at ${type}`, () => {
    test("a meeting in both calendars is one, with both members", async () => {
      const { ada, bob, event, bobs } = await calledByAda(type);

      ada.calendar.put(event());
      bob.calendar.put(bobs());
      await ada.sync();

      const [meeting, ...others] = await meetings(ada.acme);
      assert.deepEqual(others, []);
      assert.deepEqual(meeting.users.toSorted(), [ada.acme.userId, bob.member.userId].sort());
      assert.deepEqual(said(meeting), [
        [carla, true, "noreply"],
        [bob.person.email, true, "noreply"],
        [ada.person.email, true, "yes"],
      ]);
    });

    test("each member's answer comes from their own calendar, and the content from the organizer's", async () => {
      const { ada, bob, event, bobs } = await calledByAda(type);
      bob.calendar.put(bobs({ title: "As Bob calls it" }));
      await ada.sync();
      ada.calendar.put(event());
      await ada.sync();
      const [first] = await meetings(ada.acme);

      bob.calendar.change("of-bob", {
        title: "Bob's own words",
        guests: [{ email: carla }, { email: bob.person.email, said: "tentative" }],
      });
      await ada.sync();

      const [meeting, ...others] = await meetings(ada.acme);
      assert.deepEqual([first.title, meeting.title, others], ["Demo", "Demo", []]);
      assert.equal(meeting.attendees.find((one: any) => one.user_id === bob.member.userId).status, "maybe");
    });

    test("it is canceled when it is in neither", async () => {
      const { ada, bob, event, bobs } = await calledByAda(type);
      ada.calendar.put(event());
      bob.calendar.put(bobs());
      await ada.sync();
      const status = async () => (await meetings(ada.acme))[0].status;

      ada.calendar.remove("of-ada");
      await ada.sync();
      const inOne = await status();
      bob.calendar.remove("of-bob");
      await ada.sync();

      assert.deepEqual([inOne, await status()], ["upcoming", "canceled"]);
    });

    test("occurrences of a series are told apart, also where one was moved", async () => {
      const { ada, bob, event, bobs } = await calledByAda(type, { series: "weekly" });
      const on = (day: string, own: (change: Partial<CalendarEntry>) => CalendarEntry) =>
        own({
          id: `${own({}).id}-${day}`,
          starts: `2031-03-${day}T10:00:00Z`,
          ends: `2031-03-${day}T11:00:00Z`,
          isException: true,
        });
      const all = ["04", "11", "18"];
      ada.calendar.put(...all.map((day) => on(day, event)));
      bob.calendar.put(...all.map((day) => ({ ...on(day, bobs), uid: type === "google" ? uid : wrapped(`07EF03${day}`) })));
      await ada.sync();
      const moved = { starts: "2031-03-12T10:00:00Z", ends: "2031-03-12T11:00:00Z", originally: "2031-03-11T10:00:00Z" };
      bob.calendar.change("of-bob-11", moved);
      ada.calendar.change("of-ada-11", moved);
      await ada.sync();

      assert.deepEqual(
        (await meetings(ada.acme)).map((one) => one.starts_at.slice(8, 10)),
        ["04", "12", "18"],
      );
    });
  });

test("two workers that file the same meeting from two calendars at once file one", async () => {
  const { ada, bob, event, bobs } = await calledByAda("google");
  const many = Array.from(
    { length: 30 },
    (_, i) => `2031-03-04T${String(10 + (i % 10)).padStart(2, "0")}:${String(i).padStart(2, "0")}:00Z`,
  );
  ada.calendar.put(...many.map((starts, i) => event({ id: `a${i}`, uid: `u${i}`, starts, ends: starts })));
  bob.calendar.put(...many.toReversed().map((starts, i) => bobs({ id: `b${29 - i}`, uid: `u${29 - i}`, starts, ends: starts })));

  await ada.sync();

  const all = await meetings(ada.acme);
  assert.deepEqual([all.length, new Set(all.map(({ calendar_event_uids }) => calendar_event_uids[0])).size], [30, 30]);
});

describe("in another calendar of the same member", () => {
  async function withTeam() {
    const one = await following("google");
    const team = one.calendars.add(one.person.email, "team");
    await customer(one.acme, carla);
    await one.sync(24 * 60);
    const account = await one.acme.get(`/connected_account/${one.account.id}/`);
    return { ...one, team, account, path: `/connected_account/${one.account.id}/` };
  }

  const organizer = "team@group.calendar.google.com";
  const event = (): CalendarEntry => ({ id: "demo", title: "Demo", ...times, organizer, guests: [{ email: carla }] });

  test("nothing is followed before it is chosen, and everything after", async () => {
    const { acme, team, account, path, drained } = await withTeam();
    team.put({ ...event(), starts: "2031-03-07T10:00:00Z", ends: "2031-03-07T11:00:00Z" });
    assert.deepEqual([account.available_calendars.length, account.synced_calendars.length, await meetings(acme)], [2, 1, []]);

    const chosen = await acme.put(path, { synced_calendars: [{ id: team.id }] });
    await drained();

    assert.deepEqual(chosen.synced_calendars, [{ id: team.id, name: "team", is_primary: false }]);
    const [meeting] = await meetings(acme);
    assert.equal(meeting.provider_calendar_id, team.id);
    assert.deepEqual(
      meeting.attendees.map((one: any) => one.email),
      [carla],
      "who sees a calendar does not take part in all that stands there",
    );
  });

  test("a meeting that is moved there stays one, and is not called off in between", async () => {
    const { acme, calendar, team, account, path, sync } = await withTeam();
    await acme.put(path, { synced_calendars: account.available_calendars });
    calendar.put({ ...event(), starts: "2031-03-07T10:00:00Z", ends: "2031-03-07T11:00:00Z" });
    await sync();
    const [meeting] = await meetings(acme);

    calendar.move("demo", team);
    await sync();
    team.change("demo", { title: "There" });
    await sync();

    const [after, ...others] = await meetings(acme);
    assert.deepEqual(others, []);
    assert.deepEqual([after.id, after.title, after.status], [meeting.id, "There", "upcoming"]);
    const told = (await acme.events(meeting.id)).map(({ action }) => action);
    assert.ok(!told.includes("canceled"), told.join());
  });

  test("what is left out again keeps its meetings, which belong to people then", async () => {
    const { acme, team, path, drained, sync } = await withTeam();
    team.put({ ...event(), starts: "2031-03-07T10:00:00Z", ends: "2031-03-07T11:00:00Z" });
    await acme.put(path, { synced_calendars: [{ id: team.id }] });
    await drained();
    const [meeting] = await meetings(acme);

    await acme.put(path, { synced_calendars: [] });
    await drained();
    team.remove("demo");
    await sync(25 * 60);

    assert.equal((await acme.put(`/activity/meeting/${meeting.id}/`, { title: "Ours" })).title, "Ours");
    assert.deepEqual((await acme.get(path)).synced_calendars, []);
  });

  test("only calendars that are there can be chosen, by the account's owner", async () => {
    const { acme, team, path, joinedBy } = await withTeam();
    const { member, account } = await joinedBy("google");
    const theirs = `/connected_account/${account.id}/`;

    await acme.refused(400, "PUT", path, { synced_calendars: [{ id: "somebody-elses" }] }, "synced_calendars.0.id");
    await acme.refused(400, "PUT", path, { synced_calendars: ["team"] }, "synced_calendars.0");
    await member.refused(404, "PUT", path, { synced_calendars: [] });
    await member.put(theirs, { synced_calendars: [] });
    const { available_calendars } = await member.get(theirs);
    await acme.refused(400, "PUT", theirs, { synced_calendars: available_calendars }, "synced_calendars");
    const created = { _type: "google", email: "new@acme.example", synced_calendars: [{ id: team.id }] };
    await acme.refused(400, "POST", "/connected_account/", created, "synced_calendars");
  });

  test("a calendar that is gone is followed no more, and its meetings stay", async () => {
    const { acme, calendars, person, team, path, drained, sync } = await withTeam();
    team.put({ ...event(), starts: "2031-03-07T10:00:00Z", ends: "2031-03-07T11:00:00Z" });
    await acme.put(path, { synced_calendars: [{ id: team.id }] });
    await drained();

    calendars.of(person.email).pop();
    await sync();

    const account = await acme.get(path);
    assert.deepEqual([account.available_calendars.length, account.synced_calendars, account.calendar_status], [1, [], "ok"]);
    assert.equal((await meetings(acme))[0].status, "upcoming");
  });
});

describe("by hand", () => {
  async function filed(): Promise<Following & { meeting: any; path: string }> {
    const one = await following("google");
    await customer(one.acme, carla);
    one.calendar.put({ id: "demo", title: "Demo", ...times, guests: [{ email: carla }] });
    await one.sync();
    const [meeting] = await meetings(one.acme);
    return { ...one, meeting, path: `/activity/meeting/${meeting.id}/` };
  }

  test("notes and outcome are people's, and stay whatever the calendar says", async () => {
    const { acme, calendar, sync, path } = await filed();
    await acme.put(`/organization/${acme.id}/`, { settings: { meeting_outcomes: [{ id: "outcome_1", name: "Won over" }] } });
    await acme.put(path, { user_note: "They like it", outcome_id: "outcome_1" });

    calendar.change("demo", { title: "Renamed" });
    await sync();

    const { title, user_note, outcome_id } = await acme.get(path);
    assert.deepEqual([title, user_note, outcome_id], ["Renamed", "They like it", "outcome_1"]);
  });

  test("what the calendar says is changed there; what was read can be written back", async () => {
    const { acme, meeting, path } = await filed();

    for (const [field, value] of Object.entries({
      title: "Mine",
      starts_at: "2031-03-05T10:00:00Z",
      ends_at: "2031-03-04T12:00:00Z",
      duration: 60,
      location: "Here",
      note: "No",
      attendees: [],
      conference_links: [{ url: "https://zoom.us/j/1" }],
    })) {
      const { "field-errors": errors } = await acme.refused(400, "PUT", path, { [field]: value }, field);
      assert.match(errors[field], /change it there/);
    }
    assert.equal((await acme.put(path, meeting)).title, "Demo");
  });

  test("a meeting that was called off here stays so", async () => {
    const { acme, calendar, sync, path } = await filed();
    await acme.put(path, { status: "canceled" });

    calendar.change("demo", { title: "Still on there" });
    await sync();

    const { title, status } = await acme.get(path);
    assert.deepEqual([title, status], ["Still on there", "canceled"]);
  });

  test("a meeting that was deleted here does not come again, also not with the next listing", async () => {
    const { acme, calendar, sync, path } = await filed();
    await acme.delete(path);

    calendar.change("demo", { title: "Again" });
    await sync();
    await sync(25 * 60);

    assert.deepEqual(await meetings(acme), []);
  });

  test("whoever takes part is told of a new meeting, and not of those that stood there before", async () => {
    const one = await following("google");
    const bob = await one.acme.member();
    const { email } = await bob.get("/me/");
    await customer(one.acme, carla);
    const guests = [{ email: carla }, { email }];
    const told = async () =>
      (await bob.get("/notification/")).data.filter((each: any) => each.type === "meeting_scheduled").length;

    one.calendar.put({ id: "before", ...times, guests });
    one.calendar.forgetChanges();
    await one.sync();
    const before = await told();
    one.calendar.put({ id: "new", ...times, guests });
    await one.sync();

    assert.deepEqual([before, await told()], [0, 1]);
  });

  test("somebody who becomes a contact finds their meetings within a day", async () => {
    const one = await following("google");
    one.calendar.put({
      id: "demo",
      ...times,
      starts: "2031-03-20T10:00:00Z",
      ends: "2031-03-20T11:00:00Z",
      guests: [{ email: carla }],
    });
    await one.sync();
    const before = await meetings(one.acme);
    await customer(one.acme, carla);

    await one.sync(24 * 60);

    assert.deepEqual([before.length, (await meetings(one.acme)).length], [0, 1]);
  });

  test("a meeting with somebody at a lead that the calendar's owner does not see is in no lead, and one that is there follows", async () => {
    const one = await following("google");
    const role = await one.acme.post("/role/", { name: "Own leads only" });
    const membership = (await one.acme.get(`/membership/?user_id=${one.acme.userId}`)).data[0];
    const boss = await one.acme.member("admin");
    const own = await customer(one.acme, carla);
    const hidden = await customer(boss, "hidden@client.example");
    await boss.put(`/lead/${own.lead_id}/`, { owner_id: one.acme.userId });
    await boss.put(`/lead/${hidden.lead_id}/`, { owner_id: boss.userId });
    await boss.put(`/membership/${membership.id}/`, { role_id: role.id });
    one.calendar.put({ id: "seen", ...times, title: "Demo", guests: [{ email: carla }] });
    one.calendar.put({ id: "unseen", ...times, title: "Secret", guests: [{ email: "hidden@client.example" }] });
    await one.sync();
    const before = (await meetings(boss)).map((meeting) => [meeting.title, meeting.lead_id]);
    await boss.put(`/lead/${own.lead_id}/`, { owner_id: boss.userId });

    one.calendar.put({ id: "seen", ...times, title: "Demo, moved", guests: [{ email: carla }] });
    await one.sync();

    const after = (await meetings(boss)).map((meeting) => [meeting.title, meeting.status]);
    assert.deepEqual([before, after], [[["Demo", own.lead_id]], [["Demo, moved", "upcoming"]]]);
  });

  test("an address that two leads share is the one's who was spoken to last", async () => {
    const one = await following("google");
    const [older, newer] = [await customer(one.acme, carla), await customer(one.acme, carla)];
    await one.acme.post("/activity/call/", { lead_id: older.lead_id, contact_id: older.id, activity_at: "2031-03-01T10:00:00Z" });
    one.calendar.put({ id: "demo", ...times, guests: [{ email: carla }] });

    await one.sync();

    const [meeting] = await meetings(one.acme);
    assert.deepEqual([meeting.lead_id, meeting.contact_id], [older.lead_id, older.id]);
    assert.notEqual(meeting.lead_id, newer.lead_id);
  });
});
