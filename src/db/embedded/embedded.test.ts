import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { repairLinks } from "./binaries.ts";
import { type Embedded, joinOrStart, lockDataDir, startEmbedded } from "./index.ts";
import { isOpen, locate, type User } from "./place.ts";
import { liveServer } from "./server.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const folders: string[] = [];
const dataDir = folder(0o711);
const { directory } = locate(dataDir);

after(() => {
  if (!directory.startsWith(dataDir)) folders.push(dirname(directory));
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

test("what was saved before a stop is there after the next start", async () => {
  const first = await start();
  await query(first, "create table kept as select 'Acme' as name");
  await first.stop();

  const second = await start();

  assert.deepEqual(await query(second, "select name from kept"), [{ name: "Acme" }]);
  assert.equal(second.url, first.url);
  await second.stop();
});

test("nothing is left running after a stop", async () => {
  const server = await start();
  const { pid } = liveServer(directory) as { pid: number };

  await server.stop();

  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  await assert.rejects(query(server, "select 1"), { code: "ECONNREFUSED" });
});

test("nobody gets in without the password, which only its owner can read", async () => {
  const server = await start();
  const wrong = server.url.replace(/:[^:@]+@/, ":guess@");

  await assert.rejects(query({ url: wrong }, "select 1"), { code: "28P01" });

  assert.equal(statSync(join(dataDir, "postgres.password")).mode & 0o777, 0o600);
  await server.stop();
});

test("after a kill -9 of Headwater the next start works and finds all that was committed", async () => {
  const parent = await elsewhere(`
    const server = await startEmbedded({ dataDir: "${dataDir}" });
    await query(server, "create table committed as select 1 as id");`);
  await killed(parent);
  assert.ok(liveServer(directory), "the server outlived its parent");

  const server = await start();

  assert.deepEqual(await query(server, "select id from committed"), [{ id: 1 }]);
  await server.stop();
});

test("a server that is killed comes back by itself, at the same address and with its data", async () => {
  let downs = 0;
  const server = await startEmbedded({ dataDir, onDown: () => downs++ });
  await query(server, "create table survivor as select 1 as id");
  const killed = liveServer(directory)?.pid as number;

  process.kill(killed, "SIGKILL");
  const back = () => (liveServer(directory)?.pid ?? killed) !== killed && isReady();
  await until(back);

  assert.deepEqual(await query(server, "select id from survivor"), [{ id: 1 }]);
  assert.equal(downs, 1);
  await server.stop();
});

test("a second start on the same data is refused in a sentence, until the first is gone", async () => {
  const first = await elsewhere(`lockDataDir("${dataDir}");`);

  const who = `Headwater already runs on ${locate(dataDir).dataDir} (process ${first.pid}).`;
  const message = `${who} Stop it first, or set DATA_DIR to another folder.`;
  assert.throws(() => lockDataDir(dataDir), { message });
  await killed(first);

  lockDataDir(dataDir).release();
});

test("a command joins a running server and leaves it running", async () => {
  const owner = await elsewhere(`await startEmbedded({ dataDir: "${dataDir}" });`);

  const command = await joinOrStart(dataDir);
  await query(command, "select 1");
  await command.stop();

  assert.equal(command.joined, true);
  assert.ok(isReady());
  await killed(owner);
});

test("who joined a server goes on when its owner is killed", async () => {
  const owner = await elsewhere(`await startEmbedded({ dataDir: "${dataDir}" });`);
  const joined = await joinOrStart(dataDir);
  const before = liveServer(directory)?.pid;

  await killed(owner);
  await until(() => isReady() && liveServer(directory)?.pid !== before);

  await query(joined, "select 1");
  await joined.stop();
  assert.equal(liveServer(directory), undefined);
});

test("of two commands at once the one that started the server waits for the other", async () => {
  const first = await joinOrStart(dataDir);
  const second = await run(`
    const server = await joinOrStart("${dataDir}");
    process.send("joined");
    process.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await query(server, "create table finished ()");
    await server.stop();`);

  await Promise.all([first.stop(), once(second, "exit")]);

  const later = await joinOrStart(dataDir);
  await query(later, "select from finished");
  await later.stop();
});

test("a process id that belongs to somebody else by now does not stop a start", async () => {
  const note = join(directory, "postmaster.pid");
  writeFileSync(note, `${process.pid}\n${dirname(note)}\n0\n5432\n\n127.0.0.1\n0 0\nready\n`);

  const server = await start();

  await query(server, "select 1");
  await server.stop();
});

test("a start that cannot work says why, in PostgreSQL's words", async () => {
  const failing = startEmbedded({ dataDir, settings: { max_connections: "many" } });

  await assert.rejects(failing, /PostgreSQL did not start: .*max_connections.*many/);
});

test("the log of a long life does not fill the disk", async () => {
  writeFileSync(join(dataDir, "postgres.log"), Buffer.alloc(10_000_001, "\n"));

  await (await start()).stop();

  assert.ok(statSync(join(dataDir, "postgres.log")).size < 10_000);
});

test("as root, a private DATA_DIR holds the data, and so does one that is made under a strict umask", {
  skip: !isRoot && "only root cannot run PostgreSQL in its own private folder",
}, async () => {
  const inside = folder(0o700);
  const server = await startEmbedded({ dataDir: inside });
  await server.stop();
  const before = process.umask(0o077);
  const made = locate(join(folder(0o711), "new", "data"));
  process.umask(before);

  assert.deepEqual([server.directory, server.barrier], [join(realpathSync(inside), "postgres"), undefined]);
  assert.equal(statSync(inside).mode & 0o777, 0o710, "the server's group may pass, and nobody else");
  assert.equal(made.home, made.dataDir);
});

test("as root, data below a private folder lies elsewhere, postgres.path says where, and without it nobody finds the data", {
  skip: !isRoot && "only root cannot run PostgreSQL in its own private folder",
}, async () => {
  const closed = folder(0o700);
  const inside = join(closed, "data");
  const first = await startEmbedded({ dataDir: inside });
  folders.push(dirname(first.directory));
  await query(first, "create table kept as select 1 as id");
  await first.stop();

  const holder = await elsewhere(`lockDataDir("${inside}"); await startEmbedded({ dataDir: "${inside}" });`);
  assert.throws(() => lockDataDir(inside), /already runs/);
  await killed(holder);
  const second = await startEmbedded({ dataDir: inside });

  assert.equal(readFileSync(join(inside, "postgres.path"), "utf8"), `${second.directory}\n`);
  assert.deepEqual(await query(second, "select id from kept"), [{ id: 1 }]);
  assert.equal(second.barrier, realpathSync(closed));
  await second.stop();

  rmSync(inside, { recursive: true });
  const third = await startEmbedded({ dataDir: inside });
  folders.push(dirname(third.directory));
  await assert.rejects(query(third, "select id from kept"), /does not exist/);
  await third.stop();
});

test("an ordinary user keeps the data in a private folder of their own", {
  skip: isRoot && !isOpenTo(nobody) && "this clone or the temporary folder is closed to ordinary users",
}, async () => {
  const inside = folder(0o700);
  if (isRoot) chownSync(inside, nobody.uid, nobody.gid);

  const user = await run(
    `const server = await startEmbedded({ dataDir: "${inside}" }); await query(server, "select 1"); await server.stop();`,
    isRoot ? nobody : {},
  );

  assert.equal(user.exitCode, 0);
  assert.ok(existsSync(join(inside, "postgres", "PG_VERSION")));
});

test("library links that a blocked install script left missing are made", () => {
  const native = folder(0o700);
  mkdirSync(join(native, "lib"));
  writeFileSync(join(native, "lib", "libpq.so.5.18"), "");
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  writeFileSync(join(native, "pg-symlinks.json"), JSON.stringify(links));

  assert.equal(repairLinks(native), true);
  assert.equal(repairLinks(native), true);

  assert.equal(readlinkSync(join(native, "lib", "libpq.so.5")), "libpq.so.5.18");
});

function start(): Promise<Embedded> {
  return startEmbedded({ dataDir });
}

async function query({ url }: { url: string }, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a script in its own process, which is still running when the script is done. */
function elsewhere(script: string): Promise<ChildProcess> {
  return run(`${script}; process.send("done"); setInterval(() => {}, 1000);`);
}

async function run(script: string, user: { uid?: number; gid?: number } = {}): Promise<ChildProcess> {
  const tools = `
    import { Client } from "${import.meta.resolve("pg")}";
    import { joinOrStart, lockDataDir, startEmbedded } from "${import.meta.resolve("./index.ts")}";
    ${query.toString()}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${tools}; ${script}`], {
    ...user,
    cwd: "/",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await Promise.race([once(child, "message"), once(child, "exit")]);
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

function isReady(): boolean {
  return liveServer(directory)?.ready === true;
}

async function until(condition: () => boolean): Promise<void> {
  for (const since = Date.now(); !condition(); await sleep(20)) {
    assert.ok(Date.now() - since < 60_000, "waited for a minute");
  }
}

function isOpenTo(user: User): boolean {
  return [import.meta.dirname, process.execPath, tmpdir()].every((path) => isOpen(realpathSync(path), user));
}

function folder(mode: number): string {
  const path = mkdtempSync(join(tmpdir(), "headwater-embedded-"));
  chmodSync(path, mode);
  folders.push(path);
  return path;
}
