// What every resource promises, by its definition. A new resource is covered as soon as it exists.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import type { AnyField, Field } from "../../src/core/field.ts";
import { buildRegistry } from "../../src/core/registry.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations, silentResources } from "../../src/resources/index.ts";
import { organization } from "../support/given.ts";
import { once } from "../support/once.ts";
import {
  collectionPath,
  createdResources,
  listedByRecord,
  minimalBody,
  sampleRecord,
  sampleValue,
  verbsOf,
} from "../support/samples.ts";

buildRegistry(operations, silentResources);

const written = (of: Resource): [string, Field][] =>
  of.columns.filter(([key, field]) => field.mode !== "read" && !field.hidden && key !== of.parent);

const isPlainText = (field: Field): boolean =>
  field.mode === "write" && field.type === "text" && field.ref === null && !(field.schema as any).options;

for (const of of createdResources(operations)) {
  const verbs = verbsOf(operations, of);

  describe(of.name, () => {
    const workspace = once(() => organization());

    test("one created with only what is required reads back as it was answered", async () => {
      const acme = await workspace();
      const path = await collectionPath(acme, of);

      const answer = await acme.ask("POST", path, { body: await minimalBody(acme, of) });

      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.body.id, new RegExp(`^${of.prefix}_`));
      if (verbs.get) {
        assert.equal(answer.headers.get("location"), `/api/v1${path}${answer.body.id}/`);
        assert.deepEqual(await acme.get(`${path}${answer.body.id}/`), withoutOnce(of, answer.body));
      }
      if (verbs.list && !listedByRecord.has(of.name))
        assert.ok(
          (await acme.all(path)).some((one) => one.id === answer.body.id),
          "the list has it",
        );
    });

    for (const [key, field] of written(of).filter(([, field]) => field.required)) {
      test(`without ${key} it is refused, and ${key} is named`, async () => {
        const acme = await workspace();
        const { [key]: _, ...body } = await minimalBody(acme, of);

        await acme.refused(400, "POST", await collectionPath(acme, of), body, key);
        void field;
      });
    }

    test("a value of the wrong type is refused, and its field is named", async () => {
      const acme = await workspace();
      const path = await collectionPath(acme, of);
      const body = await minimalBody(acme, of);

      for (const [key, field] of written(of)) {
        const wrong = field.type === "text" || field.type === "timestamp" || field.type === "date" ? 12 : "twelve";
        const refusal = await acme.refused(400, "POST", path, { ...body, [key]: wrong });
        assert.ok(
          Object.keys(refusal["field-errors"]).some((place) => place === key || place.startsWith(`${key}.`)),
          `${key}: ${JSON.stringify(refusal)}`,
        );
      }
    });

    test("an unknown field is reported, and refused when handling is strict", async () => {
      const acme = await workspace();
      const path = await collectionPath(acme, of);
      const body = { ...(await minimalBody(acme, of)), no_such_field: 1 };

      const refusal = await acme.ask("POST", path, { body, headers: { prefer: "handling=strict" } });
      const answer = await acme.ask("POST", path, { body });

      assert.equal(refusal.status, 400);
      assert.ok("no_such_field" in refusal.body["field-errors"]);
      assert.equal(answer.status, of.narrows ? 400 : 201, answer.text);
      assert.equal(answer.headers.get("x-ignored-fields"), of.narrows ? null : "no_such_field");
    });

    test("read-only fields of a body are ignored, so that what was read can be written back", async () => {
      const acme = await workspace();
      const record = await sampleRecord(acme, of);
      if (!verbs.update) return;
      const { path, ...body } = record;

      const unknown = of.narrows === true ? {} : { version: 99 };
      const answer = await acme.ask("PUT", path, {
        body: { ...body, id: "other", created_by: "user_x", organization_id: "orga_x", ...unknown },
      });

      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.id, record.id);
      assert.equal(answer.body.created_by, record.created_by);
      assert.equal(answer.body.organization_id, acme.id);
    });

    if (verbs.get) {
      test("what a write answers carries the tag a read would, and so does the same answer when it is asked for again", async () => {
        const acme = await workspace();
        const [collection, body] = [await collectionPath(acme, of), await minimalBody(acme, of)];
        const tagOf = async (method: string, path: string, more: object = {}) =>
          (await acme.ask(method, path, { body, ...more })).headers.get("etag");

        const once = { "idempotency-key": "once" };
        const created = await acme.ask("POST", `${collection}?_fields=id,date_created`, { body, headers: once });
        assert.equal(created.status, 201, created.text);
        const path = `${collection}${created.body.id}/`;
        const read = await tagOf("GET", `${path}?_fields=id,date_created`, { body: undefined });
        assert.match(read ?? "", /^"\d+\.[\w-]{12}"$/);
        assert.equal(created.headers.get("etag"), read);
        assert.equal(await tagOf("POST", `${collection}?_fields=id,date_created`, { headers: once }), read);
        if (!verbs.update) return;
        const [key, field] = written(of).find(([, one]) => isPlainText(one)) ?? [];
        const changed = key === undefined ? {} : { [key]: await sampleValue(acme, of, key, field!) };
        for (const change of [{}, changed, changed]) {
          const named = await tagOf("GET", path, { body: undefined });
          const answer = await acme.ask("PUT", path, { body: change, headers: { "if-match": named! } });
          assert.equal(answer.status, 200, answer.text);
          const { text, headers } = await acme.ask("GET", path);
          assert.equal(answer.text, text);
          assert.equal(answer.headers.get("etag"), headers.get("etag"));
        }
      });
    }

    if (verbs.update) {
      test("every field that can be changed keeps the value it is given", async () => {
        const acme = await workspace();
        const { path } = await sampleRecord(acme, of);

        for (const [key, field] of written(of)) {
          if (field.mode !== "write" || field.ref !== null || ["json", "texts"].includes(field.type)) continue;
          const value = await sampleValue(acme, of, key, field);
          if (value === undefined) continue;
          const answer = await acme.ask("PUT", path, { body: { [key]: value } });
          // The resource's own tests cover states that cannot follow the present one, and values that need another one.
          if (answer.status === 400) continue;
          assert.deepEqual(answer.body[key], value, `${key} after the change`);
          if (verbs.get) assert.deepEqual((await acme.get(path))[key], value, `${key} when read again`);
        }
      });

      test("an update that changes nothing leaves version and events as they are", async () => {
        const acme = await workspace();
        const { path, id } = await sampleRecord(acme, of);
        const before = verbs.get ? (await acme.ask("GET", path)).headers.get("etag") : null;
        const events = (await acme.events(id)).length;

        await acme.put(path, {});
        if (verbs.get) await acme.put(path, await acme.get(path));

        if (verbs.get) assert.equal((await acme.ask("GET", path)).headers.get("etag"), before);
        assert.equal((await acme.events(id)).length, events);
      });

      test("null clears what can be empty and is refused where a value is needed", async () => {
        const acme = await workspace();
        const { path } = await sampleRecord(acme, of);

        for (const [key, field] of written(of).filter(([, field]) => field.mode === "write")) {
          const answer = await acme.ask("PUT", path, { body: { [key]: null } });
          if (field.nullable)
            assert.ok(answer.status === 200 || key in answer.body["field-errors"] || answer.status === 400, answer.text);
          else if (Array.isArray(field.default)) assert.deepEqual(answer.body[key], [], `${key}: ${answer.text}`);
          else assert.equal(answer.status, 400, `${key}: ${answer.text}`);
        }
      });

      for (const [key, field] of written(of).filter(([, field]) => field.mode === "create")) {
        test(`${key} cannot be changed once it is created`, async () => {
          const acme = await workspace();
          const { path, ...record } = await sampleRecord(acme, of);
          const other = await sampleValue(acme, of, key, field);
          const options = (field.schema as { options?: unknown[] }).options;
          const value = options ? options.find((option) => option !== record[key]) : other;
          if (value === undefined || value === record[key]) return;

          await acme.refused(400, "PUT", path, { [key]: value }, key);
          await acme.put(path, { [key]: record[key] });
        });
      }

      for (const [key, field] of Object.entries(of.fields as Record<string, AnyField>)) {
        if (field.source !== "input" || field.mode !== "create" || field.later === "ignored" || field.shown?.source === "related")
          continue;
        test(`${key} is refused once it is created, unless it is as it was`, async () => {
          const acme = await workspace();
          const { path, ...record } = await sampleRecord(acme, of);
          const { options } = field.schema as { options?: unknown[] };
          const values = options ?? (field.schema instanceof z.ZodBoolean ? [true, false] : ["other@else.example"]);

          const answers = await Promise.all(values.map((value) => acme.ask("PUT", path, { body: { [key]: value } })));
          if (field.shown !== null) await acme.put(path, { [key]: record[key] });

          const refused = answers.filter(({ status }) => status === 400);
          assert.equal(refused.length, values.length - (field.later === null ? 0 : values.length > 1 ? 1 : 0));
          for (const { body } of refused) assert.equal(body["field-errors"][key], "cannot be changed");
        });
      }

      test("If-Match with an old version changes nothing", async () => {
        const acme = await workspace();
        const { path } = await sampleRecord(acme, of);

        const answer = await acme.ask("PUT", path, { body: {}, headers: { "if-match": `"999.x"` } });

        assert.equal(answer.status, 412, answer.text);
      });

      test("of several tags in If-Match one has to be that of the record", async () => {
        const acme = await workspace();
        const { path } = await sampleRecord(acme, of);
        const tag = (await acme.ask("GET", path)).headers.get("etag");
        if (tag === null) return; // Some reads have none: they show more than the record.

        for (const known of [`"999.x", ${tag}`, `${tag},"999.x"`, "*"])
          assert.equal((await acme.ask("PUT", path, { body: {}, headers: { "if-match": known } })).status, 200, known);
      });
    }

    if (verbs.delete) {
      test("a deleted one is gone, and cannot be deleted twice", async () => {
        const acme = await workspace();
        const spare = await sampleRecord(acme, of);
        const { path, id } = await sampleRecord(acme, of);
        void spare;

        const answer = await acme.ask("DELETE", path);

        if (answer.status === 400 || of.name === "membership") return; // the resource's own refusal, tested beside it
        assert.deepEqual(answer.body, {}, answer.text);
        await acme.refused(404, "DELETE", path);
        if (verbs.get) await acme.refused(404, "GET", path);
        if (verbs.update) await acme.refused(404, "PUT", path, {});
        void id;
      });
    }

    if (of.event !== null) {
      test("creating, changing and deleting it each leave one event, with what was before", async () => {
        const acme = await workspace();
        await sampleRecord(acme, of);
        const { path, id } = await sampleRecord(acme, of);
        const text = written(of).find(([, field]) => isPlainText(field));
        const changed = text && verbs.update ? await sampleValue(acme, of, text[0], text[1]) : undefined;
        if (changed !== undefined) await acme.put(path, { [text![0]]: changed });
        const deletion = verbs.delete ? await acme.ask("DELETE", path) : null;

        const events = await acme.events(id);

        const actions = events.map((event) => event.action);
        const of_ = (action: string) => actions.filter((one) => one === action).length;
        assert.equal(of_("created") + of_("activated"), 1, actions.join());
        if (changed !== undefined) {
          const update = events.find((event) => event.action === "updated" && event.changed_fields.includes(text![0]));
          assert.ok(update, `an updated event names ${text![0]}: ${JSON.stringify(events)}`);
          assert.ok(text![0] in update.previous_data);
          assert.deepEqual(update.data[text![0]], changed);
        }
        if (deletion?.status === 200 && of.name !== "membership") {
          const last = events.at(-1);
          assert.equal(last.action, "deleted");
          assert.deepEqual(last.data, {});
          assert.equal(last.previous_data.id, id);
        }
        assert.ok(events.every((event) => event.request_id && event.user_id === acme.userId));
      });
    }
  });
}

// Secrets are shown only by the create.
function withoutOnce(of: Resource, body: Record<string, unknown>): Record<string, unknown> {
  const secrets = new Set(of.secrets.map(([key]) => key));
  return Object.fromEntries(Object.entries(body).filter(([key]) => !secrets.has(key)));
}
