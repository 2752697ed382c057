import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { htmlPage } from "./html_page.ts";
import { plainPage } from "./plain_page.ts";

const pages = {
  "a page of its own style": htmlPage({ title: "Quote <7>", style: "p { margin: 0; }", body: "<p>Hello</p>" }),
  "a page of a few sentences": plainPage({ title: "Quote <7>", words: ["Hello"], form: { action: "/q/", button: "Accept" } }),
};

for (const [which, { type, body, headers }] of Object.entries(pages))
  test(`${which} is shown in its style, runs nothing, loads nothing, and is kept and found nowhere`, () => {
    const html = body as string;
    const [, style] = /<style>(.*)<\/style>/s.exec(html)!;

    assert.equal(type, "text/html; charset=utf-8");
    assert.match(html, /<title>Quote &lt;7&gt;<\/title>/);
    assert.match(html, /<p.*>Hello<\/p>/);
    assert.deepEqual(headers, {
      "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style!).digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow",
      "cache-control": "private, no-store",
    });
  });
