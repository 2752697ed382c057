// Follows the guides that a newcomer begins with: their requests, and their programs in TypeScript and Python.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../support/given.ts";
import { followRequests, runPrograms } from "../support/guides.ts";

test("the programs of docs/first-call.md print what it shows", async () => {
  assert.equal(await runPrograms(await organization(), "docs/first-call.md"), 2);
});

test("the requests of docs/keys.md answer what it shows", async () => {
  const acme = await organization();

  assert.equal(await followRequests(acme, "docs/keys.md"), 4);
  const reader = await acme.member("restricteduser");
  const refused = await reader.ask("POST", "/role/", { body: { name: "X" } });
  assert.equal(refused.body.error, "You do not have permission to perform this action: it needs manage_organization.");
});

test("the requests of docs/lists.md answer what it shows, and its programs list everything", async () => {
  const acme = await organization();

  assert.equal(await followRequests(acme, "docs/lists.md"), 4);
  const bolt = await organization();
  for (const name of ["Bolt", "Acme", "Ember", "Cog", "Dynamo"]) await bolt.lead({ name });
  assert.equal(await runPrograms(bolt, "docs/lists.md"), 2);
});

test("the requests of docs/filters.md find what it shows", async () => {
  assert.equal(await followRequests(await organization(), "docs/filters.md"), 6);
});

test("the programs of docs/errors.md say what is wrong", async () => {
  assert.equal(await runPrograms(await organization(), "docs/errors.md"), 2);
});

test("the programs of docs/retries.md write once, and overwrite nobody", async () => {
  assert.equal(await runPrograms(await organization(), "docs/retries.md"), 2);
});
