import assert from "node:assert/strict";
import { test } from "node:test";
import { openPace } from "./pace.ts";

test("many who come at once go one after the other, and hold up nobody who goes elsewhere", async () => {
  const pace = openPace(100);
  const began = performance.now();
  const times: number[] = [];
  const through = async (name: string) => {
    await pace(name);
    times.push(performance.now() - began);
  };

  const many = Promise.all(Array.from({ length: 60 }, () => through("mail.example.com")));
  await pace("mail.example.org");
  const elsewhere = performance.now() - began;
  await many;

  // A quarter of a second's worth goes at once, and 35 more take their turns.
  assert.ok(times.at(-1)! >= 330, `the last went after ${times.at(-1)} ms`);
  assert.ok(elsewhere < times.at(-1)!);
});
