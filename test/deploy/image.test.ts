// The files that bring the service to a server, carried out: no container engine is at hand, so the steps of the Dockerfile are done in a
// fresh Debian.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { assemble, makeRelease } from "../../scripts/pack.ts";
import { environment } from "../../src/environment.ts";
import { createDatabase } from "../support/database.ts";
import { freePort } from "../support/free_port.ts";
import { freshRoot, runInside, spawnInside } from "../support/fresh_root.ts";
import { dataDir } from "../support/processes.ts";

const mostBytes = 250e6;
const dockerfile = readFileSync("deploy/Dockerfile", "utf8").replace(/^#.*$/gm, "");
/** The instructions of the second stage; the first builds what `assemble` puts together. */
const steps = dockerfile
  .split(/^FROM .*$/m)
  .at(-1)!
  .trim()
  .split("\n")
  .map((line) => {
    const [, instruction = "", rest = ""] = /^(\w+) (.+)$/.exec(line) ?? [];
    return { instruction, rest };
  });
const valueOf = (instruction: string) => steps.find((one) => one.instruction === instruction)!.rest;
const listOf = (instruction: string): string[] => JSON.parse(/\[.*\]/.exec(valueOf(instruction))![0]);

const started = new Set<() => void>();
after(() => started.forEach((end) => end()));

test("the image's service runs in a fresh Debian as its own user with a read-only root, is found healthy, and ends in peace", async () => {
  const [folder, database, port] = [dataDir(), await createDatabase(), await freePort()];
  await makeRelease();
  assemble(join(folder, "headwater"));
  const root = freshRoot(join(folder, "root"));
  const env: Record<string, string> = {};
  for (const { instruction, rest } of steps) {
    if (instruction === "RUN") assert.equal(await runInside(root, ["sh", "-c", rest]), 0, rest);
    if (instruction === "COPY") cpSync(join(folder, "headwater"), join(root, rest.split(" ").at(-1)!), { recursive: true });
    if (instruction === "ENV") for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) env[name!] = value!;
  }
  // A volume begins as the folder that the image has in its place.
  const { uid, gid, mode } = statSync(join(root, "data"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: mode & 0o777 });
  chownSync(data, uid, gid);
  const inside = {
    user: valueOf("USER"),
    volumes: { "/data": data },
    env: { ...env, PORT: `${port}`, DATABASE_URL: database.url, BOOTSTRAP_API_KEY: "the-key-of-the-image-in-a-test" },
  };
  const isHealthy = async () => (await runInside(root, listOf("HEALTHCHECK"), inside)) === 0;

  const child = spawnInside(root, [...listOf("ENTRYPOINT"), ...listOf("CMD")], inside);
  const end = () => child.kill("SIGKILL");
  started.add(end);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  for (let i = 0; i < 1200 && !said.includes("Listening on") && child.exitCode === null; i++) await sleep(50);

  assert.match(said, /Listening on/, said);
  assert.ok(await isHealthy());
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  assert.match(status, /^Uid:\s+2040\s+2040/m);
  const headers = { authorization: "Bearer the-key-of-the-image-in-a-test" };
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/me/`, { headers })).status, 200);
  const form = new FormData();
  form.set("file", new Blob(["Our offer"], { type: "text/plain" }), "offer.txt");
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/file/`, { method: "POST", headers, body: form })).status, 201);
  assert.equal((await fetch(`http://127.0.0.1:${port}/docs/`)).status, 200);
  assert.ok(existsSync(join(data, "files")));
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null], said);
  started.delete(end);
  assert.ok(!(await isHealthy()));
  const bytes = Number(execFileSync("du", ["-sb", join(root, "headwater")], { encoding: "utf8" }).split("\t")[0]);
  assert.ok(bytes <= mostBytes, `${bytes}`);
  await database.drop();
});

test("the compose file and the unit start what the image has, read-only and without rights, with settings that exist", () => {
  const { services } = parse(readFileSync("deploy/compose.yml", "utf8"), { merge: true });
  const unit = readFileSync("deploy/headwater.service", "utf8");
  const known = Object.keys(environment.shape);

  for (const name of ["api", "worker"]) {
    const one = services[name];
    assert.deepEqual(one.command, [name]);
    assert.deepEqual([one.read_only, one.cap_drop, one.security_opt], [true, ["ALL"], ["no-new-privileges:true"]]);
    assert.deepEqual(one.env_file, [".env"], "every setting of deploy/.env");
    assert.deepEqual(
      one.volumes.map((volume: string) => volume.split(":").at(-1)),
      ["/data", "/backups"],
    );
    for (const variable of Object.keys(one.environment)) assert.ok(known.includes(variable), variable);
    const [needed] = Object.keys(one.depends_on);
    assert.equal(one.depends_on[needed!].condition, "service_healthy");
  }
  for (const [, variable] of unit.matchAll(/(?<=^Environment=.*)\b(\w+)=/gm))
    assert.ok(["NODE_ENV", ...known].includes(variable!));
  for (const rule of ["ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "UMask=0077", "PrivateTmp=yes"])
    assert.match(unit, new RegExp(`^${rule}$`, "m"));
});

test("`npm pack` packs everything that the service reads while it runs", () => {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" });
  const paths: string[] = JSON.parse(said)[0].files.map((one: { path: string }) => one.path);

  for (const path of [
    "bin/headwater.mjs",
    "scripts/setup.mjs",
    "generated/openapi.json",
    "migrations/0001_foundation.sql",
    "LICENSE",
  ])
    assert.ok(paths.includes(path), path);
  // What the docs lead to, and the drills.
  const led = globSync("docs/*.md").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\]\(\.\.\/([^)#]+)/g)].map(([, path]) => path!),
  );
  assert.ok(led.length > 4);
  for (const path of [...led, ...globSync("ops/drills/*")])
    assert.ok(
      paths.some((one) => one === path || one.startsWith(`${path}/`)),
      path,
    );
  assert.ok(paths.some((path) => path.startsWith("docs/")) && paths.some((path) => path.startsWith("src/reference/static/")));
  assert.deepEqual(
    paths.filter((path) => /^(test|bench|node_modules|src\/(?!reference\/static))|\.test\.|^\./.test(path)),
    [],
  );
});
