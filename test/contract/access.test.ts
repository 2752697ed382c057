// What every operation promises about who may use it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Permission, permissions } from "../../src/core/permissions.ts";
import { crud, standard } from "../../src/records/standard.ts";
import { operations } from "../../src/resources/index.ts";
import { lead } from "../../src/resources/leads/lead.ts";
import { Client } from "../support/client.ts";
import { organization } from "../support/given.ts";

const pathOf = (path: string) => path.replace(/\{[^}]+\}/g, "lead_00000000000000000000000000");

describe("who is not known", () => {
  const strangers: [string, Record<string, string>][] = [
    ["no key", { authorization: "" }],
    ["a key that never was", { authorization: `Basic ${Buffer.from("api_nobody:").toString("base64")}` }],
    ["a key with a password", { authorization: `Basic ${Buffer.from("api_nobody:secret").toString("base64")}` }],
    ["an unknown scheme", { authorization: "Digest abc" }],
    ["an unknown token", { authorization: "Bearer oat_nobody" }],
  ];
  for (const [what, headers] of strangers) {
    test(`gets the same 401 everywhere: ${what}`, async () => {
      const acme = await organization();

      for (const operation of operations) {
        const answer = await acme.ask(operation.method, pathOf(operation.path), {
          headers,
          ...(operation.body ? { body: {} } : {}),
        });
        assert.equal(answer.status, 401, `${operation.name}: ${answer.text}`);
        assert.deepEqual(answer.body, { error: "Unauthorized", "field-errors": {} });
        assert.match(answer.headers.get("www-authenticate") ?? "", /Basic realm="api"|Bearer/);
      }
    });
  }

  test("is told nothing about which paths exist", async () => {
    const acme = await organization();
    const nobody = new Client(acme.service, "api_nobody");

    await nobody.refused(401, "GET", "/no_such_path/");
    await nobody.refused(401, "PATCH", "/lead/");
  });
});

describe("a path", () => {
  test("that does not exist is a 404, and a method it does not offer a 405 that names those it does", async () => {
    const acme = await organization();
    await acme.refused(404, "GET", "/no_such_path/");

    for (const path of new Set(operations.map((one) => one.path))) {
      const offered = operations.filter((one) => one.path === path).map((one) => one.method as string);
      const other = ["GET", "POST", "PUT", "DELETE"].find((method) => !offered.includes(method));
      if (other === undefined) continue;
      const answer = await acme.ask(other, pathOf(path), other === "POST" || other === "PUT" ? { body: {} } : {});
      assert.equal(answer.status, 405, `${other} ${path}: ${answer.text}`);
      for (const method of offered) assert.ok(answer.headers.get("allow")!.includes(method), `${path} names ${method}`);
    }
  });

  test("is served without its last slash too", async () => {
    const acme = await organization();

    assert.deepEqual(await acme.get("/lead"), await acme.get("/lead/"));
  });
});

describe("an id", () => {
  test("that does not exist, has another prefix or is far too long is a 404 with the same bytes", async () => {
    const acme = await organization();
    const withId = operations.filter((one) => /^[^{]*\{id\}\/$/.test(one.path) && one.verb !== null);

    for (const operation of withId) {
      const body = operation.body ? { body: {} } : {};
      const answers = [];
      for (const id of [
        `${operation.resource!.prefix}_00000000000000000000000000`,
        "other_1",
        "x".repeat(500),
        "'; drop table lead; --",
      ]) {
        answers.push(await acme.ask(operation.method, operation.path.replace("{id}", encodeURIComponent(id)), body));
      }
      for (const answer of answers) assert.equal(answer.status, 404, `${operation.name}: ${answer.text}`);
      assert.equal(new Set(answers.map((one) => one.text)).size, 1);
    }
  });
});

describe("a permission", () => {
  const gated = operations.filter((one) => one.permission !== "member");

  for (const operation of gated) {
    test(`${operation.permission} is what ${operation.name} takes`, async () => {
      const acme = await organization();
      const without = await acme.memberWith(permissions.filter((one) => one !== operation.permission));
      const withIt = await acme.memberWith([operation.permission as Permission, "view_all_leads"]);
      const ask = operation.body ? { body: {} } : {};

      const refusal = await without.ask(operation.method, pathOf(operation.path), ask);
      const answer = await withIt.ask(operation.method, pathOf(operation.path), ask);

      assert.equal(refusal.status, 403, refusal.text);
      assert.ok(refusal.body.error.includes(operation.permission), refusal.body.error);
      assert.ok(answer.status !== 403 || !answer.body.error.includes(operation.permission), answer.text);
    });
  }

  test("is asked for by name: verbs that name none do not compile", () => {
    // @ts-expect-error The permission of the verbs is missing.
    const unnamed = () => standard(lead, crud);
    // @ts-expect-error The permission of the writing verbs is missing.
    const halfNamed = () => standard(lead, crud, { read: "member" });

    assert.deepEqual([typeof unnamed, typeof halfNamed], ["function", "function"]);
  });

  test("is named by every operation, and is one a role can hold", () => {
    for (const operation of operations) {
      assert.ok(
        operation.permission === "member" || permissions.includes(operation.permission as Permission),
        `${operation.name} names ${operation.permission}`,
      );
      assert.match(operation.doc, /^[A-Z].*\.$/s, `${operation.name} is described in a sentence`);
    }
  });
});
