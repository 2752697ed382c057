// What every list promises, by its definition: paging, trimming, filters and order.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Field } from "../../src/core/field.ts";
import type { Operation } from "../../src/core/operation.ts";
import type { Resource } from "../../src/core/resource.ts";
import { filterNames } from "../../src/records/filters.ts";
import { sortKeys } from "../../src/records/order.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { once } from "../support/once.ts";
import { collectionPath, createdResources, listedByRecord, minimalBody } from "../support/samples.ts";

const creatable = new Set(createdResources(operations));

/** Lists of resources that can be created through the API, so that there is something to page through. */
const lists = operations.filter(
  (one): one is Operation & { resource: Resource } =>
    one.verb === "list" && creatable.has(one.resource!) && !listedByRecord.has(one.resource!.name),
);

interface Filled {
  acme: Workspace;
  path: string;
}

/** A list of five records or more. The tests of a resource only read it, so they share it. */
async function fill(of: Resource): Promise<Filled> {
  const acme = await organization();
  const path = await collectionPath(acme, of);
  for (let i = 0; i < 5; i++) await acme.post(path, await minimalBody(acme, of));
  return { acme, path };
}

/** Parts of a list, each of up to `size` members. */
const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size));

for (const { resource: of } of lists) {
  describe(`the list of ${of.name}`, () => {
    const filled = once(() => fill(of));

    test("gives every record once, whatever the page size, by cursor and by offset", async () => {
      const { acme, path } = await filled();
      const whole = (await acme.get(`${path}?_limit=200`)).data.map((one: any) => one.id);

      for (const limit of [1, 2, 3]) {
        assert.deepEqual(
          (await acme.all(`${path}?_limit=${limit}`)).map((one) => one.id),
          whole,
          `by cursor, ${limit} at a time`,
        );
        const byOffset: string[] = [];
        for (let skip = 0; skip < whole.length; skip += limit) {
          const page = await acme.get(`${path}?_limit=${limit}&_skip=${skip}`);
          assert.equal(page.has_more, skip + limit < whole.length);
          byOffset.push(...page.data.map((one: any) => one.id));
        }
        assert.deepEqual(byOffset, whole, `by offset, ${limit} at a time`);
      }
    });

    test("takes 0 to 200 as its limit and says so of anything else", async () => {
      const { acme, path } = await filled();

      assert.deepEqual((await acme.get(`${path}?_limit=0`)).data, []);
      assert.equal((await acme.get(`${path}?_limit=0`)).has_more, true);
      assert.ok((await acme.get(`${path}?_limit=200`)).data.length >= 1);
      for (const wrong of ["201", "-1", "abc", "1.5"])
        await acme.refused(400, "GET", `${path}?_limit=${wrong}`, undefined, "_limit");
      for (const wrong of ["-1", "abc"]) await acme.refused(400, "GET", `${path}?_skip=${wrong}`, undefined, "_skip");
      assert.deepEqual((await acme.get(`${path}?_skip=1000000`)).data, []);
    });

    test("refuses a cursor of another list, another filter, or beside an offset", async () => {
      const { acme, path } = await filled();
      const { cursor_next } = await acme.get(`${path}?_limit=1`);

      await acme.refused(
        400,
        "GET",
        `${path}?_limit=1&_cursor=${cursor_next}&date_created__gte=2020-01-01`,
        undefined,
        "_cursor",
      );
      await acme.refused(400, "GET", `${path}?_cursor=nonsense`, undefined, "_cursor");
      await acme.refused(400, "GET", `${path}?_cursor=${cursor_next}&_skip=1`, undefined, "_skip");
    });

    test("shows exactly the fields that are asked for", async () => {
      const { acme, path } = await filled();

      const { data } = await acme.get(`${path}?_fields=id,date_created,no_such_field`);

      for (const one of data) assert.deepEqual(Object.keys(one).sort(), ["date_created", "id"]);
    });

    test("knows the filters it describes and refuses others, naming them", async () => {
      const { acme, path } = await filled();
      const [sample] = (await acme.get(path)).data;

      const known = filterNames(of).flatMap(({ name }) => {
        const value = filterValue(of, name, sample);
        return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
      });
      for (const some of inParts(known, 8)) {
        const answer = await acme.ask("GET", `${path}?${some.join("&")}`);
        assert.equal(answer.status, 200, `${some}: ${answer.text}`);
      }
      await acme.refused(400, "GET", `${path}?no_such_filter=1`, undefined, "no_such_filter");
    });

    test("refuses a number that would be read as another, in every filter by a number", async () => {
      const { acme, path } = await filled();
      const key = of.custom && !typed(of) ? `custom.${(await acme.customField(of.custom, { type: "number" })).id}` : null;
      const custom = key === null ? [] : [key, `${key}__in`, `${key}__gte`];
      const numbers = filterNames(of).flatMap(({ name }) => (asksNumber(of, name) ? [name] : []));

      for (const name of [...numbers, ...custom])
        for (const value of ["9007199254740993", "-12345678901234567890"])
          await acme.refused(400, "GET", `${path}?${name}=${value}`, undefined, name);
    });

    test("finds a record by each of its own values", async () => {
      const { acme, path } = await filled();
      const [sample] = (await acme.get(path)).data;

      for (const [key, field] of of.columns) {
        const value = sample[key];
        if (
          !["text", "integer", "boolean", "timestamp", "date"].includes(field.type) ||
          value === null ||
          value === undefined ||
          !isFilter(of, key)
        )
          continue;
        const found = await acme.get(`${path}?${key}=${encodeURIComponent(String(value))}&_limit=200`);
        assert.ok(
          found.data.some((one: any) => one.id === sample.id),
          `${key}=${value}`,
        );
        assert.ok(
          found.data.every((one: any) => one[key] === value),
          `${key}=${value} finds nothing else`,
        );
      }
    });

    test("takes true and false as other languages write them", async () => {
      const { acme, path } = await filled();
      const booleans = of.columns.flatMap(([key, { type }]) => (type === "boolean" && isFilter(of, key) ? [key] : []));

      for (const key of booleans)
        for (const [written, value] of [
          ["True", true],
          ["False", false],
          ["TRUE", true],
        ] as const) {
          const { data } = await acme.get(`${path}?${key}=${written}&_limit=200`);
          const same = await acme.get(`${path}?${key}=${value}&_limit=200`);
          assert.deepEqual(data, same.data, `${key}=${written}`);
        }
    });

    test("refuses a value that none of its records can have, naming those that they can", async () => {
      const { acme, path } = await filled();

      for (const [key, { choices, hidden }] of of.columns)
        for (const filter of [key, `${key}__in`]) {
          if (choices === null || hidden || !filterNames(of).some(({ name }) => name === filter)) continue;
          const nearly = `${choices[0]!}x`;
          const refusal = await acme.refused(400, "GET", `${path}?${filter}=${nearly}`, undefined, filter);
          assert.match(refusal["field-errors"][filter], new RegExp(`^must be .*${choices[0]}`), filter);
          assert.ok(refusal["field-errors"][filter].split(", ").length <= 13, filter);
        }
    });

    test("takes a group for its members wherever it takes a member", async () => {
      const { acme, path } = await filled();
      const [sample] = (await acme.get(path)).data;
      const group = await acme.post("/group/", { name: "Us", user_ids: [acme.userId] });

      for (const [key, field] of of.columns) {
        if (field.ref?.to !== "user" || sample[key] !== acme.userId || !isFilter(of, key)) continue;
        for (const filter of [key, `${key}__in`]) {
          const [mine, ours] = await Promise.all(
            [acme.userId, group.id].map((id) => acme.get(`${path}?${filter}=${id}&_limit=200`)),
          );
          assert.deepEqual(ours.data, mine.data, filter);
          assert.ok(ours.data.length > 0, filter);
        }
      }
    });

    for (const key of sortKeys(of)) {
      test(`sorts by ${key} both ways, and pages in that order`, async () => {
        const { acme, path } = await filled();

        for (const order of [key, `-${key}`]) {
          const whole = (await acme.get(`${path}?_order_by=${order}&_limit=200`)).data.map((one: any) => one.id);
          const paged = (await acme.all(`${path}?_order_by=${order}&_limit=2`)).map((one) => one.id);
          assert.deepEqual(paged, whole, order);
        }
      });
    }

    test("refuses to sort by what is no sort key, naming those that are", async () => {
      const { acme, path } = await filled();

      const refusal = await acme.refused(400, "GET", `${path}?_order_by=no_such_key`, undefined, "_order_by");

      assert.match(refusal["field-errors"]._order_by, /date_created/);
    });

    test("counts what it finds when asked", async () => {
      const { acme, path } = await filled();
      const count = (await acme.get(`${path}?_limit=200`)).data.length;

      assert.equal((await acme.get(`${path}?_count=exact&_limit=1`)).total_results, count);
      assert.equal((await acme.get(`${path}?_count=estimate&_limit=1`)).total_results, count);
      assert.equal((await acme.get(path)).total_results, undefined);
      await acme.refused(400, "GET", `${path}?_count=all`, undefined, "_count");
    });
  });
}

// --- lists that are not of records ---

const description = JSON.parse(readFileSync("generated/openapi.json", "utf8"));

/** Every form that an answer may have. */
function formsOf(schema: any): any[] {
  const named = schema?.$ref?.split("/").at(-1);
  if (named !== undefined) return formsOf(description.components.schemas[named]);
  const parts = schema?.anyOf ?? schema?.oneOf ?? schema?.allOf;
  return parts === undefined ? [schema] : parts.flatMap(formsOf);
}

const answersWithMore = Object.entries<any>(description.paths).flatMap(([path, { get }]) =>
  formsOf(get?.responses?.["200"]?.content?.["application/json"]?.schema)
    .map((form) => form?.properties)
    .filter((shown) => shown?.data !== undefined && shown.has_more !== undefined && shown.has_more.const !== false)
    .map((shown) => ({
      path,
      shown,
      parameters: (get.parameters ?? []).map(({ name, $ref }: any) => name ?? $ref.split("/").at(-1)),
    })),
);

test("every list that may have more says where it goes on", () => {
  const lacking = answersWithMore.filter(({ shown, parameters }) => !shown.cursor_next || !parameters.includes("_cursor"));

  assert.ok(answersWithMore.length > 50);
  assert.deepEqual(
    lacking.map(({ path }) => path),
    [],
  );
});

/** This one asks the provider of numbers. */
const asking = new Set(["phone_number.available"]);

const ofNoRecords = operations.filter(
  ({ method, verb, path, parameters }) =>
    method === "GET" &&
    verb === null &&
    !path.includes("{") &&
    ["_cursor", "_limit"].every((one) => parameters.some(({ name }) => name === one)),
);

for (const { name, path } of ofNoRecords) {
  if (asking.has(name)) continue;
  test(`GET ${path} is followed by its cursor to its end`, async () => {
    const acme = await organization();
    await acme.member();
    const whole = (await acme.get(`${path}?_limit=200`)).data;
    const limit = Math.max(1, Math.ceil(whole.length / 3));

    const followed = await acme.all(`${path}?_limit=${limit}`);

    assert.deepEqual(followed, whole);
    for (const wrong of ["nonsense", Buffer.from('["","x"]').toString("base64url")])
      await acme.refused(400, "GET", `${path}?_cursor=${wrong}`, undefined, "_cursor");
  });
}

const isFilter = (of: Resource, key: string) => filterNames(of).some((filter) => filter.name === key);

/** Resources whose custom fields have a type that refers to records. */
const typed = (of: Resource): boolean => "custom_activity_type_id" in of.fields || "custom_object_type_id" in of.fields;

function asksNumber(of: Resource, filter: string): boolean {
  const field = of.fields[filter.replace(/__(in|gt|gte|lt|lte)$/, "")] as Field | undefined;
  return field?.source === "column" && ["integer", "number"].includes(field.type) && of.filters?.[filter] === undefined;
}

/** A valid value for the filter. Undefined when that needs knowledge of its meaning. */
function filterValue(of: Resource, filter: string, sample: any): string | undefined {
  const [, key, suffix] = /^(.+?)(?:__(in|gt|gte|lt|lte|isnull))?$/.exec(filter)!;
  if (suffix === "isnull") return "true";
  const field = of.fields[key!] as Field | undefined;
  if (field?.source !== "column") return undefined;
  const examples: Record<string, string> = {
    integer: "1",
    number: "1.5",
    boolean: "true",
    timestamp: "2026-01-02T03:04:05Z",
    date: "2026-01-02",
  };
  return examples[field.type] ?? String(sample[key!] ?? field.choices?.[0] ?? "x");
}
