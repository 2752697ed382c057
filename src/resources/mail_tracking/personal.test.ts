import assert from "node:assert/strict";
import { test } from "node:test";
import { hasTags, htmlThrough, textThrough } from "./personal.ts";

test("a body that was made to be hard takes no longer than any other", () => {
  const bodies = [`http://a${".".repeat(400_000)}x`, "<a ".repeat(130_000), `{{${" ".repeat(400_000)}`, "http://".repeat(57_000)];

  for (const body of bodies) {
    const began = performance.now();
    assert.equal(
      textThrough(
        htmlThrough(body, () => null),
        () => null,
      ),
      body,
    );
    assert.equal(hasTags(body), false);
    assert.ok(performance.now() - began < 2000);
  }
});

test("what ends a sentence is no part of the address", () => {
  const leads = (url: string) => `[${url}]`;

  assert.equal(textThrough("(see http://a.io/b?c=d.) http://e.io!", leads), "(see [http://a.io/b?c=d].) [http://e.io]!");
});
