// A definition that refers to something that does not exist stops the service at the start, with an error that says what is
// missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { label, naming, type OnMove, ref, text, texts } from "../core/field.ts";
import { type Fields, type ResourceWords, resource } from "../core/resource.ts";
import { checkReferences } from "./check_references.ts";

const owner = (onMove: OnMove, to = "owner", required = false) => ref(to, { onDelete: "keep", onMove }, { required });

/** Checks a branch with these fields, beside an owner with this definition. */
function check(fields: Fields, { branch = {}, other = {} }: { branch?: Partial<ResourceWords<Fields>>; other?: object } = {}) {
  const named = { prefix: "x", doc: "A thing." };
  const resources = [
    resource({ ...named, ...branch, name: "branch", fields }),
    resource({ ...named, ...other, name: "owner", fields: { name: text() } }),
    resource({ ...named, name: "user", fields: { name: text() } }),
  ];
  checkReferences({ resources, resource: (name) => resources.find((one) => one.name === name) });
}

test("a definition that refers to what is there is taken", () => {
  const expand = { owner: { resource: "owner", via: "owner_id", many: false } };
  check(
    { owner_id: owner("follow"), owner_name: label("owner_id", "owner", "name"), seen_by: texts({ names: naming("user") }) },
    { branch: { about: "owner_id", expand } },
  );
  check({ owner_id: owner("match") }, { other: { elsewhere: { by: "name" } } });
});

test("a definition that refers to what is not there is refused with what is missing", () => {
  const expand = { desks: { resource: "desk", via: "branch_id", many: true } };

  assert.throws(() => check({ desk_id: owner("keep", "desk") }), /branch.desk_id refers to desk, which no area defines/);
  assert.throws(() => check({ desk_name: label("desk_id", "desk", "name") }), /branch.desk_name refers to desk/);
  assert.throws(() => check({ seen_by: texts({ names: naming("desk") }) }), /branch.seen_by names desk/);
  assert.throws(() => check({}, { branch: { expand } }), /branch expands desk, which no area defines/);
  assert.throws(() => check({}, { branch: { about: "object_id" } }), /branch is about object_id, which is no column of it/);
});

test("a reference that matches needs a target that says how it is found elsewhere", () => {
  const findable = { elsewhere: { by: "name" } };

  assert.throws(() => check({ owner_id: owner("match") }), /branch.owner_id matches owner, which does not declare elsewhere/);
  assert.throws(
    () => check({ owner_id: owner("match", "owner", true) }, { other: findable }),
    /branch.owner_id cannot be null, so the elsewhere of owner needs make or instead/,
  );
});
