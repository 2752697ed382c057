import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization } from "../../../test/support/given.ts";
import { behind, pushedBack } from "./positions.ts";

const row = (id: string, position: number) => ({ id, position });

test("records at the wanted position move back by as little as possible", () => {
  const others = [row("a", 0), row("b", 1), row("c", 2), row("d", 9)];

  assert.deepEqual(pushedBack(others, 1), [
    [others[1], 2],
    [others[2], 3],
  ]);
  assert.deepEqual(pushedBack(others, 5), []);
  assert.deepEqual(pushedBack([], 3), []);
});

test("the end is behind all", () => {
  assert.equal(behind([]), 0);
  assert.equal(behind([row("a", 4), row("b", 2)]), 5);
});

test("whatever the positions are, the wanted one is free afterwards and nobody overtakes anybody", () => {
  const positions = fc.array(fc.nat(8), { maxLength: 10 });

  fc.assert(
    fc.property(positions, fc.nat(8), (given, wanted) => {
      const others = given.map((position, i) => row(`id${i}`, position));
      const moves = new Map(pushedBack(others, wanted).map(([moved, to]) => [moved.id, to]));

      const after = others.map((one) => row(one.id, moves.get(one.id) ?? one.position));

      assert.ok(after.every((one) => one.position !== wanted));
      for (const [i, one] of others.entries())
        for (const [j, other] of others.entries())
          if (one.position < other.position) assert.ok(after[i]!.position <= after[j]!.position);
    }),
  );
});

for (const path of [
  "/status/lead/",
  "/status/opportunity/",
  "/pipeline/",
  "/custom_field/lead/",
  "/file_subtype/",
  "/inbox_folder/",
])
  test(`those that are made at once at ${path} stand at places of their own`, async () => {
    const acme = await organization();
    const name = (i: number) => ({ name: `New ${i}`, label: `New ${i}` });
    const body = (i: number) => (path.startsWith("/custom") ? { ...name(i), type: "text" } : name(i));

    const behind = await Promise.all(Array.from({ length: 8 }, (_, i) => acme.post(path, body(i))));

    assert.equal(new Set(behind.map((one) => one.position)).size, 8);
  });

const typeAt = (path: string) => (path.startsWith("/custom") ? "text" : undefined);

for (const path of ["/status/lead/", "/pipeline/", "/custom_field/lead/"])
  test(`those that are put at one place at once at ${path} make room for each other`, async () => {
    const acme = await organization();
    const put = (i: number) => acme.post(path, { name: `New ${i}`, label: `New ${i}`, type: typeAt(path), position: 0 });

    await Promise.all(Array.from({ length: 4 }, (_, i) => put(i)));

    const places = (await acme.get(path)).data.map((one: any) => one.position);
    assert.deepEqual(
      places,
      places.map((_: number, i: number) => i),
    );
  });
