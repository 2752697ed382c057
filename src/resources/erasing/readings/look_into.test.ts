// Files of others that name a person, in the forms that people store.
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ZipFile } from "yazl";
import { tracesOf } from "../traces.ts";
import { lookInto } from "./look_into.ts";

const traces = tracesOf({ names: ["Ottoline Bräckenthwaite"], emails: ["otto@old.example"], phones: [], urls: [] });
const found = (bytes: Buffer | string, mime = "") => lookInto(Buffer.from(bytes as Buffer), traces, { mime });

async function zipOf(members: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(members)) zip.addBuffer(Buffer.from(bytes as Buffer), name);
  zip.end();
  return Buffer.from(await text(zip.outputStream.setEncoding("latin1")), "latin1");
}

const name = "Ottoline Bräckenthwaite";
const document = (runs: string) => ({
  "[Content_Types].xml": "<Types/>",
  "word/document.xml": `<?xml version="1.0"?><w:document><w:body><w:p>${runs}</w:p></w:body></w:document>`,
});
const mail = (type: string, body: string) =>
  `From: =?utf-8?Q?Bob?= <bob@x.example>\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(body).toString("base64")}\r\n`;

test("a name is found in text of any encoding", async () => {
  const wide = Buffer.from(name, "utf16le");
  for (const bytes of [
    name,
    Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(wide).swap16()]),
    wide,
    Buffer.from(`Vom Jahr: ${name}, in Köln, für Grüße`, "latin1"),
  ])
    assert.equal(await found(bytes), "named");
});

test("a name is found in HTML, RTF, JSON, cards and gzip", async () => {
  assert.equal(await found("<p>Otto<b>line</b> Br&auml;ckenthwaite</p>"), "named");
  assert.equal(await found(String.raw`{\rtf1\ansi\ansicpg1252 {\b Ottoline} Br\'e4cken\b0 thwaite\par}`), "named");
  assert.equal(await found(String.raw`{\rtf1\ansi Ottoline Br\u228?ckenthwaite}`), "named");
  assert.equal(await found(String.raw`{"name":"Ottoline Br\u00e4cken\u0074hwaite"}`), "named");
  assert.equal(
    await found("BEGIN:VCARD\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Br=C3=A4cken=\r\nthwaite;Ottoline\r\nEND:VCARD"),
    "named",
  );
  assert.equal(await found(gzipSync(`a\n${name}\n`)), "named");
});

test("a name is found in documents whose runs split it, and not over the end of a paragraph", async () => {
  const run = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`;
  assert.equal(await found(await zipOf(document(run("Ottoline Bräck") + run("enthwaite")))), "named");
  assert.equal(await found(await zipOf(document(run("Ottoline Bräck") + `</w:p><w:p>${run("enthwaite")}`))), "clean");
  assert.equal(
    await found(await zipOf({ "sheet.xml": `<si><r><t>Otto</t></r><r><t>line Bräckenthwaite</t></r></si>` })),
    "named",
  );
});

test("a name is found in mails, their attachments, and an archive within an archive", async () => {
  assert.equal(await found(mail("text/plain; charset=utf-8", `Dear ${name}`)), "named");
  const csv = Buffer.from("otto@old.example").toString("base64");
  const parts = `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\nContent-Transfer-Encoding: base64\r\n\r\n${csv}\r\n--b--\r\n`;
  assert.equal(await found(parts, "message/rfc822"), "named");
  assert.equal(await found(await zipOf({ "in.zip": await zipOf({ "a.txt": name }) })), "named");
  assert.equal(await found(await zipOf({ [`${name}.txt`]: "x" })), "named");
});

test("what has no trace is clean, and what nobody can read counts as unread", async () => {
  for (const bytes of [
    "",
    "Bob",
    "<p>Bob</p>",
    String.raw`{\rtf1 Bob}`,
    gzipSync("Bob"),
    await zipOf(document("<w:r><w:t>Bob</w:t></w:r>")),
    mail("text/plain", "Bob"),
  ])
    assert.equal(await found(bytes), "clean");
  const picture = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const deep = await zipOf({ "b.zip": await zipOf({ "c.zip": await zipOf({ "a.txt": name }) }) });
  for (const bytes of [
    "%PDF-1.7 (Bob)",
    picture,
    await zipOf({ "a.png": picture }),
    deep,
    Buffer.from("504b0304ffff", "hex"),
    gzipSync("Bob").subarray(0, 12),
  ])
    assert.equal(await found(bytes), "unread");
  assert.equal(await found(`%PDF-1.7 /Title (${name})`), "named");
});

test("an archive that unpacks to very much is unread", async () => {
  assert.equal(await found(gzipSync(Buffer.alloc(30 * 1024 ** 2, "Bob "))), "unread");
});
