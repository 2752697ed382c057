// The rules of a record are in its verbs, so that they hold for every change. Code around an operation must be listed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { z } from "zod";
import { type Operation, operation } from "../../src/core/operation.ts";
import { buildRegistry } from "../../src/core/registry.ts";
import { resource } from "../../src/core/resource.ts";
import { crud, standard } from "../../src/records/standard.ts";
import { connectedAccount } from "../../src/resources/accounts/connected_account.ts";
import { leadStatusChange } from "../../src/resources/activities/status_change.ts";
import { operations, silentResources } from "../../src/resources/index.ts";

const decision = "docs/decisions/0025-verbs-and-wrappers.md";

const plain = resource({ name: "thing", prefix: "thing", doc: "A thing.", fields: {} });
const ofVerb = new Map(standard(plain, crud, "member").map((one) => [one.verb, one]));
const ofItsOwn = operation({
  name: "thing.paint",
  method: "POST",
  path: "/thing/paint/",
  doc: "Paints.",
  permission: "member",
  input: {},
  output: z.strictObject({}),
  run: async () => ({}),
});

/** The same function, made for another resource. */
const isAlike = (a: unknown, b: unknown) => String(a) === String(b);

/**
 * What was changed in an operation after `standard()` or `operation()` had made it. An operation that is not a verb has its own
 * `run`.
 */
function changesOf({ verb, parse, run }: Operation): string[] {
  const usual = verb === null ? ofItsOwn : ofVerb.get(verb)!;
  return [...(isAlike(parse, usual.parse) ? [] : ["parse"]), ...(verb === null || isAlike(run, usual.run) ? [] : ["run"])];
}

test("what is put around an operation is listed in the decision about wrappers, and nothing else is", () => {
  const text = readFileSync(new URL(`../../${decision}`, import.meta.url), "utf8");
  const listed = [...text.matchAll(/^\| `(\S+)` \| `(\w+)` \| .+ \|$/gm)].map(([, name, part]) => `${name} ${part}`);

  const found = operations.flatMap((one) => changesOf(one).map((part) => `${one.name} ${part}`));

  assert.deepEqual(
    found.sort(),
    listed.sort(),
    `move the rule into the verb, or say in ${decision} why it is none of the record`,
  );
});

test("a verb that no operation has is an error, not a plain write", () => {
  const registry = buildRegistry(operations, silentResources);

  assert.equal(typeof registry.verb(connectedAccount, "update"), "function");
  assert.throws(() => registry.verb(leadStatusChange, "update"), /no operation gives \S+ the verb update/);
});
