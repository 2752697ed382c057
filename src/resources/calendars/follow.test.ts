// Meetings come in from members' calendars and follow the changes there, whichever member's calendar it is.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CalendarEntry } from "../../../test/support/calendars.ts";
import { customer, type Following, following, meetings } from "../../../test/support/following.ts";

const carla = "carla@client.example";
const tomorrow = { starts: "2031-03-04T10:00:00Z", ends: "2031-03-04T11:00:00Z" };

const demo = (change: Partial<CalendarEntry> = {}): CalendarEntry => ({
  id: "demo",
  title: "Demo",
  ...tomorrow,
  guests: [{ email: carla }],
  ...change,
});

/** A meeting that came in, and functions to read it again. */
async function cameIn(following: Following, change: Partial<CalendarEntry> = {}) {
  const { acme, calendar, sync } = following;
  const contact = await customer(acme, carla);
  calendar.put(demo(change));
  await sync();
  const [meeting] = await meetings(acme);
  return {
    contact,
    meeting,
    path: `/activity/meeting/${meeting.id}/`,
    shown: () => acme.get(`/activity/meeting/${meeting.id}/`),
  };
}

const actions = async ({ acme }: Following, { id }: { id: string }) => (await acme.events(id)).map((one) => one.action);

for (const type of ["google", "microsoft"] as const)
  describe(`a calendar at ${type}`, () => {
    test("is listed when the account is connected, and the main one is followed", async () => {
      const { account, person } = await following(type);

      assert.deepEqual(account.available_calendars, [{ id: `primary-of-${person.email}`, name: person.email, is_primary: true }]);
      assert.deepEqual(account.synced_calendars, account.available_calendars);
      assert.deepEqual([account.calendar_status, account.latest_calendar_error], ["ok", null]);
    });

    test("brings meetings with people we know, on their lead, with all that is said there", async () => {
      const one = await following(type);
      const { contact, meeting } = await cameIn(one, {
        guests: [
          { email: "CARLA@client.example", name: "Carla", said: "accepted" },
          { email: "room@acme.example", isRoom: true },
        ],
        location: "Room 5",
        description: "Bring the contract",
        video: "https://meet.google.com/abc-defg-hij",
      });

      assert.deepEqual([meeting.lead_id, meeting.contact_id, meeting.user_id], [contact.lead_id, contact.id, one.acme.userId]);
      assert.deepEqual([meeting.title, meeting.location, meeting.note], ["Demo", "Room 5", "Bring the contract"]);
      assert.deepEqual([meeting.starts_at, meeting.duration], ["2031-03-04T10:00:00.000Z", 3600]);
      assert.deepEqual([meeting.status, meeting.source, meeting.is_recurring], ["upcoming", "calendar", false]);
      assert.deepEqual(meeting.conference_links, [{ type: "google_meet", url: "https://meet.google.com/abc-defg-hij" }]);
      assert.deepEqual(
        [meeting.connected_account_id, meeting.provider_calendar_id, meeting.provider_calendar_event_id],
        [one.account.id, one.calendar.id, "demo"],
      );
      const [client, owner] = meeting.attendees;
      assert.deepEqual([client.contact_id, client.status, client.name], [contact.id, "yes", "Carla"]);
      assert.deepEqual([owner.user_id, owner.is_organizer, owner.status], [one.acme.userId, true, "yes"]);
      assert.equal(meeting.attendees.length, 2);
      assert.match(meeting.calendar_event_link, /demo/);
      assert.deepEqual(await actions(one, meeting), ["created", "scheduled"]);
    });

    test("keeps to itself what is with nobody we know, with colleagues alone, away, or private", async () => {
      const { acme, calendar, sync } = await following(type);
      const bob = await acme.member();
      const { email } = await bob.get("/me/");
      await customer(acme, carla);
      await customer(acme, email, { name: "A colleague who is a contact too" });
      calendar.put(
        demo({ id: "stranger", guests: [{ email: "nobody@elsewhere.example" }] }),
        demo({ id: "colleague", guests: [{ email }] }),
        demo({ id: "alone", guests: [] }),
        demo({ id: "private", isPrivate: true }),
        demo({ id: "far", starts: "2032-03-04T10:00:00Z", ends: "2032-03-04T11:00:00Z" }),
        demo({ id: "old", starts: "2030-12-04T10:00:00Z", ends: "2030-12-04T11:00:00Z" }),
        demo({ id: "broken", starts: "soonT", ends: "laterT", zone: "UTC" }),
        ...(type === "google" ? [demo({ id: "away", eventType: "outOfOffice" })] : []),
      );

      await sync();

      assert.deepEqual(await meetings(acme), []);
    });

    test("knows a member by no address that they only claim, which would keep a customer's meetings out", async () => {
      const one = await following(type);
      const eve = await one.acme.member();
      await eve.post("/connected_account/", { email: carla, smtp: { host: "93.184.216.34" } });

      const { contact, meeting } = await cameIn(one);

      assert.deepEqual(
        [meeting.lead_id, meeting.attendees[0].contact_id, meeting.attendees[0].user_id],
        [contact.lead_id, contact.id, null],
      );
    });

    test("moves, renames and fills a meeting as its event is, and tells each change once", async () => {
      const one = await following(type);
      const { meeting, shown } = await cameIn(one);

      one.calendar.change("demo", {
        title: "Big demo",
        starts: "2031-03-05T15:00:00Z",
        ends: "2031-03-05T16:30:00Z",
        location: "Zoom",
      });
      await one.sync();
      await one.sync();

      const after = await shown();
      assert.deepEqual(
        [after.title, after.starts_at, after.duration, after.location, after.activity_at],
        ["Big demo", "2031-03-05T15:00:00.000Z", 5400, "Zoom", "2031-03-05T15:00:00.000Z"],
      );
      assert.deepEqual(await actions(one, meeting), ["created", "scheduled", "updated"]);
    });

    test("follows what people answer, up to no of all from one side", async () => {
      const one = await following(type);
      const { shown } = await cameIn(one);
      const said = async (said: "accepted" | "tentative" | "declined") => {
        one.calendar.change("demo", { guests: [{ email: carla, said }] });
        await one.sync();
        const { status, attendees } = await shown();
        return [status, attendees[0].status];
      };

      assert.deepEqual(await said("accepted"), ["upcoming", "yes"]);
      assert.deepEqual(await said("tentative"), ["upcoming", "maybe"]);
      assert.deepEqual(await said("declined"), ["declined-by-lead", "no"]);
      assert.deepEqual(await said("accepted"), ["upcoming", "yes"]);
    });

    test("calls a meeting off when its event is, and takes that back with it", async () => {
      const one = await following(type);
      const { meeting, shown } = await cameIn(one);

      one.calendar.remove("demo");
      await one.sync();
      const off = await shown();
      one.calendar.put(demo());
      await one.sync();

      assert.deepEqual([off.status, (await shown()).status], ["canceled", "upcoming"]);
      assert.equal((await meetings(one.acme)).length, 1);
      assert.deepEqual(await actions(one, meeting), ["created", "scheduled", "updated", "canceled", "updated"]);
    });

    test("calls a meeting off that stands there as called off, or without whoever we know", async () => {
      const one = await following(type);
      const { shown } = await cameIn(one);

      one.calendar.change("demo", { isCalledOff: true });
      await one.sync();
      const off = await shown();
      one.calendar.change("demo", { isCalledOff: false });
      await one.sync();
      const on = await shown();
      one.calendar.change("demo", { guests: [{ email: "nobody@elsewhere.example" }] });
      await one.sync();

      assert.deepEqual([off.status, on.status, (await shown()).status], ["canceled", "upcoming", "canceled"]);
    });

    test("leaves a meeting that took place alone when its event is deleted", async () => {
      const one = await following(type);
      const { shown } = await cameIn(one, { starts: "2031-03-03T07:00:00Z", ends: "2031-03-03T08:00:00Z" });

      one.calendar.remove("demo");
      await one.sync();

      assert.equal((await shown()).status, "completed");
    });

    test("brings each occurrence of a series, and one that was moved or called off by itself", async () => {
      const { acme, calendar, sync } = await following(type);
      await customer(acme, carla);
      const series = { series: "weekly", guests: [{ email: carla }], title: "Weekly" };
      const at = (day: string) => ({ starts: `2031-03-${day}T10:00:00Z`, ends: `2031-03-${day}T10:30:00Z` });
      calendar.put({ id: "weekly", isSeries: true, title: "Weekly", guests: [{ email: carla }], ...at("04") });
      for (const day of ["04", "11", "18"]) calendar.put({ id: `weekly_${day}`, ...series, ...at(day) });
      await sync();
      const first = await meetings(acme);

      calendar.put({ id: "weekly_11", ...series, ...at("12"), originally: at("11").starts, isException: true, title: "Moved" });
      calendar.remove("weekly_18");
      await sync();

      const second = await meetings(acme);
      assert.deepEqual(
        first.map((one) => [one.starts_at.slice(0, 10), one.title, one.is_recurring]),
        ["04", "11", "18"].map((day) => [`2031-03-${day}`, "Weekly", true]),
      );
      assert.deepEqual(
        second.map((one) => [one.starts_at.slice(0, 10), one.title, one.status]),
        [
          ["2031-03-04", "Weekly", "upcoming"],
          ["2031-03-12", "Moved", "upcoming"],
          ["2031-03-18", "Weekly", "canceled"],
        ],
      );
      assert.deepEqual(
        second.map(({ id }) => id),
        first.map(({ id }) => id),
      );
    });

    test("has whole days where its owner is, also over the change of the clocks", async () => {
      const one = await following(type);
      await one.acme.put("/me/", { timezone: "Europe/Berlin" });
      const { meeting } = await cameIn(one, { starts: "2031-03-30", ends: "2031-03-31" });

      assert.deepEqual(
        [meeting.starts_at, meeting.ends_at, meeting.duration],
        ["2031-03-29T23:00:00.000Z", "2031-03-30T22:00:00.000Z", 23 * 3600],
      );
    });

    test("understands times of every form", async () => {
      const one = await following(type);
      await one.acme.put("/me/", { timezone: "America/New_York" });
      await customer(one.acme, carla);
      const forms: [string, string | undefined, string][] = [
        ["2031-03-04T10:00:00+05:45", undefined, "2031-03-04T04:15:00.000Z"],
        ["2031-03-04T10:00:00.0000000", "Pacific/Kiritimati", "2031-03-03T20:00:00.000Z"],
        ["2031-03-04T10:00:00", "US/Pacific", "2031-03-04T18:00:00.000Z"],
        ["2031-03-04T10:00:00", "Customized Time Zone", "2031-03-04T15:00:00.000Z"],
        ["2031-03-09T02:30:00", "America/New_York", "2031-03-09T07:30:00.000Z"],
      ];
      forms.forEach(([starts, zone], i) => one.calendar.put(demo({ id: `form${i}`, starts, ends: starts, zone })));

      await one.sync();

      const found = new Map((await meetings(one.acme)).map((each) => [each.provider_calendar_event_id, each]));
      assert.deepEqual(
        forms.map((_, i) => found.get(`form${i}`)?.starts_at),
        forms.map(([, , instant]) => instant),
      );
      assert.equal(found.get("form0").duration, 60, "what has no length takes a minute");
    });

    test("that knows no changes any more is listed anew: what is gone meanwhile is called off, and nothing comes twice", async () => {
      const one = await following(type);
      const { shown } = await cameIn(one);
      one.calendar.put(demo({ id: "other", title: "Other", starts: "2031-03-06T10:00:00Z", ends: "2031-03-06T11:00:00Z" }));
      await one.sync();

      one.calendar.remove("demo");
      one.calendar.change("other", { title: "Changed" });
      one.calendar.forgetChanges();
      await one.sync();

      assert.equal((await shown()).status, "canceled");
      assert.deepEqual(
        (await meetings(one.acme)).map(({ title, status }) => [title, status]),
        [
          ["Demo", "canceled"],
          ["Changed", "upcoming"],
        ],
      );
    });

    test("is read in pages, however many events it has", async () => {
      const { acme, calendar, sync } = await following(type);
      await customer(acme, carla);
      calendar.perPage = 7;
      const day = (i: number) => new Date(Date.UTC(2031, 2, 4 + i, 10)).toISOString();
      calendar.put(...Array.from({ length: 40 }, (_, i) => demo({ id: `e${i}`, starts: day(i), ends: day(i) })));
      calendar.forgetChanges();

      await sync();

      assert.equal((await meetings(acme)).length, 40);
    });

    test("hides what its owner has come to hide, and shows it again", async () => {
      const one = await following(type);
      const { shown } = await cameIn(one, { description: "Salary", location: "Cafe", video: "https://zoom.us/j/1" });

      one.calendar.change("demo", { isPrivate: true });
      await one.sync();
      const hidden = await shown();
      one.calendar.change("demo", { isPrivate: false });
      await one.sync();

      assert.deepEqual([hidden.title, hidden.note, hidden.location, hidden.status], ["Busy", null, null, "upcoming"]);
      assert.deepEqual([hidden.conference_links, hidden.calendar_event_link], [[], null]);
      assert.deepEqual([(await shown()).title, (await shown()).note], ["Demo", "Salary"]);
    });

    test("takes any text, cut to what fits and without what no text is", async () => {
      const one = await following(type);
      const { meeting } = await cameIn(one, {
        title: `${"x".repeat(400)}\u0000`,
        location: `${"y".repeat(2000)}\r\nBcc: a@b.example`,
        description: `<p>Hello <b>you</b></p><script>alert(1)</script>\ud800 https://acme.zoom.us/j/123 ${"z".repeat(200_000)}`,
        guests: [{ email: carla }, { email: "not an address", name: "Bob" }, { email: "a\r\nb@c.example" }],
        video: "javascript:alert(1)",
      });

      assert.deepEqual([meeting.title.length, meeting.location.length], [255, 1000]);
      assert.match(meeting.note, /^Hello you/);
      assert.ok(meeting.note.length <= 100_000 && !/alert|[\u0000\ud800]/.test(meeting.note));
      assert.deepEqual(meeting.conference_links, [{ type: "zoom", url: "https://acme.zoom.us/j/123" }]);
      assert.deepEqual(
        meeting.attendees.map((each: any) => each.email ?? each.name),
        [carla, "Bob", one.person.email],
      );
      one.calendar.change("demo", { title: null });
      await one.sync();
      assert.equal((await meetings(one.acme))[0].title, "(No title)");
    });
  });
