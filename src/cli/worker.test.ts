// The worker beside the API, as real processes: a process that dies is replaced without harm, and one that is told to stop does.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { childrenOf, command, dataDir, launch, main, start, statusOf, until } from "../../test/support/processes.ts";

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
const workersOf = ({ child }: { child: ChildProcess }) => childrenOf(child.pid!, "worker");

test("a worker that is killed is replaced, no request notices, and one signal ends both", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "a-worker-that-is-killed-at-work";
  // On a quiet machine, this test sends more requests than one key is allowed.
  const running = await start({ DATA_DIR: dataDir(), DATABASE_URL: database.url, BOOTSTRAP_API_KEY, RATE_LIMIT: "off" });
  await until(() => workersOf(running).length === 1);
  const [first] = workersOf(running);

  const refused: number[] = [];
  let stopped = false;
  const asking = (async () => {
    const ask = () => statusOf(running.url, BOOTSTRAP_API_KEY);
    // A busy machine may refuse a request once for now, but not twice.
    while (!stopped) if ((await ask()) !== 200) refused.push(await ask());
  })();
  process.kill(first!, "SIGKILL");
  await until(() => workersOf(running).some((one) => one !== first)).finally(() => (stopped = true));
  await asking;
  const [second] = workersOf(running);

  assert.deepEqual(
    refused.filter((status) => status !== 200),
    [],
  );
  assert.equal(await running.stop(), 0);
  assert.ok(!isAlive(second!));
  await database.drop();
});

test("the worker ends with a parent that is killed, and at once with one at a terminal", async () => {
  const database = await createDatabase();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url };

  const killed = await start(env);
  await until(() => workersOf(killed).length === 1);
  const [orphan] = workersOf(killed);
  killed.child.kill("SIGKILL");
  await until(() => !isAlive(orphan!));

  // Ctrl-C reaches every process that the terminal has started.
  const terminal = spawn(process.execPath, [main, "start"], {
    env: { ...process.env, ...env, LOG_LEVEL: "fatal", PORT: "0", HOST: "127.0.0.1" },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  terminal.stdout.on("data", (text) => (said += text));
  await until(() => said.includes("Listening on") && workersOf({ child: terminal }).length === 1);
  const [worker] = workersOf({ child: terminal });
  process.kill(-terminal.pid!, "SIGINT");

  const [code] = await once(terminal, "exit");
  assert.ok(!isAlive(worker!));
  assert.notEqual(code, 1);
  await database.drop();
});

test("the API alone starts no worker; two workers beside it each end by a signal", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "the-api-and-its-workers-apart";
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url, BOOTSTRAP_API_KEY };
  const api = await start(env, "api");
  assert.deepEqual(workersOf(api), []);

  const workers = [launch(["worker"], env), launch(["worker"], env)];
  await Promise.all(workers.map(says("Working")));
  for (const worker of workers) worker.kill("SIGTERM");

  assert.deepEqual(await Promise.all(workers.map(async (one) => (await once(one, "exit"))[0])), [0, 0]);
  assert.equal(await statusOf(api.url, BOOTSTRAP_API_KEY), 200);
  assert.equal(await api.stop(), 0);
  await database.drop();
});

test("a worker joins the built-in database of a service that runs, and a second service does not", async () => {
  const env = { DATA_DIR: dataDir() };
  const running = await start(env);

  const worker = launch(["worker"], env);
  await says("Working")(worker);
  const second = await command(["start"], env);
  worker.kill("SIGTERM");

  assert.equal((await once(worker, "exit"))[0], 0);
  assert.equal(second.code, 1);
  assert.match(second.err, /already runs/);
  assert.equal(await running.stop(), 0);
});

test("after an unhandled failure a worker finishes its jobs and restarts", async () => {
  const database = await createDatabase();
  const api = await start({ DATA_DIR: dataDir(), DATABASE_URL: database.url }, "api");
  const failing = encodeURIComponent(`process.on("SIGUSR2", () => Promise.reject(new Error("unheard")))`);
  const worker = launch(["worker"], {
    DATA_DIR: dataDir(),
    DATABASE_URL: database.url,
    LOG_LEVEL: "fatal",
    NODE_OPTIONS: `--import=data:text/javascript,${failing}`,
  });
  const heard = says("Working");
  await heard(worker);

  const again = heard(worker);
  const logged = says("unheard")(worker);
  worker.kill("SIGUSR2");
  await Promise.all([again, logged]);
  worker.kill("SIGTERM");

  assert.equal((await once(worker, "exit"))[0], 0);
  await api.stop();
  await database.drop();
});

/** Waits until a process prints this, from now on. */
const says = (what: string) => async (child: ChildProcess) => {
  let said = "";
  child.stdout!.on("data", (text) => (said += text));
  child.stderr!.on("data", (text) => (said += text));
  await until(() => said.includes(what) || child.exitCode !== null);
  assert.ok(said.includes(what), said);
};
