// Every name of a text query, compared with anything, is answered or refused.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { operations } from "../../src/resources/index.ts";
import { subjectOf } from "../../src/search/subject.ts";
import { knownWords } from "../../src/search/vocabulary.ts";
import { organization, type Workspace } from "../support/given.ts";

const searched = operations.flatMap(({ verb, resource: of, path }) =>
  verb === "list" && of?.filters?.query !== undefined ? [{ of, path }] : [],
);

let acme: Workspace;

before(async () => {
  acme = await organization();
  await acme.customField("lead", { name: "Champion", type: "contact" });
  await acme.customField("contact", { name: "Buddy", type: "user" });
});

for (const { of, path } of searched)
  test(`every word of ${of.name} takes every kind of value, or says what it takes`, async () => {
    const words = await acme.inside(async (ctx) => knownWords(ctx, subjectOf(ctx, of, "t")));

    for (const word of words) {
      const left = /^[\w.]+$/.test(word) ? word : `custom."${word.replace("custom.", "")}"`;
      const phrases = [
        `${left}:x`,
        `${left}:*`,
        `${left} > 5`,
        `${left} in (true, today, "a b")`,
        `not ${left}:1..5`,
        `sort:${left}`,
      ];
      const answers = phrases.map((phrase) => acme.ask("GET", `${path}?query=${encodeURIComponent(phrase)}`));
      for (const [i, { status, text }] of (await Promise.all(answers)).entries())
        assert.ok(status === 200 || status === 400, `${path} ${phrases[i]}: ${status} ${text}`);
    }
  });
