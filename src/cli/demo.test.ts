import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Workspace } from "../../test/support/given.ts";
import { service } from "../../test/support/service.ts";
import { companyOf } from "./demo_data.ts";
import { type Demo, makeDemo } from "./demo_make.ts";

let demo: Demo;
let acme: Workspace;

/** Everything of it for which a person would have to connect something, ask for something, or do something wrong. */
const emptyByNature = new Map([
  ["/agent_call/", "no agent has called"],
  ["/budget/", "nobody has bounded a key"],
  ["/connected_account/", "a mailbox is connected by whoever has it"],
  ["/contact/share_bulk/", "there is no other workspace"],
  ["/enrichment/", "no provider is connected"],
  ["/erasure/", "nobody has asked for it"],
  ["/inbox_prospect/", "no mailbox is connected"],
  ["/mailing_export/", "no platform is connected"],
  ["/organization_export/", "nobody has asked for an archive"],
  ["/oauth_app/", "nobody has built one"],
  ["/phone_number/", "a number is rented from a carrier"],
  ["/port/", "a number is moved at a carrier"],
  ["/webhook/", "nothing leaves the machine"],
]);

before(async () => {
  const { app } = await service();
  demo = await makeDemo(app, { email: `demo-${process.pid}@localhost`, size: 60, seed: 7 });
  const { organization_id, api_key } = demo.founded;
  const me = new Workspace(await service(), api_key, organization_id, "");
  acme = new Workspace(await service(), api_key, organization_id, (await me.get("/me/")).id);
});

test("every list says something, but for those that need something from outside", async () => {
  const lists = acme.service.app.core.registry.operations
    .filter(({ verb, path }) => verb === "list" && !path.includes("{"))
    .map(({ path }) => path);

  const empty: string[] = [];
  const [thread] = (await acme.get("/comment_thread/")).data;
  for (const path of lists) {
    const of = path === "/comment/" ? `thread_id=${thread.id}` : "_limit=1";
    if ((await acme.get(`${path}?${of}`)).data.length === 0) empty.push(path);
  }

  assert.deepEqual(
    empty.filter((path) => !emptyByNature.has(path)),
    [],
  );
  assert.deepEqual(
    [...emptyByNature.keys()].filter((path) => !empty.includes(path)),
    [],
    "no longer empty: take it off the list",
  );
});

test("every report says something about the quarter", async () => {
  const range = { relative_range: "all-time" };
  const metrics = (await acme.get("/report/activity/")).data.map(({ key }: any) => key).slice(0, 10);
  const reports: [string, object][] = [
    ["/report/activity/", { ...range, type: "comparison", metrics }],
    ["/report/aggregate/", { object_type: "lead", group_by: ["status_id"] }],
    ["/report/calls_funnel/", range],
    ["/report/funnel/", range],
    ["/report/opportunity_funnels/", { ...range, type: "created-cohort" }],
    ["/report/sales/", range],
    ["/report/sent_emails/", range],
    ["/report/status_change/lead/", range],
    ["/report/status_change/opportunity/", range],
  ];
  const known = acme.service.app.core.registry.operations.filter(
    ({ path, method }) => method === "POST" && path.startsWith("/report/"),
  );
  assert.deepEqual(reports.map(([path]) => path).toSorted(), known.map(({ path }) => path).toSorted());

  for (const [path, body] of reports) {
    const { status, text } = await acme.ask("POST", path, { body });
    assert.equal(status, 200, `${path}: ${text}`);
    assert.ok(/[1-9]/.test(text.replaceAll(/"[^"]*"/g, "")), `${path} has no number but 0: ${text.slice(0, 300)}`);
  }
});

test("it is a quarter of six people: wins in every month, mail in threads, calls of all kinds, changes of status", async () => {
  const deals = await acme.all("/opportunity/?_limit=200");
  const won = deals.filter((one) => one.date_won !== null);
  const wins = won.map((one) => Date.parse(one.date_won)).toSorted();
  assert.ok(wins.at(-1)! - wins[0]! > 45 * 86_400_000, "wins are spread over months");
  assert.equal(new Set((await acme.all("/lead/?_limit=200&_fields=owner_id,created_by")).map((one) => one.created_by)).size, 6);
  const threads = await acme.all("/activity/emailthread/?_limit=200");
  assert.ok(threads.some((one) => one.n_emails === 3));
  const calls = await acme.all("/activity/call/?_limit=200");
  assert.ok(new Set(calls.map((one) => one.outcome_id)).size >= 5 && new Set(calls.map((one) => one.disposition)).size === 8);
  const changes = await acme.all("/activity/status_change/opportunity/?_limit=200");
  assert.ok(changes.every((one) => Date.parse(one.activity_at) <= Date.now()));
  assert.ok(changes.some((one) => Date.parse(one.activity_at) < Date.now() - 60 * 86_400_000));
  const runs = await acme.get("/automation_runs/");
  assert.ok(runs.data.some((one: any) => one.status === "completed"));
  assert.equal((await acme.get("/import/")).data[0].status, "done");
});

test("nothing of it can leave: no mail, text or call waits to be sent, and nothing calls another service", async () => {
  for (const path of ["/activity/email/", "/activity/sms/"])
    for (const one of await acme.all(`${path}?_limit=200`)) assert.ok(["sent", "inbox"].includes(one.status), one.status);
  assert.ok((await acme.get("/credentials/")).data.every((one: any) => !one.is_connected));
  for (const path of ["/connected_account/", "/webhook/", "/phone_number/"]) assert.deepEqual((await acme.get(path)).data, []);
  const told = await acme.get("/notification/");
  assert.ok(told.data.length > 0);
  assert.equal(told.unread_count, 0, "members get mail about what stays unread");
  const addresses = (await acme.all("/contact/?_limit=200")).flatMap((one) => one.emails.map(({ email }: any) => email));
  assert.ok(addresses.every((one) => one.endsWith(".example")));
});

test("the same seed makes the same, and another one another", async () => {
  const { app } = await service();
  const told = async (place: string) => {
    const made = await makeDemo(app, { email: `demo-${process.pid}-${place}@localhost`, size: 6, seed: 3 });
    const there = new Workspace(await service(), made.founded.api_key, made.founded.organization_id, "");
    const leads = await there.all("/lead/?_limit=200&_fields=name,status_label");
    const mails = await there.all("/activity/email/?_limit=200&_fields=subject");
    return {
      records: made.records,
      leads: leads.map((one) => `${one.name} ${one.status_label}`).toSorted(),
      mails: mails.length,
    };
  };

  assert.deepEqual(await told("a"), await told("b"));
  assert.notDeepEqual(companyOf(0, 4, 6), companyOf(0, 3, 6));
});
