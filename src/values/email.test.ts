import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { effortOf } from "../../test/support/effort.ts";
import { emailKey, parseAddress, parseEmail } from "./email.ts";

test("an address is trimmed and otherwise stored as it was given", () => {
  for (const email of ["Ann@Example.com", "a.b+tag@sub.example.co.uk", "o'neil@x-y.io", "jörg@müller.example", "用户@例子.中国"])
    assert.equal(parseEmail(`  ${email}\n`), email);
});

test("a domain has the letters that mail servers make of it, however it was written", () => {
  for (const domain of ["ｍail.example", "mａil.Example", "ℳail.example"])
    assert.equal(parseEmail(`Ann@${domain}`), "Ann@mail.example");
  assert.equal(parseEmail("jörg@ｘｎ--mller-kva.example"), "jörg@müller.example");
  assert.equal(parseEmail("ann@x⅐.example"), "ann@x⅐.example", "letters that no server can write stay as they are");
  assert.equal(parseEmail("admin@localhoſt", { allowLocalhost: true }), "admin@localhost");
});

test("what no mail server would take is refused", () => {
  const wrong = [
    "",
    "ann",
    "ann@",
    "@example.com",
    "ann@example",
    "ann@example.c",
    "ann@example..com",
    "ann@-example.com",
    "ann@example-.com",
    "ann@.com",
    "ann@example.com.",
    "ann@1.2.3.4",
    "ann lee@example.com",
    "ann@lee@example.com",
    ".ann@example.com",
    "ann..lee@example.com",
    "ann\u0000@example.com",
    "ann\u200B@example.com",
    "Ann <ann@example.com>",
    "a@b.com,c@d.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.com`,
    `a@${"b.".repeat(130)}com`,
  ];

  for (const email of wrong) assert.equal(parseEmail(email), null, email);
});

test("localhost is a domain only where the operator says so", () => {
  assert.equal(parseEmail("admin@localhost"), null);
  assert.equal(parseEmail("admin@localhost", { allowLocalhost: true }), "admin@localhost");
});

test("every ordinary address is taken", () => {
  fc.assert(
    fc.property(
      fc.emailAddress({ size: "small" }),
      (email) => email.length > 254 || parseEmail(email.replace(/^[^@]*@/, "ann@")) !== null,
    ),
  );
});

test("no text of any kind takes long to refuse", () => {
  const effort = effortOf(() => {
    for (const part of ["a.", "a-", "@", "a@", "\u0301"]) parseEmail(part.repeat(127));
  });

  assert.ok(effort < 200, `${effort} ms`);
});

test("two spellings of one address have one key", () => {
  assert.equal(emailKey(" Ann@Example.COM "), emailKey("ann@example.com"));
});

test("a sender is read with or without a name", () => {
  const senders = [
    ['"Lee, Ann" <ann@example.com>', "Lee, Ann"],
    ["Ann Lee <ann@example.com>", "Ann Lee"],
    ['"Ann \\"A\\" Lee" <ann@example.com>', 'Ann "A" Lee'],
    ["ann@example.com (Ann Lee)", "Ann Lee"],
    ["<ann@example.com>", null],
    [" ann@example.com ", null],
    ["Ann\r\nBcc: x <ann@example.com>", "Ann Bcc: x"],
  ] as const;

  for (const [raw, name] of senders) assert.deepEqual(parseAddress(raw), { name, email: "ann@example.com" });
  assert.equal(parseAddress("Ann Lee"), null);
  assert.equal(parseAddress("Ann <ann>"), null);
});
