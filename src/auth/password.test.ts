import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { hashPassword } from "./password.ts";

test("a password is kept as argon2id, salted, with all it takes to check it", async () => {
  const hash = await hashPassword("correct horse");

  const [, algorithm, version, parameters, salt, tag] = hash.split("$");
  assert.deepEqual([algorithm, version, parameters], ["argon2id", "v=19", "m=19456,t=2,p=1"]);
  const again = argon2Sync("argon2id", {
    message: "correct horse",
    nonce: Buffer.from(salt!, "base64"),
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  assert.equal(again.toString("base64").replaceAll("=", ""), tag);
  assert.notEqual(await hashPassword("correct horse"), hash);
});

test("one word typed in two ways is one password", async () => {
  const composed = await hashPassword("caf\u00e9 au lait");

  const [, , , , salt, tag] = composed.split("$");
  const again = argon2Sync("argon2id", {
    message: "cafe\u0301 au lait".normalize("NFKC"),
    nonce: Buffer.from(salt!, "base64"),
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  assert.equal(again.toString("base64").replaceAll("=", ""), tag);
});
