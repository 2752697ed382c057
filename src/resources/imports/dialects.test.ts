// CSV as people have it: what spreadsheets and other programs write, in many countries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const utf16 = (of: string): Buffer => Buffer.from(`\ufeff${of}`, "utf16le");
const latin = (of: string): Buffer => Buffer.from(of, "latin1");
/** For encodings that this runtime reads but does not write. */
const hex = (of: string): Buffer => Buffer.from(of, "hex");

/** The bytes or the text, the encoding and the delimiter that are found, and each column with its values. */
type Dialect = readonly [what: string, file: Buffer | string, found: string, columns: string, encoding?: string];

const dialects: readonly Dialect[] = [
  ["UTF-8 with a mark, from Excel", '\ufeff"Name";Ort\r\nÖl;Ulm\r\n', "utf-8 ;", "Name: Öl / Ort: Ulm"],
  ["UTF-8 without one", "Name,Ort\nÖl,Ulm\n", "utf-8 ,", "Name: Öl / Ort: Ulm"],
  ["no end of the last line, from Google Sheets", "Name,Ort\r\n🛢️ Öl,Ulm", "utf-8 ,", "Name: 🛢️ Öl / Ort: Ulm"],
  ["Unicode text of Excel", utf16("Name\tOrt\r\nÖl\tUlm\r\n"), "utf-16le \t", "Name: Öl / Ort: Ulm"],
  ["the same with lines in cells", utf16('Name\tOrt\r\n"Öl\n2"\tUlm\r\n'), "utf-16le \t", "Name: Öl\n2 / Ort: Ulm"],
  ["UTF-16 of the other order", utf16("Name;Ort\nÖl;Ulm").swap16(), "utf-16be ;", "Name: Öl / Ort: Ulm"],
  ["UTF-16 without a mark", Buffer.from("Name,Ort\nÖl,Ulm", "utf16le"), "utf-16le ,", "Name: Öl / Ort: Ulm", "utf-16le"],
  ["Windows-1252 with euros", latin("Preis|Ort\n1,50 \x80|K\xf6ln\n"), "windows-1252 |", "Preis: 1,50 € / Ort: Köln"],
  ["Windows-1252 with curly quotes", latin("Name\tNote\nA\t\x93so\x94\n"), "windows-1252 \t", "Name: A / Note: “so”"],
  ["an old Mac", hex("4e616d652c4f72740d4d9f6c6c65722c4b9a6c6e0d"), "macintosh ,", "Name: Müller / Ort: Köln", "macintosh"],
  [
    "Czech",
    hex("4669726d612c4f6265630a8e6c759d6f75e82c506c7a65f20a"),
    "windows-1250 ,",
    "Firma: Žluťouč / Obec: Plzeň",
    "cp1250",
  ],
  ["Turkish", hex("de69726b65743bde656869720ac761f0323bdd7a6d69720a"), "windows-1254 ;", "Şirket: Çağ2 / Şehir: İzmir", "latin5"],
  ["Greek", hex("c5f43bd0fceb0ac1eaecde3bc1e8deede10a"), "iso-8859-7 ;", "Ετ: Ακμή / Πόλ: Αθήνα", "greek"],
  [
    "Russian of Windows",
    hex("caeeecefe0ede8ff2cc3eef0eee40ad0eee3e020e820eaeeeffbf2e02ccceef1eae2e00a"),
    "windows-1251 ,",
    "Компания: Рога и копыта / Город: Москва",
    "cp1251",
  ],
  [
    "Russian of Unix",
    hex("ebcfcdd0c1cec9d12ce7cfd2cfc40af2cfc7c120c920cbcfd0d9d4c12cedcfd3cbd7c10a"),
    "koi8-r ,",
    "Компания: Рога и копыта / Город: Москва",
    "koi8-r",
  ],
  [
    "Japanese of Windows",
    hex("89ef8ed096bc2c936498620a8a948eae89ef8ed08341834e83812c310a"),
    "shift_jis ,",
    "会社名: 株式会社アクメ / 電話: 1",
  ],
  [
    "Japanese of Unix",
    hex("b2f1bcd2ccbe2cbdbbbdea0ab3f4bcb0b2f1bcd2a5a2a5afa5e12cc5ecb5fec5d40ac6fccbdcbea6bbf62cc2e7bae5c9dc0a"),
    "euc-jp ,",
    "会社名: 株式会社アクメ, 日本商事 / 住所: 東京都, 大阪府",
  ],
  [
    "Korean",
    hex("c8b8bbe7b8ed2cb5b5bdc30ac7d1b1b9c0fcc0da20c1d6bdc4c8b8bbe72cbcadbfef0a"),
    "euc-kr ,",
    "회사명: 한국전자 주식회사 / 도시: 서울",
  ],
  [
    "simple Chinese",
    hex("b9abcbbec3fbb3c62cb3c7cad00ab1b1bea9bfc6bcbcd3d0cfdeb9abcbbe2cb1b1bea90a"),
    "gb18030 ,",
    "公司名称: 北京科技有限公司 / 城市: 北京",
  ],
  [
    "Chinese of Taiwan",
    hex("a4bda571a657bad92cabb0a5ab0aa578c657b971a46caad1a5f7a6b3adada4bda5712ca578a55f0aadbbb4e4b654a9f6a4bda5712ca445c0730a"),
    "big5 ,",
    "公司名稱: 台灣電子股份有限公司, 香港貿易公司 / 城市: 台北, 九龍",
  ],
  ["a separator told to Excel", "sep=;\r\nName, first;Ort\r\nA, B;Ulm\r\n", "utf-8 ;", "Name, first: A, B / Ort: Ulm"],
  ["zeros protected by formulas", 'Name,PLZ\nA,="01067"\nB,"=""01069"""\n', "utf-8 ,", "Name: A, B / PLZ: 01067, 01069"],
  ["everything in quotes", 'Name;Note\n"A ""B""; C";"one\r\ntwo"\n', "utf-8 ;", 'Name: A "B"; C / Note: one\r\ntwo'],
  ["spaces before quotes", 'Name, Note\n"A", "x, y"\n', "utf-8 ,", "Name: A / Note: x, y"],
  ["delimiters in quoted names", '"Name, first, last";"a,b"\nA;B\n', "utf-8 ;", "Name, first, last: A / a,b: B"],
  ["lines in quoted names", '"Name\n(legal)",Ort\nA,Ulm\n', "utf-8 ,", "Name\n(legal): A / Ort: Ulm"],
  ["decimal commas", "Name;Umsatz\nA;1.234,50\nB;7\n", "utf-8 ;", "Name: A, B / Umsatz: 1.234,50, 7"],
  ["a name twice, and one missing", "Email,Email,\na,b,c\n", "utf-8 ,", "Email: a / Email 2: b / Column 3: c"],
  ["the names again, of files put together", "Name,Ort\nA,Ulm\nName,Ort\nB,Bonn\n", "utf-8 ,", "Name: A, B / Ort: Ulm, Bonn"],
  ["a delimiter at the end of each line", "Name;Ort;\nA;Ulm;\n", "utf-8 ;", "Name: A / Ort: Ulm / Column 3:"],
  ["empty cells beyond the table", "Name,Ort\nA,Ulm,,,\n", "utf-8 ,", "Name: A / Ort: Ulm"],
  ["blank lines", "\n\nName,Ort\n\nA,Ulm\n  \n\nB,Bonn\n\n", "utf-8 ,", "Name: A, B / Ort: Ulm, Bonn"],
  ["empty cells between tabs", "A\tB\tC\n\t\t3\n1\t\t\n", "utf-8 \t", "A: 1 / B: / C: 3"],
  ["lines of an old Mac", "Name,Ort\rA,Ulm\rB,Bonn", "utf-8 ,", "Name: A, B / Ort: Ulm, Bonn"],
  ["ends of lines of two systems", "Name,Ort\r\nA,Ulm\nB,Bonn\r\n", "utf-8 ,", "Name: A, B / Ort: Ulm, Bonn"],
  ["short and long lines", "A,B\n1\n2,3,4\n", "utf-8 ,", "A: 1, 2 / B: 3"],
];

test("CSV is understood as spreadsheets and other programs write it", async () => {
  const acme = await organization();

  for (const [what, file, found, columns, encoding] of dialects) {
    const content_base64 = Buffer.from(file as string).toString("base64");
    const draft = await acme.post("/import/", { content_base64, ...(encoding !== undefined && { encoding }) });
    const shown = draft.columns.map(({ name, samples }: any) => `${name}: ${samples.join(", ")}`.trim()).join(" / ");
    assert.deepEqual([`${draft.dialect.encoding} ${draft.dialect.delimiter}`, shown], [found, columns], what);
  }
});

/** The 3rd of April, and 1234.50, as countries write them. */
const countries = [
  ["Germany", "1.234,50 €", "03.04.2026", "DD.MM.YYYY", "EUR"],
  ["the United States", "$1,234.50", "4/3/26", "MM/DD/YYYY"],
  ["the United Kingdom", "1,234.50", "03/04/2026", "DD/MM/YYYY"],
  ["France", "1\u202f234,50", "03/04/2026", "DD/MM/YYYY"],
  ["Switzerland", "CHF 1’234.50", "3.4.2026", "DD.MM.YYYY", "CHF"],
  ["Japan", "1234.50", "2026/04/03", "YYYY/MM/DD"],
  ["Sweden", "1 234,50", "2026-04-03", null],
] as const;

test("amounts and dates are read as a country writes them", async () => {
  const acme = await organization();
  const { id } = await acme.customField("lead", { type: "date", name: "Since" });
  const mapping = { Name: "name", Amount: "opportunity.value", Day: `custom.${id}` };

  for (const [Name, Amount, Day, date_format] of countries) {
    const draft = await acme.post("/import/", { rows: [{ Name, Amount, Day }] });
    await acme.put(`/import/${draft.id}/`, { mapping, options: date_format === null ? {} : { date_format } });
  }
  await withWorker(acme.service, (worker) => worker.drained());

  const { data } = await acme.get("/lead/?_order_by=date_created");
  assert.deepEqual(
    new Map(data.map((lead: any) => [lead.name, lead[`custom.${id}`]])),
    new Map(countries.map(([name]) => [name, "2026-04-03"])),
  );
  const deals = (await acme.get("/opportunity/")).data;
  assert.deepEqual(
    new Map(deals.map((deal: any) => [deal.lead_name, [deal.value, deal.value_currency]])),
    new Map(countries.map(([name, , , , currency = "USD"]) => [name, [123450, currency]])),
  );
});

test("without options, the order of dates and the marks of thousands are taken from what the columns show, or else refused", async () => {
  const acme = await organization();
  const { id } = await acme.customField("lead", { type: "date", name: "Since" });
  const mapping = { Name: "name", Amount: "mrr", Day: `custom.${id}` };
  let turn = 0;
  const imported = async (rows: [string, string][], options = {}) => {
    const name = `Row ${++turn}`;
    const draft = await acme.post("/import/", { rows: rows.map(([Amount, Day], i) => ({ Name: `${name} ${i}`, Amount, Day })) });
    await acme.put(`/import/${draft.id}/`, { mapping, options: { on_match: "create", ...options } });
    await withWorker(acme.service, (worker) => worker.drained());
    const { errors } = await acme.get(`/import/${draft.id}/`);
    const { data } = await acme.get("/lead/?_order_by=name");
    const made = data.filter((lead: any) => lead.name.startsWith(name));
    return [made.map((lead: any) => [lead.mrr, lead[`custom.${id}`]]), errors.map((one: any) => one.column)];
  };
  const [third, thirteenth] = ["2026-04-03", "2026-04-13"];

  const thousands = [
    [123400, thirteenth],
    [250000, third],
  ];
  assert.deepEqual(
    await imported([
      ["1.234", "13/04/2026"],
      ["2.500", "03/04/2026"],
    ]),
    [thousands, []],
  );
  assert.deepEqual(
    await imported([
      ["1234.5", "04/13/2026"],
      ["2500.0000", "04/03/2026"],
    ]),
    [
      [
        [123450, thirteenth],
        [250000, third],
      ],
      [],
    ],
  );
  assert.deepEqual(await imported([["12", "3.4.26"]]), [[[1200, third]], []]);
  assert.deepEqual(await imported([["12", "04/03/2026"]], { country: "US" }), [[[1200, third]], []]);
  assert.deepEqual(await imported([["12", "03/04/2026"]], { country: "FR" }), [[[1200, third]], []]);
  assert.deepEqual(
    await imported([
      ["12", "03/04/2026"],
      ["1.2345", "2026-04-03"],
    ]),
    [[], ["Day", "Amount"]],
  );
});

test("cells that are missing at the end of any number of rows are empty, and a table with surplus cells everywhere is refused", async () => {
  const acme = await organization();
  const table = (end: string) =>
    Buffer.from(`Name,Industry\n${Array.from({ length: 20_001 }, (_, i) => `C${i}${end}`).join("\n")}\n`).toString("base64");

  const short = await acme.post("/import/", { content_base64: table("") });
  const blank = await acme.post("/import/", { content_base64: table(",,") });

  assert.deepEqual([short.n_rows, blank.n_rows], [20_001, 20_001]);
  await acme.refused(400, "POST", "/import/", { content_base64: table(",a,b") }, "content_base64");
});
