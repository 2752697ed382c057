// What an edit of a sequence means for the contacts who stand at a step that it deletes.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { anotherThursday, day, hour, openOutreach, outreach, run } from "../../../test/support/outreach.ts";
import type { Service } from "../../../test/support/service.ts";
import type { MailServer } from "../../../test/support/smtp.ts";

let server: MailServer;
let on: Service;

before(async () => {
  ({ server, on } = await openOutreach());
});
after(() => server?.close());
beforeEach(() => anotherThursday());

const mail = (subject: string, more: object = {}) => ({ step_type: "email", subject, body: "<p>Hello</p>", ...more });
const tomorrow = { amount: 1, unit: "days" };
const ring = { step_type: "task", text: "Ring", required: true };
const subjectsTo = ({ email }: { email: string }) => server.to(email).map(({ subject }) => subject);
const now = () => on.clock.now!.getTime();
const iso = (ms: number) => new Date(ms).toISOString();

describe("whoever stands at a step that an edit deletes", () => {
  test("while its task is open gets the next mail its delay after the edit, not at once", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([ring, mail("Next", { delay: tomorrow })]);
    const between = await sequence([mail("First"), ring, mail("Next", { delay: tomorrow })]);
    const ways = [await subscribe(made), await subscribe(between)];
    await run();
    const asked = await Promise.all(ways.map(shown));
    await run(5 * day);

    await acme.put(`/sequence/${made.id}/`, { steps: [made.steps[1]] });
    await acme.put(`/sequence/${between.id}/`, { steps: [between.steps[0], between.steps[2]] });
    const due = iso(now() + day);
    const moved = await Promise.all(ways.map(shown));
    await run(day - hour);
    const early = ways.map(subjectsTo);
    await run(hour);

    for (const { waiting_task_id } of asked) assert.equal((await acme.get(`/task/${waiting_task_id}/`)).resolution, "abandoned");
    assert.deepEqual(
      moved.map(({ next_step_at, waiting_task_id }) => [next_step_at, waiting_task_id]),
      [
        [due, null],
        [due, null],
      ],
    );
    assert.deepEqual(early, [[], ["First"]]);
    assert.deepEqual(ways.map(subjectsTo), [["Next"], ["First", "Next"]]);
  });

  test("before it was due gets the next its delay after the step before", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One"), mail("Two", { delay: 3600 }), mail("Three", { delay: tomorrow })]);
    const way = await subscribe(made);
    await run();
    const sent = now();

    await run(hour / 2);
    await acme.put(`/sequence/${made.id}/`, { steps: [made.steps[0], made.steps[2]] });
    const moved = await shown(way);
    await run(day - hour);
    const early = subjectsTo(way);
    await run(hour / 2);

    assert.equal(moved.next_step_at, iso(sent + day));
    assert.deepEqual([early, subjectsTo(way)], [["One"], ["One", "Three"]]);
  });

  test("with nothing done yet counts from the edit, or from a start that is to come", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One", { delay: tomorrow }), mail("Two", { delay: 7200 })]);
    const start_date = iso(now() + 9 * day);
    const [soon, later] = [await subscribe(made), await subscribe(made, { start_date })];
    await run(hour);

    await acme.put(`/sequence/${made.id}/`, { steps: [made.steps[1]] });

    assert.equal((await shown(soon)).next_step_at, iso(now() + 2 * hour));
    assert.equal((await shown(later)).next_step_at, iso(now() + 9 * day + hour));
  });

  test("whose mail has not left gets the next in its place, and waits for no reply any more", async () => {
    const { acme, account, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("Old"), mail("New", { delay: 7200 })]);
    const wait = { step_type: "wait_reply", step_allowed_delay: 30 * 86_400 };
    const quiet = await sequence([wait, mail("New", { delay: 7200 })], { stop_on_reply: false });
    await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, port: 9 } });
    const [way, waits] = [await subscribe(made), await subscribe(quiet)];
    await run();
    const stuck = await shown(way);

    for (const { id, steps } of [made, quiet]) await acme.put(`/sequence/${id}/`, { steps: [steps[1]] });
    await acme.put(`/connected_account/${account.id}/`, { smtp: server.smtp });
    await run(hour);
    const early = [subjectsTo(way), subjectsTo(waits)];
    await run(hour);

    assert.ok(stuck.waiting_message_id !== null);
    await acme.refused(404, "GET", `/activity/email/${stuck.waiting_message_id}/`);
    assert.deepEqual(early, [[], []]);
    assert.deepEqual([subjectsTo(way), subjectsTo(waits)], [["New"], ["New"]]);
  });

  test("and has ended keeps the time of the next step for whoever resumes it", async () => {
    const { acme, sequence, subscribe, shown } = await outreach();
    const made = await sequence([mail("One"), mail("Two", { delay: 3600 }), mail("Three", { delay: tomorrow })]);
    const way = await subscribe(made);
    await run();
    const sent = now();
    await acme.put(`/sequence_subscription/${way.id}/`, { status: "finished" });

    await acme.put(`/sequence/${made.id}/`, { steps: [made.steps[0], made.steps[2]] });
    const ended = await shown(way);
    await run(2 * hour);
    const resumed = await acme.put(`/sequence_subscription/${way.id}/`, { status: "active" });

    assert.deepEqual([ended.status, ended.next_step_at], ["finished", null]);
    assert.equal(resumed.next_step_at, iso(sent + day));
  });
});
