import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { classify, mailClasses, type Verdict } from "./classify.ts";
import type { ParsedMessage } from "./parsed.ts";

const cases = new URL("./cases/", import.meta.url);
const expected: Record<string, object> = JSON.parse(readFileSync(new URL("expected.json", cases), "utf8"));

/** The parts of a verdict that the cases check, in their form. */
function asExpected({ class: kind, rule, about, returns_at, failed, complained }: Verdict): object {
  const failures = failed?.map(({ address, status, kind }) => ({ address, status, kind }));
  const said = { class: kind, rule, about, returns_at, failed: failures, complained };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** Lines end as on the wire. */
const rawCase = (name: string): string => readFileSync(new URL(`${name}.eml`, cases), "utf8").replaceAll("\n", "\r\n");

describe("a message as servers and people send it gets its class", () => {
  const names = readdirSync(cases).flatMap((file) => (file.endsWith(".eml") ? [file.slice(0, -".eml".length)] : []));

  test("there are many of them, each with what it must get", () => {
    assert.ok(names.length >= 120);
    assert.deepEqual(names.sort(), Object.keys(expected).sort());
  });

  for (const name of names)
    test(name, async () => {
      const message = await PostalMime.parse(rawCase(name));
      const verdict = classify(message, new Date(message.date!));
      assert.deepEqual(asExpected(verdict), expected[name]);
      assert.ok(verdict.confidence > 0.5 && verdict.confidence < 1);
    });
});

test("an absence notice is distinguished from other automatic mail", async () => {
  const absent = async (name: string) => classify(await PostalMime.parse(rawCase(name)), new Date()).is_absent;

  for (const name of ["away-without-a-date", "away-left-the-company", "away-unix-vacation", "away-without-headers-notes"])
    assert.equal(await absent(name), true, name);
  for (const name of [
    "ticket-zendesk",
    "ticket-german",
    "notice-auto-generated",
    "calendar-accepted-outlook",
    "read-receipt-outlook",
    "read-receipt-in-words",
    "read-receipt-german",
    "read-receipt-deleted-unread",
  ])
    assert.equal(await absent(name), false, name);
});

// --- hostile input ---

const received = new Date("2026-08-03T10:00:00Z");
const plain = (text: string, more: Partial<ParsedMessage> = {}): ParsedMessage => ({
  headers: [],
  subject: "Re: Our offer",
  text,
  attachments: [],
  ...more,
});

const part = (mimeType: string, content: string) => ({ mimeType, content: new TextEncoder().encode(content) });

/** Each is made to keep a pattern backtracking. */
const hostile: Record<string, (size: number) => ParsedMessage> = {
  "one long line": (size) => plain("a".repeat(size)),
  "lines that begin a quotation": (size) => plain("On on on on\n".repeat(size / 12)),
  "one that announces and never ends": (size) => plain(`On ${"wrote ".repeat(size / 6)}`),
  "quotation marks": (size) => plain(`${"> ".repeat(size / 4)}\n${">\n".repeat(size / 4)}`),
  "headings of quoted messages": (size) => plain("From: a\nSent: b\n".repeat(size / 16)),
  "requests that ask for nothing": (size) => plain("remove me from remove me from ".repeat(size / 30)),
  courtesies: (size) => plain("please thanks, ".repeat(size / 15)),
  "days and months": (size) => plain("until 3 august back on august 3 8/9 ".repeat(size / 36), { subject: "Automatic reply: x" }),
  "weekdays without an end": (size) => plain("from monday ".repeat(size / 12), { subject: "Out of office" }),
  absences: (size) => plain("urgent in my absence contact ".repeat(size / 29)),
  blanks: (size) => plain(`${" ".repeat(size)}x`),
  "addresses that bounced": (size) =>
    plain("a@b.example:\n550\n\n".repeat(size / 18), {
      from: { address: "mailer-daemon@b.example" },
      subject: "Undelivered mail",
    }),
  "half addresses": (size) =>
    plain("a@".repeat(size / 2), { from: { address: "mailer-daemon@b.example" }, subject: "Undelivered mail" }),
  "qmail's paragraphs": (size) => plain(`Hi. This is the qmail-send program\n\n${"<a@b.example>:\nx\n\n".repeat(size / 18)}`),
  "nested tags": (size) => plain("", { html: "<div>".repeat(size / 5) }),
  "open tags": (size) => plain("", { html: "<a href='".repeat(size / 9) }),
  "an endless report": (size) =>
    plain("", {
      attachments: [part("message/delivery-status", "Final-Recipient: rfc822; a@b.example\nStatus: 5.1.1\n\n".repeat(size / 53))],
    }),
  "one folded line": (size) =>
    plain("", { attachments: [part("message/delivery-status", `Final-Recipient: rfc822;${"\n a".repeat(size / 3)}`)] }),
  "codes that are none": (size) =>
    plain("", {
      attachments: [
        part("message/delivery-status", `Final-Recipient: rfc822; a@b.example\nDiagnostic-Code: ${"5.1.".repeat(size / 4)}`),
      ],
    }),
  references: (size) => plain("Hello", { headers: [{ key: "references", value: "<a@b> ".repeat(size / 6) }] }),
  "angle brackets": (size) => plain("Hello", { headers: [{ key: "references", value: "<".repeat(size) }] }),
  "many headers": (size) =>
    plain("Hello", { headers: Array.from({ length: size / 10 }, (_, i) => ({ key: `x-${i}`, value: "y" })) }),
  "a subject": (size) => plain("Hello", { subject: "re: ".repeat(size / 4) }),
  "a complaint's addresses": (size) =>
    plain("", {
      attachments: [part("message/feedback-report", `Feedback-Type: abuse\nOriginal-Rcpt-To: ${"a@b ".repeat(size / 4)}`)],
    }),
};

describe("the time it takes does not grow with what was made to be hard", () => {
  for (const [name, made] of Object.entries(hostile))
    test(name, () => {
      const message = made(4_000_000);
      const began = performance.now();
      classify(message, received);
      // A few milliseconds by itself. A quadratic pattern would take minutes.
      assert.ok(performance.now() - began < 2000);
    });
});

test("whatever a message holds, it gets a class", () => {
  const text = fc.string({ unit: "binary", maxLength: 300 });
  const message = fc.record({
    headers: fc.array(
      fc.record({
        key: fc.constantFrom("auto-submitted", "precedence", "list-id", "references", "x-failed-recipients", "date"),
        value: text,
      }),
    ),
    from: fc.option(fc.record({ address: text }), { nil: undefined }),
    subject: fc.option(text, { nil: undefined }),
    text: fc.option(text, { nil: undefined }),
    html: fc.option(text, { nil: undefined }),
    attachments: fc.array(
      fc.record({
        mimeType: fc.constantFrom("message/delivery-status", "message/feedback-report", "message/rfc822", "text/calendar"),
        content: fc.oneof(text, fc.uint8Array({ maxLength: 300 })),
      }),
    ),
  });

  fc.assert(fc.property(message, (one) => mailClasses.includes(classify(one, received).class)));
});
