// Notifications that were unread for ten minutes come by mail: once, all of them, at a good hour, and only those that the member
// may see.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { serviceWithMail } from "../../../test/support/service_with_mail.ts";
import type { Received } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";

const { mail, on } = await serviceWithMail({ daysApart: 7 });

/** Moves the clock and does what is due then. */
async function passes(minutes: number): Promise<void> {
  on.clock.now = new Date(on.clock.now!.getTime() + minutes * 60_000);
  await withWorker(on, (worker) => worker.drained());
}

interface Member {
  acme: Workspace;
  bob: Workspace;
  received: () => Received[];
}

async function given(role = "user"): Promise<Member> {
  const acme = await organization(on);
  const bob = await acme.member(role);
  const { email } = await bob.get("/me/");
  return { acme, bob, received: () => mail.to(email) };
}

const give = (acme: Workspace, bob: Workspace, name: string): Promise<any> => acme.lead({ name, owner_id: bob.userId });

test("what is unread for ten minutes comes in one mail, with all of it, once", async () => {
  const { acme, bob, received } = await given();
  await acme.put(`/organization/${acme.id}/`, { name: "Globex" });
  const lead = await give(acme, bob, "Wayne <Ltd>");
  await passes(9);
  assert.equal(received().length, 0);
  await acme.task({ lead_id: lead.id, assigned_to: bob.userId, text: "Send the offer" });
  await give(acme, bob, "Initech");

  await passes(1);
  await passes(60);

  const [digest, ...more] = received();
  assert.equal(more.length, 0);
  assert.equal(digest!.subject, "3 unread notifications in Globex");
  assert.equal(digest!.header("auto-submitted"), "auto-generated");
  assert.match(digest!.text!, /^Hello Member,/);
  assert.match(
    digest!.text!,
    /Initech\n\n- .*assigned you the lead Initech\n {2}http:\/\/localhost\/lead\/lead_\w+\/\n\nWayne <Ltd>\n\n- .*\n/,
  );
  assert.ok(digest!.html!.includes("Wayne &lt;Ltd&gt;") && !digest!.html!.includes("<Ltd>"));
  assert.equal(digest!.html!.match(/<h2/g)!.length, 2);
  assert.deepEqual([...digest!.html!.matchAll(/\/lead\/(lead_\w+)\//g)].filter(([, id]) => id === lead.id).length, 2);
});

test("what somebody did is an English sentence, in whatever direction their name is read, and a lead's name is in its own", async () => {
  const { acme, bob, received } = await given();
  await acme.put("/me/", { first_name: "דנה", last_name: "לוי" });
  await bob.put("/me/", { first_name: "יעל" });
  await give(acme, bob, "נגריית לוי");
  await passes(10);

  const [{ text, html }] = received() as [Received];
  assert.match(text!, /^Hello \u2068יעל\u2069,/);
  assert.match(text!, /- \u2068דנה לוי\u2069 assigned you the lead נגריית לוי\n/);
  assert.match(html!, /<h2 dir="rtl"[^>]*>נגריית לוי</);
  assert.match(html!, /<p [^>]*dir="ltr"><a [^>]*>\u2068דנה לוי\u2069 assigned you/);
});

test("the same notification again increases the count, and after a mail it is a new one", async () => {
  const { acme, bob, received } = await given();
  const lead = await give(acme, bob, "Wayne");
  const giveAgain = async () => {
    await acme.put(`/lead/${lead.id}/`, { owner_id: acme.userId });
    await acme.put(`/lead/${lead.id}/`, { owner_id: bob.userId });
  };
  await giveAgain();

  await passes(10);
  await giveAgain();
  await passes(10);

  assert.equal(received().length, 2);
  assert.match(received()[0]!.text!, /assigned you the lead Wayne \(2 times\)/);
  assert.equal(received()[1]!.subject!.split(" ")[0], "1");
});

describe("no mail comes", () => {
  test("of what was read, and to who caused it", async () => {
    const { acme, bob, received } = await given();
    await give(acme, bob, "Wayne");
    await bob.lead({ owner_id: bob.userId });
    await bob.post("/notification/mark_all_read/", {});

    await passes(20);

    assert.deepEqual([received().length, mail.to((await acme.get("/me/")).email).length], [0, 0]);
  });

  test("of what was read or hidden while the mail was on its way", async () => {
    const { acme, bob, received } = await given("restricteduser");
    const hidden = await give(acme, bob, "Hidden");
    const seen = await give(acme, bob, "Read");
    await mail.close();
    await passes(10);
    await acme.put(`/lead/${hidden.id}/`, { owner_id: acme.userId });
    const notice = (await bob.get(`/notification/?object_id=${seen.id}`)).data[0];
    await bob.put(`/notification/${notice.id}/`, { is_read: true });

    await mail.open();
    await passes(5);

    assert.equal(received().length, 0);
  });

  test("of leads that one does not see any more", async () => {
    const { acme, bob, received } = await given("restricteduser");
    const hidden = await give(acme, bob, "Hidden");
    await give(acme, bob, "Shown");
    await acme.put(`/lead/${hidden.id}/`, { owner_id: acme.userId });

    await passes(10);

    assert.match(received()[0]!.subject!, /^1 unread notification in /);
    assert.ok(!received()[0]!.text!.includes("Hidden") && received()[0]!.text!.includes("Shown"));
  });

  test("to who left, or turned it off", async () => {
    const [left, off] = [await given(), await given()];
    for (const { acme, bob } of [left, off]) await give(acme, bob, "Wayne");
    const membership = (await left.acme.get(`/membership/?user_id=${left.bob.userId}`)).data[0];
    await left.acme.delete(`/membership/${membership.id}/`);
    await off.bob.put("/me/", { notification_settings: { email: false } });

    await passes(10);

    assert.deepEqual([left.received().length, off.received().length], [0, 0]);
  });

  test("of what is older than a day when somebody looks for the first time", async () => {
    const { acme, bob, received } = await given();
    await give(acme, bob, "Old");
    on.clock.now = new Date(on.clock.now!.getTime() + 25 * 3600 * 1000);
    await give(acme, bob, "New");

    await passes(10);

    assert.match(received()[0]!.subject!, /^1 unread/);
    assert.ok(!received()[0]!.text!.includes("Old"));
  });
});

test("a member of two organizations gets a mail of each, and nothing of one in the other", async () => {
  const { acme, bob, received } = await given();
  const other = await organization(on);
  await bob.joins(other);
  await give(acme, bob, "Here");
  await other.lead({ name: "There", owner_id: bob.userId });

  await passes(10);

  const texts = received().map(({ text }) => text!);
  assert.equal(texts.length, 2);
  for (const text of texts) assert.notEqual(text.includes("Here"), text.includes("There"));
});

test("of sixty things fifty are told, and how many more there are", async () => {
  const { acme, bob, received } = await given();
  for (let i = 0; i < 60; i++) await give(acme, bob, `Lead ${i}`);

  await passes(10);

  assert.match(received()[0]!.subject!, /^60 unread/);
  assert.equal(received()[0]!.text!.match(/^- /gm)!.length, 50);
  assert.match(received()[0]!.text!, /… and 10 more\./);
});

describe("the link to turn it off", () => {
  const linkOf = (digest: Received): string => {
    const header = digest.header("list-unsubscribe")!.slice(1, -1);
    assert.ok(digest.text!.includes(header));
    return header.replace("http://localhost", on.url);
  };

  test("asks first, and then there is no such mail any more", async () => {
    const { acme, bob, received } = await given();
    await give(acme, bob, "First");
    await passes(10);
    const link = linkOf(received()[0]!);

    const page = await (await fetch(link)).text();
    assert.ok(page.includes("Turn it off"));
    assert.equal((await bob.get("/me/")).notification_settings.email, true);
    const pressed = await fetch(link, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });
    await give(acme, bob, "Second");
    await passes(10);

    assert.equal(pressed.status, 200);
    assert.equal(received().length, 1);
    assert.equal((await bob.get("/me/")).notification_settings.email, false);
  });

  test("works for nobody who makes one up", async () => {
    const { acme, bob, received } = await given();
    await give(acme, bob, "First");
    await passes(10);
    const link = linkOf(received()[0]!);

    const [path, token] = [link.slice(0, link.indexOf("/digests/") + 9), link.split("/").at(-2)!];
    for (const other of ["x", bob.userId, `${token.slice(0, -3)}AAA`, token.replace("v1.", "v2.")])
      assert.equal((await fetch(`${path}${other}/`, { method: "POST" })).status, 404, other);
    assert.equal((await bob.get("/me/")).notification_settings.email, true);
  });
});

// The last test, because it is years later.
describe("quiet hours", () => {
  const at = (time: string) => (on.clock.now = new Date(time));

  test("are from eight in the evening to seven in the morning where the member is, unless they say otherwise", async () => {
    at("2035-06-01T17:55:00Z");
    const [berlin, tokyo] = [await given(), await given()];
    await berlin.bob.put("/me/", { timezone: "Europe/Berlin" });
    await tokyo.bob.put("/me/", { timezone: "Asia/Tokyo", notification_settings: { quiet_hours: null } });
    for (const { acme, bob } of [berlin, tokyo]) await give(acme, bob, "Late");

    await passes(10);
    assert.deepEqual([berlin.received().length, tokyo.received().length], [0, 1], "20:05 in Berlin, 03:05 in Tokyo");
    at("2035-06-02T04:58:00Z");
    await passes(1);
    assert.equal(berlin.received().length, 0, "06:59");
    await passes(1);

    assert.equal(berlin.received().length, 1);
  });

  test("follow the clock over the change to summer time and back", async () => {
    for (const [evening, early, morning] of [
      // Summer time starts at two: seven o'clock is an hour earlier than the day before.
      ["2036-03-29T19:30:00Z", "2036-03-30T04:58:00Z", "2036-03-30T05:00:00Z"],
      ["2036-10-25T18:30:00Z", "2036-10-26T05:58:00Z", "2036-10-26T06:00:00Z"],
    ] as const) {
      at(evening);
      const { acme, bob, received } = await given();
      await bob.put("/me/", { timezone: "Europe/Berlin" });
      await give(acme, bob, "Late");

      at(early);
      await passes(0);
      assert.equal(received().length, 0, early);
      at(morning);
      await passes(0);
      assert.equal(received().length, 1, morning);
    }
  });

  test("hold for a mail that the server did not take before they began", async () => {
    at("2037-06-01T19:40:00Z");
    const { acme, bob, received } = await given();
    await give(acme, bob, "Wayne");
    await mail.close();
    await passes(10);
    await mail.open();

    await passes(20);
    assert.equal(received().length, 0, "20:10");
    at("2037-06-02T07:05:00Z");
    await passes(10);

    assert.equal(received().length, 1);
  });

  test("are a member's own to set, and nonsense is refused", async () => {
    const { bob } = await given();
    const put = (notification_settings: object) => bob.put("/me/", { notification_settings });

    assert.deepEqual((await bob.get("/me/")).notification_settings, { email: true, quiet_hours: { from: "20:00", to: "07:00" } });
    assert.deepEqual((await put({ quiet_hours: { from: "22:30", to: "06:00" } })).notification_settings, {
      email: true,
      quiet_hours: { from: "22:30", to: "06:00" },
    });
    assert.deepEqual((await put({ email: false })).notification_settings, {
      email: false,
      quiet_hours: { from: "22:30", to: "06:00" },
    });
    const refused = (settings: unknown, place: string) =>
      bob.refused(400, "PUT", "/me/", { notification_settings: settings }, `notification_settings.${place}`);
    await refused({ email: "yes" }, "email");
    await refused({ quiet_hours: { from: "25:00", to: "06:00" } }, "quiet_hours.from");
    await refused({ quiet_hours: { from: "22:00" } }, "quiet_hours.to");
    await refused({ quiet_hours: { from: "22:00", to: "22:00" } }, "quiet_hours.to");
  });
});
