// Forms and JSON that are read as a stream: wherever the network cuts them, the result is the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JsonWithText } from "./json_with_text.ts";
import { readParts } from "./multipart.ts";

/**
 * Cuts the bytes into chunks of this size. Each chunk is overwritten once the next is requested, because its memory may be
 * reused.
 */
async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    const piece = Buffer.from(bytes.subarray(at, at + size));
    yield piece;
    piece.fill(0);
    at += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
// Many characters of the delimiter, so that near-delimiters are common.
const content = fc
  .array(fc.constantFrom("\r", "\n", "-", "--x", "\r\n--", "\r\n--y", "a", "\0", "ü"), { maxLength: 20 })
  .map((parts) => parts.join(""))
  .filter((text) => !`\r\n${text}`.includes("\r\n--xy"));

test("a form has the same parts, wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 4 }), sizes, async (contents, at) => {
      const parts = contents.map((text, i) => `--xy\r\ncontent-disposition: form-data; name="n${i}"\r\n\r\n${text}\r\n`);
      const form = Buffer.from(`before\r\n${parts.join("")}--xy--\r\nbehind`);

      const found: [string, string][] = [];
      for await (const part of readParts(cut(form, at), "xy")) {
        const pieces: Buffer[] = [];
        for await (const piece of part.content) pieces.push(Buffer.from(piece));
        found.push([part.name, Buffer.concat(pieces).toString()]);
      }

      assert.deepEqual(
        found,
        contents.map((text, i) => [`n${i}`, text]),
      );
    }),
  );
});

test("the long text of a JSON object is told from the rest, wherever it is cut", async () => {
  const json = fc.record({ before: fc.jsonValue(), wanted: fc.string(), behind: fc.jsonValue(), nested: fc.string() });
  await fc.assert(
    fc.asyncProperty(json, sizes, fc.boolean(), async ({ before, wanted, behind, nested }, at, spaced) => {
      const whole = { before, 'a"\\': 1, inner: { wanted: nested }, wanted, list: ["wanted", nested], behind };
      const reader = new JsonWithText("wanted", 1_000_000);
      const pieces: Buffer[] = [];

      for await (const chunk of cut(Buffer.from(JSON.stringify(whole, null, spaced ? 2 : 0)), at))
        for (const piece of reader.write(chunk)) pieces.push(Buffer.from(piece));

      assert.equal(reader.found, true);
      assert.deepEqual(JSON.parse(reader.rest().toString()), JSON.parse(JSON.stringify({ ...whole, wanted: "" })));
      // Only base64 is required of it: other letters just have to stay the same.
      if (/^[\x20-\x7e\s]*$/.test(wanted)) assert.equal(Buffer.concat(pieces).toString(), wanted);
    }),
  );
});
