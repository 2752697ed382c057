import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { effortSince } from "../../../test/support/effort.ts";
import type { QuoteDocument } from "./quote_document.ts";
import { renderQuotePdf } from "./quote_pdf.ts";

const line = {
  name: "Chair",
  description: "Oak",
  quantity: "2",
  price: "$10.00",
  discount: "",
  tax: "19%",
  amount: "$20.00",
};

const plain: QuoteDocument = {
  number: "Q-000001",
  title: "Chairs",
  from: "Acme",
  to: ["Globex"],
  dates: [["Date", "January 2, 2026"]],
  header: null,
  description: null,
  lines: [line],
  sums: [["Total", "$23.80"]],
  due: null,
  footer: null,
  terms: "Net 30",
  answer: null,
};

const pages = (pdf: Buffer) => [...pdf.toString("latin1").matchAll(/\/Type \/Page\b(?!s)/g)].length;

test("a quote becomes a PDF of one page", async () => {
  const pdf = await renderQuotePdf(plain);

  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.equal(pages(pdf), 1);
});

test("many lines and long texts run over as many pages as they need", async () => {
  const pdf = await renderQuotePdf({ ...plain, lines: Array(200).fill(line), terms: "words ".repeat(5000) });

  assert.ok(pages(pdf) > 5 && pages(pdf) < 40, String(pages(pdf)));
});

test("a word without an end is broken up, and takes no longer than other text", async () => {
  const pdf = await renderQuotePdf({ ...plain, lines: [{ ...line, description: "x".repeat(100_000) }] });

  assert.ok(pages(pdf) > 5);
});

test("others have their turn while a large quote is written, in whatever script it is", async () => {
  let longest = 0;
  let last = process.cpuUsage();
  const ticking = setInterval(() => {
    longest = Math.max(longest, effortSince(last));
    last = process.cpuUsage();
  }, 1);

  for (const letter of ["你", "x", "! ", "a\n"]) {
    const lines = [{ ...line, description: letter.repeat(100_000 / letter.length) }];
    await renderQuotePdf({ ...plain, lines, terms: letter.repeat(10_000) });
  }

  clearInterval(ticking);
  assert.ok(longest < 1000, `they waited for ${Math.round(longest)} ms of work`);
});

test("text in any script, and any text at all, becomes a PDF", async () => {
  const text = fc.string({ unit: "binary", maxLength: 300 });

  await fc.assert(
    fc.asyncProperty(text, text, async (one, other) => {
      const lines = [{ ...line, name: one, description: other }];
      const pdf = await renderQuotePdf({ ...plain, title: one, from: other, to: [one], header: other, footer: one, lines });

      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    }),
    { numRuns: 10, examples: [["東京 Москва עברית العربية 🎉", "\u202e\ud800"]] },
  );
});
