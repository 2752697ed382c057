import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { phoneWords, phraseQuery, prefixQuery, vector, withBeginnings, wordQuery, words } from "./words.ts";

const anyText = fc.string({ unit: "binary", maxLength: 300 });

test("case and accents make no difference", () => {
  assert.deepEqual(words("Ötzi CAFÉ cafe\u0301"), ["otzi", "cafe", "cafe"]);
  assert.deepEqual(words("Straße Søren Łódź Æsir Þór Đorđe İstanbul ısı"), [
    "strasse",
    "soren",
    "lodz",
    "aesir",
    "thor",
    "dorde",
    "istanbul",
    "isi",
  ]);
  assert.deepEqual(words("ΟΔΟΣ Ёлка ﬁne ＡＢＣ"), ["οδοσ", "елка", "fine", "abc"]);
});

test("e-mail addresses and URLs are found by their parts", () => {
  assert.deepEqual(words("bob.smith@acme-corp.com"), ["bob", "smith", "acme", "corp", "com"]);
  assert.deepEqual(words("https://acme.com/x?y=1"), ["https", "acme", "com", "x", "y", "1"]);
  assert.deepEqual(words("o'brien O’Brien"), ["o", "brien", "o", "brien"]);
});

test("scripts without spaces are found from any character", () => {
  assert.deepEqual(words("東京都 Tower"), ["東", "京", "都", "tower"]);
  assert.deepEqual(words("コーヒー"), ["コ", "ー", "ヒ", "ー"]);
  assert.deepEqual(words("สวัสดี"), ["ส", "วั", "ส", "ดี"]);
  assert.deepEqual(words("한국어 हिन्दी"), ["한국어", "हिन्दी"]);
});

test("words of a word are that word", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = words(text);
      assert.deepEqual(words(once.join(" ")), once);
    }),
  );
});

test("no word holds a quote, a space or a backslash, or more than 64 characters", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const word of words(text)) assert.match(word, /^[^\s'"\\]{1,64}$/);
    }),
  );
  assert.deepEqual(
    words(`${"a".repeat(63)}😀${"𝒳𐐷".repeat(60)}`).map((word) => word.isWellFormed()),
    [true, true],
  );
});

test("every character of Unicode reads the same the second time", () => {
  for (let row = 0; row <= 0x10ff; row += 1) {
    const text = Array.from({ length: 256 }, (_, n) => `a${String.fromCodePoint(row * 256 + n)}b`).join(" ");
    const once = words(text);
    assert.deepEqual(words(once.join(" ")), once);
  }
});

test("a phone number is found from its country code, its area code and its local part", () => {
  assert.deepEqual(phoneWords("+18004445555"), ["18004445555", "8004445555", "4445555"]);
  assert.deepEqual(phoneWords("+442079460958"), ["442079460958", "2079460958", "9460958"]);
  assert.deepEqual(phoneWords("+35312345678"), ["35312345678", "12345678", "2345678"]);
  assert.deepEqual(phoneWords("800-444"), ["800444"]);
  assert.deepEqual(phoneWords("n/a"), []);
});

test("a vector holds each word with its places, and a gap between parts", () => {
  assert.equal(vector([{ text: "Acme Corp, Acme" }, { text: "Bob" }]), "'acme':1,3 'corp':2 'bob':6");
  assert.equal(vector([{ phone: "+18004445555" }]), "'18004445555':3 '8004445555':5 '4445555':7");
  assert.equal(vector([{ text: null }, {}, { text: "!" }]), "");
});

test("a vector stays within what PostgreSQL stores", () => {
  const text = Array.from({ length: 30_000 }, (_, n) => `w${n % 5_000}`).join(" ");

  const entries = vector([{ text }]).split(" ");

  assert.equal(entries.length, 4_000);
  for (const entry of entries) for (const place of entry.split(":")[1]!.split(",")) assert.ok(Number(place) <= 16_383);
  assert.ok(vector([{ text: "a ".repeat(1_000) }]).split(",").length <= 255);
});

test("a search finds beginnings of words, whole words, or a phrase", () => {
  assert.equal(prefixQuery("Acm"), "'acm':*");
  assert.equal(prefixQuery("west Çoa"), "'west':* & 'coa':*");
  assert.equal(wordQuery("west coast"), "'west' & 'coast'");
  assert.equal(phraseQuery("West Coast"), "'west' <-> 'coast'");
});

test("in a vector with beginnings, three or four letters are looked up as one word", () => {
  assert.equal(
    withBeginnings(vector([{ text: "Acme acmon co 東京 Ötzi" }])),
    "'acme':1 'acmon':2 'co':3 '東':4 '京':5 'otzi':6 '^acm' '^acme' '^acmo' '^otz' '^otzi'",
  );
  assert.equal(prefixQuery("acm Ötz co otzi acmon", true), "'^acm' & '^otz' & 'co':* & '^otzi' & 'acmon':*");
  assert.equal(prefixQuery("bob@acm", true), "'bob' <-> 'acm':*");
});

test("words typed without a space stay together, and only the last may be incomplete", () => {
  assert.equal(prefixQuery("bob@acm"), "'bob' <-> 'acm':*");
  assert.equal(prefixQuery("東京"), "'東' <-> '京':*");
  assert.equal(prefixQuery("https://www.acme.com"), prefixQuery("http://acme.com"));
});

test("a phone number is found however it is typed", () => {
  for (const typed of ["+1 800-444-5555", "+1 (800) 444-5555", "1.800.444.5555", "+18004445555", "+1(800)444-5555"])
    assert.match(prefixQuery(typed)!, /'18004445555':\*/, typed);
  assert.match(prefixQuery("(800) 444 5555")!, /'8004445555':\*/);
  assert.match(prefixQuery("444-5555")!, /'4445555':\*/);
  assert.match(prefixQuery("bob 444-5555, acme")!, /^'bob':\* & \(.*'4445555':\*\) & 'acme':\*$/);
  assert.match(prefixQuery("020 7946 0958")!, /'2079460958':\*/);
  assert.match(phraseQuery("800-444-5555")!, /'8004445555'\)$/);
});

test("a very long search compares its first thousand words", () => {
  // One character that Unicode spells out as four words.
  assert.equal(phraseQuery("\ufdfa".repeat(4_000))!.split(" <-> ").length, 1_000);
  assert.equal(prefixQuery(Array.from({ length: 2_000 }, (_, n) => `w${n}`).join(" "))!.split(" & ").length, 1_000);
});

test("text without a word matches nothing, but does not spoil the words beside it", () => {
  for (const query of [prefixQuery, wordQuery, phraseQuery])
    for (const text of ["", " ", "&", "-'\\"]) assert.equal(query(text), null);
  assert.equal(prefixQuery("Smith & Sons"), "'smith':* & 'sons':*");
});

test("nothing typed escapes from a query", () => {
  const literal = /^[(]*'[^'\\\s]+'(:\*)?[)]*$/;
  fc.assert(
    fc.property(anyText, (text) => {
      for (const query of [prefixQuery(text), wordQuery(text), phraseQuery(text)])
        for (const part of query?.split(/ (?:&|\||<->) /) ?? []) assert.match(part, literal);
    }),
  );
});
