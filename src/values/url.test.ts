import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseUrl } from "./url.ts";

test("a web address is kept as it was written", () => {
  for (const url of [
    "https://bluth.example",
    "http://intranet/wiki?a=1#b",
    "https://例子.中国/ü",
    "http://localhost:3000/",
    "http://[::1]:80/",
    "https://x.example/?next=https://y.example/a@b",
  ])
    assert.equal(parseUrl(` ${url} `), url);
  assert.equal(parseUrl("HTTPS://Acme.example"), "https://Acme.example");
});

test("a bare domain is completed only on request", () => {
  assert.equal(parseUrl("acme.example/about"), null);
  assert.equal(parseUrl("acme.example/about", { prefix: true }), "http://acme.example/about");
  assert.equal(parseUrl("acme.example:8080", { prefix: true }), "http://acme.example:8080");
  assert.equal(parseUrl("acme.example", { prefix: true, secure: true }), "https://acme.example");
});

test("what is no web address is refused, completed or not", () => {
  const wrong = [
    "",
    "acme",
    "not a url",
    "javascript:alert(1)",
    "JavaScript://acme.example/%0aalert(1)",
    "mailto:ann@acme.example",
    "ann@acme.example",
    "ftp://acme.example",
    "tel:123",
    "data:text/html,x.y",
    "//acme.example",
    "http://",
    "http:///acme.example",
    "http://user@",
    "https://user:secret@acme.example",
    "https://bank.example@evil.example",
    "https://acme..example",
    "https://acme.example/\u0000",
    'https://acme.example/"onload',
    "https://acme.example\\@evil.example",
    `https://acme.example/${"a".repeat(2_048)}`,
  ];

  for (const url of wrong) {
    assert.equal(parseUrl(url), null, url);
    assert.equal(parseUrl(url, { prefix: true }), null, url);
  }
});

test("where secrets are sent only https will do", () => {
  assert.equal(parseUrl("http://acme.example", { secure: true }), null);
  assert.equal(parseUrl("https://acme.example", { secure: true }), "https://acme.example");
});

test("an accepted address is accepted again unchanged, and leads to the web", () => {
  const text = fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.domain(), fc.string());

  fc.assert(
    fc.property(text, (raw) => {
      const url = parseUrl(raw, { prefix: true });
      if (url === null) return;
      assert.equal(parseUrl(url), url);
      assert.match(new URL(url).protocol, /^https?:$/);
    }),
  );
});
