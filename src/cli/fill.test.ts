import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { fillWithSample } from "./fill.ts";

test("the sample has leads with people, deals in all states, a past and things to do, as their own operations make them", async () => {
  const acme = await organization();
  const actor = await acme.service.app.authenticator.authenticate(`Bearer ${acme.key}`);

  const made = await fillWithSample(acme.service.app, actor, 60);

  const leads = await acme.all("/lead/?_expand=contacts&_limit=200");
  assert.equal(leads.length, 60);
  assert.ok(leads.every((one) => one.contacts.length > 0));
  const deals = await acme.all("/opportunity/?_limit=200");
  assert.deepEqual([...new Set(deals.map((one) => one.status_type))].sort(), ["active", "lost", "won"]);
  const kinds = new Set((await acme.all("/activity/?_limit=200")).map((one) => one._type));
  for (const kind of ["Note", "Call", "Email", "Meeting", "Created", "TaskCompleted"]) assert.ok(kinds.has(kind), kind);
  assert.ok(made > 200);
  const oldest = leads.map((one) => one.date_created).toSorted()[0];
  assert.ok(Date.now() - Date.parse(oldest) > 60 * 86_400_000, "some of it is months old");
});
