import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Base64Decoder, decodeBase64, NotBase64 } from "./base64.ts";

const decoded = (text: string, step: number) =>
  Buffer.concat(Array.from(decodeBase64(text, step), (piece) => Buffer.from(piece)));

test("what is encoded comes back, wherever it is cut", () => {
  for (let size = 0; size < 40; size++) {
    const bytes = randomBytes(size);
    const text = bytes.toString("base64").replace(/.{5}/g, "$&\r\n");

    for (const step of [1, 2, 3, 7, 100]) assert.deepEqual(decoded(text, step), bytes);
  }
});

test("what is no base64 is refused", () => {
  for (const text of ["a", "ab", "abc", "a===", "=", "====", "ab==c", "ab==ab==", "abc=d", "ab-_", "a b!", "é", "ab=", "abcd="])
    assert.throws(() => decoded(text, 3), NotBase64, text);
});

test("bytes are whole as soon as their letters are", () => {
  const decoder = new Base64Decoder();

  assert.equal(decoder.write(Buffer.from("aGVs")).toString(), "hel");
  assert.equal(decoder.write(Buffer.from("bG8=")).toString(), "");
  assert.equal(decoder.end().toString(), "lo");
});
