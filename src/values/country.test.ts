import assert from "node:assert/strict";
import { test } from "node:test";
import { isCountry, parseCountry, timeZonesOf } from "./country.ts";
import { isTimeZone } from "./time.ts";

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const countries = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry);

test("the countries are the 249 of ISO 3166, and Kosovo", () => {
  assert.equal(countries.length, 250);
  assert.deepEqual(["US", "XK", "UK", "EU", "us"].map(isCountry), [true, true, false, false, false]);
});

test("a country is known by its code or by the English names people use", () => {
  const names = {
    us: "US",
    "United States": "US",
    "the united states of america": "US",
    UK: "GB",
    England: "GB",
    Germany: "DE",
    "Cote d'Ivoire": "CI",
    "Ivory Coast": "CI",
    Turkey: "TR",
    Türkiye: "TR",
    "Czech Republic": "CZ",
    "South Korea": "KR",
    "Trinidad & Tobago": "TT",
    "Bosnia and Herzegovina": "BA",
    "Saint Lucia": "LC",
    "Hong Kong": "HK",
    Netherlands: "NL",
    Russia: "RU",
  };

  for (const [name, code] of Object.entries(names)) assert.equal(parseCountry(` ${name} `), code, name);
  for (const name of ["", "Atlantis", "ZZ", "123", "x".repeat(200)]) assert.equal(parseCountry(name), null, name);
});

test("every country's full English name gives its code", () => {
  const display = new Intl.DisplayNames("en", { type: "region" });

  for (const code of countries) assert.equal(parseCountry(display.of(code) ?? ""), code);
});

test("an address in a state has that state's time zones", () => {
  assert.deepEqual(timeZonesOf("US", "CA"), ["America/Los_Angeles"]);
  assert.deepEqual(timeZonesOf("US", "california"), ["America/Los_Angeles"]);
  assert.deepEqual(timeZonesOf("US", "TX"), ["America/Chicago", "America/Denver"]);
  assert.deepEqual(timeZonesOf("US", "HI"), ["Pacific/Honolulu"]);
  assert.deepEqual(timeZonesOf("CA", "Québec"), ["America/Toronto"]);
  assert.deepEqual(timeZonesOf("AU", "NSW"), ["Australia/Sydney"]);
});

test("an address without a known state has its country's time zones, an unknown country none", () => {
  assert.equal(timeZonesOf("US", "Nowhere").length, 7);
  assert.deepEqual(timeZonesOf("FR"), ["Europe/Paris"]);
  assert.deepEqual(timeZonesOf("IN", "Kerala"), ["Asia/Kolkata"]);
  assert.deepEqual(timeZonesOf("ZZ"), []);
});

test("every time zone given is one that exists, and every inhabited country has one", () => {
  const states = ["US", "CA", "AU"].flatMap((country) => letters.flatMap((a) => letters.map((b) => timeZonesOf(country, a + b))));

  for (const zone of [...countries.map((code) => timeZonesOf(code)), ...states].flat()) assert.ok(isTimeZone(zone), zone);
  const without = countries.filter((code) => timeZonesOf(code).length === 0);
  assert.deepEqual(without, ["BV", "HM"]);
});
