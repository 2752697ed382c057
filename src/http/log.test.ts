import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { z } from "zod";
import { unavailable } from "../core/errors.ts";
import { operation } from "../core/operation.ts";
import { createLog, redacted } from "./log.ts";
import { goodKey, listen } from "./testing.ts";

const operations = [
  operation({
    name: "thing.create",
    method: "POST",
    path: "/thing/",
    doc: "Creates a thing.",
    permission: "member",
    input: { name: z.string().optional() },
    output: z.looseObject({}),
    transaction: false,
    run: async () => ({ answer: "told to one" }),
  }),
];

function kept() {
  const lines: string[] = [];
  return {
    lines,
    log: createLog("info", { write: (line) => lines.push(line) }),
    all: () => lines.map((line) => JSON.parse(line)),
  };
}

test("a request is one line: its id, method, route, status and time", async (t) => {
  const { log, all } = kept();
  const { ask } = await listen(t, { operations, log });

  const answer = await ask("POST /api/v1/thing/", { body: { name: "a" } });
  await ask("GET /nothing/?key=secret", { key: null });

  const [first, second] = all();
  assert.equal(all().length, 2);
  assert.equal(first.level, 30);
  assert.equal(first.msg, "request");
  assert.equal(first.request_id, answer.headers["x-request-id"]);
  assert.deepEqual([first.method, first.route, first.status, first.organization_id], ["POST", "thing.create", 200, "orga_1"]);
  assert.ok(first.ms > 0 && first.ms < 60_000);
  assert.ok(Math.abs(Date.now() - first.time) < 60_000);
  assert.equal(first.pid, process.pid);
  assert.deepEqual([second.route, second.status], ["unknown", 404]);
});

test("a line holds no body, no key and no query", async (t) => {
  const { log, lines } = kept();
  const { ask } = await listen(t, { operations, log });

  await ask("POST /api/v1/thing/?token=in-the-query", { body: { name: "in the body" } });
  await ask("GET /nothing/?token=in-the-query", { headers: { cookie: "in-a-cookie" } });

  const text = lines.join("");
  for (const secret of ["in-the-query", "in the body", "told to one", "in-a-cookie", goodKey.slice(6)])
    assert.ok(!text.includes(secret), secret);
});

test("a path that nobody knows is no part of its line: it may hold a key, or a line of its own", async (t) => {
  const { log, lines, all } = kept();
  const { ask } = await listen(t, { operations, log });

  for (const path of [
    "/a-key-in-the-path/",
    "/api/v1/a-key-in-the-path/",
    "/api/v1/thing/a-key-in-the-path/%zz",
    '/"a-key-in-the-path\\u000a/',
  ])
    await ask(`GET ${path}`);

  assert.equal(all().length, 4);
  assert.ok(all().every((line) => line.route === "unknown"));
  assert.ok(!lines.join("").includes("a-key-in-the-path"));
});

test("a request that is refused under load is told in one line without a stack, and what failed with its own", async (t) => {
  const { log, all } = kept();
  const refusing = (name: string, error: () => Error) =>
    operation({ ...operations[0]!, name, path: `/${name}/`, input: {}, run: () => Promise.reject(error()) });
  const shed = refusing("shed", () => unavailable());
  const failed = refusing("failed", () => Object.assign(unavailable(), { cause: new Error("the storage is full") }));
  const { ask } = await listen(t, { operations: [shed, failed], log });

  for (const path of ["shed", "failed"]) assert.equal((await ask(`POST /api/v1/${path}/`)).status, 503);

  const [first, second] = all().filter(({ level }) => level === 50);
  assert.equal(first.route, "shed");
  assert.ok(!JSON.stringify(first).includes("    at "));
  assert.equal(second.err.cause.message, "the storage is full");
});

test("no lines are made for requests below info", async (t) => {
  const lines: string[] = [];
  const { ask } = await listen(t, { operations, log: createLog("warn", { write: (line) => lines.push(line) }) });

  await ask("POST /api/v1/thing/");

  assert.deepEqual(lines, []);
});

test("secrets are taken out by their form, wherever they stand", () => {
  for (const secret of [
    `api_${"a1B2".repeat(12)}x`,
    `oat_${"x".repeat(32)}`,
    `oas_${"x".repeat(43)}`,
    `ort_${"x".repeat(32)}`,
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "Basic YXBpX2dvb2Q6",
    "Bearer abc.def.ghi-jkl",
  ]) {
    const line = redacted(`{"msg":"it was ${secret}, they said"}\n`);
    assert.ok(!line.includes(secret.slice(8)), line);
    assert.match(JSON.parse(line).msg, /\[redacted\], they said$/);
  }
});

test("secrets are taken out by their name, at any depth", () => {
  const given = {
    authorization: "x",
    headers: { cookie: "x", "set-cookie": 'x"y' },
    user: { password: "x", new_password: "x\\", SECRET: 12, api_key: "x" },
    list: [{ access_token: "x" }, { signature_key: "x" }, { body: "x" }, { private_key: null }],
  };

  const line = JSON.parse(redacted(JSON.stringify(given)));

  assert.ok(!JSON.stringify(line).includes('"x'));
  assert.equal(line.user.new_password, "[redacted]");
  assert.equal(line.list[0].access_token, "[redacted]");
});

test("ids and ordinary words are left as they are", () => {
  const line =
    '{"api_key_id":"apikey_01jv3kabcdefghjkmnpqrstvwx","request_id":"req_01jv3kabcdefghjkmnpqrstvwx","msg":"a token of thanks"}';

  assert.equal(redacted(line), line);
});

test("what goes wrong is redacted too, and the values of a row stay out", () => {
  const { log, lines, all } = kept();

  log.error(
    {
      err: Object.assign(new Error(`no such key: api_${"a1B2".repeat(12)}`), {
        code: "23505",
        detail: "Key (email)=(ann@example.com)",
      }),
    },
    "x",
  );

  assert.equal(all()[0].err.code, "23505");
  assert.ok(!lines[0]!.includes("ann@example.com"));
  assert.ok(!lines[0]!.includes("a1B2a1B2"));
});

test("lines that were gathered are written when the process ends", () => {
  const script = `
    import { createLog } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
    const log = createLog("info");
    for (let i = 0; i < 1000; i++) log.info({ i }, "line");
    log.error("last");
    log.flush(() => process.exit(0));
  `;

  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });

  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 1001, stderr);
  assert.equal(lines[1000].msg, "last");
});
