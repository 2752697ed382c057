// What every body promises: no key is lost silently, at any depth, and what was read can be sent back.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import type { AnyField, Field } from "../../src/core/field.ts";
import type { Operation } from "../../src/core/operation.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import {
  collectionPath,
  createdResources,
  listedByRecord,
  minimalBody,
  sampleRecord,
  sampleValue,
  verbsOf,
} from "../support/samples.ts";

const strict = { prefer: "handling=strict" };

/** An object within a body: its path, and a body with nothing but this object and an unknown key in it. */
interface Place {
  at: string;
  body: unknown;
  isOpen: boolean;
}

function placesIn(schema: z.core.$ZodType, at: string, around: (inner: unknown) => unknown, depth = 0): Place[] {
  const within = (one: z.core.$ZodType, place = at, wrap = around) => placesIn(one, place, wrap, depth + 1);
  if (depth > 8) return [];
  if (schema instanceof z.ZodArray) return within(schema.element, `${at}.0`, (inner) => around([inner]));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => within(one));
  if (schema instanceof z.ZodPipe) return within(schema.in);
  if (schema instanceof z.ZodLazy) return within(schema.unwrap());
  if (schema instanceof z.ZodRecord) return within(schema.valueType, `${at}.some`, (inner) => around({ some: inner }));
  if (schema instanceof z.ZodObject) {
    const literals = Object.entries(schema.shape).filter(([, one]) => one instanceof z.ZodLiteral);
    const told = Object.fromEntries(literals.map(([key, one]) => [key, [...(one as z.ZodLiteral).values][0]]));
    const isOpen = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
    const inner = Object.entries(schema.shape).flatMap(([key, one]) =>
      within(one, at === "" ? key : `${at}.${key}`, (value) => around({ ...told, [key]: value })),
    );
    return [{ at, body: around({ ...told, no_such_key: 1 }), isOpen }, ...inner];
  }
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? within(innerType) : [];
}

/** Objects with arbitrary keys, which have their own rules: graphs, queries, filters of events, custom values at the top. */
const open =
  /^(POST|PUT) .* (trigger|filter|graph|actions\.0\.(config|params)|trigger_query|goal|steps\.0\.condition|event_filters\.some|events\.0\.extra_filter)?$/;

const named = (operation: Operation, at: string) => `${operation.method} ${operation.path} ${at}`;
const placesOf = (operation: Operation) => (operation.body === null ? [] : placesIn(operation.body, "", (inner) => inner));

test("objects of any keys are the few that have rules of their own", () => {
  const found = operations.flatMap((one) => placesOf(one).flatMap(({ at, isOpen }) => (isOpen ? [named(one, at)] : [])));

  assert.deepEqual(
    found.filter((one) => !open.test(one)),
    [],
    "give the object a schema of its keys, or see that what reads it refuses what it does not know",
  );
});

describe("a key that nobody knows is named by its place and refused when handling is strict:", () => {
  for (const operation of operations) {
    const places = placesOf(operation).filter(({ at, isOpen }) => at !== "" && !isOpen);
    if (places.length === 0) continue;
    test(`${operation.method} ${operation.path}`, async () => {
      const acme = await organization();
      const record = operation.verb === "update" ? await sampleRecord(acme, operation.resource!) : undefined;
      const path = record?.path ?? operation.path.replace("{object_type}", "lead").replace(/\{[^}]+\}/g, "some");

      for (const { at, body } of places) {
        const answer = await acme.ask(operation.method, path, { body, headers: strict });

        assert.equal(answer.status, 400, answer.text);
        assert.ok(Object.hasOwn(answer.body["field-errors"], `${at}.no_such_key`), `${at}: ${answer.text}`);
      }
    });
  }
});

describe("where a body says what is done to how much, an unknown key is always refused:", () => {
  const narrowing = operations.filter((one) => one.narrows);
  const named = ["/report/", "/data/search/", "/notification/mark_all_read/", "/members/", "/dialer/"];
  test("reports, searches, selections", () => {
    for (const path of named)
      assert.ok(
        narrowing.some((one) => one.path.includes(path)),
        path,
      );
  });
  for (const operation of narrowing) {
    test(`${operation.method} ${operation.path}`, async () => {
      const acme = await organization();
      const path = operation.path.replace(/\{[^}]+\}/g, "some");

      await acme.refused(400, operation.method, path, { no_such_key: 1 }, "no_such_key");
      for (const { at, body, isOpen } of placesOf(operation))
        if (at !== "" && !isOpen) await acme.refused(400, operation.method, path, body, `${at}.no_such_key`);
    });
  }
});

/** A record with lists in it, and with one of each kind that can be created with it. Members it does not take are left out. */
async function filledRecord(acme: Workspace, of: Resource): Promise<any> {
  const record = await sampleRecord(acme, of);
  for (const [key, field] of of.columns as [string, Field][]) {
    if (field.mode !== "write" || (field.type !== "json" && field.type !== "texts")) continue;
    const value = await sampleValue(acme, of, key, field);
    if (value !== undefined) await acme.ask("PUT", record.path, { body: { [key]: value } });
  }
  for (const { resource, via, many } of Object.values(of.expand ?? {})) {
    const child = acme.service.app.core.registry.resource(resource)!;
    if (!many || verbsOf(operations, child).create === undefined) continue;
    const path = `${child.path.replace(/\{[^}]+\}/, record.id)}/`;
    await acme.ask("POST", path, { body: { ...(await minimalBody(acme, child)), [via]: record.id } });
  }
  return record;
}

/** Everything that a read can show, with its related records. */
async function everything(acme: Workspace, of: Resource, path: string): Promise<Record<string, unknown>> {
  const fields = [...of.shown.map(([key]) => key), ...(of.alsoShown ?? [])];
  const relations = Object.keys(of.expand ?? {});
  const expand = relations.length > 0 ? `&_expand=${relations.join()}` : "";
  return acme.get(`${path}?_fields=${[...fields, ...relations].join()}${expand}`);
}

describe("what was read can be sent back, and changes nothing:", () => {
  for (const of of createdResources(operations)) {
    const verbs = verbsOf(operations, of);
    const get = operations.find((one) => one.method === "GET" && one.path === `${of.path}/{id}/`);
    if (!verbs.update) continue;
    test(of.name, async () => {
      const acme = await organization();
      const { path, id, object_id } = await filledRecord(acme, of);
      const list = path.replace(`${id}/`, listedByRecord.has(of.name) ? `?object_id=${object_id}` : "");
      const read = async () => (get ? everything(acme, of, path) : (await acme.all(list)).find((one) => one.id === id));
      const before = await read();
      const events = (await acme.events(id)).length;

      const plain = await acme.ask("PUT", path, { body: before });
      const exact = await acme.ask("PUT", path, { body: before, headers: strict });

      assert.equal(plain.status, 200, plain.text);
      assert.equal(plain.headers.get("x-ignored-fields"), null);
      assert.equal(exact.status, 200, exact.text);
      // Only the clock changes by itself.
      const after = await read();
      assert.deepEqual({ ...after, localtime: null }, { ...before, localtime: null });
      assert.equal((await acme.events(id)).length, events);
    });
  }
});

describe("white space alone, of whatever kind, is as empty as no text:", () => {
  const blank = " \t\u00a0\u2003\u3000\u0085\u200b\ufeff";
  const says = (field: AnyField) =>
    (field.source === "column" && field.type === "text" && field.choices === null) ||
    (field.source === "input" && field.schema.safeParse("x").success);
  for (const of of createdResources(operations)) {
    const verbs = verbsOf(operations, of);
    const texts = Object.entries(of.fields as Record<string, AnyField>).filter(
      ([key, field]) => says(field) && (field as Field).mode === "write" && key !== of.parent,
    );
    if (!verbs.update || texts.length === 0) continue;
    test(of.name, async () => {
      const acme = await organization();
      const { path } = await sampleRecord(acme, of);

      for (const [key] of texts) {
        const white = await acme.ask("PUT", path, { body: { [key]: blank } });
        const empty = await acme.ask("PUT", path, { body: { [key]: "" } });

        assert.equal(white.status, empty.status, `${key}: ${white.text}`);
        if (white.status === 200) assert.deepEqual(white.body[key], empty.body[key], key);
        else assert.deepEqual(white.body, empty.body, key);
      }
    });
  }
});

describe("what must say something does not say white space:", () => {
  for (const of of createdResources(operations)) {
    const names = of.columns.filter(([, field]: any) => field.required && field.type === "text" && field.mode !== "read");
    for (const [key, field] of names as [string, Field][]) {
      if (field.choices !== null || field.ref !== null) continue;
      test(`${of.name}.${key}`, async () => {
        const acme = await organization();
        const path = await collectionPath(acme, of);
        const body = { ...(await minimalBody(acme, of)), [key]: "\u2003\u0085" };

        await acme.refused(400, "POST", path, body, key);
      });
    }
  }
});

describe("what only a create takes is named by an update, and refused when handling is strict:", () => {
  for (const of of createdResources(operations)) {
    const inputs = Object.entries(of.fields).filter(
      ([, field]: any) => field.source === "input" && field.mode === "create" && field.later === "ignored",
    );
    if (inputs.length === 0 || !verbsOf(operations, of).update) continue;
    test(of.name, async () => {
      const acme = await organization();
      const { path } = await sampleRecord(acme, of);

      for (const [key] of inputs) {
        const plain = await acme.ask("PUT", path, { body: { [key]: [{ other: 1 }] } });
        const exact = await acme.ask("PUT", path, { body: { [key]: "other" }, headers: strict });

        assert.equal(plain.status, 200, `${key}: ${plain.text}`);
        assert.equal(plain.headers.get("x-ignored-fields"), key);
        assert.equal(exact.status, 400, exact.text);
        assert.ok(Object.hasOwn(exact.body["field-errors"], key), exact.text);
      }
    });
  }
});

test("an unknown key within a record that comes with another is named, and the nearest is suggested", async () => {
  const acme = await organization();
  const body = { name: "Acme", contacts: [{ name: "Anna", emails: [{ email: "anna@acme.io", tpye: "work" }] }, { nmae: "Bob" }] };

  const answer = await acme.ask("POST", "/lead/", { body });
  const refusal = await acme.ask("POST", "/lead/", { body, headers: strict });

  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get("x-ignored-fields"), "contacts.0.emails.0.tpye,contacts.1.nmae");
  assert.match(refusal.body["field-errors"]["contacts.0.emails.0.tpye"], /did you mean type\?/);
});
