import assert from "node:assert/strict";
import { test } from "node:test";
import { tracesOf } from "./traces.ts";

const none = { names: [], emails: [], phones: [], urls: [] };

const found = (given: Partial<Parameters<typeof tracesOf>[0]>, text: string) =>
  tracesOf({ ...none, ...given }).without(text, "#");

test("an address is found in text, links and HTML, and not within a longer one", () => {
  const emails = ["ann+x@mail.example"];
  assert.equal(found({ emails }, "<ANN+X@mail.example>, mailto:ann%2Bx%40mail.example."), "<#>, mailto:#.");
  assert.equal(found({ emails }, "joann+x@mail.example ann+x@mail.example.org"), "joann+x@mail.example ann+x@mail.example.org");
});

test("a name is found whole, over line ends and as HTML writes it", () => {
  const names = ["Ann O'Hara"];
  assert.equal(found({ names }, "ann  o'hara, ANN\nO&#39;HARA; Joann O'Hara; Ann O'Haran"), "#, #; Joann O'Hara; Ann O'Haran");
});

test("a number is found however it is grouped, and not within a longer one", () => {
  const phones = ["+493012345678"];
  assert.equal(found({ phones }, "+49 30 1234 5678, 030/12345678, (030) 123-456-78, 00493012345678"), "#, #, (#, #");
  assert.equal(found({ phones }, "9030123456789 1+4930123456780"), "9030123456789 1+4930123456780");
});

test("who has no values is found nowhere", () => {
  assert.equal(tracesOf(none).isIn("anything"), false);
});
