// Runs the real commands in their own processes, as an operator does.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

/** `npm test` has bundled the service: each process starts in half of the time. */
const { TEST_BUNDLE } = process.env;
export const main = TEST_BUNDLE ? join(TEST_BUNDLE, "main.js") : new URL("../../src/main.ts", import.meta.url).pathname;

/** Most processes of tests end soon: with room for what they make, V8 clears up less often, and a start takes a seventh less. */
export const roomy = ["--min-semi-space-size=16", "--max-semi-space-size=64"];

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Removes a folder when the tests are done. */
export const discard = (folder: string): void => void folders.push(folder);

export function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "headwater-cli-"));
  chmodSync(folder, 0o711); // when run as root, the server's own user must be able to enter it
  folders.push(folder);
  return folder;
}

const launched = new Set<ChildProcess>();
const printed = new WeakMap<ChildProcess, string[]>();

/** The end of what a process has printed, for whoever reads a failure. */
export const lastWords = (child: ChildProcess): string => (printed.get(child) ?? []).join("").slice(-3000).trim();

// A failed test has not stopped its processes, and the test run would wait for them.
after(() => {
  for (const child of launched) child.kill("SIGKILL");
});

/** Runs a command, of this release unless another start file is given. */
export function launch(args: readonly string[], env: Record<string, string>, file = main): ChildProcess {
  const { DATABASE_RLS = "off", PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [...roomy, file, ...args], {
    env: {
      PATH,
      DATABASE_RLS,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      LOG_LEVEL: "fatal",
      PORT: "0",
      HOST: "127.0.0.1",
      SHUTDOWN_DELAY_SECONDS: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  launched.add(child.once("exit", () => launched.delete(child)));
  const words: string[] = [];
  printed.set(child, words);
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text) => words.push(String(text)));
  return child;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export async function command(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = launch(args, env);
  let [out, err] = ["", ""];
  child.stdout!.on("data", (text) => (out += text));
  child.stderr!.on("data", (text) => (err += text));
  const [code] = await once(child, "close");
  return { code, out, err };
}

export interface Running {
  child: ChildProcess;
  said: string;
  url: string;
  stop(): Promise<number | null>;
}

/** Starts the service, or with `as` only its API, and waits until it listens. */
export const start = (env: Record<string, string>, as: "start" | "api" = "start"): Promise<Running> => startAt(main, env, as);

/** The same from the start file of another release. */
export async function startAt(file: string, env: Record<string, string>, as: "start" | "api"): Promise<Running> {
  const child = launch([as], env, file);
  let said = "";
  child.stdout!.on("data", (text) => (said += text));
  for (const until = Date.now() + startMs; !said.includes("Listening on"); await sleep(20)) {
    if (hasEnded(child))
      assert.fail(`the service ended instead of starting (${child.exitCode ?? child.signalCode}):\n${lastWords(child)}`);
    if (Date.now() > until) assert.fail(`the service did not listen within ${startMs / 1000} s:\n${lastWords(child)}`);
  }
  const [, url] = /Listening on (\S+)/.exec(said)!;
  return {
    child,
    said,
    url: url!,
    async stop() {
      child.kill("SIGTERM");
      return hasEnded(child) ? child.exitCode : (await once(child, "exit"))[0];
    },
  };
}

/** A machine that does much else takes ten times as long as usual. */
const startMs = 120_000;

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

export const statusOf = async (url: string, key: string) =>
  (await fetch(`${url}/api/v1/me/`, { headers: { authorization: `Bearer ${key}` } })).status;

/** The child processes of a process: all, or those that run a command. */
export function childrenOf(pid: number, command = ""): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children
    .split(" ")
    .filter((one) => one !== "" && argumentsOf(one).includes(command))
    .map(Number);
}

/** The children of a process that is ending count as nobody's. */
function argumentsOf(pid: string): string[] {
  try {
    return ["", ...readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")];
  } catch {
    return [];
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 60_000; !(await holds()); await sleep(50))
    if (Date.now() > limit) assert.fail("it did not happen within a minute");
}
