// A calendar that cannot be read, is too large, or whose owner leaves: its meetings stay, nobody is asked too often, and the
// owner is told what to do.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CalendarEntry } from "../../../test/support/calendars.ts";
import { atMoment } from "../../../test/support/clock.ts";
import { connect } from "../../../test/support/connecting.ts";
import { customer, type Following, following, meetings } from "../../../test/support/following.ts";
import type { ApiAnswer } from "../../../test/support/oauth_provider.ts";

const carla = "carla@client.example";

const demo = (change: Partial<CalendarEntry> = {}): CalendarEntry => ({
  id: "demo",
  title: "Demo",
  starts: "2031-03-10T10:00:00Z",
  ends: "2031-03-10T11:00:00Z",
  guests: [{ email: carla }],
  ...change,
});

const shown = ({ acme, account }: Following) => acme.get(`/connected_account/${account.id}/`);
const told = async ({ acme }: Following) =>
  (await acme.get("/notification/")).data.filter((one: any) => one.type === "account_error").length;
const asked = ({ calendars, person }: Following) => calendars.askedBy(person.email).length;
const jobs = async ({ acme }: Following) =>
  (
    await acme.service.app.db.query(acme.id, {
      text: "select from job where organization_id = $1 and kind = 'calendar'",
      values: [acme.id],
    })
  ).length;

/** Makes the provider respond with this in place of events, and counts the requests. */
function refusing({ calendars, person: own }: Following, answer: ApiAnswer): { count: number } {
  const heard = { count: 0 };
  calendars.refuses = ({ url, person }) => {
    if (person.email !== own.email || !/events$|delta$/.test(url.pathname)) return null;
    heard.count++;
    return answer;
  };
  return heard;
}

for (const type of ["google", "microsoft"] as const)
  describe(`a provider such as ${type}`, () => {
    test("that is away is asked ever less often, and is told of after an hour; when it is back all is well", async () => {
      const one = await following(type);
      await customer(one.acme, carla);
      one.calendar.put(demo());
      const heard = refusing(one, { status: 503 });

      await one.sync();
      await one.sync(1);
      const early = await shown(one);
      for (let i = 0; i < 12; i++) await one.sync(10);
      const late = await shown(one);
      const asked = heard.count;
      one.calendars.refuses = null;
      await one.sync(61);

      assert.deepEqual([early.calendar_status, late.calendar_status, (await shown(one)).calendar_status], ["ok", "error", "ok"]);
      assert.match(late.latest_calendar_error, /answered 503/);
      assert.ok(asked >= 4 && asked <= 10, `${asked} times in two hours`);
      assert.deepEqual([await told(one), (await meetings(one.acme)).length], [1, 1]);
    });

    test("that has had too much is asked again when it says so", async () => {
      const one = await following(type);
      const isGoogle = type === "google";
      const tooMuch = { error: { message: "Rate Limit Exceeded", errors: [{ reason: "rateLimitExceeded" }] } };
      const heard = refusing(one, { status: isGoogle ? 403 : 429, body: tooMuch, headers: { "retry-after": "1800" } });

      await one.sync();
      await one.sync(20);
      const before = heard.count;
      await one.sync(11);

      assert.deepEqual([before, heard.count], [1, 2]);
    });

    test("that does not take a token gets another one", async () => {
      const one = await following(type);
      await customer(one.acme, carla);
      one.calendar.put(demo());
      one.provider.expireTokens();
      one.provider.asked = [];

      await one.sync();
      await one.sync(1);

      assert.equal((await meetings(one.acme)).length, 1);
      assert.equal(one.provider.asked.length, 1);
    });

    test("that refuses a calendar for good is asked again after a day; the account says why", async () => {
      const one = await following(type);
      const heard = refusing(one, { status: 403, body: { error: { message: "Calendar usage limits" } } });

      await one.sync();
      for (let i = 0; i < 5; i++) await one.sync(60);
      const { calendar_status, latest_calendar_error } = await shown(one);
      const asked = heard.count;
      one.calendars.refuses = null;
      await one.sync(20 * 60);

      // One request for changes, and then one for everything.
      assert.deepEqual([calendar_status, asked, await told(one)], ["error", 2, 1]);
      assert.match(latest_calendar_error, /Calendar usage limits/);
      assert.equal((await shown(one)).calendar_status, "ok");
    });

    test("that answers nonsense brings nothing and breaks nothing", async () => {
      const one = await following(type);
      await customer(one.acme, carla);
      const nonsense = [null, 5, "x", { id: 5 }, { id: "a\u0000" }, { id: "ok", start: 7 }, { id: "b", attendees: {} }];
      refusing(one, { body: { items: nonsense, value: nonsense, nextSyncToken: "1", "@odata.deltaLink": "https://x/v1.0/me" } });

      await one.sync();

      assert.deepEqual(await meetings(one.acme), []);
      assert.equal((await shown(one)).calendar_status, "ok");
    });

    test("never gets a token sent elsewhere, whatever its links say", async () => {
      const one = await following(type);
      let elsewhere = 0;
      one.provider.apis.push(() => (elsewhere++, null));
      refusing(one, { body: { items: [], value: [], "@odata.deltaLink": "http://127.0.0.2:1/v1.0/steal?token" } });

      await one.sync();
      one.calendars.refuses = null;
      await one.sync();
      await one.sync(1);

      assert.equal((await shown(one)).calendar_status, "ok");
      assert.ok(elsewhere <= 2);
    });
  });

/** As if they had accepted another invitation. */
async function comesBack({ acme, service }: Following, membershipId: string): Promise<void> {
  await service.app.db.transaction(acme.id, async (tx) =>
    tx.write({
      text: "update membership set status = 'active' where organization_id = $1 and id = $2",
      values: [acme.id, membershipId],
    }),
  );
  service.app.core.forget(acme.id);
}

describe("an account", () => {
  test("whose grant is withdrawn is followed no more until it is connected again", async () => {
    const one = await following("google");
    await customer(one.acme, carla);
    one.provider.withdraw(one.person.email);
    one.calendar.put(demo());
    await one.sync(61);
    const { calendar_status } = await shown(one);
    const waiting = await jobs(one);
    const before = asked(one);
    await one.sync(600);
    const after = asked(one);

    await connect(one.acme, one.provider, "google", one.person);
    await one.drained();

    assert.deepEqual([calendar_status, waiting, after - before, await told(one)], ["error", 0, 0, 1]);
    assert.deepEqual([(await shown(one)).calendar_status, (await meetings(one.acme)).length], ["ok", 1]);
  });

  test("that is deleted or does calendars no more keeps its meetings, and connected again it finds them", async () => {
    const one = await following("google");
    await customer(one.acme, carla);
    one.calendar.put(demo());
    await one.sync();
    const [meeting] = await meetings(one.acme);
    const path = `/activity/meeting/${meeting.id}/`;

    await one.acme.put(`/connected_account/${one.account.id}/`, { enabled_features: ["email_sending"] });
    await one.sync(60);
    const free = await one.acme.put(path, { location: "Ours" });
    await one.acme.delete(`/connected_account/${one.account.id}/`);
    await one.sync(60);
    const kept = await one.acme.get(path);
    await connect(one.acme, one.provider, "google", one.person);
    one.calendar.change("demo", { title: "Found" });
    await one.drained();

    assert.deepEqual([free.location, kept.status], ["Ours", "upcoming"]);
    const all = await meetings(one.acme);
    assert.deepEqual(
      all.map(({ id, title, location }) => [id, title, location]),
      [[meeting.id, "Found", null]],
    );
  });

  test("of a member who leaves is followed no more, and again when they come back", async () => {
    const one = await following("google");
    const bob = await one.joinedBy("google");
    await customer(one.acme, carla);
    const [membership] = (await one.acme.get(`/membership/?user_id=${bob.member.userId}`)).data;
    bob.calendar.put(demo());
    await one.sync();

    await one.acme.delete(`/membership/${membership.id}/`);
    bob.calendar.change("demo", { title: "Nobody looks" });
    await one.sync();
    await one.sync();
    const [meeting] = await meetings(one.acme);
    const free = await one.acme.put(`/activity/meeting/${meeting.id}/`, { location: "Ours" });
    await comesBack(one, membership.id);
    await atMoment(one.service, one.service.clock.now!.toISOString(), "calendars");
    await one.drained();

    assert.deepEqual([meeting.title, meeting.status, free.location], ["Demo", "upcoming", "Ours"]);
    assert.deepEqual(
      (await meetings(one.acme)).map(({ title }) => title),
      ["Nobody looks"],
    );
  });

  test("whose job was lost has one again", async () => {
    const one = await following("google");
    const { db } = one.service.app;
    await db.transaction(one.acme.id, async (tx) =>
      tx.write({ text: "delete from job where organization_id = $1 and kind = 'calendar'", values: [one.acme.id] }),
    );
    const before = await jobs(one);

    await atMoment(one.service, one.service.clock.now!.toISOString(), "calendars");

    assert.deepEqual([before, await jobs(one)], [0, 1]);
  });
});

describe("a calendar without an end", () => {
  const everyMinute = (count: number) => ({
    count,
    make: (i: number): CalendarEntry => {
      const at = new Date(Date.UTC(2031, 2, 4) + i * 60_000).toISOString();
      return demo({ id: `minute_${i}`, series: "minutes", isException: true, starts: at, ends: at });
    },
  });

  test("of a million repetitions brings so many of a series, says that it is too large, and is left alone for a day", async () => {
    const one = await following("google");
    await customer(one.acme, carla);
    one.calendar.perPage = 2500;
    one.calendar.endless = everyMinute(1_000_000);
    one.calendar.forgetChanges();
    const before = asked(one);

    await one.sync();
    const count = asked(one) - before;
    await one.sync(60);

    const { calendar_status, latest_calendar_error } = await shown(one);
    assert.deepEqual([await counted(one), calendar_status], [400, "error"]);
    assert.match(latest_calendar_error, /more than 20000 events/);
    assert.ok(count <= 12, `asked ${count} times`);
    assert.equal(asked(one) - before, count);
  });

  async function counted({ acme }: Following) {
    const [row] = await acme.service.app.db.query(acme.id, {
      text: "select count(*) from activity where organization_id = $1 and _type = 'Meeting'",
      values: [acme.id],
    });
    return Number(row![0]);
  }

  test("of which little changes is no burden: an account at rest is asked every five minutes or so, not all at once", async () => {
    const one = await following("google");
    const before = asked(one);
    const due: number[] = [];
    for (let i = 0; i < 12; i++) {
      await one.sync(7);
      const [row] = await one.service.app.db.query(one.acme.id, {
        text: "select extract(epoch from due_at - $2::timestamptz) from job where organization_id = $1 and kind = 'calendar'",
        values: [one.acme.id, one.service.clock.now],
      });
      due.push(Number(row![0]));
    }

    assert.equal(asked(one) - before, 12);
    assert.ok(due.every((seconds) => seconds >= 240 && seconds <= 360) && new Set(due).size > 6, due.join());
  });
});

test("a series at microsoft that changes as a whole changes its occurrences, but for those that say otherwise", async () => {
  const one = await following("microsoft");
  await customer(one.acme, carla);
  const at = (day: string) => ({ starts: `2031-03-${day}T10:00:00Z`, ends: `2031-03-${day}T10:30:00Z` });
  one.calendar.put({ id: "weekly", isSeries: true, title: "Weekly", guests: [{ email: carla }], ...at("04") });
  one.calendar.put(...["04", "11"].map((day) => ({ id: `w_${day}`, series: "weekly", ...at(day) })));
  one.calendar.put({
    id: "w_18",
    series: "weekly",
    isException: true,
    title: "Special",
    guests: [{ email: carla }],
    ...at("18"),
  });
  await one.sync();

  one.calendar.change("weekly", { title: "Renamed" });
  await one.sync();
  one.calendar.put({ id: "w_25", series: "weekly", ...at("25") });
  await one.sync();

  assert.deepEqual(
    (await meetings(one.acme)).map(({ title, starts_at }) => [title, starts_at.slice(8, 10)]),
    [
      ["Renamed", "04"],
      ["Renamed", "11"],
      ["Special", "18"],
      ["Renamed", "25"],
    ],
  );
});
