// Files that bring the table of an import: their encodings and kinds, and what is refused.
import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { ZipFile } from "yazl";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { xlsx } from "../exports/table.ts";

const base64 = (bytes: Buffer): string => bytes.toString("base64");

const upload = (acme: Workspace, bytes: Buffer, more: object = {}): Promise<any> =>
  acme.post("/import/", { content_base64: base64(bytes), ...more });

const shown = ({ columns }: any): string[][] => columns.map((one: any) => [one.name, ...one.samples]);

test("a file may have an object in each line", async () => {
  const acme = await organization();

  const draft = await upload(acme, Buffer.from('{"Name": "A"}\r\n\n{"Name": "B", "Size": 1}\n'));

  assert.deepEqual(shown(draft), [
    ["Name", "A", "B"],
    ["Size", "1"],
  ]);
});

test("a file must be text, and an address public", async () => {
  const acme = await organization();
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/import/", body, field);
  const base64 = (bytes: Buffer) => bytes.toString("base64");

  await refuse({ content_base64: base64(Buffer.from([0xff, 0xfe, 0x00])) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from("a\0b,c\n1,2")) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from('[{"a": "\\u0000"}]')) }, "content_base64.0.a");
  await refuse({ content_base64: base64(Buffer.from("[1, 2]")) }, "content_base64");
  const deep = `{"a": ${"[".repeat(5000)}${"]".repeat(5000)}}`;
  await refuse({ content_base64: base64(Buffer.from(`${deep}\n{"a": 1}`)) }, "content_base64.0.a");
  await refuse({ content_base64: base64(Buffer.from('{"a": 1}\n2')) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from("PK\u0003\u0004 and more")) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from("d0cf11e0a1b11ae1", "hex")) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from("Name\nA")), encoding: "klingon" }, "encoding");
  await refuse({ content_base64: base64(Buffer.from("Name\nA")), sheet: "One" }, "sheet");
  await refuse({ content_base64: "not base64!" }, "content_base64");
  await refuse({ content_url: "http://10.0.0.1/a.csv" }, "content_url");
  await refuse({ file_id: "file_nothing" }, "file_id");
  await refuse({ file_id: "file_nothing", csv: "Name\nA" }, "file");
});

test("what is no table says what it is, and a broken line where it is", async () => {
  const acme = await organization();
  const said = async (bytes: Buffer) =>
    (await acme.ask("POST", "/import/", { body: { content_base64: base64(bytes) } })).body["field-errors"].content_base64;

  assert.match(await said(Buffer.from('{"a": 1}\n\n{"a": 2\n{"a": 3}')), /: line 3 is none$/);
  assert.match(await said(Buffer.from('{"a": 1}\n[2]')), /: line 2 is none$/);
  assert.match(await said(Buffer.from("1f8b0800", "hex")), /^is compressed \(gzip\)/);
  assert.match(await said(Buffer.from("504b0506000000", "hex")), /^is an empty zip file/);
  assert.match(await said(Buffer.from("%PDF-1.4\nx,y\n")), /^is a PDF/);
});

test("a quote that does not begin a cell is text, as spreadsheets read it, and one that cannot be meant is refused", async () => {
  const acme = await organization();
  const csv = 'Name,5" pipe\nx"y, "a,b" \r\n"6"" pipe",7" pipe\n';

  assert.deepEqual(shown(await acme.post("/import/", { csv })), [
    ["Name", 'x"y', '6" pipe'],
    ['5" pipe', "a,b", '7" pipe'],
  ]);
  assert.deepEqual(shown(await upload(acme, Buffer.from('N\tS\r1"\t"2"\r'))), [
    ["N", '1"'],
    ["S", "2"],
  ]);
  await acme.refused(400, "POST", "/import/", { csv: 'Name,b\n"x"y,z\n' }, "csv");
  await acme.refused(400, "POST", "/import/", { content_base64: base64(Buffer.from('Name,b\nx,"y\n')) }, "content_base64");
});

test("text that no database keeps is refused, in names of columns too", async () => {
  const acme = await organization();
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/import/", body, field);

  await refuse({ csv: "Name\nA\0" }, "csv");
  await refuse({ csv: "Name\nA\ud800" }, "csv");
  await refuse({ content_base64: base64(Buffer.from('[{"a\\u0000": 1}]')) }, "content_base64");
  await refuse({ content_base64: base64(Buffer.from('{"a": "\\ud800"}')) }, "content_base64.0.a");
});

test("a table that would take all memory is refused, however small it is in the request", async () => {
  const acme = await organization();
  const refuse = async (text: string, reason: RegExp) => {
    const content_base64 = Buffer.from(text).toString("base64");
    const answer = await acme.refused(400, "POST", "/import/", { content_base64 }, "content_base64");
    assert.match(answer["field-errors"].content_base64, reason);
  };

  await refuse(`Name\n"${"a".repeat(200_000)}"\n`, /a cell of more than/);
  await refuse("a".repeat(11_000_000), /a row of more than 10000000 bytes: is a quote never closed/);
  await refuse(`${Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(",")}\n1`, /100 columns or fewer; it has 10000/);
  await refuse(`Name\n${"a,b\n".repeat(20_001)}`, /must not have more cells in a row/);
  await refuse(JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ [`k${i}`]: 1 }))), /100 columns/);
});

test("a workbook shows what the spreadsheet shows: texts, dates, percentages and results of formulas", async () => {
  const acme = await organization();

  const { dialect, ...draft } = await upload(acme, await workbook({}), { object_type: "lead" });
  const other = await upload(acme, await workbook({}), { sheet: "Second" });

  assert.deepEqual(dialect, { format: "xlsx", sheet: "First" });
  assert.equal(draft.n_rows, 2);
  assert.deepEqual(shown(draft), [
    ["Company", "Acme & Söhne", "two\nlines"],
    ["Date", "2026-02-28", "2026-02-28 12:00:00"],
    ["Share", "12.5%"],
    ["Sum", "0.3", "49301234567"],
    ["Done", "true"],
  ]);
  assert.deepEqual([other.dialect.sheet, shown(other)], ["Second", [["Only", "1"]]]);
});

test("a workbook that an export wrote is a table again", async () => {
  const acme = await organization();
  async function* pages() {
    yield [["=Evil", 1.5, true, null]];
  }

  const draft = await upload(acme, await collected(xlsx(["Name", "Size", "Mine", "Empty"], pages())));

  assert.deepEqual(shown(draft), [["Name", "=Evil"], ["Size", "1.5"], ["Mine", "true"], ["Empty"]]);
});

test("a workbook that is damaged, hides what it says or unpacks to too much is refused with what to do", async () => {
  const acme = await organization();
  const refuse = async (bytes: Buffer, reason: RegExp, more: object = {}, field = "content_base64") => {
    const answer = await acme.refused(400, "POST", "/import/", { content_base64: base64(bytes), ...more }, field);
    assert.match(answer["field-errors"][field], reason);
  };
  const sheet = (rows: string) =>
    workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>` });
  const good = await workbook({});

  await refuse(good.subarray(0, good.length - 40), /cannot be read/);
  await refuse(await sheet("<row><c></row>"), /cannot be read/);
  await refuse(await sheet("<row><c><c/></c></row>"), /a row of names/);
  await refuse(await sheet('<row r="1"><c r="A1"><v>&unknown;</v></c></row>'), /cannot be read/);
  await refuse(good, /has no sheet Third: there are Secret, First, Second/, { sheet: "Third" });
  await refuse(
    await sheet('<row><c r="A1"><v>1</v></c></row><row><c r="B2"><f>A1</f></c></row>'),
    /a formula without its result in B2/,
  );
  await refuse(await sheet('<row><c r="ZZ1"><v>1</v></c></row>'), /100 columns or fewer; there is a value in ZZ1/);
  await refuse(await sheet(`<row><c r="A1"><v>1</v></c></row>${" ".repeat(1000)}`.repeat(40_000)), /unpacks to too much/);
  await refuse(await sheet(`<row><c r="A1" t="str"><v>${"a".repeat(5_000_000)}</v></c></row>`), /cannot be read/);
  await refuse(await zipped({ "a.txt": "no workbook" }), /cannot be read/);
});

test("an error of a spreadsheet is an error of its row", async () => {
  const acme = await organization();
  const { id } = await acme.post("/import/", { csv: "Name,Industry\nAcme,#REF!\nBolt,#1\n" });

  const { preview } = await acme.put(`/import/${id}/`, { mapping: { Name: "name", Industry: "industry" }, dry_run: true });

  assert.deepEqual(preview.errors, [{ row: 1, column: "Industry", error: '"#REF!" is an error of the spreadsheet' }]);
  assert.equal(preview.created, 1);
});

test("a file may have more bytes than other files", async () => {
  const acme = await organization();
  const row = `Acme,${"x".repeat(90_000)}\n`;

  const draft = await upload(acme, Buffer.from(`Company,About\n${row.repeat(260)}`));

  assert.equal(draft.n_rows, 260);
});

const collected = (bytes: AsyncIterable<Buffer>): Promise<Buffer> => buffer(bytes as never);

function zipped(parts: Record<string, string>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return collected(zip.outputStream as never);
}

/** A workbook as spreadsheet programs write it, with other parts in place of some. */
function workbook(other: Record<string, string>): Promise<Buffer> {
  const rels = (...all: [string, string][]) =>
    `<Relationships>${all.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="http://x/relationships/${type}" Target="${target}"/>`).join("")}</Relationships>`;
  const cells = (...all: string[]) => `<x:row>${all.join("")}</x:row>`;
  return zipped({
    "_rels/.rels": rels(["officeDocument", "/xl/workbook.xml"]),
    "xl/_rels/workbook.xml.rels": rels(
      ["worksheet", "worksheets/sheet0.xml"],
      ["worksheet", "worksheets/sheet1.xml"],
      ["worksheet", "worksheets/sheet2.xml"],
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "/xl/styles.xml"],
    ),
    "xl/workbook.xml":
      '<workbook><sheets><sheet name="Secret" r:id="rId1" state="hidden"/><sheet name="First" r:id="rId2"/><sheet name="Second" r:id="rId3"/></sheets></workbook>',
    "xl/sharedStrings.xml":
      "<sst><si><t>Company</t></si><si><r><t>Acme </t></r><r><t>&amp; Söhne</t></r><rPh><t>akume</t></rPh></si><si><t>two_x000A_lines</t></si></sst>",
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]dd\\.mm\\.yyyy&quot; Uhr&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>',
    "xl/worksheets/sheet0.xml": "<worksheet/>",
    "xl/worksheets/sheet1.xml": `<x:worksheet xmlns:x="http://x"><x:sheetData><x:row r="1"/>${cells(
      '<x:c r="A2" t="s"><x:v>0</x:v></x:c>',
      ...["Date", "Share", "Sum", "Done"].map((one) => `<x:c t="inlineStr"><x:is><x:t>${one}</x:t></x:is></x:c>`),
    )}${cells(
      '<x:c r="A3" t="s"><x:v>1</x:v></x:c>',
      '<x:c r="B3" s="1"><x:v>46081</x:v></x:c>',
      '<x:c r="C3" s="3"><x:v>0.125</x:v></x:c>',
      '<x:c r="D3"><x:f>0.1+0.2</x:f><x:v>0.30000000000000004</x:v></x:c>',
      '<x:c r="E3" t="b"><x:v>1</x:v></x:c>',
    )}${cells('<x:c r="A4" t="s"><x:v>2</x:v></x:c>', '<x:c r="B4" s="2"><x:v>46081.5</x:v></x:c>', '<x:c r="D4"><x:v>4.9301234567E10</x:v></x:c>')}</x:sheetData></x:worksheet>`,
    "xl/worksheets/sheet2.xml":
      '<worksheet><sheetData><row><c t="str"><v>Only</v></c></row><row><c><v>1</v></c></row></sheetData></worksheet>',
    ...other,
  });
}
