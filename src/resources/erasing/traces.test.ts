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

const shapes = [
  "Ottoline Brackenthwaite.pdf",
  "files/Ottoline%20Brackenthwaite.txt",
  "2026-Ottoline-Brackenthwaite",
  "cv_ottoline_brackenthwaite_new",
  "ottoline.brackenthwaite",
  "Brackenthwaite, Ottoline",
  "On Monday Brackenthwaite, Ottoline wrote",
  "N:Brackenthwaite;Ottoline;;;",
  '7,"Ottoline","Brackenthwaite"',
  "On Monday Ottoline\n> Brackenthwaite wrote",
  "Ottoline<br />Brackenthwaite",
  "<i>Ottoline</i>&nbsp;<i>Brackenthwaite</i>",
  "Ottoline\u200bBrackenthwaite",
  String.raw`{"text":"Hi\nOttoline\r\nBrackenthwaite"}`,
  "?for%20Ottoline+Brackenthwaite",
];

test("a name is found in names of files and handles, in lists, quoted lines, links, JSON and markup", () => {
  for (const text of shapes) {
    const after = found({ names: ["Ottoline Brackenthwaite"] }, text);
    assert.ok(after.includes("#") && !/ottoline|brackenthwaite/i.test(after), `${text} became ${after}`);
  }
});

test("markup stays balanced around what is replaced", () => {
  const names = ["Ottoline Brackenthwaite"];
  assert.equal(found({ names }, "<p>Ottoline <b>Brackenthwaite</b>!</p>"), "<p>#<b></b>!</p>");
});

test("letters with accents are found composed, apart, in links, in JSON and in HTML", () => {
  const names = ["Anna Müller"];
  const text = "ANNA MÜLLER, Anna Mu\u0308ller, Anna%20M%C3%BCller, Anna M\\u00fcller, Anna M&uuml;ller, Müller, Anna";
  assert.equal(found({ names }, text), "#, #, #, #, #, #");
});

test("namesakes, lists of people, and addresses of others stay", () => {
  const same = (names: string[], text: string) => assert.equal(found({ names }, text), text);
  same(["Anna Müller"], "Anna Müller-Schmidt, Joanna Müller, Eva-Anna Müller, Anna Müllerova");
  same(["Ann Lee"], "Ann, Lee and Bob; ann.lee@other.example, https://ann-lee.example/, sales@ann-lee.example");
  same(["Ann Lee"], "With Bob Lee, Ann Smith and Eve Lee; Ann Fox");
  same(["Ann O'Hara"], "Joann O'Hara; Ann O'Haran");
});

test("a number is found however it is grouped, and not within a longer one", () => {
  const phones = ["+493012345678"];
  assert.equal(found({ phones }, "+49 30 1234 5678, 030/12345678, (030) 123-456-78, 00493012345678"), "#, #, (#, #");
  assert.equal(found({ phones }, "9030123456789 1+4930123456780"), "9030123456789 1+4930123456780");
});

test("a number is found in markup and with an extension", () => {
  const phones = ["+14155550188"];
  assert.equal(
    found({ phones }, "+1&nbsp;415&nbsp;555&nbsp;0188, 415\u2011555\u20110188 x12, 415.555.0188x12"),
    "#, # x12, #x12",
  );
  assert.equal(found({ phones }, "<td>415</td><td>5550188</td>"), "<td>#</td><td></td>");
});

test("who has no values is found nowhere", () => {
  assert.equal(tracesOf(none).isIn("anything"), false);
});
