import assert from "node:assert/strict";
import { test } from "node:test";
import { hostInUrl, parseHost } from "./host.ts";

test("a host is a name or an address, and nothing around it", () => {
  for (const host of [
    "mail.example.com",
    "localhost",
    "MX_1.example.com.",
    "93.184.216.34",
    "2606:2800:220:1::1",
    "xn--bcher-kva.example",
  ])
    assert.equal(parseHost(` ${host}\n`), host);
  assert.equal(parseHost("[2606:2800::1]"), "2606:2800::1");
  for (const text of [
    "",
    "a b",
    "mail.example.com:25",
    "user@mail.example.com",
    "mail.example.com/x",
    "mail.example.com#x",
    "mail.example.com?x",
    "mail.example.com\r\nRCPT TO:<x>",
    "mail.example.com\u0000",
    "http://mail.example.com",
    "a..b",
    "-a.example",
    "fe80::1%eth0",
    "[93.184.216.34]",
    "[::1",
    `${"a".repeat(64)}.example`,
    "bücher.example",
  ])
    assert.equal(parseHost(text), null, text);
  assert.deepEqual(["a.example", "::1"].map(hostInUrl), ["a.example", "[::1]"]);
});
