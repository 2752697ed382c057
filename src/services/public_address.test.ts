import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { publicAddresses } from "./public_address.ts";

const addresses = publicAddresses([]);

describe("a public address", () => {
  for (const ip of [
    "93.184.216.34",
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
  ])
    test(`is ${ip}`, () => assert.equal(addresses.allows(ip, 443), true));
});

describe("no public address", () => {
  for (const ip of [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "no address",
    "",
  ])
    test(`is ${ip || "nothing"}`, () => assert.equal(addresses.allows(ip, 443), false));
});

describe("before a host is looked up", () => {
  for (const url of [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://0/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[0:0:0:0:0:ffff:7f00:1]/",
    "http://１２７.０.０.１/",
    "http://127。0。0。1/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://169.254.169.254/latest/",
    "http://192.168.0.1:8080/",
    "http://ip6-localhost:11434/v1",
    "http://ip6-loopback/",
    "http://intranet/",
    "http://database:5432/",
    "https://example.com:0/",
    "https://example.com:22/",
    "http://example.com:25/",
    "http://93.184.216.34:6379/",
    "not a url",
  ])
    test(`${url} is refused`, () => assert.equal(addresses.allowsHost(url), false));

  for (const url of [
    "https://example.com/",
    "http://93.184.216.34/",
    "https://[2606:4700::1111]/",
    "https://example.com:8443/hook",
    "http://93.184.216.34:8080/",
    "https://local.example/",
    "https://localhost.example/",
  ])
    test(`${url} is not`, () => assert.equal(addresses.allowsHost(url), true));
});

describe("networks the operator adds", () => {
  const local = publicAddresses(["127.0.0.0/8", "::1/128", "10.0.0.5"]);

  test("are allowed beside the public ones", () => {
    for (const ip of ["127.0.0.1", "127.9.9.9", "::1", "10.0.0.5", "8.8.8.8", "::ffff:127.0.0.1"])
      assert.equal(local.allows(ip, 443), true, ip);
    for (const ip of ["10.0.0.6", "192.168.0.1", "::2"]) assert.equal(local.allows(ip, 443), false, ip);
  });

  test("let any port and any name through, which may lead there", () => {
    assert.equal(local.allows("10.0.0.5", 11434), true);
    assert.equal(local.allows("10.0.0.5", 0), false);
    assert.equal(local.allows("8.8.8.8", 11434), false);
    for (const url of ["http://10.0.0.5:11434/", "http://models:11434/", "http://models.internal:11434/"])
      assert.equal(local.allowsHost(url), true, url);
    for (const url of ["http://8.8.8.8:11434/", "http://models:0/"]) assert.equal(local.allowsHost(url), false, url);
  });

  test("let the names of this machine through when they hold its address", () => {
    assert.equal(local.allowsHost("http://localhost:9000/hook"), true);
    assert.equal(publicAddresses(["10.0.0.0/8"]).allowsHost("http://localhost/"), false);
  });
});

test("ports that the operator names are asked in place of the usual ones", () => {
  const chosen = publicAddresses([], [443, 3000]);

  assert.equal(chosen.allowsHost("https://example.com:3000/"), true);
  assert.equal(chosen.allowsHost("https://example.com:8443/"), false);
  assert.match(chosen.words, /at port 443 or 3000$/);
});
