// What stands in quotes or in a comment is a sender's own words, and reads as no result.
import assert from "node:assert/strict";
import { test } from "node:test";
import { authenticationResults } from "./authentication_results.ts";

/** `dkim=pass header.d=a.example`, each result in one line. */
function read(header: string): string | null {
  const found = authenticationResults(header);
  if (found === null) return null;
  const results = found.results.map(({ method, result, properties }) =>
    [`${method}=${result}`, ...[...properties].map(([name, value]) => `${name}=${value}`).sort()].join(" "),
  );
  return [found.server ?? "nobody", ...results].join("; ");
}

test("each form that servers write is read as they mean it", () => {
  const forms: [string, string][] = [
    ["mx.a.example; none", "mx.a.example"],
    ["mx.a.example 1; spf=pass smtp.mailfrom=b.example", "mx.a.example; spf=pass smtp.mailfrom=b.example"],
    ["MX.A.example (a host); DKIM=Pass Header.D=B.example", "mx.a.example; dkim=pass header.d=b.example"],
    ['"mx.a.example"; dkim=pass', "mx.a.example; dkim=pass"],
    [
      "mx.google.com; dkim=pass header.i=@b.example header.s=s header.b=x1/+y=; spf=pass (google.com: domain of x@b.example designates 1.2.3.4 as permitted sender) smtp.mailfrom=x@b.example; dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=b.example",
      "mx.google.com; dkim=pass header.b=x1/+y= header.i=@b.example header.s=s; spf=pass smtp.mailfrom=x@b.example; dmarc=pass header.from=b.example",
    ],
    [
      "spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=b.example; dkim=none (message not signed) header.d=none;dmarc=pass action=none header.from=b.example;compauth=pass reason=100",
      "nobody; spf=pass smtp.mailfrom=b.example; dkim=none header.d=none; dmarc=pass action=none header.from=b.example; compauth=pass reason=100",
    ],
    [
      'a.example; dkim/1 = fail reason = "bad; signature" header.d=b.example',
      'a.example; dkim=fail header.d=b.example reason="bad; signature"',
    ],
    [
      "a.example;\r\n\tdkim=pass(good)header.d=b.example;\r\n\tspf=none smtp.mailfrom=",
      "a.example; dkim=pass header.d=b.example; spf=none smtp.mailfrom=",
    ],
    ["a.example; spf=pass smtp.mailfrom= smtp.helo=mx.b.example", "a.example; spf=pass smtp.helo=mx.b.example smtp.mailfrom="],
    ["a.example; dkim=pass header.d=b.example header.d=c.example", "a.example; dkim=pass header.d=b.example"],
    ["a.example;; ;dkim=pass header.d=b.example;", "a.example; dkim=pass header.d=b.example"],
    ["", ""],
  ];
  for (const [header, expected] of forms) assert.equal(read(header), expected, header);
});

test("a result in quotes or in a comment is none", () => {
  const forms: [string, string][] = [
    [
      'a.example; dkim=fail header.i="x; dkim=pass header.d=c.example"',
      'a.example; dkim=fail header.i="x; dkim=pass header.d=c.example"',
    ],
    [
      'a.example; dkim=fail header.i="x dkim=pass header.d=c.example"',
      'a.example; dkim=fail header.i="x dkim=pass header.d=c.example"',
    ],
    [
      String.raw`a.example; spf=fail smtp.mailfrom="a\"; spf=pass smtp.mailfrom=c.example"@b.example`,
      String.raw`a.example; spf=fail smtp.mailfrom="a\"; spf=pass smtp.mailfrom=c.example"@b.example`,
    ],
    ['a.example; spf=none "; dkim=pass header.d=c.example" smtp.helo=b.example', "a.example; spf=none smtp.helo=b.example"],
    ['a.example; spf=none "x" dkim=pass', "a.example; spf=none dkim=pass"],
    ["a.example; spf=none (; dkim=pass header.d=c.example)", "a.example; spf=none"],
    ["a.example; spf=none (a (b; spf=pass) dkim=pass) smtp.helo=b.example", "a.example; spf=none smtp.helo=b.example"],
    [String.raw`a.example; spf=none (a \) ; dkim=pass) smtp.helo=b.example`, "a.example; spf=none smtp.helo=b.example"],
    ['a.example; spf=none (of "x; spf=pass"@b.example) smtp.helo=b.example', "a.example; spf=none smtp.helo=b.example"],
    ['a.example; spf=none smtp.mailfrom="("; dkim=none', 'a.example; spf=none smtp.mailfrom="("; dkim=none'],
    ["(dkim=pass; a.example) b.example; spf=none", "b.example; spf=none"],
  ];
  for (const [header, expected] of forms) assert.equal(read(header), expected, header);
});

test("what may have been written so that it reads as another is not read", () => {
  const forms = [
    "a.example; spf=none (a",
    'a.example; spf=none smtp.mailfrom="a',
    'a.example; spf=none (of "a) ; spf=pass smtp.mailfrom=c.example ("@b.example)',
    String.raw`a.example; spf=none smtp.mailfrom=a\; spf=pass`,
    'a.example; spf=none smtp.mailfrom="("@b.example; dkim=none (")")',
    "a.example; dkim=none (((x)",
  ];
  for (const header of forms) assert.equal(read(header), null, header);
});
