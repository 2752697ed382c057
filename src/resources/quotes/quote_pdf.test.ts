import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { effortSince } from "../../../test/support/effort.ts";
import { missingFonts, textOfPdf } from "../../../test/support/pdf.ts";
import { formatMoney } from "../../values/money.ts";
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
  subject: "Chairs",
  seller: { name: "Acme", address: null, logo: null },
  to: ["Globex"],
  dates: [["Date", "January 2, 2026"]],
  header: null,
  description: null,
  columns: [
    { key: "name", title: "Item" },
    { key: "price", title: "Price" },
    { key: "amount", title: "Amount" },
  ],
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

const scripts = {
  Latin: "Łódź, Þórshöfn, İstanbul, Țară, Việt Nam, ﬁne – „good“",
  Greek: "Καρέκλα γραφείου, ᾶ",
  Cyrillic: "Офисное кресло, Ґанок, љубав",
  Chinese: "人体工学办公椅，橡木与羊毛。條款：三十天內付款",
  Japanese: "オフィスチェア「ノルディック」は深緑です",
  Korean: "사무용 의자 노르딕",
  Arabic: "كرسي مكتب",
  Persian: "صندلی اداری",
  Hebrew: "כיסא משרדי נורדיק",
  Thai: "เก้าอี้",
  Hindi: "ओक और ऊन",
  Bengali: "অফিসের চেয়ার, ওক ও পশম",
  Tamil: "அலுவலக நாற்காலி",
  Telugu: "ఆఫీసు కుర్చీ",
  Gujarati: "ઓફિસની ખુરશી",
  Kannada: "ಕಚೇರಿ ಕುರ್ಚಿ",
  Malayalam: "ഓഫീസ് കസേര",
  Punjabi: "ਦਫ਼ਤਰ ਦੀ ਕੁਰਸੀ",
  Sinhala: "කාර්යාල පුටුව",
  Amharic: "የቢሮ ወንበር",
  Burmese: "ရုံးသုံးကုလားထိုင်",
  Khmer: "កៅអីការិយាល័យ",
  Lao: "ເກົ້າອີ້ຫ້ອງການ",
  Georgian: "საოფისე სავარძელი",
  Armenian: "Գրասենյակային աթոռ",
  money: "€ £ ¥ ₹ ₩ ₪ ₫ ₱ ₴ ₦ ₺ ₽ ₸ ₾",
  signs: "✓ ★ → ≤ ≥ ≠ ☎ ™ № ½ ℃ 🚀 👍",
};

for (const [script, words] of Object.entries(scripts))
  test(`${script} is printed in letters that are in the PDF, and can be copied from it`, async () => {
    const pdf = await renderQuotePdf({
      ...plain,
      title: words,
      subject: words,
      lines: [{ ...line, name: words, description: words }],
    });

    const text = textOfPdf(pdf);
    assert.deepEqual(missingFonts(pdf), []);
    for (const letter of lettersOf(words)) assert.ok(lettersOf(text).has(letter), `${letter} in ${text}`);
    assert.ok(!text.includes("\u0000") && !text.includes("?") && pdf.length < 200_000, `${text}, ${pdf.length} bytes`);
  });

test("any order of the letters of a script is printed, even one that is no word", async () => {
  const text = fc.oneof(...Object.values(scripts).map((words) => fc.string({ unit: fc.constantFrom(...words), maxLength: 12 })));

  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 40, maxLength: 40 }), async (names) => {
      const pdf = await renderQuotePdf({ ...plain, lines: names.map((name) => ({ ...line, name })) });
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    }),
    { numRuns: 10 },
  );
});

/** What somebody searches for: letters and signs, whatever their form in a word. */
const lettersOf = (text: string): Set<string> => new Set(text.normalize("NFKC").replaceAll(/[\s\p{M}\p{Cf}]/gu, ""));

test("a PDF depends on its quote alone, and not on those that were made before it", async () => {
  const of = { ...plain, header: "Two words, ﬁne and fine" };
  const before = textOfPdf(await renderQuotePdf(of));

  await renderQuotePdf({ ...plain, header: "Two\u00a0words, fi\u2011ne, \u2126 Ω, µ μ", title: "Ω μ" });
  const [first, second] = [
    textOfPdf(await renderQuotePdf(of)),
    textOfPdf(await renderQuotePdf({ ...plain, header: "Ω μ \u2126 µ" })),
  ];

  assert.equal(first, before);
  assert.match(second, /Ω/);
});

test("what is read from right to left stands in that order, and numbers and names in theirs", async () => {
  const arabic = "عرض رقم 42 (نسخة) من Acme";
  const hebrew = "הצעה 42 (גרסה) של Acme";

  const lines = textOfPdf(await renderQuotePdf({ ...plain, header: arabic, description: hebrew })).split("\n");

  // A reader's program writes a line from left to right as it finds it, and marks what is to be read the other way.
  for (const [first, name] of [
    ["عرض", "Acme"],
    ["הצעה", "Acme"],
  ] as const) {
    const found = lines.find((one) => one.includes(first) && one.includes(name));
    assert.ok(
      found !== undefined && found.indexOf(name) < found.indexOf("42") && found.indexOf("42") < found.indexOf(first),
      found,
    );
  }
});

test("the seller's name at the foot of a page reads as it does at its head", async () => {
  const name = "شركة الأثاث الدولية (Harbor) ذ.م.م";
  const pdf = await renderQuotePdf({ ...plain, seller: { ...plain.seller, name } });

  // A reader's program puts spaces and what is beside the name elsewhere.
  const [head, foot] = textOfPdf(pdf)
    .split("\n")
    .filter((one) => one.includes("Harbor"))
    .map((one) => one.replaceAll(/[\s\p{Cf}·]|Quote|Q-000001|Page 1 of 1/gu, ""));
  assert.ok(head!.includes("Harbor"));
  assert.equal(foot, head);
});

test("the number of the quote is at the foot of a page, however long the seller's name is", async () => {
  const pdf = await renderQuotePdf({ ...plain, seller: { ...plain.seller, name: "Harbor Furniture ".repeat(15) } });

  assert.match(textOfPdf(pdf), /Harbor.* · Q-000001 Page 1 of 1/);
});

const currencies = ["USD", "CAD", "EUR", "GBP", "INR", "JPY", "KRW", "VND", "IDR", "COP", "MWK", "XOF", "KWD", "UYW"];

for (const currency of currencies)
  test(`large figures are whole in ${currency}, with and without discounts and taxes`, async () => {
    const money = (amount: number) => formatMoney(amount, currency)!;
    const amounts = [987_654_321_012, 987_654_321_013, 987_654_321_014, 987_654_321_015, 99_999_999_999_999].map(money);
    const [price, discount, amount, total, most] = amounts as [string, string, string, string, string];
    const large = {
      ...line,
      name: "Machine",
      price: `${price} a month`,
      discount: `-${discount}`,
      tax: "11.5% included",
      amount,
    };
    const columns = [
      { key: "name", title: "Item" },
      { key: "quantity", title: "Quantity" },
      { key: "price", title: "Price" },
      { key: "discount", title: "Discount" },
      { key: "tax", title: "Tax" },
      { key: "amount", title: "Amount" },
    ] as const;
    const sums: [string, string][] = [
      ["Discount 12.345678901234%", `-${most}`],
      ["Total", total],
    ];

    for (const shown of [columns, columns.filter(({ key }) => key !== "discount" && key !== "tax")]) {
      const keys = shown.map(({ key }) => key as string);
      const text = textOfPdf(
        await renderQuotePdf({ ...plain, columns: [...shown], lines: [large, { ...large, amount: most }], sums }),
      );
      for (const figure of [price, amount, most, total, ...(keys.includes("discount") ? [`-${discount}`, "11.5%"] : [])])
        assert.ok(oneSpaced(text).includes(oneSpaced(figure)), `${figure} in ${text}`);
    }
  });

const oneSpaced = (text: string): string => text.replaceAll(/\p{Zs}+/gu, " ");

test("an item is on one page, unless it is longer than a page", async () => {
  const ends = (i: number, lines: number) => `begin${i}.\n${"Oak and wool\n".repeat(lines)}end${i}.`;
  const short = Array.from({ length: 40 }, (_, i) => ({ ...line, name: `Chair${i}.`, description: ends(i, (i + 9) % 14) }));
  const long = { ...line, name: "Chair40.", description: ends(40, 150) };
  const pdf = await renderQuotePdf({ ...plain, description: "words\n".repeat(34), lines: [...short, long] });

  const printed = textOfPdf(pdf).split("\f");
  const pageOf = (word: string) => printed.findIndex((page) => page.includes(word));
  for (const i of short.keys()) {
    assert.ok(pageOf(`Chair${i}.`) >= 0);
    for (const word of [`begin${i}.`, `end${i}.`]) assert.equal(pageOf(word), pageOf(`Chair${i}.`), word);
  }
  assert.equal(pageOf("begin40."), pageOf("Chair40."));
  assert.ok(pageOf("end40.") > pageOf("Chair40."));
  for (const page of printed) assert.equal(page.includes("Item"), /Chair\d|Oak/.test(page), "heads without items");
});

test("the heads of the columns and the number of the page are on every page", async () => {
  const pdf = await renderQuotePdf({
    ...plain,
    lines: Array.from({ length: 1000 }, (_, i) => ({ ...line, name: `Chair ${i}` })),
  });

  const printed = textOfPdf(pdf).split("\f").slice(0, -1);
  assert.equal(printed.length, pages(pdf));
  for (const [i, page] of printed.entries()) {
    if (page.includes("Chair")) assert.match(page, /^ ?Item Price Amount$/m);
    assert.match(page, new RegExp(`Acme · Q-000001 Page ${i + 1} of ${printed.length}`));
  }
  for (const i of [0, 500, 999]) assert.equal(printed.join("").split(`Chair ${i} `).length, 2);
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
      const seller = { name: other, address: one, logo: null };
      const pdf = await renderQuotePdf({
        ...plain,
        title: one,
        subject: one,
        seller,
        to: [one],
        header: other,
        footer: one,
        lines,
      });

      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    }),
    { numRuns: 10, examples: [["東京 Москва עברית العربية 🎉", "\u202e\ud800"]] },
  );
});
