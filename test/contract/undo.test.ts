// `POST /change_set/{id}/undo/` takes back what any request did, or says why it cannot.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import type { Field } from "../../src/core/field.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, listedByRecord, minimalBody, sampleRecord, verbsOf } from "../support/samples.ts";

/** Kinds that have no events, or whose records are no business of an agent's. */
const isBusiness = (of: Resource): boolean => of.event !== null && verbsOf(operations, of).create!.mcp;

/** What comes back with other values, because nothing that comes back acts by itself. */
const comesBackWith: Readonly<Record<string, object>> = {
  sequence_subscription: { status: "paused", status_reason: "bulk-action" },
};

let acme: Promise<Workspace> | undefined;
/** One for all kinds: an organization takes longer than a test. */
const ours = () => (acme ??= organization());

/** What says that it cannot come back. */
const staysAway = new Set(["custom_field"]);

const requestOf = (answer: { headers: Headers }) => answer.headers.get("x-request-id")!;
const undo = (acme: Workspace, id: string) => acme.ask("POST", `/change_set/${id}/undo/`, { body: {} });
// An update stores an empty text as null.
const shown = (record: any) => JSON.parse(JSON.stringify(withoutDates(record), (_key, value) => (value === "" ? null : value)));
const withoutDates = ({ date_updated: _d, updated_by: _u, updated_by_name: _n, version: _v, ...rest }: any) => rest;
const plain = (of: Resource) =>
  of.columns.find(
    ([, field]: [string, Field]) =>
      field.mode === "write" &&
      field.type === "text" &&
      field.ref === null &&
      !field.hidden &&
      field.schema.safeParse("Another").success,
  )?.[0];

/** What the record is after each of four undos, of which each takes back the one before. */
async function fourTimes(acme: Workspace, first: string, path: string): Promise<unknown[]> {
  const states: unknown[] = [];
  for (let id = first; states.length < 4; ) {
    const answer = await undo(acme, id);
    assert.equal(answer.status, 200, answer.text);
    const { status, body } = await acme.ask("GET", path);
    states.push(status === 200 ? shown(body) : status);
    id = requestOf(answer);
  }
  return states;
}

function assertAlternates([one, two, three, four]: readonly unknown[]): void {
  assert.deepEqual([three, four], [one, two]);
  assert.notDeepEqual(one, two);
}

for (const of of createdResources(operations).filter(isBusiness)) {
  const verbs = verbsOf(operations, of);
  const read = (acme: Workspace, path: string) => acme.ask("GET", path);

  describe(`undo of ${of.name}`, () => {
    if (verbs.delete && verbs.get)
      test("deletes what was created", async () => {
        const acme = await ours();
        const path = await collectionPath(acme, of);
        const made = await acme.ask("POST", path, { body: await minimalBody(acme, of) });

        const { body, text } = await undo(acme, requestOf(made));

        assert.deepEqual(body.undone?.map((one: any) => one.object_id).includes(made.body.id), true, text);
        assert.equal((await read(acme, `${path}${made.body.id}/`)).status, 404);
        if (staysAway.has(of.name)) return;
        const again = await acme.ask("POST", path, { body: await minimalBody(acme, of) });
        assertAlternates(await fourTimes(acme, requestOf(again), `${path}${again.body.id}/`));
      });

    const field = plain(of);
    if (verbs.update && verbs.get && field && !verbs.update.previews)
      test("gives back what was changed", async () => {
        const acme = await ours();
        const { path, id } = await sampleRecord(acme, of);
        const before = await acme.get(path);
        const changed = await acme.ask("PUT", path, { body: { [field]: "Another" } });
        if (changed.status === 400) return;

        const { body, text } = await undo(acme, requestOf(changed));

        assert.ok(
          body.undone?.some((one: any) => one.object_id === id && one.action === "changed"),
          text,
        );
        assert.deepEqual(shown(await acme.get(path)), shown(before));
        const again = await acme.ask("PUT", path, { body: { [field]: "Another" } });
        assertAlternates(await fourTimes(acme, requestOf(again), path));
      });

    if (verbs.delete && verbs.get && !listedByRecord.has(of.name))
      test("brings back what was deleted, or says that it cannot", async () => {
        const acme = await ours();
        const { path, id } = await sampleRecord(acme, of);
        const before = await acme.get(path);
        const gone = await acme.ask("DELETE", path, { headers: { "x-change-set": `tidy.${of.name}` } });
        assert.equal(gone.status, 200, gone.text);

        const { body, text } = await undo(acme, `tidy.${of.name}`);

        if (staysAway.has(of.name)) return assert.equal(body.not_undone[0].object_id, id, text);
        const restored = body.undone?.some((one: any) => one.object_id === id && one.action === "restored");
        assert.ok(restored, text);
        assert.deepEqual(shown(await acme.get(path)), shown({ ...before, ...comesBackWith[of.name] }));
        const again = await acme.ask("DELETE", path, { headers: { "x-change-set": `again.${of.name}` } });
        assertAlternates(await fourTimes(acme, requestOf(again), path));
      });
  });
}

test("docs/undo.md names what agents write and no undo finds, because it has no events", async () => {
  const text = await readFile(new URL("../../docs/undo.md", import.meta.url), "utf8");
  const silent = operations.filter(({ resource, method, mcp }) => mcp && method !== "GET" && resource?.event === null);

  const names = [...new Set(silent.map(({ resource }) => resource!.name))];
  assert.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});
