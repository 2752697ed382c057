import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePhone, phoneDigits } from "./phone.ts";

test("a number is stored for dialling and shown for reading, however it was typed", () => {
  const expected = { phone: "+18004445555", phone_formatted: "+1 800-444-5555", country: "US" };
  const typed = ["+18004445555", "8004445555", "(800) 444-5555", "1-800-444-5555", "800.444.5555", "+1 800 444 5555"];

  for (const raw of typed) assert.deepEqual(parsePhone(raw, "US"), expected);
});

test("a number without + belongs to the workspace's country, one with + to its own", () => {
  assert.deepEqual(parsePhone("020 7123 4567", "GB"), {
    phone: "+442071234567",
    phone_formatted: "+44 20 7123 4567",
    country: "GB",
  });
  assert.equal(parsePhone("+14169671111", "US")?.country, "CA");
  assert.equal(parsePhone("+81312345678", "US")?.phone_formatted, "+81 3-1234-5678");
  assert.equal(parsePhone("+80012345678", "US")?.phone_formatted, "+800 1234 5678");
});

test("an unassigned number that could be dialled is a number all the same", () => {
  assert.deepEqual(parsePhone("(555) 123-4567", "US"), {
    phone: "+15551234567",
    phone_formatted: "+1 555-123-4567",
    country: "US",
  });
  assert.equal(parsePhone("+447700900123", "US")?.country, "GB");
});

test("an extension is kept", () => {
  const phone = parsePhone("+1 800-444-5555 ext. 123", "US");

  assert.equal(phone?.phone, "+18004445555x123");
  assert.equal(phone?.phone_formatted, "+1 800-444-5555 ext. 123");
});

test("text with three digits that is no number is kept as it was written", () => {
  for (const raw of ["911", "555-0100", "1-800-FLOWERS", "ask for Bob at 800-444-5555", "+999123456"]) {
    assert.deepEqual(parsePhone(` ${raw} `, "US"), { phone: raw, phone_formatted: raw, country: null });
  }
});

test("text with fewer digits, control characters or no end is refused", () => {
  for (const raw of ["", "  ", "12", "n/a", "800\n4445555", "8".repeat(101)]) assert.equal(parsePhone(raw, "US"), null);
});

test("invisible marks copied from an address book do not spoil a number", () => {
  assert.equal(parsePhone("\u202A+1 800 444 5555\u202C", "US")?.phone, "+18004445555");
});

test("what was stored reads back as the same number", () => {
  const raw = fc.oneof(fc.stringMatching(/^[+0-9 ().x#-]{3,20}$/), fc.stringMatching(/^\+[1-9][0-9]{6,14}$/), fc.string());

  fc.assert(
    fc.property(raw, fc.constantFrom("US", "GB", "DE", "BR", ""), (text, country) => {
      const first = parsePhone(text, country);
      if (first) assert.deepEqual(parsePhone(first.phone, country), first);
    }),
    { numRuns: 2_000 },
  );
});

test("searching looks at the digits alone", () => {
  assert.equal(phoneDigits("+1 (800) 444-5555"), "18004445555");
});
