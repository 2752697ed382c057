// A task is due until the end of its day in the assignee's time zone. Then the assignee is notified, once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

/** A zone, a day, and the instant when it is over. */
const ends: Readonly<Record<string, [zone: string, day: string, end: string]>> = {
  "the day has 23 hours": ["Europe/Berlin", "2031-03-30", "2031-03-30T22:00:00.000Z"],
  "the day has 25 hours": ["America/New_York", "2031-11-02", "2031-11-03T05:00:00.000Z"],
  "the zone is three quarters of an hour off": ["Asia/Kathmandu", "2031-05-06", "2031-05-06T18:15:00.000Z"],
  "the day is half an hour shorter": ["Australia/Lord_Howe", "2031-10-05", "2031-10-05T13:00:00.000Z"],
  "the next midnight does not exist": ["America/Havana", "2031-03-08", "2031-03-09T05:00:00.000Z"],
  "the next midnight comes twice": ["America/Havana", "2031-11-01", "2031-11-02T04:00:00.000Z"],
};

const later = (moment: string, ms: number) => new Date(Date.parse(moment) + ms).toISOString();
const hours = (count: number) => count * 3_600_000;

/** How many events said that a task is overdue, and how many notifications its assignee got. */
async function told(ws: Workspace, of: { id: string }, assignee: Workspace = ws): Promise<[events: number, notices: number]> {
  const events = (await ws.events(of.id)).filter((one) => one.action === "overdue");
  const notices = await assignee.get(`/notification/?type=task_due&object_id=${of.id}`);
  return [events.length, notices.data.length];
}

for (const [when, [zone, day, end]] of Object.entries(ends))
  test(`a task is due until the end of its day, also where ${when}: ${zone}`, async () => {
    const acme = await organization();
    await acme.put("/me/", { timezone: zone });
    acme.service.clock.now = new Date(`${day}T01:00:00.000Z`);
    const task = await acme.task({ date: day });

    await atMoment(acme.service, later(end, -1), "tasks");
    const before = await told(acme, task);
    await atMoment(acme.service, end, "tasks");
    const after = await told(acme, task);
    await atMoment(acme.service, later(end, hours(24)), "tasks");

    assert.deepEqual(before, [0, 0]);
    assert.deepEqual(after, [1, 1]);
    assert.deepEqual(await told(acme, task), after);
  });

const day = "2031-05-06";
const end = "2031-05-07T00:00:00.000Z";

async function given(): Promise<{ acme: Workspace; bob: Workspace }> {
  const acme = await organization();
  const bob = await acme.member();
  acme.service.clock.now = new Date(`${day}T09:00:00.000Z`);
  return { acme, bob };
}

test("the notification is in nobody's name, to the assignee, and does not change the task", async () => {
  const { acme, bob } = await given();
  const task = await acme.task({ date: day, _type: "call", assigned_to: bob.userId });

  await atMoment(acme.service, end, "tasks");

  const event = (await acme.events(task.id)).at(-1);
  assert.deepEqual([event.event, event.user_id, event.data.id, event.changed_fields], ["task.call.overdue", null, task.id, []]);
  const [notice] = (await bob.get("/notification/?type=task_due")).data;
  assert.deepEqual(
    [notice.object_type, notice.object_id, notice.lead_id, notice.actor_id],
    ["task.call", task.id, task.lead_id, null],
  );
  assert.deepEqual([notice.title, notice.body], ["One of your tasks is overdue", "Call back"]);
  assert.deepEqual((await acme.get("/notification/?type=task_due")).data, []);
  const { view: _, ...after } = await acme.get(`/task/${task.id}/`);
  const { view: __, ...before } = task;
  assert.deepEqual(after, before);
});

test("a task of a group is overdue by the organization's time zone, and every member is notified", async () => {
  const { acme, bob } = await given();
  const carol = await acme.member();
  await acme.put(`/organization/${acme.id}/`, { timezone: "Asia/Tokyo" });
  await bob.put("/me/", { timezone: "America/New_York" });
  const { id } = await acme.post("/group/", { name: "Sales", user_ids: [bob.userId, carol.userId] });
  const task = await acme.task({ date: "2031-05-07", assigned_to: id });

  await atMoment(acme.service, "2031-05-07T14:59:59.999Z", "tasks");
  const before = await told(acme, task, bob);
  await atMoment(acme.service, "2031-05-07T15:00:00.000Z", "tasks");

  assert.deepEqual(before, [0, 0]);
  assert.deepEqual(
    [await told(acme, task, bob), await told(acme, task, carol), await told(acme, task)],
    [
      [1, 1],
      [1, 1],
      [1, 0],
    ],
  );
});

test("a task completed, postponed or deleted in time has no notification, and a postponed one has it on its new day", async () => {
  const { acme } = await given();
  const [done, putOff, someDay, deleted] = [
    await acme.task({ date: day }),
    await acme.task({ date: day }),
    await acme.task({ date: day }),
    await acme.task({ date: day }),
  ];
  await acme.put(`/task/${done.id}/`, { is_complete: true });
  await acme.put(`/task/${putOff.id}/`, { date: "2031-05-08" });
  await acme.put(`/task/${someDay.id}/`, { date: null });
  await acme.delete(`/task/${deleted.id}/`);

  await atMoment(acme.service, end, "tasks");
  const before = await Promise.all([done, putOff, someDay, deleted].map((one) => told(acme, one)));
  await atMoment(acme.service, "2031-05-09T00:00:00.000Z", "tasks");

  assert.deepEqual(before, Array(4).fill([0, 0]));
  assert.deepEqual(await told(acme, putOff), [1, 1]);
  assert.deepEqual(await told(acme, done), [0, 0]);
});

test("a task that is opened again, or given to another, is not told of twice for the same day, but for another day it is", async () => {
  const { acme, bob } = await given();
  const task = await acme.task({ date: day });
  await atMoment(acme.service, end, "tasks");

  await acme.put(`/task/${task.id}/`, { is_complete: true });
  await acme.put(`/task/${task.id}/`, { is_complete: false, assigned_to: bob.userId });
  await atMoment(acme.service, later(end, hours(1)), "tasks");
  const sameDay = await told(acme, task, bob);
  await acme.put(`/task/${task.id}/`, { date: "2031-05-07" });
  await atMoment(acme.service, later(end, hours(24)), "tasks");

  assert.deepEqual(sameDay, [1, 0]);
  assert.deepEqual(await told(acme, task, bob), [2, 1]);
});

test("who has gone west since has the rest of their day", async () => {
  const { acme } = await given();
  const task = await acme.task({ date: day });
  await acme.put("/me/", { timezone: "America/New_York" });

  await atMoment(acme.service, end, "tasks");
  await atMoment(acme.service, "2031-05-07T03:59:59.999Z", "tasks");
  const before = await told(acme, task);
  await atMoment(acme.service, "2031-05-07T04:00:00.000Z", "tasks");

  assert.deepEqual(
    [before, await told(acme, task)],
    [
      [0, 0],
      [1, 1],
    ],
  );
});

test("there is no notification for a task that was already overdue for a day", async () => {
  const { acme } = await given();
  const [missed, entered] = [await acme.task({ date: day }), await acme.task({ date: "2031-05-01" })];

  await atMoment(acme.service, later(end, hours(24) + 1), "tasks");

  assert.deepEqual(
    [await told(acme, missed), await told(acme, entered)],
    [
      [0, 0],
      [0, 0],
    ],
  );
});

test("a former member is not notified, and the task is still overdue", async () => {
  const { acme, bob } = await given();
  const task = await acme.task({ date: day, assigned_to: bob.userId });
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((each: any) => each.user_id === bob.userId).id}/`);

  await atMoment(acme.service, end, "tasks");

  assert.deepEqual(await told(acme, task), [1, 0]);
});

test("tasks from before the release that had no such time are told of from then on", async () => {
  const { acme } = await given();
  const task = await acme.task({ date: day });
  // As the migration leaves them: overdue when the day is over in the easternmost zone.
  await acme.inside(async (ctx) =>
    ctx.tx!.write({
      text: "update task set overdue_at = (date + time '10:00') at time zone 'UTC' where organization_id = $1 and id = $2",
      values: [acme.id, task.id],
    }),
  );

  await atMoment(acme.service, `${day}T10:00:00.000Z`, "tasks");
  await atMoment(acme.service, later(end, -1), "tasks");
  const before = await told(acme, task);
  await atMoment(acme.service, end, "tasks");

  assert.deepEqual(
    [before, await told(acme, task)],
    [
      [0, 0],
      [1, 1],
    ],
  );
});
