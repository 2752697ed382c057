// No organization learns anything about another. For every operation and every id it accepts, the response for another
// organization's record equals the response for a record that does not exist, byte for byte. The other organization does not
// change.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Field } from "../../src/core/field.ts";
import { type Operation, pathFields } from "../../src/core/operation.ts";
import { filterNames } from "../../src/records/filters.ts";
import { operations } from "../../src/resources/index.ts";
import { newId, prefixOf } from "../../src/values/id.ts";
import { organization, type Workspace } from "../support/given.ts";
import { createdResources, minimalBody, sampleRecord } from "../support/samples.ts";
import { service } from "../support/service.ts";

/** One record of every resource that can be created, with ids by prefix. */
async function inhabited(): Promise<{ them: Workspace; ids: Map<string, string> }> {
  const them = await organization();
  const ids = new Map<string, string>([
    ["user", them.userId],
    ["orga", them.id],
  ]);
  for (const of of createdResources(operations)) {
    const record = await sampleRecord(them, of);
    if (record) ids.set(of.name, record.id);
  }
  return { them, ids };
}

/** The two responses, without the ids. They must be equal. */
async function sameAnswer(
  us: Workspace,
  known: Iterable<string>,
  what: string,
  theirs: string,
  ask: (id: string) => { method: string; path: string; body?: unknown },
): Promise<void> {
  const nobodys = newId(prefixOf(theirs));
  const [real, made] = [ask(theirs), ask(nobodys)];
  const answers = [];
  for (const [id, request] of [
    [theirs, real],
    [nobodys, made],
  ] as const) {
    const answer = await us.ask(request.method, request.path, request.body === undefined ? {} : { body: request.body });
    for (const other of known) assert.ok(other === id || !answer.text.includes(other), `${what} shows ${other}`);
    answers.push({ status: answer.status, text: plain(answer.text.replaceAll(id, "ID")) });
  }
  assert.deepEqual(answers[0], answers[1], what);
}

// Two creates differ in the ids they make, the time, and the names made up by the test. Two pages of events differ in their end.
const plain = (text: string): string =>
  text
    .replaceAll(/\b[a-z0-9]+_[0-9a-hjkmnp-tv-z]{26}\b/g, "NEW")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "NOW")
    .replaceAll(/"(name|label|display_name|title|email|key|key_preview|signature_key|cursor_previous)":"[^"]*"/g, '"$1":"*"');

const pathWith = (operation: Operation, us: Map<string, string>, at: string, id: string): string => {
  const own = (field: string) => us.get(field.replace(/_id$/, "")) ?? us.get(operation.resource?.name ?? "") ?? "x";
  return operation.path.replace(/\{([^}]+)\}/g, (_, field: string) => (field === at ? id : own(field)));
};

describe("another organization's ids", () => {
  test("mean nothing in any path", async () => {
    const [{ ids }, ours] = [await inhabited(), await inhabited()];

    for (const operation of operations) {
      for (const field of pathFields(operation.path)) {
        for (const id of idsFor(ids, operation, field)) {
          await sameAnswer(ours.them, ids.values(), `${operation.name} {${field}}`, id, (value) => ({
            method: operation.method,
            path: pathWith(operation, ours.ids, field, value),
            ...(operation.body ? { body: {} } : {}),
          }));
        }
      }
    }
  });

  test("mean nothing in any body", async () => {
    const [{ ids }, ours] = [await inhabited(), await inhabited()];

    for (const operation of operations.filter((one) => one.body !== null)) {
      const properties = Object.entries(bodyShape(operation)).filter(([key]) => isReference(operation, key));
      const minimal = operation.verb === "create" ? await minimalBody(ours.them, operation.resource!) : {};
      for (const [key] of properties) {
        const field = operation.resource?.fields[key] as Field | undefined;
        const candidates = field?.ref ? [ids.get(field.ref.to === "user" ? "user" : field.ref.to)] : idsNamed(ids, key);
        for (const id of candidates.filter((one) => one !== undefined)) {
          await sameAnswer(ours.them, ids.values(), `${operation.name} ${key}`, id, (value) => ({
            method: operation.method,
            path: pathWith(operation, ours.ids, "", ""),
            body: { ...minimal, [key]: key.endsWith("_ids") ? [value] : value },
          }));
        }
      }
    }
  });

  test("mean nothing in any filter", async () => {
    const [{ ids }, ours] = [await inhabited(), await inhabited()];

    for (const operation of operations.filter((one) => one.verb === "list" && !one.path.includes("{"))) {
      for (const { name } of filterNames(operation.resource!).filter((filter) => /(^id|_id|_to|_by)(__in)?$/.test(filter.name))) {
        await Promise.all(
          filterIds(ids, operation, name).map((id) =>
            sameAnswer(ours.them, ids.values(), `${operation.name} ${name}`, id, (value) => ({
              method: "GET",
              path: `${operation.path}?${name}=${value}`,
            })),
          ),
        );
      }
    }
  });

  test("leave the other organization untouched, whatever is tried with them", async () => {
    const { them, ids } = await inhabited();
    const ours = await inhabited();
    const before = await fingerprint(them.id);

    for (const operation of operations) {
      for (const field of pathFields(operation.path)) {
        for (const id of idsFor(ids, operation, field)) {
          await ours.them.ask(
            operation.method,
            pathWith(operation, ours.ids, field, id),
            operation.body ? { body: { name: "taken over" } } : {},
          );
        }
      }
    }

    assert.deepEqual(await fingerprint(them.id), before);
  });

  test("never turn up in what an organization reads", async () => {
    const { them, ids } = await inhabited();
    const canary = `canary-${newId("x")}`;
    await them.lead({ name: canary, description: canary });
    const ours = await inhabited();

    for (const operation of operations.filter((one) => one.verb === "list" && !one.path.includes("{"))) {
      const { text } = await ours.them.ask("GET", `${operation.path}?_limit=200`);
      for (const id of ids.values()) assert.ok(!text.includes(id), `${operation.name} shows ${id}`);
      assert.ok(!text.includes(canary) && !text.includes(them.id), operation.name);
    }
  });
});

/** Ids to try in a path parameter: of the resource that it or the operation names, or else of a few kinds. */
function idsFor(ids: Map<string, string>, operation: Operation, field: string): string[] {
  const own = field === "id" ? (ids.get(operation.resource?.name ?? "") ?? ids.get(operation.name.split(".")[0]!)) : undefined;
  return own === undefined ? idsNamed(ids, field) : [own];
}

/** Kinds to try where a name says only that it is an id. */
const anyKinds = ["orga", "user", "lead", "contact", "activity_note"];

/** Ids of the resources that a name such as `old_status_id` may mean, or else of a few kinds. */
function idsNamed(ids: Map<string, string>, key: string): string[] {
  if (/_(by|to)$|^(user|owner)_ids?$/.test(key)) return [ids.get("user")!];
  const noun = key.replace(/_ids?$/, "");
  const meant = [...ids.keys()].filter((name) => `_${noun}`.endsWith(`_${name}`) || name.endsWith(`_${noun}`));
  return (meant.length > 0 ? meant : anyKinds).map((name) => ids.get(name)!);
}

/** Whether a member of a body holds an id: a reference of the resource, or a name that says so. */
function isReference(operation: Operation, key: string): boolean {
  const field = operation.resource?.fields[key] as Field | undefined;
  if (field?.source === "column") return field.ref !== null;
  return /_ids?$|^(source|destination|assigned_to)$/.test(key);
}

/** Ids to try in a filter: what its field refers to, the resource's own, or a few kinds if only the name says that it is an id. */
function filterIds(ids: Map<string, string>, operation: Operation, filter: string): string[] {
  const key = filter.replace(/__in$/, "");
  const field = operation.resource!.fields[key] as Field | undefined;
  const target = key === "id" ? operation.resource!.name : field?.source === "column" ? field.ref?.to : undefined;
  const id = target === undefined ? undefined : ids.get(target);
  return id !== undefined ? [id] : target === undefined ? idsNamed(ids, key) : [];
}

const bodyShape = (operation: Operation): Record<string, unknown> =>
  (operation.body as { shape?: Record<string, unknown> }).shape ?? {};

/** A checksum of each table of an organization. The time of a key's last use is left out, because reading changes it. */
async function fingerprint(organizationId: string): Promise<Record<string, string>> {
  const { app } = await service();
  const tables = await app.db.unscoped({
    text: `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
             and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') order by 1`,
    values: [],
  });
  const checksums: Record<string, string> = {};
  for (const [table] of tables) {
    const [row] = await app.db.unscoped({
      text: `select md5(coalesce(string_agg(t.text, chr(10) order by t.text), ''))
             from (select (to_jsonb(t) - 'last_used_at')::text as text from "${table}" t where organization_id = $1) t`,
      values: [organizationId],
    });
    checksums[table!] = row![0]!;
  }
  return checksums;
}
