// The package as it is published: packed, installed in a folder of its own, and every example of its README checked and run there.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { cutRequest } from "../../../test/support/cut_request.ts";
import { freePort } from "../../../test/support/free_port.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { until } from "../../../test/support/processes.ts";
import { withWorker } from "../../../test/support/worker.ts";

const root = new URL("../../..", import.meta.url).pathname;
const home = join(root, "packages/client");
const compiler = join(home, "node_modules/typescript/bin/tsc");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "headwater-client-"));
const installed = join(folder, "node_modules/@headwater/client");
after(() => rmSync(folder, { recursive: true, force: true }));

before(async () => {
  mkdirSync(installed, { recursive: true });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: home });
  const [archive] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  await run("tar", ["-xzf", join(folder, archive!), "--strip-components=1", "-C", installed]);
  for (const name of [
    "openapi-fetch",
    "openapi-typescript-helpers",
    "standardwebhooks",
    "@stablelib",
    "fast-sha256",
    "@types",
    "undici-types",
  ])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const [, file, text] of readFileSync(join(installed, "README.md"), "utf8").matchAll(
    /<!-- file: (\S+) -->\n```ts\n(.*?)```/gs,
  ))
    writeFileSync(join(folder, file!), text!);
});

const environment = ({ service, key }: Workspace) => ({ PATH: process.env.PATH, HEADWATER_URL: service.url, HEADWATER_KEY: key });

const check = (files: readonly string[]) =>
  run(
    process.execPath,
    [
      compiler,
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "node",
      ...files,
    ],
    {
      cwd: folder,
    },
  ).then(
    () => "",
    ({ stdout }) => stdout as string,
  );

async function said(file: string, acme: Workspace): Promise<string[]> {
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env: environment(acme) });
  return stdout.trim().split("\n");
}

test("what a program loads of it is small", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(installed, "dist/index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });

  const kilobytes = gzipSync(outputFiles[0]!.contents).length / 1024;
  assert.ok(kilobytes <= 20, `${kilobytes} KB`);
});

test("types: the README's examples have no error, misspelt names have, and custom fields have their names and choices", async () => {
  const acme = await organization();
  const source = await acme.customField("lead", { name: "Source */", type: "choices", choices: ["Fair", "Web"] });
  const size = await acme.customField("lead", { name: "Size", type: "number" });
  const command = join(installed, "dist/command.js");
  await run(process.execPath, [command, "types"], { cwd: folder, env: environment(acme) });
  await assert.rejects(run(process.execPath, [command, "tpyes"], { cwd: folder, env: environment(acme) }), /Usage: npx/);
  const start = `import { Headwater } from "@headwater/client";\nconst headwater = new Headwater({ url: "", key: "" });\n`;
  const wrong = [
    `await headwater.post("/lead/", { body: { nmae: "x" } });`,
    `await headwater.get("/lead/", { query: { qury: "x" } });`,
    `await headwater.get("/led/");`,
    `await headwater.get("/lead/{id}/");`,
    `const size: boolean | undefined = (await headwater.get("/lead/{id}/", { path: { id: "" } }))["custom.${size.id}"];`,
  ];
  writeFileSync(join(folder, "wrong.ts"), `${start}${wrong.join("\n")}\nexport { size };\n`);
  writeFileSync(
    join(folder, "own.ts"),
    `${start}const lead = await headwater.get("/lead/{id}/", { path: { id: "" } });
const source: "Fair" | "Web" | undefined = lead["custom.${source.id}"];
for await (const each of headwater.each("/lead/")) each["custom.${size.id}"]?.toFixed();
export { source };
`,
  );

  const errors = await check([
    "calls.ts",
    "lists.ts",
    "change.ts",
    "follow.ts",
    "receiver.ts",
    "own.ts",
    "wrong.ts",
    "headwater.d.ts",
  ]);

  const places = [...errors.matchAll(/^(\S+)\((\d+)/gm)].map(([, file, line]) => `${file} ${line}`);
  assert.deepEqual(places, ["wrong.ts 3", "wrong.ts 4", "wrong.ts 5", "wrong.ts 6", "wrong.ts 7"], errors);
});

test("the examples of the README do what they say", async () => {
  const acme = await organization();

  const [created, refused, deletion] = await said("calls.ts", acme);
  assert.equal(created, "created Bluth Company");
  assert.equal(refused, "400 { 'emails.0.email': 'is not an e-mail address' }");
  assert.match(deletion!, /^deleting it would be [3-9] events$/);
  for (const name of ["Alpha", "Zulu"]) await acme.lead({ name });
  assert.deepEqual(await said("lists.ts", acme), ["Alpha", "Bluth Company", "Zulu"]);
  const [description] = await said("change.ts", acme);
  assert.deepEqual(description!.split(" ").sort(), ["Called.", "Met", "Wrote.", "at", "fair.", "the"]);
});

test("a follower that is killed goes on where it was", async () => {
  const acme = await organization();
  writeFileSync(join(folder, "cursor"), (await acme.get("/event/?object_type=lead")).cursor_previous);
  const follow = async (last: string) => {
    const child = spawn(process.execPath, ["follow.ts"], {
      cwd: folder,
      env: environment(acme),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more) => (text += more));
    await until(() => text.includes(`${last}\n`));
    child.kill("SIGKILL");
    return text.trim().split("\n");
  };

  await acme.lead({ name: "One" });
  assert.deepEqual(await follow("One"), ["lead.created One"]);
  for (const name of ["Two", "Three"]) await acme.lead({ name });
  const later = await follow("Three");

  // It may have been killed after it printed the first, and before it stored the cursor.
  assert.deepEqual(
    later.filter((line) => !line.endsWith("One")),
    ["lead.created Two", "lead.created Three"],
  );
});

test("a signed delivery is verified, and a forged one is refused", async () => {
  const acme = await organization(await outboundService());
  const port = await freePort();
  const webhook = await acme.post("/webhook/", { url: `http://127.0.0.1:${port}/`, events: ["lead.created"] });
  const env = { ...environment(acme), SIGNATURE_KEY: webhook.signature_key, PORT: String(port) };
  const receiver = spawn(process.execPath, ["receiver.ts"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(receiver.stdout.setEncoding("utf8"), "data");
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}", headers: { "webhook-id": "a" } });
    assert.equal(forged.status, 401);
    await cutRequest(port);

    const lead = await acme.lead();
    const heard = once(receiver.stdout, "data");
    await withWorker(acme.service, (worker) => worker.drained());
    assert.equal(String((await heard)[0]).trim(), `verified lead.created ${lead.id}`);
  } finally {
    receiver.kill("SIGKILL");
  }
});
