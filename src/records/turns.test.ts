import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, inTurns } from "./turns.ts";

test("a long list is dealt with in its order, and others have their turn in between", async () => {
  const list = Array.from({ length: 2 * batch + 1 }, (_, i) => i);
  const seen: (number | string)[] = [];
  setImmediate(() => seen.push("another"));

  await inTurns(list, (piece) => seen.push(...piece));

  assert.deepEqual(
    seen.filter((one) => one !== "another"),
    list,
  );
  assert.equal(seen.indexOf("another"), batch);
});
