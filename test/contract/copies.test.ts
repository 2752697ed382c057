// A record that was read can be posted as a new one. A client that copies records needs to know nothing else.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnyField, Field } from "../../src/core/field.ts";
import { buildRegistry } from "../../src/core/registry.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations, silentResources } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, fullRecord, listedByRecord, sampleValue, verbsOf } from "../support/samples.ts";

buildRegistry(operations, silentResources);

/** Values that no read shows but a create requires. */
const unseen: Record<string, object> = {
  file: { content_base64: Buffer.from("The same").toString("base64") },
  import: { csv: "Company\nAcme" },
};

/** Setting it again updates the existing one: the field that identifies it. */
const settable: Record<string, string> = { goal: "period", membership: "email" };

/** Records of which there can be one at a time, or that replace others. The new record takes over. */
const takenOver = ["position", "is_default", "outreach_channel"];

let count = 0;

/** Replacements for unique values, where the field's kind is not enough to make one. */
const others: Record<string, (ws: Workspace) => Promise<object> | object> = {
  "budget.holder_id": async (ws) => ({ holder_id: (await ws.post("/api_key/", { name: "Copy" })).id }),
  "goal.period": () => ({ period: "1999-Q1" }),
  "membership.email": () => ({ email: "copy@example.com" }),
  "connected_account.email": () => ({ email: "copy@example.com" }),
  "file_subtype.key": () => ({ key: `copy_${++count}` }),
  "phone_number.number": () => ({ number: `+1312555${1000 + ++count}` }),
  "send_as.allowed_user_id": async (ws) => ({ allowed_user_id: (await ws.member()).userId }),
  "sequence_subscription.contact_id": async (ws) => {
    const email = "copy@example.com";
    return { contact_id: (await ws.contact({ emails: [{ email }] })).id, contact_email: email };
  },
};

for (const of of createdResources(operations)) {
  const verbs = verbsOf(operations, of);
  if (verbs.get === undefined && verbs.list === undefined) continue;

  describe(of.name, () => {
    for (const [named, fields] of [
      ["by default", ""],
      ["when everything is named", "_fields=_all"],
    ] as const) {
      test(`what a read shows ${named} can be posted as a new record, which then says the same`, async () => {
        const acme = await organization();
        const path = await collectionPath(acme, of);
        const original = await shown(acme, of, path, await fullRecord(acme, of, path), fields);

        const { record, changed } = await posted(acme, of, path, original);

        const copy = await shown(acme, of, path, record, fields);
        assert.deepEqual(said(of, copy, changed), said(of, original, changed));
        const kept = await shown(acme, of, path, original, fields);
        assert.deepEqual(said(of, kept, takenOver), said(of, original, takenOver), "the original keeps what it has");
        assert.deepEqual(idsWithin(kept), idsWithin(original));
      });
    }

    if (verbs.list && !listedByRecord.has(of.name) && of.parent === undefined)
      test("so can those that every organization begins with", async () => {
        const acme = await organization();
        const path = await collectionPath(acme, of);

        for (const original of await acme.all(path)) {
          const { record, changed } = await posted(acme, of, path, original);
          assert.deepEqual(said(of, record, changed), said(of, original, changed));
        }
      });
  });
}

async function shown(ws: Workspace, of: Resource, path: string, { id, object_id }: any, fields: string): Promise<any> {
  if (verbsOf(operations, of).get) return ws.get(`${path}${id}/?${fields}`);
  const which = listedByRecord.has(of.name) ? `object_id=${object_id}&` : "";
  return (await ws.all(`${path}?${which}${fields}`)).find((one) => one.id === id);
}

/** Posts what was read. Only unique values are changed: names in use, or the key of a record that is set again. */
async function posted(ws: Workspace, of: Resource, path: string, read: any): Promise<{ record: any; changed: string[] }> {
  const body = { ...read, ...unseen[of.name] };
  const changed: string[] = [];
  for (;;) {
    const answer = await ws.ask("POST", path, { body, headers: { prefer: "handling=strict" } });
    const again = answer.body.id === read.id ? [settable[of.name]!] : answer.status === 400 ? taken(answer.body) : [];
    if (again.length === 0 || again.some((key) => changed.includes(key))) {
      assert.equal(answer.status, 201, answer.text);
      return { record: answer.body, changed };
    }
    for (const key of again) {
      const instead = await (others[`${of.name}.${key}`]?.(ws) ?? another(ws, of, key));
      Object.assign(body, instead);
      changed.push(...Object.keys(instead));
    }
  }
}

const taken = (refusal: { "field-errors": Record<string, string> }): string[] =>
  Object.entries(refusal["field-errors"]).flatMap(([key, reason]) => (/already/.test(reason) ? [key] : []));

/** Another value, under every name of the field. */
async function another(ws: Workspace, of: Resource, key: string): Promise<object> {
  const value = await sampleValue(ws, of, key, of.fields[key] as Field);
  const names = Object.keys(of.fields).filter((name) => name === key || shownOf(of.fields[name]) === key);
  return Object.fromEntries(names.map((name) => [name, value]));
}

const shownOf = (field: AnyField): string | undefined =>
  field.source === "input" && field.shown?.source === "computed" ? field.shown.of[0] : undefined;

/** The members of a record that a body may have too. Parts within it have ids and dates of their own. */
function said(of: Resource, record: any, changed: readonly string[]): Record<string, unknown> {
  const names = Object.keys(record).filter((key) => key.startsWith("custom.") || (isWritten(of, key) && !changed.includes(key)));
  return JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((key) => [key, record[key]])), (key, value) =>
      key !== "" && isRecord(value) ? withoutOwn(value) : value,
    ).replaceAll(`"${record.id}"`, `"itself"`),
  );
}

const isRecord = (value: any): boolean => typeof value?.id === "string";

const withoutOwn = ({ id: _, position: __, date_created: ___, date_updated: ____, ...rest }: any) => rest;

const isWritten = (of: Resource, key: string): boolean => ["write", "create"].includes((of.fields[key] as Field)?.mode);

const idsWithin = (record: any): string[] => [...JSON.stringify(record).matchAll(/"id":"([^"]+)"/g)].map((match) => match[1]!);
