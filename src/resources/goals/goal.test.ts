import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const won = async (acme: Workspace, deal: object): Promise<any> => acme.opportunity({ status: "Won", ...deal });

test("setting a goal again changes it and keeps its id", async () => {
  const acme = await organization();

  const first = await acme.ask("POST", "/goal/", { body: { period: "2026-02", target: 1000 } });
  const again = await acme.ask("POST", "/goal/", {
    body: { period: "2026-02", amount: 2000, targets: { "calls.all.all.count": 5 } },
  });
  const ofMember = await acme.ask("POST", "/goal/", { body: { period: "2026-02", user_id: acme.userId, target_value: 1 } });

  assert.deepEqual([first.status, again.status, ofMember.status], [201, 200, 201]);
  assert.equal(again.body.id, first.body.id);
  assert.deepEqual([again.body.target, again.body.targets, again.body.currency], [2000, { "calls.all.all.count": 5 }, "USD"]);
  assert.notEqual(ofMember.body.id, first.body.id);
  assert.deepEqual(
    (await acme.events(first.body.id)).map((event) => event.event),
    ["goal.created", "goal.updated"],
  );
});

test("further targets are of metrics that the activity report has", async () => {
  const acme = await organization();
  const targets = Object.fromEntries((await acme.get("/report/activity/")).metrics.map(({ key }: any) => [key, 5]));

  const wrong = { targets: { "calls.all.all.count": 1, "calls.made": 5, "emails.sent.all.counts": 2 } };
  const refusal = await acme.refused(400, "POST", "/goal/", { period: "2026-02", target: 1, ...wrong }, "targets.calls.made");

  assert.deepEqual((await acme.post("/goal/", { period: "2026-02", target: 1, targets })).targets, targets);
  assert.match(refusal["field-errors"]["targets.emails.sent.all.counts"], /did you mean emails.sent.all.count/);
  assert.equal("targets.calls.all.all.count" in refusal["field-errors"], false);
});

test("the same goal set by several at once is one goal", async () => {
  const acme = await organization();

  const made = await Promise.all([1, 2, 3, 4].map((target) => acme.post("/goal/", { period: "2026", target })));

  assert.equal(new Set(made.map((one) => one.id)).size, 1);
});

test("a goal says what was won in its period, by whose it is", async () => {
  const acme = await organization();
  const bob = await acme.member();
  await won(acme, { value: 300, date_won: "2026-03-31" });
  await won(acme, { value: 500, date_won: "2026-01-01", user_id: bob.userId });
  await won(acme, { value: 900, date_won: "2026-04-01" });
  await won(acme, { value: 100, date_won: "2026-02-01", value_currency: "EUR" });
  await acme.opportunity({ value: 700 });

  const all = await acme.post("/goal/", { period: "2026-Q1", target: 1600 });
  const bobs = await acme.post("/goal/", { period: "2026-Q1", target: 250, user_id: bob.userId });
  const year = await acme.post("/goal/", { period: "2026", target: 0 });

  assert.deepEqual([all.period_start, all.period_end, all.actual, all.progress], ["2026-01-01", "2026-03-31", 800, 0.5]);
  assert.deepEqual([bobs.actual, bobs.progress, bobs.user_name], [500, 1, (await bob.get("/me/")).full_name]);
  assert.deepEqual([year.period_start, year.period_end, year.actual], ["2026-01-01", "2026-12-31", 1700]);
  assert.deepEqual((await acme.get(`/goal/?user_id=${bob.userId}`)).data, [bobs]);
});

test("a goal has a period, somebody who is here, and a target of zero or more", async () => {
  const acme = await organization();
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/goal/", body, field);

  for (const period of ["2026-13", "2026-Q5", "26", "2026-1", "soon"]) await refuse({ period, target: 1 }, "period");
  await refuse({ target: 1 }, "period");
  await refuse({ period: "2026" }, "target");
  await refuse({ period: "2026", target: -1 }, "target");
  await refuse({ period: "2026", amount: -1 }, "amount");
  await refuse({ period: "2026", target: 1, amount: 2 }, "amount");
  await refuse({ period: "2026", target: 1, user_id: "user_nobody" }, "user_id");
  assert.equal((await acme.post("/goal/", { period: "2024-02", target: 1 })).period_end, "2024-02-29");
});

test("only an admin sets and deletes goals; everybody sees them", async () => {
  const acme = await organization();
  const bob = await acme.member("superuser");
  const made = await acme.post("/goal/", { period: "2026", target: 1 });

  await bob.refused(403, "POST", "/goal/", { period: "2026", target: 2 });
  await bob.refused(403, "DELETE", `/goal/${made.id}/`);
  assert.equal((await bob.get("/goal/?period=2026")).data[0].id, made.id);
  await acme.delete(`/goal/${made.id}/`);
  assert.deepEqual((await acme.get("/goal/")).data, []);
});
