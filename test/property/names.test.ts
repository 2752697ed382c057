// Names that every JavaScript object has, such as `constructor`, wherever a caller may write a name. They are ordinary names, and
// mostly unknown.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import type { Operation } from "../../src/core/operation.ts";
import { operations } from "../../src/resources/index.ts";
import { queryNode } from "../../src/search/nodes.ts";
import { organization, type Workspace } from "../support/given.ts";
import { createdResources, minimalBody, sampleRecord } from "../support/samples.ts";
import { shaped } from "../support/shaped.ts";

const inherited = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "__defineGetter__", "isPrototypeOf"];
const odd = [
  "",
  " ",
  "\n",
  "a\nb",
  ".",
  "a".repeat(10_000),
  "length",
  "then",
  "toJSON",
  "prototype",
  "custom.constructor",
  "constructor.name",
];
const names = [...inherited, ...odd];
const name = fc.constantFrom(...inherited, ...names);

/** A name in the syntax of queries, lists and orders. */
const written = name.chain((one) =>
  fc.constantFrom(
    one,
    `${one}:x`,
    `${one}:*`,
    `${one} in (a)`,
    `${one} > 1`,
    `${one}(a)`,
    `not ${one}:"a"`,
    `sort:${one}`,
    `sort:"${one}"`,
    `"${one}":x`,
    `custom.${one}:x`,
    `x:${one}`,
    `status:${one}`,
    `country:${one}`,
    `-${one}`,
    `${one},${one}`,
    `custom.${one}`,
  ),
);

let acme: Workspace;
/** The paths of existing records, by the path of their resource. */
const found = new Map<string, string>();
/** Operations that would create another record of a kind. */
const minimal = new Map<string, object>();

before(async () => {
  acme = await organization();
  acme.readsReasons = false;
  for (const of of createdResources(operations)) {
    const { path } = await sampleRecord(acme, of);
    found.set(of.path, path.replace(/\/$/, ""));
    minimal.set(of.name, await minimalBody(acme, of));
  }
});

/** Existing records must not be deleted, so most of each path is replaced by such names. */
function pathOf({ path, method }: Operation): fc.Arbitrary<string> {
  const made = [...found].find(([own]) => path.startsWith(`${own}/{id}/`));
  const real = made && method !== "DELETE" ? fc.constant(path.replace(`${made[0]}/{id}`, made[1])) : fc.constant(path);
  const named = name.filter((one) => !/^[. ]*$/.test(one)).map(encodeURIComponent);
  return fc
    .tuple(fc.oneof(real, fc.constant(path)), fc.infiniteStream(named))
    .map(([given, more]) => given.replace(/\{[^}]+\}/g, () => more.next().value));
}

const common = ["_fields", "_expand", "_order_by", "_group_by", "_count", "_cursor", "query", "q", "_limit"];

function queryOf(operation: Operation): fc.Arbitrary<string> {
  const known = fc.constantFrom(...common, ...operation.parameters.map((one) => one.name));
  const key = fc.oneof(
    { weight: 3, arbitrary: known },
    name,
    name.map((one) => `${one}__in`),
    name.map((one) => `custom.${one}`),
  );
  const parameters = fc.dictionary(key, written, { maxKeys: 2 });
  return parameters.map((query) => {
    const entries = Object.entries(query).map(([one, value]): [string, string] => [one, value.slice(0, 9_000)]);
    return `?${new URLSearchParams(entries)}`;
  });
}

/** Bodies that are complete names, and valid bodies with one such name. */
function bodyOf({ body, verb, resource }: Operation): fc.Arbitrary<unknown> {
  if (body === null) return fc.constant(undefined);
  const whole = shaped(body, name);
  const almost = fc.tuple(whole, fc.nat()).map(([given, at]) => {
    const entries = Object.entries(given as object);
    const good = verb === "create" ? minimal.get(resource!.name) : {};
    return { ...good, ...Object.fromEntries(entries.length === 0 ? [] : [entries[at % entries.length]!]) };
  });
  return fc.oneof(whole, almost);
}

const ask = (operation: Operation, path: string, body?: unknown) =>
  acme.ask(operation.method, path, operation.method === "POST" || operation.method === "PUT" ? { body: body ?? {} } : {});

describe("no name that a caller writes is more than a name:", () => {
  for (const [at, operation] of operations.entries()) {
    test(`${operation.method} ${operation.path}`, async () => {
      const requests = fc.tuple(pathOf(operation), fc.oneof(fc.constant(""), queryOf(operation)), bodyOf(operation));

      // The client fails the test when a response says that the service failed.
      await fc.assert(
        fc.asyncProperty(requests, ([path, query, body]) => ask(operation, path + query, body).then(() => {})),
        { numRuns: 8 },
      );
      for (const one of [at, at + 1].map((place) => inherited[place % inherited.length]!)) {
        const path = operation.path.replace(/\{[^}]+\}/g, one);
        const answer = await ask(operation, `${path}?${one}=x&${one}__in=x`);
        assert.ok(answer.status >= 400, `${one} is no parameter of ${operation.path}: ${answer.text.slice(0, 300)}`);
      }
    });
  }

  test("in a search, in a text query and beside them", async () => {
    const tree = shaped(queryNode as unknown as z.ZodType, name);
    const scoped = tree.map((node) => ({
      query: { type: "and", queries: [{ type: "object_type", object_type: "lead" }, node] },
      sort: [],
    }));

    await fc.assert(
      fc.asyncProperty(scoped, written, async (search, text) => {
        await acme.ask("POST", "/data/search/", { body: search });
        await acme.ask("GET", `/lead/?query=${encodeURIComponent(text)}`);
      }),
      { numRuns: 150 },
    );
  });

  test("and the caller is let in afterwards as before", async () => {
    assert.equal((await acme.get("/me/")).id, acme.userId);
  });
});
