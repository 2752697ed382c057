import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../../test/support/client.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { createAccount } from "../../auth/unscoped.ts";

const settingsOf = async (acme: Workspace) => (await acme.get(`/organization/${acme.id}/`)).settings;
const putSettings = (acme: Workspace, settings: unknown) => acme.put(`/organization/${acme.id}/`, { settings });

test("a further organization starts with its statuses and a key, and its creator is its admin", async () => {
  const acme = await organization();

  const answer = await acme.ask("POST", "/organization/", {
    body: { name: "Second", currency: "EUR", country: "Germany", settings: { call_outcomes: [{ name: "Reached" }] } },
  });

  const made = answer.body;
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(
    [made.name, made.currency, made.currency_symbol, made.country, made.timezone, made.locale],
    ["Second", "EUR", "€", "DE", "UTC", "en"],
  );
  assert.deepEqual(
    made.lead_statuses.map((one: any) => one.label),
    ["Potential", "Bad Fit", "Qualified", "Customer"],
  );
  assert.deepEqual(
    made.pipelines.map((one: any) => [one.name, one.statuses.map((status: any) => status.label)]),
    [["Sales", ["Active", "Won", "Lost"]]],
  );
  const there = new Client(acme.service, made.api_key);
  const read = await there.get(`/organization/${made.id}/`);
  assert.deepEqual(
    read.memberships.map((one: any) => [one.user_id, one.role_id]),
    [[acme.userId, "admin"]],
  );
  assert.match(read.settings.call_outcomes[0].id, /^outcome_/);
  assert.equal(read.api_key, undefined);
});

test("the key in use does not reach the new organization", async () => {
  const acme = await organization();
  const { id } = await acme.post("/organization/", { name: "Second" });

  await acme.refused(404, "GET", `/organization/${id}/`);
  await acme.refused(404, "PUT", `/organization/${id}/`, { name: "Mine" });
  await acme.refused(404, "DELETE", `/organization/${id}/`);
});

test("a narrowed key gets a key that is as narrow", async () => {
  const acme = await organization();
  const { key } = await acme.post("/api_key/", { scopes: ["write_safe"] });

  const { id, api_key } = await new Client(acme.service, key).post("/organization/", { name: "Second" });

  await new Client(acme.service, api_key).refused(403, "DELETE", `/organization/${id}/`);
});

test("the caller's account pays; who owns several says which", async () => {
  const acme = await organization();
  const { account_id } = await acme.get(`/organization/${acme.id}/`);
  assert.equal((await acme.post("/organization/", { name: "Second" })).account_id, account_id);

  const other = await acme.service.app.db.unscopedTransaction(async (tx) =>
    createAccount(tx, { name: "Other", ownerId: acme.userId, now: new Date() }),
  );

  await acme.refused(400, "POST", "/organization/", { name: "Third" }, "account_id");
  assert.equal((await acme.post("/organization/", { name: "Third", account_id: other })).account_id, other);
});

test("who owns no account gets one with the first organization, even when two are created at once", async () => {
  const acme = await organization();
  const bob = await acme.member();

  const made = await Promise.all(["One", "Two"].map((name) => bob.post("/organization/", { name })));

  assert.equal(made[0].account_id, made[1].account_id);
  assert.notEqual(made[0].account_id, (await acme.get(`/organization/${acme.id}/`)).account_id);
});

test("somebody else's account and one that does not exist are the same", async () => {
  const [acme, other] = [await organization(), await organization()];
  const { account_id } = await other.get(`/organization/${other.id}/`);

  const theirs = await acme.refused(400, "POST", "/organization/", { name: "Second", account_id }, "account_id");
  const nobodys = await acme.refused(400, "POST", "/organization/", { name: "Second", account_id: "acct_nobody" }, "account_id");

  assert.deepEqual(theirs, nobodys);
});

test("the organization shows its members, and with _expand the people", async () => {
  const acme = await organization();
  const [bob, gone] = [await acme.member("user"), await acme.member("user")];
  const [{ id: goneId }] = (await acme.get(`/membership/?user_id=${gone.userId}`)).data;
  await acme.delete(`/membership/${goneId}/`);

  const plain = await bob.get(`/organization/${acme.id}/`);
  const expanded = await bob.get(`/organization/${acme.id}/?_expand=memberships__user&_fields=memberships,name`);

  assert.deepEqual(new Set(plain.memberships.map((one: any) => one.user_id)), new Set([acme.userId, bob.userId]));
  assert.deepEqual(
    plain.inactive_memberships.map((one: any) => one.id),
    [goneId],
  );
  assert.equal(plain.memberships[0].user, undefined);
  assert.deepEqual(Object.keys(expanded).sort(), ["memberships", "name"]);
  for (const one of expanded.memberships) assert.deepEqual([one.user.id, one.user.name], [one.user_id, one.user_full_name]);
  await bob.refused(400, "GET", `/organization/${acme.id}/?_expand=leads`, undefined, "_expand");
});

test("what an organization has set up comes along where it is named: custom fields, statuses, types, groups, roles", async () => {
  const acme = await organization();
  const [size, kind] = [await acme.customField("lead", { type: "number" }), await acme.customField("shared", { type: "text" })];
  const group = await acme.post("/group/", { name: "Sales" });
  const named = "lead_custom_fields,contact_custom_fields,shared_custom_fields,opportunity_statuses,groups,roles";

  const shown = await acme.get(`/organization/${acme.id}/?_fields=${named}`);
  const usual = await acme.get(`/organization/${acme.id}/`);

  const { data: statuses } = await acme.get("/status/opportunity/");
  assert.deepEqual(Object.keys(shown).sort(), named.split(",").sort());
  assert.deepEqual(shown.lead_custom_fields, [await acme.get(`/custom_field/lead/${size.id}/`)]);
  assert.deepEqual(
    [shown.shared_custom_fields.map((one: any) => one.id), shown.contact_custom_fields, shown.groups],
    [[kind.id], [], [{ id: group.id, name: "Sales" }]],
  );
  assert.deepEqual(
    shown.opportunity_statuses,
    statuses.map(({ id, label, type, pipeline_id }: any) => ({ id, label, type, pipeline_id })),
  );
  assert.ok(shown.roles.some((one: any) => one.id === "admin"));
  for (const field of named.split(",")) assert.ok(!(field in usual), field);
});

test("the fields of an organization are changed by who may, and leave an event", async () => {
  const acme = await organization();
  const bob = await acme.member("superuser");

  const after = await acme.put(`/organization/${acme.id}/`, { name: "New name", timezone: "Europe/Berlin", locale: "de" });

  assert.deepEqual([after.name, after.timezone, after.locale], ["New name", "Europe/Berlin", "de"]);
  const [event] = await acme.events(acme.id);
  assert.deepEqual([event.event, event.changed_fields.sort()], ["organization.updated", ["locale", "name", "timezone"]]);
  await bob.refused(403, "PUT", `/organization/${acme.id}/`, { name: "Mine" });
  await acme.refused(400, "PUT", `/organization/${acme.id}/`, { currency: "Dollars" }, "currency");
  await acme.refused(400, "PUT", `/organization/${acme.id}/`, { account_id: "acct_other" }, "account_id");
});

test("settings are merged member by member; lists are replaced, null removes", async () => {
  const acme = await organization();
  await putSettings(acme, { email_tracking: { opens: true, clicks: true }, ours: { a: 1, list: [1, 2] } });

  await putSettings(acme, { email_tracking: { clicks: false }, ours: { b: { c: 2 }, list: [3] } });

  assert.deepEqual(await settingsOf(acme), {
    email_tracking: { opens: true, clicks: false },
    ours: { a: 1, b: { c: 2 }, list: [3] },
  });
  await putSettings(acme, { email_tracking: null, ours: { a: null } });
  assert.deepEqual(await settingsOf(acme), { ours: { b: { c: 2 }, list: [3] } });
});

test("outcomes get ids where they have none and keep those they have", async () => {
  const acme = await organization();
  await putSettings(acme, { call_outcomes: [{ name: "Reached" }, { name: "Voicemail" }] });
  const { call_outcomes } = await settingsOf(acme);

  await putSettings(acme, {
    call_outcomes: [{ ...call_outcomes[1], name: "Left a message" }, { name: "Busy" }],
    meeting_outcomes: [{ name: "Held" }],
  });

  const after = await settingsOf(acme);
  assert.equal(after.call_outcomes[0].id, call_outcomes[1].id);
  assert.match(after.call_outcomes[1].id, /^outcome_/);
  assert.equal(after.meeting_outcomes.length, 1);
  await acme.refused(
    400,
    "PUT",
    `/organization/${acme.id}/`,
    { settings: { call_outcomes: [{ name: "A" }, { name: "a" }] } },
    "settings.call_outcomes.1.name",
  );
  await acme.refused(
    400,
    "PUT",
    `/organization/${acme.id}/`,
    { settings: { call_outcomes: [{}] } },
    "settings.call_outcomes.0.name",
  );
});

const criterion = { key: "industry", label: "Industry", weight: 1, field: "industry", operator: "equals", value: "Software" };

test("a rubric is completed, weighed to 100 and replaced as a whole", async () => {
  const acme = await organization();
  const disqualifiers = [{ field: "industry", operator: "equals", value: "Tobacco" }];
  await putSettings(acme, {
    icp: { rubric: { criteria: [criterion, { ...criterion, key: "size", weight: 2 }], disqualifiers } },
    ours: "kept",
  });

  const { icp } = await settingsOf(acme);
  await putSettings(acme, { icp: { rubric: { criteria: [criterion] } } });

  assert.deepEqual(
    icp.rubric.criteria.map((one: any) => one.weight),
    [33.33, 66.67],
  );
  assert.deepEqual([icp.rubric.version, icp.rubric.thresholds], [1, { A: 80, B: 60, C: 40 }]);
  const after = await settingsOf(acme);
  assert.deepEqual([after.icp.rubric.criteria[0].weight, after.icp.rubric.disqualifiers, after.ours], [100, [], "kept"]);
});

test("a rubric that cannot be scored by is refused under its name, with the place", async () => {
  const acme = await organization();
  const refused = async (rubric: unknown, place: string) => {
    const { "field-errors": errors } = await acme.refused(
      400,
      "PUT",
      `/organization/${acme.id}/`,
      { settings: { icp: { rubric } } },
      "settings.icp.rubric",
    );
    assert.ok(place in errors, `${place} in ${JSON.stringify(errors)}`);
  };

  await refused({ criteria: [] }, "settings.icp.rubric.criteria");
  await refused({}, "settings.icp.rubric.criteria");
  await refused("good leads", "settings.icp.rubric");
  await refused({ criteria: [criterion, criterion] }, "settings.icp.rubric.criteria.1.key");
  await refused({ criteria: [{ ...criterion, weight: 0 }] }, "settings.icp.rubric.criteria.0.weight");
  await refused({ criteria: [{ ...criterion, operator: "resembles" }] }, "settings.icp.rubric.criteria.0.operator");
  await refused({ criteria: [criterion], thresholds: { A: 10 } }, "settings.icp.rubric.thresholds");
  const wrong: readonly (readonly [object, string])[] = [
    [{ field: "industri" }, "field"],
    [{ field: "custom.cf_gone" }, "field"],
    [{ field: "contact.industry" }, "field"],
    [{ value: undefined }, "value"],
    [{ operator: "in", value: [] }, "value"],
    [{ operator: "between", value: [1] }, "value"],
    [{ operator: "gt", value: {} }, "value"],
    [{ field: "mrr", operator: "gte", value: "many" }, "value"],
    [{ operator: "contains", value: { a: 1 } }, "value"],
    [{ point: [] }, "point"],
    [{ operator: "within_last", value: "soon" }, "value"],
    [{ points: [{ when: { operator: "between", value: 3 }, score: 50 }] }, "points.0.when"],
  ];
  for (const [change, place] of wrong)
    await refused({ criteria: [{ ...criterion, ...change }] }, `settings.icp.rubric.criteria.0.${place}`);
  await refused(
    { criteria: [criterion], disqualifiers: [{ field: "industry", operator: "equals" }] },
    "settings.icp.rubric.disqualifiers.0.value",
  );
  assert.deepEqual(await settingsOf(acme), {});
});

test("a misspelled setting of what the service reads is refused, with the nearest name", async () => {
  const acme = await organization();
  const refused = (settings: object, place: string) =>
    acme.refused(400, "PUT", `/organization/${acme.id}/`, { settings }, `settings.${place}`);

  const { "field-errors": errors } = await refused(
    { mcp: { require_destructive_for_snd: true } },
    "mcp.require_destructive_for_snd",
  );
  await refused({ ai: { tokens_per_dya: 5 } }, "ai.tokens_per_dya");
  await refused({ icp: { rubrik: {} } }, "icp.rubrik");
  await refused({ enrichment: { credits: 5 } }, "enrichment.credits");

  assert.match(errors["settings.mcp.require_destructive_for_snd"], /did you mean require_destructive_for_send\?/);
  assert.deepEqual(await settingsOf(acme), {});
});

test("settings that are too large are refused", async () => {
  const acme = await organization();

  await acme.refused(400, "PUT", `/organization/${acme.id}/`, { settings: { notes: "x".repeat(70_000) } }, "settings");
});

test("sending the lead statuses back in another order reorders them", async () => {
  const acme = await organization();
  const { lead_statuses: before } = await acme.get(`/organization/${acme.id}/`);

  const { lead_statuses } = await acme.put(`/organization/${acme.id}/`, { lead_statuses: [before[3], before[1]] });

  assert.deepEqual(lead_statuses, [before[3], before[1], before[0], before[2]]);
  assert.deepEqual(
    (await acme.get("/status/lead/")).data.map((one: any) => one.id),
    lead_statuses.map((one: any) => one.id),
  );
  assert.equal((await acme.lead()).status_id, before[3].id);
  await acme.refused(400, "PUT", `/organization/${acme.id}/`, { lead_statuses: [{ id: "stat_nobody" }] }, "lead_statuses.0.id");
  await acme.refused(400, "PUT", `/organization/${acme.id}/`, { lead_statuses: [before[0], before[0]] }, "lead_statuses.1.id");
});

test("one's only organization stays", async () => {
  const acme = await organization();

  const refusal = await acme.refused(400, "DELETE", `/organization/${acme.id}/`);

  assert.equal(refusal.error, "You cannot delete your only organization.");
});

test("of two organizations deleted at once one stays", async () => {
  const acme = await organization();
  const second = await acme.post("/organization/", { name: "Second" });
  const there = new Client(acme.service, second.api_key);

  const answers = await Promise.all([
    acme.ask("DELETE", `/organization/${acme.id}/`),
    there.ask("DELETE", `/organization/${second.id}/`),
  ]);

  assert.deepEqual(answers.map((one) => one.status).sort(), [200, 400]);
});

test("only an admin deletes an organization", async () => {
  const acme = await organization();
  for (const bob of [await acme.member("superuser"), await acme.memberWith(["manage_organization"])]) {
    await bob.post("/organization/", { name: "Own" });
    await bob.refused(403, "DELETE", `/organization/${acme.id}/`);
  }
});
