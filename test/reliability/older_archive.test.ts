// Archives that an operator kept from earlier releases. Those of test/archives/ were taken by these releases themselves: of everything by the
// first one that took backups, and of one workspace by the first one that took those.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { withClient } from "../../src/db/one_client.ts";
import { createBlankDatabase } from "../support/database.ts";
import { needProgram, runProgram } from "../support/debian.ts";
import { freePort } from "../support/free_port.ts";
import { openHouse } from "../support/house.ts";
import { command, dataDir, until } from "../support/processes.ts";

const key = "the-key-of-an-older-archive";
const SECRET_KEY = "a key of thirty-two characters or more";

const nothing = async () => ({ DATA_DIR: dataDir(), DATABASE_URL: await createBlankDatabase() });
const scratch = async () => ({ SCRATCH: dataDir(), SCRATCH_DATABASE_URL: await createBlankDatabase() });

function archive(name: string): string {
  const path = join(dataDir(), `${name}.tar`);
  writeFileSync(path, gunzipSync(readFileSync(new URL(`../archives/${name}.tar.gz`, import.meta.url))));
  return path;
}

/** What was entered in the older release. */
async function assertAllThere(ask: (path: string) => Promise<any>, download: (path: string) => Promise<string>): Promise<void> {
  const [lead] = (await ask("/lead/?query=last&_fields=_all")).data;
  const [field] = (await ask("/custom_field/lead/")).data;
  assert.deepEqual([lead.name, lead.industry, lead[`custom.${field.id}`]], ["Of last year", "Steel", 7]);
  const of = async (path: string) => (await ask(`${path}?lead_id=${lead.id}`)).data[0];
  assert.equal((await of("/contact/")).emails[0].email, "ann@client.example");
  assert.equal((await of("/activity/note/")).note, "Wants three presses");
  assert.equal((await of("/task/")).text, "Call back");
  assert.deepEqual([(await of("/opportunity/")).value, (await of("/activity/email/")).subject], [120000, "Our offer"]);
  assert.equal(await download(`/file/${(await of("/file/")).id}/download/`), "Three presses, by spring.");
  const { data: events } = await ask(`/event/?object_id=${lead.id}`);
  assert.equal(events.at(-1).action, "created");
  await ask(`/lead/${lead.id}/`);
}

test("a backup of an earlier release is restored and brought up to date, with everything that was in it", async () => {
  const file = archive("everything_124");
  const house = await openHouse({ ...(await nothing()), SECRET_KEY, BOOTSTRAP_API_KEY: key });

  const restored = await command(["restore", file], house.settings);
  assert.equal(restored.code, 0, restored.err);
  await house.acts.start!();

  const ask = (path: string) => house.ask("GET", path);
  await assertAllThere(ask, downloadAt(house.url, key));
  const [webhook] = (await ask("/webhook/")).data;
  assert.deepEqual([webhook.url, webhook.status], ["https://hook.example.com/h", "active"]);
  const { name } = await house.ask("POST", "/lead/", { name: "Of this year" });
  assert.equal((await ask("/lead/?query=year")).data.length, 2, name);
  const without = await command(["restore", file, "--without-secrets"], { DATA_DIR: dataDir() });
  assert.match(
    without.out,
    /webhook whk_\w+ +https:\/\/hook\.example\.com\/h +give its receiver the new signing key/,
    without.err,
  );
});

test("a workspace's archive of an earlier release comes into a service with others: one command brings it up to date on the way", async () => {
  const file = archive("workspace_142");
  const house = await openHouse({ ...(await nothing()), SECRET_KEY, BOOTSTRAP_API_KEY: "the-key-of-the-one-who-is-here" });
  await house.acts.start!();
  const lead = await house.ask("POST", "/lead/", { name: "Of this year" });
  const said = (await command(["verify", file], house.settings)).out;
  const [, ORGANIZATION = ""] = / of (orga_\w+) alone of 20/.exec(said) ?? [];

  const refused = await command(["restore", file, "--organization"], house.settings);
  const drill = { ARCHIVE: file, ORGANIZATION, ADMIN: "ada@acme.example" };
  const put = await house.drill(["workspace_beside.sh"], { ...drill, ...(await scratch()), KEEP_IDS: "yes" });
  const copied = await house.drill(["workspace_beside.sh"], { ...drill, ...(await scratch()) });

  assert.equal(refused.code, 1);
  assert.match(refused.err, /of another release.*workspace_beside\.sh/);
  assert.deepEqual([put.code, copied.code], [0, 0], `${put.out}${put.err}${copied.out}${copied.err}`);
  const ids = [put, copied].map(({ out }) => /^organization (\S+)$/m.exec(out)![1]);
  assert.equal(ids[0], ORGANIZATION);
  assert.notEqual(ids[1], ORGANIZATION);
  for (const { out } of [put, copied]) {
    const [, theirs = ""] = /^key +(\S+)$/m.exec(out)!;
    await assertAllThere((path) => house.ask("GET", path, undefined, theirs), downloadAt(house.url, theirs));
  }
  assert.deepEqual(
    (await house.ask("GET", "/lead/")).data.map(({ id }: any) => id),
    [lead.id],
  );
});

test("a service moves to another major version of PostgreSQL and back, with everything", async () => {
  const file = archive("everything_124");
  const other = await otherPostgres();
  const settings = { SECRET_KEY, BOOTSTRAP_API_KEY: key };
  const house = await openHouse({ ...settings, DATA_DIR: dataDir(), DATABASE_URL: other.url });

  const restored = await command(["restore", file], house.settings);
  assert.equal(restored.code, 0, restored.err);
  await house.acts.start!();
  await assertAllThere((path) => house.ask("GET", path), downloadAt(house.url, key));
  await house.acts.stop!();
  const taken = join(dataDir(), "moved.tar");
  const left = await command(["backup", taken], house.settings);
  Object.assign(house.settings, await nothing());
  const back = await command(["restore", taken], house.settings);
  await house.acts.start!();

  assert.deepEqual([left.code, back.code], [0, 0], `${left.err}${back.err}`);
  await assertAllThere((path) => house.ask("GET", path), downloadAt(house.url, key));
  await house.acts.stop!();
  await other.stop();
});

/** The one of Debian, with an empty database. */
async function otherPostgres() {
  const installed = globSync("/usr/lib/postgresql/*/bin/postgres")[0];
  if (installed === undefined) needProgram("postgresql-15", "/usr/lib/postgresql/15/bin/postgres");
  const bin = dirname(installed ?? "/usr/lib/postgresql/15/bin/postgres");
  const [folder, port] = [dataDir(), await freePort()];
  const user = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const flags = ["-D", folder, "-U", "headwater", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
  execFileSync(join(bin, "initdb"), flags, { ...user, cwd: "/", stdio: "pipe" });
  const listening = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  const server = runProgram(join(bin, "postgres"), ["-D", folder, "-p", `${port}`, ...listening], user);
  await until(() => /ready to accept connections/.test(server.said()) || server.hasEnded());
  const url = `postgres://headwater@127.0.0.1:${port}`;
  await withClient(`${url}/postgres`, "test", (client) => client.query("create database headwater"));
  return { url: `${url}/headwater`, stop: server.stop };
}

function downloadAt(url: string, theirs: string) {
  return async (path: string): Promise<string> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${theirs}` } });
    assert.equal(response.status, 200);
    return response.text();
  };
}
