// `npm test`: one database in a temporary folder for all test files, then node's own test runner.
//
// `npm test -- src/db` runs a folder, `npm test -- --test-name-pattern=tombstone` passes a flag on.
// With TEST_DATABASE_URL set, the tests use that server instead; it may be the coordinator of a Citus cluster, with its workers in
// TEST_CITUS_NODES (`host:port,host:port`).

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { startEmbedded } from "../src/db/embedded/index.ts";

const PATTERNS = ["src/**/*.test.ts", "test/**/*.test.ts"];
const FLAGS = ["--test", "--test-isolation=none", "--test-reporter=spec"];
/** So many processes test at a time, and so many files share one. */
const LANES = 2;
const BATCH = 12;
/** Files that start servers of their own, kill them, or look at what a process holds. */
const ALONE = /^(src\/(cli|db|http)|test\/reliability)\//;
/** It reads what all others have made the service say to PostgreSQL. */
const LAST = "test/isolation/statements.test.ts";
const HEARING = pathToFileURL("test/support/heard.ts").href;
/** The numbers with which a process ends its report. */
const CLOSING = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\n/gm;
/** Tests need no durability, and run side by side with pools of their own. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

/** The exit code of a run that a signal ended. */
let stopped: number | undefined;
const running = new Set<ChildProcess>();
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    stopped = code;
    for (const child of running) child.kill(signal);
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
  if (process.env.TEST_DATABASE_URL) return runTests(flags, files, process.env.TEST_DATABASE_URL);

  const database = await startDatabase();
  try {
    return await runTests(flags, files, database.url);
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

/** Runs the files batch by batch, several at a time, and closes with the sums of their closing lines. */
async function runTests(flags: readonly string[], files: readonly string[], url: string): Promise<number> {
  const begun = performance.now();
  const statements = mkdtempSync(join(tmpdir(), "headwater-statements-"));
  const waiting = batchesOf(files.filter((file) => file !== LAST));
  const ended: Ended[] = [];
  const run = async (batch: readonly string[]) => ended.push(await runBatch([...FLAGS, ...flags, ...batch], url, statements));
  const lane = async () => {
    for (let batch = waiting.shift(); batch !== undefined && stopped === undefined; batch = waiting.shift()) await run(batch);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (files.includes(LAST) && stopped === undefined) await run([LAST]);
  rmSync(statements, { recursive: true });

  for (const { failures } of ended) process.stdout.write(failures);
  for (const name of ended[0]?.counts.keys() ?? [])
    console.log(`ℹ ${name} ${ended.reduce((sum, { counts }) => sum + (counts.get(name) ?? 0), 0)}`);
  console.log(`ℹ duration_ms ${Math.round(performance.now() - begun)}`);
  return stopped ?? ended.find(({ code }) => code !== 0)?.code ?? 0;
}

// A process for every file would spend half of the time on its start and on a database of its own. The files of a batch share a
// process and the service in it; every test makes an organization of its own, so they do not meet.
function batchesOf(files: readonly string[]): string[][] {
  const shared = files.filter((file) => !ALONE.test(file));
  const batches = files.filter((file) => ALONE.test(file)).map((file) => [file]);
  for (let from = 0; from < shared.length; from += BATCH) batches.push(shared.slice(from, from + BATCH));
  return batches;
}

interface Ended {
  code: number;
  /** The numbers of the closing lines, by their names. */
  counts: Map<string, number>;
  /** What the reporter says about the tests that failed. */
  failures: string;
}

async function runBatch(args: readonly string[], url: string, statements: string): Promise<Ended> {
  const hearing = `${process.env.NODE_OPTIONS ?? ""} --import=${HEARING}`;
  const env = { ...process.env, TEST_DATABASE_URL: url, TEST_STATEMENTS: statements, NODE_OPTIONS: hearing };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  running.add(child);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = await once(child, "close");
  running.delete(child);

  const [report = "", ...failures] = said.split(/^(?=✖ failing tests:$)/m);
  process.stdout.write(report.replace(CLOSING, ""));
  const counts = new Map([...report.matchAll(CLOSING)].map(([, name, count]) => [name!, Number(count)]));
  counts.delete("duration_ms");
  if (counts.size === 0) failures.push(`A process ended before its tests did: ${args.slice(FLAGS.length).join(" ")}\n`);
  return { code: code ?? 1, counts, failures: failures.join("") };
}
