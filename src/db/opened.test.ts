// Connections on a machine that is busy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unavailable } from "../core/errors.ts";
import { opened } from "./opened.ts";

const late = () => new Error("Connection terminated due to connection timeout");

/** Opens after these failures; returns how often it was tried, and what came of it. */
async function tried(failures: Error[], isAlive = true): Promise<[number, string]> {
  let tries = 0;
  const open = () => {
    const failure = failures[tries++];
    return failure === undefined ? Promise.resolve("open") : Promise.reject(failure);
  };
  const outcome = await opened(open, () => isAlive).catch((error: Error) => error.message);
  return [tries, outcome];
}

test("a connection that opens too late is tried again, as long as the database answers others", async () => {
  const wrapped = Object.assign(unavailable(), { cause: late() });

  assert.deepEqual(await tried([]), [1, "open"]);
  assert.deepEqual(await tried([late(), wrapped]), [3, "open"]);
  assert.deepEqual(await tried([late(), late(), late(), late()]), [3, late().message]);
  assert.deepEqual(await tried([late()], false), [1, late().message]);
  assert.deepEqual(await tried([new Error("refused")]), [1, "refused"]);
});
