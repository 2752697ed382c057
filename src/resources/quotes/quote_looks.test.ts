// The page and the PDF of a quote as people see them: drawn by a real browser and by a reader of PDFs.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, obstaclesOn } from "../../../test/support/browser.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { pictureOfPdf, textOfPdf } from "../../../test/support/pdf.ts";
import { png } from "../../../test/support/picture.ts";

let browser: Browser;
let acme: Workspace;

before(async () => {
  browser = await launchBrowser();
  acme = await organization();
  const logo = await acme.post("/file/", { name: "logo.png", content_base64: png().toString("base64") });
  const branding = { name: "Harbor Furniture GmbH", address: "Lange Straße 12\n20457 Hamburg", logo_file_id: logo.id };
  await acme.put(`/organization/${acme.id}/`, { settings: { branding } });
});
after(() => browser.close());

const screens = [
  { name: "phone, light", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { name: "phone, dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { name: "desktop, light", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "desktop, dark", viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
] as const;

const chair = { name: "Office chair Nordic", unit_price: 124900, quantity: 2, tax_percent: 19, tax_method: "exclusive" };
const usual = {
  title: "Chairs for the new office",
  header: "Dear Ann,\nas we agreed, this is our offer for the third floor.",
  footer: "We look forward to working with you.",
  terms: "Payable within 30 days of delivery.",
  discount: 5,
  line_items: [
    { ...chair, discount: 10, description: "Oak and wool, height adjustable, with armrests. Colour: deep green." },
    { ...chair, name: "Standing desk 180 × 80", unit_price: 89900, description: "Electric, with a memory for four heights" },
    { name: "Care plan", unit_price: 2900, quantity: 12, billing_period: "monthly" },
  ],
};

const quotes: Record<string, { lead: string; body: object }> = {
  usual: { lead: "Globex Corporation", body: usual },
  "without names": { lead: "", body: { line_items: [{ ...chair, name: "-" }] } },
  "long names": {
    lead: "Vereinigte Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaften ".repeat(2),
    body: {
      title: "x".repeat(200),
      line_items: [
        {
          ...chair,
          name: "Donaudampfschifffahrtsgesellschaft".repeat(6),
          unit_price: 99_999_999_999,
          description: "y".repeat(400),
        },
      ],
    },
  },
  emoji: { lead: "🚀 Rocket", body: { ...usual, title: "Chairs 🪑👍", terms: "✓ → ★" } },
  "right to left": {
    lead: "شركة الأفق للتجارة",
    body: {
      title: "عرض كراسي المكتب",
      header: "שלום רב, זו ההצעה שלנו (גרסה 2) עבור 3 כיסאות Nordic.",
      line_items: [{ ...chair, name: "كرسي مكتب", description: "خشب البلوط والصوف" }],
    },
  },
  "large figures": {
    lead: "PT Maju Jaya",
    body: {
      title: "Mesin untuk pabrik baru",
      currency: "IDR",
      line_items: [
        {
          ...chair,
          name: "Mesin pemotong",
          description: "Dengan pemasangan dan pelatihan di tempat",
          unit_price: 1_250_000_000_000,
          quantity: 12,
          discount: 5,
          tax_percent: 11,
        },
        { ...chair, name: "Jasa perawatan", unit_price: 25_000_000_000, quantity: 1, tax_percent: 11, billing_period: "annual" },
      ],
    },
  },
  "large figures alone": {
    lead: "PT Maju Jaya",
    body: { currency: "IDR", line_items: [{ name: "Mesin pemotong", unit_price: 12_500_000_000, quantity: 12 }] },
  },
  "the largest figures": {
    lead: "Globex",
    body: {
      line_items: [
        {
          ...chair,
          quantity: 0.123456789012345,
          unit_price: 99_999_999_999_999,
          discount: 12.3456789,
          tax_percent: 12.3456789,
          tax_method: "inclusive",
          billing_period: "monthly",
        },
      ],
    },
  },
  "the east": {
    lead: "東京株式会社",
    body: {
      title: "椅子のお見積り",
      line_items: [
        { ...chair, name: "人体工学办公椅", description: "橡木与羊毛，高度可调" },
        { ...chair, name: "사무용 의자" },
      ],
    },
  },
};

for (const [name, { lead, body }] of Object.entries(quotes))
  test(`a quote is read on any screen and on paper, with the same words: ${name}`, async () => {
    const { page: address, pdf } = await sent(lead, body);
    const [printed, drawn] = [textOfPdf(pdf), pictureOfPdf(pdf)];
    keep(`${name}, paper`, drawn);

    const page = await browser.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(address);

    assert.deepEqual(
      asked.filter((url) => !url.startsWith("data:")),
      [address],
    );
    for (const { name: screen, viewport, colorScheme } of screens) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      keep(`${name}, ${screen}`, await page.screenshot({ fullPage: true }));

      assert.ok(await fitsInto(page, viewport.width), `${screen}: it scrolls sideways`);
      assert.deepEqual(await obstaclesOn(page), [], screen);
      assert.deepEqual(await brokenFigures(page), [], screen);
      assert.ok(await itemsHaveRoom(page), `${screen}: the items are squeezed`);
      const read = await page.innerText("article");
      assert.deepEqual(lettersOf(withoutHeads(printed)), lettersOf(withoutHeads(read)), screen);
    }
    await page.close();
  });

const currencies = ["USD", "EUR", "INR", "JPY", "KRW", "VND", "IDR", "COP", "XOF", "KWD"];

test("figures of twelve digits are whole on a screen of any width, and leave room for the items", async () => {
  const page = await browser.newPage();

  for (const currency of currencies)
    for (const discount of [0, 5]) {
      const tax_percent = discount === 0 ? 0 : 11.5;
      const price = { unit_price: 987_654_321_012, quantity: 1, discount, tax_percent, billing_period: "monthly" };
      const { page: address } = await sent("Globex", { currency, line_items: [{ ...chair, ...price }] });
      await page.goto(address);
      for (const width of [360, 700, 720, 900, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const where = `${currency}, ${discount}%, ${width} px`;
        assert.ok(await fitsInto(page, width), `${where}: it scrolls sideways`);
        assert.deepEqual(await brokenFigures(page), [], where);
        assert.ok(await itemsHaveRoom(page), `${where}: the items are squeezed`);
      }
    }
  await page.close();
});

test("each paragraph is read in its own direction, on the page as on paper", async () => {
  const terms = "الدفع خلال 30 يومًا.\nPayable within 30 days.";
  const { page: address, pdf } = await sent("Globex", { ...usual, terms, footer: terms });
  keep("two directions, paper", pictureOfPdf(pdf));
  const page = await browser.newPage({ viewport: screens[2].viewport });

  await page.goto(address);
  keep("two directions, desktop", await page.screenshot({ fullPage: true }));

  const sides = await page.evaluate<
    string[][]
  >(`[...document.querySelectorAll("article > .words, .terms .words")].slice(1).map((all) => {
    const { left, right } = all.getBoundingClientRect();
    const at = all.firstChild.data.indexOf("\\n");
    return [[0, at], [at + 1, all.firstChild.length]].map(([from, to]) => {
      const range = document.createRange();
      range.setStart(all.firstChild, from);
      range.setEnd(all.firstChild, to);
      const box = range.getBoundingClientRect();
      return box.left - left < 1 ? "left" : right - box.right < 1 ? "right" : "between";
    });
  })`);
  assert.deepEqual(sides, [
    ["right", "left"],
    ["right", "left"],
  ]);
  await page.close();
});

test("the quotes of a large order are read on a phone and are printed in good time", async () => {
  const lines = Array.from({ length: 500 }, (_, i) => ({ ...chair, name: `Chair ${i + 1}`, description: "Oak and wool" }));
  const { page: address, pdf } = await sent("Globex", { line_items: lines });
  const page = await browser.newPage({ viewport: screens[0].viewport });

  await page.goto(address);

  assert.ok(await fitsInto(page, 390));
  assert.ok((await page.innerText("article")).includes("Chair 500"));
  assert.ok(textOfPdf(pdf).includes("Chair 500") && pdf.length < 400_000, String(pdf.length));
});

async function sent(lead: string, body: object): Promise<{ page: string; pdf: Buffer }> {
  const to = await acme.lead(lead === "" ? {} : { name: lead });
  const { id } = await acme.post("/quote/", { lead_id: to.id, ...body });
  const { public_url } = await acme.put(`/quote/${id}/`, { status: "open" });
  const page = public_url.replace("http://localhost", acme.service.url);
  return { page, pdf: Buffer.from(await (await fetch(`${page}pdf/`)).arrayBuffer()) };
}

const fitsInto = async (page: Page, width: number): Promise<boolean> =>
  (await page.evaluate<number>("document.documentElement.scrollWidth")) <= width;

/** The figures that stand on two lines, or beside the sheet. */
const brokenFigures = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const edge = document.querySelector("article").getBoundingClientRect().right;
    return [...document.querySelectorAll("td.number")].flatMap(({ firstChild: text }) =>
      [...(text?.data ?? "").matchAll(/[^ ]+/g)].filter((word) => {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const parts = [...range.getClientRects()];
        return parts.length !== 1 || parts[0].right > edge;
      }).map(([figure]) => figure));
  })()`);

const itemsHaveRoom = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const whole = document.querySelector(".lines").getBoundingClientRect().width;
    return [...document.querySelectorAll("td.item")].every((item) => item.getBoundingClientRect().width >= whole / 5);
  })()`);

/** What the two say in another way: on a phone the columns have no heads, and a page of paper has a foot. */
const withoutHeads = (text: string): string =>
  text
    .replaceAll(/^.* · Q-\d+ Page \d+ of \d+$/gm, "")
    .replaceAll(/\b(Item|Quantity|Price|Discount(?! \d)|Tax(?! \d)|Amount)\b/g, "");

/** How often each letter is in it. Their order is that of the drawing, and a joined letter counts as its parts. */
function lettersOf(text: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const letter of text.normalize("NFKC").replaceAll(/[\s\p{Cf}\p{M}]/gu, "")) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

/** Whoever wants to look at the pictures names a folder for them. */
function keep(name: string, picture: Uint8Array): void {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name.replaceAll(/, | /g, "_")}.png`, picture);
}
