// What agents can reach: neither identity nor administration nor secrets, and of some areas only what is read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/resources/index.ts";

const below = (name: string) => operations.filter(({ path }) => path.startsWith(`/${name}/`));
const named = (those: readonly { name: string }[]) => those.map(({ name }) => name);

const absent = [
  "api_key",
  "connected_account",
  "credentials",
  "membership",
  "oauth_app",
  "organization",
  "role",
  "send_as",
  "user",
  "webhook",
];

for (const name of absent)
  test(`agents have no operation of ${name}, nor of anything below it`, () => {
    assert.ok(below(name).length > 0, "operations were found");
    assert.deepEqual(named(below(name).filter(({ mcp }) => mcp)), []);
  });

for (const name of ["group", "phone_number", "port"])
  test(`agents read ${name} and change nothing of it`, () => {
    const offered = below(name).filter(({ mcp }) => mcp);

    assert.ok(named(offered).includes(`${name}.list`), "its list is offered");
    assert.deepEqual(named(offered.filter(({ method }) => method !== "GET")), []);
  });
