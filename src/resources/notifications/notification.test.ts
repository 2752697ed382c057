import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { notify } from "./notify.ts";

const noticesOf = async (member: Workspace): Promise<any[]> => (await member.get("/notification/")).data;
const typesOf = async (member: Workspace): Promise<string[]> => (await noticesOf(member)).map((one) => one.type).reverse();
const mention = (id: string) => `<p><span data-type="mention" data-id="${id}" data-label="X" class="mention">@X</span></p>`;
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

async function given(): Promise<{ acme: Workspace; bob: Workspace }> {
  const acme = await organization();
  return { acme, bob: await acme.member() };
}

describe("a member is told", () => {
  test("of a lead they are given, when it is made and later", async () => {
    const { acme, bob } = await given();

    const lead = await acme.lead({ name: "Wayne", owner_id: bob.userId });
    const other = await acme.lead();
    await acme.put(`/lead/${other.id}/`, { owner_id: bob.userId });
    await acme.put(`/lead/${other.id}/`, { name: "Renamed" });

    const [later, first] = await noticesOf(bob);
    assert.deepEqual(
      [first.type, first.object_type, first.object_id, first.lead_id],
      ["lead_assigned", "lead", lead.id, lead.id],
    );
    assert.deepEqual([first.actor_id, first.is_read, first.url], [acme.userId, false, `/lead/${lead.id}/`]);
    assert.match(first.title, /assigned you the lead Wayne$/);
    assert.equal(later.object_id, other.id);
    assert.deepEqual(await noticesOf(acme), []);
  });

  test("of a deal that is theirs, and that it was won", async () => {
    const { acme, bob } = await given();
    const deal = await acme.opportunity({ user_id: bob.userId, value: 500_00 });

    await acme.put(`/opportunity/${deal.id}/`, { status: "Lost" });
    await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
    await bob.opportunity();

    assert.deepEqual(await typesOf(bob), ["opportunity_assigned", "opportunity_won"]);
    assert.match((await noticesOf(bob))[0].title, /marked a deal of \$500\.00 as won$/);
  });

  test("of a task, also for a group, and of the completion of one's own tasks", async () => {
    const { acme, bob } = await given();
    const eve = await acme.member();
    const team = await acme.post("/group/", { name: "Team", user_ids: [acme.userId, bob.userId] });

    const task = await acme.task({ assigned_to: eve.userId });
    await acme.put(`/task/?id__in=${task.id}`, { assigned_to: team.id });
    await bob.put(`/task/${task.id}/`, { is_complete: true });

    assert.deepEqual(await typesOf(eve), ["task_assigned"]);
    assert.deepEqual(await typesOf(bob), ["task_assigned"]);
    assert.deepEqual(await typesOf(acme), ["task_completed"]);
    assert.equal((await noticesOf(bob))[0].object_type, "task.lead");
  });

  test("of a mention in a note, once", async () => {
    const { acme, bob } = await given();
    const note = await acme.note({ note: undefined, note_html: mention(bob.userId) });

    await acme.put(`/activity/note/${note.id}/`, { note_html: `${mention(bob.userId)}<p>more</p>` });

    const [notice, ...more] = await noticesOf(bob);
    assert.deepEqual(more, []);
    assert.deepEqual([notice.type, notice.object_type, notice.object_id], ["mention", "activity.note", note.id]);
  });

  test("of a meeting they are to attend", async () => {
    const { acme, bob } = await given();
    const eve = await acme.member();
    const lead = await acme.lead();
    const attendees = [{ user_id: bob.userId }, { user_id: acme.userId }];
    const meeting = await acme.post("/activity/meeting/", { lead_id: lead.id, title: "Demo", starts_at: soon(), attendees });

    await acme.put(`/activity/meeting/${meeting.id}/`, { attendees: [...attendees, { user_id: eve.userId }] });

    assert.deepEqual(await typesOf(bob), ["meeting_scheduled"]);
    assert.deepEqual(await typesOf(eve), ["meeting_scheduled"]);
    assert.deepEqual(await typesOf(acme), []);
    assert.equal((await noticesOf(bob))[0].body, "Demo");
  });

  test("of calls they missed and messages that came in, at their leads too", async () => {
    const { acme, bob } = await given();
    const lead = await bob.lead({ owner_id: bob.userId });
    const at = { lead_id: lead.id };

    await acme.post("/activity/call/", { ...at, direction: "inbound", status: "no-answer", phone: "+18004445555" });
    await acme.post("/activity/sms/", { ...at, status: "inbox", text: "Hi", remote_phone: "+18004445555" });
    await acme.post("/activity/email/", { ...at, status: "inbox", subject: "Re: Offer", sender: "a@b.io" });
    await acme.post("/activity/channel_message/", { ...at, channel: "whatsapp", status: "inbox", text: "Hello" });
    await acme.post("/activity/sms/", { ...at, status: "sent", text: "Hi", remote_phone: "+18004445555" });

    assert.deepEqual(await typesOf(bob), ["missed_call", "message_received", "message_received", "message_received"]);
    assert.deepEqual(
      (await noticesOf(bob)).map((one) => one.object_type),
      ["activity.channel_message", "activity.email", "activity.sms", "activity.call"],
    );
  });

  test("of an invitation", async () => {
    const { acme } = await given();
    const elsewhere = await organization();
    const email = (await elsewhere.get("/me/")).email;

    await acme.post("/membership/", { email });

    const [row] = await acme.service.app.db.unscoped({
      text: "select count(*) from notification where organization_id = $1 and type = 'invited' and user_id = $2",
      values: [acme.id, elsewhere.userId],
    });
    assert.equal(row![0], "1");
    assert.deepEqual(await noticesOf(elsewhere), []);
  });

  test("nothing of what was refused", async () => {
    const { acme, bob } = await given();

    await acme.refused(400, "POST", "/lead/", { owner_id: bob.userId, contacts: [{ timezone: "Mars" }] });

    assert.deepEqual(await noticesOf(bob), []);
  });
});

describe("one's notifications", () => {
  test("are one's own, with how many are unread, and found by type and state", async () => {
    const { acme, bob } = await given();
    const lead = await acme.lead({ owner_id: bob.userId });
    await acme.task({ lead_id: lead.id, assigned_to: bob.userId });
    const [first] = await noticesOf(bob);

    const all = await bob.get("/notification/?_limit=1");
    const leads = await bob.get("/notification/?type=lead_assigned");
    await bob.put(`/notification/${first.id}/`, { is_read: true });

    assert.deepEqual([all.data.length, all.has_more, all.unread_count], [1, true, 2]);
    assert.equal(leads.data.length, 1);
    assert.equal((await bob.get("/notification/?is_read=false&_limit=0")).unread_count, 1);
    assert.equal((await bob.get(`/notification/?object_id=${lead.id}`)).data.length, 1);
    assert.equal((await bob.get("/notification/?type__in=mention,task_assigned")).data.length, 1);
    assert.deepEqual((await acme.get("/notification/")).data, []);
    await acme.refused(404, "PUT", `/notification/${first.id}/`, { is_read: true });
  });

  test("are read and unread again, in any of the words for it", async () => {
    const { acme, bob } = await given();
    await acme.lead({ owner_id: bob.userId });
    const [{ id }] = (await noticesOf(bob)) as [any];
    const put = (body: object) => bob.put(`/notification/${id}/`, body);

    const read = await put({ is_read: true });
    assert.ok(read.read_at);
    assert.equal((await put({ status: "unread" })).read_at, null);
    assert.equal((await put({ read: true })).is_read, true);
    assert.equal((await put({ status: "read" })).is_read, true);

    const [before] = await noticesOf(bob);
    for (const body of [{}, { title: "Mine" }]) assert.deepEqual(await put(body), before);
    assert.deepEqual(await noticesOf(bob), [before]);
    for (const body of [{ is_read: true, status: "unread" }, { is_read: null }])
      await bob.refused(400, "PUT", `/notification/${id}/`, body, "is_read");
    await bob.refused(400, "PUT", `/notification/${id}/`, { status: "seen" }, "status");
  });

  test("are all marked as read at once, or those of a type or from before", async () => {
    const { acme, bob } = await given();
    const lead = await acme.lead({ owner_id: bob.userId });
    await acme.task({ lead_id: lead.id, assigned_to: bob.userId });
    await bob.lead({ owner_id: acme.userId });
    const mark = (body: object) => bob.post("/notification/mark_all_read/", body);

    assert.deepEqual(await mark({ before: "2020-01-01" }), { updated: 0, count: 0 });
    assert.deepEqual(await mark({ type: "lead_assigned" }), { updated: 1, count: 1 });
    assert.deepEqual(await mark({}), { updated: 1, count: 1 });

    assert.equal((await bob.get("/notification/")).unread_count, 0);
    assert.equal((await acme.get("/notification/")).unread_count, 1);
    await bob.refused(400, "POST", "/notification/mark_all_read/", { type: "nonsense" }, "type");
    await bob.refused(400, "POST", "/notification/mark_all_read/", { before: "soon" }, "before");
  });

  test("go with what they tell of, and with the sight of its lead", async () => {
    const acme = await organization();
    const bob = await acme.member("restricteduser");
    const lead = await acme.lead({ owner_id: bob.userId });
    const task = await acme.task({ lead_id: lead.id, assigned_to: bob.userId });

    await acme.delete(`/task/${task.id}/`);
    assert.deepEqual(await typesOf(bob), ["lead_assigned"]);
    await acme.put(`/lead/${lead.id}/`, { owner_id: acme.userId });

    assert.deepEqual(await typesOf(bob), []);
    assert.equal((await bob.get("/notification/")).unread_count, 0);
  });
});

describe("what is told again within five minutes", () => {
  const at = (acme: Workspace, time: string) => (acme.service.clock.now = new Date(`2031-03-03T${time}Z`));

  async function giveAndTake(acme: Workspace, bob: Workspace, id: string): Promise<void> {
    await acme.put(`/lead/${id}/`, { owner_id: acme.userId });
    await acme.put(`/lead/${id}/`, { owner_id: bob.userId });
  }

  test("is counted, with the newest words, and is one that is unread", async () => {
    const { acme, bob } = await given();
    at(acme, "10:00:00");
    const lead = await acme.lead({ name: "Wayne", owner_id: bob.userId });
    await acme.put(`/lead/${lead.id}/`, { name: "Wayne & Sons" });
    at(acme, "10:04:59");
    await giveAndTake(acme, bob, lead.id);

    const list = await bob.get("/notification/");

    assert.deepEqual([list.data.length, list.unread_count, list.data[0].count], [1, 1, 2]);
    assert.match(list.data[0].title, /assigned you the lead Wayne & Sons$/);
    assert.deepEqual(
      [list.data[0].date_created, list.data[0].date_updated],
      ["2031-03-03T10:00:00.000Z", "2031-03-03T10:04:59.000Z"],
    );
  });

  test("is a new one after that, for another record, and for others", async () => {
    const { acme, bob } = await given();
    const eve = await acme.member();
    at(acme, "10:00:00");
    const lead = await acme.lead({ owner_id: bob.userId });
    await acme.lead({ owner_id: bob.userId });
    await acme.put(`/lead/${lead.id}/`, { owner_id: eve.userId });
    at(acme, "10:05:00");
    await giveAndTake(acme, bob, lead.id);

    assert.deepEqual(
      (await noticesOf(bob)).map((one) => one.count),
      [1, 1, 1],
    );
    assert.equal((await noticesOf(eve)).length, 1);
  });

  test("is a new one once the first was read, which stays read and can be marked as unread", async () => {
    const { acme, bob } = await given();
    at(acme, "10:00:00");
    const lead = await acme.lead({ owner_id: bob.userId });
    const [first] = await noticesOf(bob);
    await bob.put(`/notification/${first.id}/`, { is_read: true });

    await giveAndTake(acme, bob, lead.id);
    const second = await bob.get("/notification/?is_read=false");
    await bob.post("/notification/mark_all_read/", {});
    await giveAndTake(acme, bob, lead.id);
    for (const { id } of await noticesOf(bob)) await bob.put(`/notification/${id}/`, { is_read: false });

    assert.equal(second.data.length, 1);
    assert.notEqual(second.data[0].id, first.id);
    assert.deepEqual(
      (await noticesOf(bob)).map((one) => [one.is_read, one.count]),
      [
        [false, 1],
        [false, 1],
        [false, 1],
      ],
    );
  });

  test("by ten requests at once is one that counts ten", async () => {
    const { acme, bob } = await given();
    const lead = await acme.lead();
    at(acme, "10:00:00");
    const owned = Array.from({ length: 10 }, () =>
      acme.inside(async (ctx) => {
        notify(ctx, [bob.userId], {
          type: "lead_assigned",
          title: "Yours",
          object_type: "lead",
          object_id: lead.id,
          actor_id: null,
        });
      }),
    );

    await Promise.all(owned);

    assert.deepEqual(
      (await noticesOf(bob)).map((one) => one.count),
      [10],
    );
  });

  test("is counted too where many records change at once", async () => {
    const { acme, bob } = await given();
    at(acme, "10:00:00");
    const tasks = [await acme.task(), await acme.task()];

    for (const assigned_to of [bob.userId, acme.userId, bob.userId])
      await acme.put(`/task/?id__in=${tasks.map(({ id }) => id).join()}`, { assigned_to });

    assert.deepEqual(
      (await noticesOf(bob)).map((one) => one.count),
      [2, 2],
    );
  });
});
