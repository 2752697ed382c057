import assert from "node:assert/strict";
import { test } from "node:test";
import { timeZonesOfNumber } from "./area_codes.ts";

test("a number in North America has the zones of its area code, any other those of its country", () => {
  assert.deepEqual(timeZonesOfNumber("+12125551234", "US"), ["America/New_York"]);
  assert.deepEqual(timeZonesOfNumber("+14155551234", "US"), ["America/Los_Angeles"]);
  assert.deepEqual(timeZonesOfNumber("+18085551234", "US"), ["Pacific/Honolulu"]);
  assert.deepEqual(timeZonesOfNumber("+16045551234", "CA"), ["America/Vancouver", "America/Edmonton"]);
  assert.deepEqual(timeZonesOfNumber("+4930123456", "DE"), ["Europe/Berlin"]);
  assert.deepEqual(timeZonesOfNumber("+1416", null), []);
});

test("a toll-free number has all zones of its country", () => {
  assert.equal(timeZonesOfNumber("+18005551234", "US").length, 7);
});
