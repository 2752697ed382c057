// Messages that are made to do harm: each is filed as harmless text, or kept as it came, and holds up nothing behind it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer, type TestMailbox } from "../../../test/support/imap.ts";
import { letter } from "../../../test/support/letters.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let acme: Workspace;
let box: TestMailbox;
let lead: { id: string };

before(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  acme = await organization(service);
  box = (await imapServer()).mailbox();
  lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "mallory@hostile.example" }] });
  await acme.post("/connected_account/", { email: box.address, imap: box.login, enabled_features: ["email_syncing"] });
});
after(() => service?.close());

const from = "mallory@hostile.example";
const head = (subject: string, more: readonly string[] = []): string =>
  [`From: ${from}`, `To: ${box.address}`, `Subject: ${subject}`, "MIME-Version: 1.0", ...more].join("\r\n");

/** What the hostile message became. The message behind it arrived too. */
async function filed(raw: string | Uint8Array): Promise<any> {
  const seen = new Set((await acme.all(`/activity/email/?lead_id=${lead.id}`)).map((one: any) => one.id));
  box.deliverAll([raw, letter({ from, to: box.address, subject: "Behind it" })]);
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
  await withWorker(service, (worker) => worker.drained());
  const arrived = (await acme.all(`/activity/email/?lead_id=${lead.id}`)).filter((one: any) => !seen.has(one.id));
  assert.equal(arrived.filter((one: any) => one.subject === "Behind it").length, 1);
  const [hostile, ...more] = arrived.filter((one: any) => one.subject !== "Behind it");
  assert.equal(more.length, 0);
  return hostile;
}

const contentOf = async ({ file_id }: { file_id: string }): Promise<string> =>
  (await acme.ask("GET", `/file/${file_id}/download/`)).text;

function nested(depth: number): string {
  let body = "Content-Type: text/plain\r\n\r\nDeep.\r\n";
  for (let i = 0; i < depth; i++)
    body = `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n${body}\r\n--b${i}--\r\n`;
  return body;
}

test("parts within parts, 200 deep", async () => {
  const raw = `${head("Deep")}\r\n${nested(200)}`;

  const { body_text, attachments } = await filed(raw);

  if (attachments.length === 0) assert.match(body_text, /Deep\./);
  else assert.equal(await contentOf(attachments[0]), raw);
});

test("messages within messages, 200 deep", async () => {
  let raw = `${head("Innermost")}\r\n\r\nDeep.\r\n`;
  for (let i = 0; i < 200; i++) raw = `${head("Outside")}\r\nContent-Type: message/rfc822\r\n\r\n${raw}`;

  const { subject } = await filed(raw);

  assert.equal(subject, "Outside");
});

test("a zip of zips is a file like any other, and nobody opens it", async () => {
  // An archive with archives, each of which says that it holds four gigabytes.
  const zip = Buffer.concat([
    Buffer.from("504b0304140000000800", "hex"),
    Buffer.alloc(2000, 0xff),
    Buffer.from("504b0506", "hex"),
  ]);
  const content = Buffer.concat(Array.from({ length: 50 }, () => zip));

  const { attachments } = await filed(
    letter({ from, subject: "Zip", attachments: [{ filename: "42.zip", type: "application/zip", content }] }),
  );

  const [only, ...more] = attachments;
  assert.deepEqual([only.filename, only.size, more.length], ["42.zip", content.length, 0]);
});

test("a header of a megabyte is cut", async () => {
  const { subject, to, references } = await filed(
    `${head("x".repeat(1_000_000), [
      `References: ${Array.from({ length: 5000 }, (_, i) => `<${i}@hostile.example>`).join("\r\n ")}`,
      `Cc: ${Array.from({ length: 10_000 }, (_, i) => `a${i}@hostile.example`).join(",\r\n ")}`,
    ])}\r\n\r\nHello\r\n`,
  );

  assert.ok(subject.length <= 1000);
  assert.deepEqual(to, [box.address]);
  assert.ok(references.length <= 100);
});

test("of ten thousand recipients the first are kept", async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `p${i}@hostile.example`);
  const raw = `From: ${from}\r\nTo: ${many.join(",\r\n ")}\r\nSubject: To all\r\n\r\nHello.\r\n`;

  const { subject, to } = await filed(raw);

  assert.equal(subject, "To all");
  assert.deepEqual(to, many.slice(0, 500));
});

test("line breaks in names, addresses, subjects and file names break no line", async () => {
  const word = (text: string) => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
  const evil = word("Eve\r\nBcc: victim@example.com\r\n\r\nBody");
  const { sender, subject, cc, bcc, attachments } = await filed(
    [
      `From: ${evil} <${from}>`,
      `To: ${box.address}`,
      `Cc: "Bob\r\n\tBcc: x@example.com" <bob@hostile.example>, <carl@hostile.example\u0000\nX: y>`,
      `Subject: ${evil}`,
      "MIME-Version: 1.0",
      "Content-Type: text/plain",
      "Content-Disposition: attachment; filename*=utf-8''..%2F..%2Fetc%0D%0Apasswd",
      "",
      "root",
    ].join("\r\n"),
  );

  for (const one of [sender, subject, ...cc, ...attachments.map(({ filename }: any) => filename)])
    assert.doesNotMatch(one, /\p{Cc}/u);
  assert.deepEqual(bcc, []);
  assert.ok(attachments.every(({ filename }: any) => !filename.includes("/")));
});

test("a calendar of a million repetitions is a file, and no meeting", async () => {
  const lines = ["BEGIN:VCALENDAR", "METHOD:REQUEST", "BEGIN:VEVENT", "UID:1@hostile.example", "DTSTART:20310101T000000Z"];
  const content = [...lines, "RRULE:FREQ=SECONDLY;COUNT=1000000", "SUMMARY:Again", "END:VEVENT", "END:VCALENDAR"].join("\r\n");

  const { attachments } = await filed(
    letter({
      from,
      subject: "Invitation",
      attachments: [{ filename: "invite.ics", type: "text/calendar; method=REQUEST", content }],
    }),
  );

  assert.deepEqual((await contentOf(attachments[0])).trim().split(/\r?\n/), content.split("\r\n"));
  assert.deepEqual((await acme.get("/activity/meeting/")).data, []);
});

test("scripts, frames and foreign forms are taken out of the body", async () => {
  const html = `<p>Hello</p><script>alert(1)</script><img src="x" onerror="alert(2)"><img src="cid:a" width=1 height=1>
    <svg onload="alert(3)"></svg><iframe src="https://hostile.example"></iframe><form action="https://hostile.example"><input></form>
    <a href="javascript:alert(4)">Click</a><style>@import "https://hostile.example"</style><base href="https://hostile.example">`;
  const script = {
    filename: "pixel.gif",
    type: "image/gif",
    content: "<script>alert(5)</script>",
    contentId: "a",
    isInline: true,
  };

  const { body_html, attachments } = await filed(letter({ from, subject: "Page", text: "Hello", html, attachments: [script] }));

  assert.match(body_html, /Hello/);
  assert.doesNotMatch(body_html, /script|alert|iframe|<form|javascript:|@import|<base|onload|onerror/i);
  for (const { file_id } of attachments) {
    const { headers } = await acme.ask("GET", `/file/${file_id}/download/`);
    assert.doesNotMatch(headers.get("content-type")!, /html|svg|script/);
  }
});

test("thousands of attachments are kept as one", async () => {
  const parts = Array.from({ length: 5000 }, (_, i) => `--b\r\nContent-Type: image/png; name="${i}.png"\r\n\r\n${i}\r\n`).join(
    "",
  );
  const raw = `${head("Many", ['Content-Type: multipart/mixed; boundary="b"'])}\r\n\r\n${parts}--b--\r\n`;

  const { attachments } = await filed(raw);

  const [only, ...more] = attachments;
  assert.deepEqual([only.filename, more.length], ["message.eml", 0]);
  assert.equal(await contentOf(only), raw);
});

test("bytes that are no text in any alphabet are stored as text", async () => {
  const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => [0, 255, 0xd8, 0xed, 0xa0, 0x80, 27, 13, 10, 10][i % 10]!));
  const raw = Buffer.concat([
    Buffer.from(`${head("Noise \u0000\ud83d", ["Content-Type: text/plain; charset=utf-7"])}\r\n\r\n`),
    noise,
  ]);

  const { subject, body_text } = await filed(raw);

  assert.match(subject, /^Noise/);
  assert.doesNotMatch(body_text, /\0/);
});
