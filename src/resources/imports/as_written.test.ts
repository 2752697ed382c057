// Text comes in as it was written: in Cyrillic encodings, and in JSON to the last space.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { exported, imported } from "../../../test/support/moved.ts";

/** The bytes of a text in an encoding of one byte for each letter. */
function bytesOf(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const));
  return Buffer.from(Array.from(text, (letter) => bytes.get(letter)!));
}

const russian = "Компания,Имя,Город\nООО Ромашка,Иван Петров,Москва\nСтрой Сервис,Анна Кузнецова,Новосибирск\n";
const bulgarian = "Фирма,Име,Град\nСлънчев бряг ООД,Стоян Иванов,Пловдив\n";

for (const encoding of ["windows-1251", "koi8-r", "ibm866", "iso-8859-5"])
  test(`a Cyrillic file in ${encoding} is read as one, and said to be a guess`, async () => {
    const acme = await organization();

    for (const text of [russian, bulgarian]) {
      const content_base64 = bytesOf(text, encoding).toString("base64");
      const { dialect, columns } = await acme.post("/import/", { content_base64 });

      assert.deepEqual(dialect, { format: "csv", encoding, certain: false, delimiter: "," });
      assert.deepEqual(
        columns.map((one: any) => one.name),
        text.split("\n")[0]!.split(","),
      );
    }
  });

test("Western files are not taken for Cyrillic ones", async () => {
  const acme = await organization();

  for (const text of [
    "Firma,Ort\nMüller,Köln\nÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ,Göß\n",
    "Nom,Ville\nÉmilie Lefèvre,Orléans\nNoël Façade,Besançon\n",
  ]) {
    const content_base64 = bytesOf(text, "windows-1252").toString("base64");
    assert.equal((await acme.post("/import/", { content_base64 })).dialect.encoding, "windows-1252");
  }
});

test("leads exported as JSON lines come back without a change, white space, marks and errors of spreadsheets included", async () => {
  const acme = await organization();
  const texts = ["Two lines\nof text\n", "'=x", "'+1", "'@you", "#N/A", "\ufeffmarked", "  in front"];
  for (const [i, description] of texts.entries()) await acme.lead({ name: `Lead ${i}`, description });
  const states = async () => (await acme.get("/lead/?_order_by=name")).data;
  const before = await states();

  const done = await imported(acme, await exported(acme, { format: "jsonl" }));

  assert.deepEqual([done.errors, done.n_updated, done.n_skipped], [[], 0, texts.length]);
  assert.deepEqual(await states(), before);
});

test("a table has all addresses and, for `custom`, all custom fields, and brings them back", async () => {
  const acme = await organization();
  const { id } = await acme.customField("lead", { type: "text", name: "Multi" });
  const addresses = [
    { label: "business", address_1: "1 Main", country: "US" },
    { label: "mailing", address_1: "2 Main, left", city: 'The "Y"', country: "DE" },
  ];
  const lead = await acme.lead({ name: "BE", addresses, [`custom.${id}`]: "b, c" });
  const before = await acme.get(`/lead/${lead.id}/`);

  const custom = String(await exported(acme, { format: "csv", fields: ["name", "custom"] }));
  const csv = String(await exported(acme, { format: "csv", include_addresses: true }));
  const done = await imported(acme, csv);

  assert.equal(custom, '"name","custom.Multi"\r\n"BE","b, c"\r\n');
  assert.match(csv, /"more_addresses"/);
  assert.deepEqual([done.errors, done.n_skipped], [[], 1]);
  assert.deepEqual(await acme.get(`/lead/${lead.id}/`), before);
});
