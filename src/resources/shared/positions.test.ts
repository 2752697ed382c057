import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { behind, pushedBack } from "./positions.ts";

const row = (id: string, position: number) => ({ id, position });

test("what stands in the way moves back by as little as it takes", () => {
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
