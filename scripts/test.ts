// `npm test`: one database in a temporary folder for all test files, then node's own test runner.
//
// `npm test -- src/db` runs a folder, `npm test -- --test-name-pattern=tombstone` passes a flag on.
// With TEST_DATABASE_URL set, the tests use that database instead.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startEmbedded } from "../src/db/embedded/index.ts";

const PATTERNS = ["src/**/*.test.ts", "test/**/*.test.ts"];
const FLAGS = ["--test", "--test-concurrency=2", "--test-reporter=spec"];
/** Tests need no durability, and run side by side with pools of their own. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

/** The exit code of a run that a signal ended. */
let stopped: number | undefined;
let runner: ChildProcess | undefined;
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    stopped = code;
    runner?.kill(signal);
  });
}
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const files = testFiles(args.filter((arg) => !arg.startsWith("-")));
  if (files.length === 0) {
    console.error("No test matches: test files end in .test.ts.");
    return 1;
  }
  if (process.env.TEST_DATABASE_URL) return runTests([...flags, ...files], process.env.TEST_DATABASE_URL);

  const database = await startDatabase();
  try {
    return await runTests([...flags, ...files], database.url);
  } finally {
    await database.remove();
  }
}

/** Test files of patterns and folders. A shell may have filled in a pattern, also with other files. */
function testFiles(patterns: string[]): string[] {
  const within = (path: string) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path];
  const files = globSync(patterns.length > 0 ? patterns : PATTERNS).flatMap(within);
  return [...new Set(files)].filter((file) => file.endsWith(".test.ts")).sort();
}

async function startDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
  chmodSync(folder, 0o711); // when we are root, the server's own user passes through it
  const { url, directory, stop } = await startEmbedded({ dataDir: folder, settings: SETTINGS });
  const remove = async () => {
    await stop();
    for (const place of [dirname(directory), folder]) rmSync(place, { recursive: true, force: true });
  };
  return { url, remove };
}

async function runTests(args: string[], url: string): Promise<number> {
  if (stopped) return stopped;
  const env = { ...process.env, TEST_DATABASE_URL: url };
  runner = spawn(process.execPath, [...FLAGS, ...args], { stdio: "inherit", env });
  const [code] = await once(runner, "exit");
  return stopped ?? code ?? 1;
}
