// Follows the guides to quotes, to undoing and to imports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../support/given.ts";
import { followCommands, followRequests, guideOf, said } from "../support/guides.ts";

test("the requests of docs/quotes.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/quotes.md");

  assert.equal(followed, 11);
});

test("who follows docs/undo.md tries a deletion, and takes back what a request and a change set did", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "First" });
  const { headers } = await acme.ask("PUT", `/lead/${lead.id}/`, { body: { industry: "Steel" } });
  const env = {
    PATH: process.env.PATH,
    KEY: acme.key,
    URL: acme.service.url,
    LEAD: lead.id,
    REQUEST: headers.get("x-request-id")!,
  };
  const commands = [...guideOf("docs/undo.md").matchAll(/^curl .*$/gm)].map(([line]) => line);

  const answers: any[] = [];
  for (const command of commands) answers.push(JSON.parse(await said("sh", ["-c", command], env)));

  const [tried, undone, changed, tidied] = answers;
  assert.deepEqual([tried.dry_run, tried.events.at(-1).event], [true, "lead.deleted"]);
  assert.deepEqual(undone.undone[0].fields, ["industry"]);
  assert.deepEqual([changed.name, tidied.n_undone], ["Acme", 1]);
  const { name, industry } = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual([name, industry], ["First", null]);
});

test("who follows docs/imports.md brings in a table, corrects its mistakes, undoes an edit and exports the same again", async () => {
  const acme = await organization();

  const followed = await followCommands(acme, "docs/imports.md");

  assert.equal(followed, 32);
});
