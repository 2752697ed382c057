// `npm test`: starts one database in a temporary folder for all test files, then node's own test runner.
//
// `npm test -- src/db` runs a folder, and `npm test -- --test-name-pattern=tombstone` passes a flag on. With TEST_DATABASE_URL
// set, the tests use that server instead. It may be the coordinator of a Citus cluster, with its workers in TEST_CITUS_NODES
// (`host:port,host:port`).

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { startEmbedded } from "../src/db/embedded/index.ts";
import { bundle, bundleFolder } from "./build.ts";

const PATTERNS = ["src/**/*.test.ts", "test/**/*.test.ts", "packages/*/test/*.test.ts"];
/** What a test makes is soon forgotten: with room for it, V8 clears up less often. Several threads would only wait for each other. */
const FLAGS = ["--min-semi-space-size=16", "--max-semi-space-size=64", "--single-threaded-gc", "--test-reporter=spec"];
/** How many test processes run at a time: more than the cores of a small machine, because tests also wait. */
const LANES = 4;
/** How many files share one process. To start one takes as long as the tests of a usual file. */
const BATCH = 60;
/** Files that start servers of their own take longer, so fewer share a process. */
const SERVERS = /^src\/(cli|db|http)\//;
const SERVER_BATCH = 12;
/** Files that kill workers, which run in processes of their own. They mostly wait. */
const KILLING = /^test\/reliability\/\w+_killed\./;
const KILLING_BATCH = 5;
/** Files that kill services, or measure what a process holds. */
const ALONE = /^(test\/deploy\/|test\/reliability\/(?!\w+_killed\.)|src\/cli\/(commands|worker)\.test|src\/db\/pool\.test)/;
/** A process without output for this long is hanging, or a failed test left something open. */
const SILENT_MS = 5 * 60_000;
const BATCH_FILE = "test/support/batch.ts";
/** This one reads the statements that all other files made the service send to PostgreSQL. */
const LAST = "test/isolation/statements.test.ts";
const HEARING = pathToFileURL("test/support/heard.ts").href;
/** A run of more files than these is long. */
const LONG = 16;
/** What a process says of the work that its files were, in milliseconds of processor time. */
const EFFORT = /^ℹ effort (\d+) (.+)\n/gm;
/** How many of the longest are told after a long run. */
const TOLD = 12;
/** The names of the totals at the end of a process's report. */
const CLOSING = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\n/gm;
/** A long run starts these hundreds of times, so that it pays to bundle them. */
const PROCESSES = ["src/main.ts", "test/support/killed_worker.ts"];
/** Tests need no durability, and run side by side with pools of their own, each in a small database that soon goes. */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  shared_buffers: "512MB",
  autovacuum_naptime: "60s",
};

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
  if (files.length > LONG) {
    await bundle(PROCESSES);
    process.env.TEST_BUNDLE = resolve(bundleFolder);
  }
  if (process.env.TEST_DATABASE_URL) return runTests(flags, files, process.env.TEST_DATABASE_URL);

  const database = await startDatabase();
  try {
    return await runTests(flags, files, database.url);
  } finally {
    await database.remove();
  }
}

/** The test files of patterns and folders. A shell may have expanded a pattern to other files too. */
function testFiles(patterns: string[]): string[] {
  const within = (path: string) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path];
  const files = globSync(patterns.length > 0 ? patterns : PATTERNS).flatMap(within);
  return [...new Set(files)].filter((file) => file.endsWith(".test.ts")).sort();
}

async function startDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
  chmodSync(folder, 0o711); // when run as root, the server's own user must be able to enter it
  const { url, directory, stop } = await startEmbedded({ dataDir: folder, settings: SETTINGS });
  const remove = async () => {
    await stop();
    for (const place of [dirname(directory), folder]) rmSync(place, { recursive: true, force: true });
  };
  return { url, remove };
}

/** Runs the files in batches, several at a time, and prints the sums of their totals. */
async function runTests(flags: readonly string[], files: readonly string[], url: string): Promise<number> {
  const begun = performance.now();
  const statements = mkdtempSync(join(tmpdir(), "headwater-statements-"));
  const waiting = batchesOf(files.filter((file) => file !== LAST));
  const ended: Ended[] = [];
  const run = async (batch: readonly string[]) => ended.push(await runBatch(flags, batch, url, statements));
  const lane = async () => {
    for (let batch = waiting.shift(); batch !== undefined && stopped === undefined; batch = waiting.shift()) await run(batch);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (files.includes(LAST) && stopped === undefined) await run([LAST]);
  rmSync(statements, { recursive: true });

  for (const { failures } of ended) process.stdout.write(failures);
  for (const name of ended[0]?.counts.keys() ?? [])
    console.log(`ℹ ${name} ${ended.reduce((sum, { counts }) => sum + (counts.get(name) ?? 0), 0)}`);
  if (files.length > LONG) tellEffort(ended.flatMap(({ efforts }) => efforts));
  console.log(`ℹ duration_ms ${Math.round(performance.now() - begun)}`);
  return stopped ?? ended.find(({ code }) => code !== 0)?.code ?? 0;
}

/** Processor time says what a test costs whatever else the machine does. PostgreSQL's own is not in it, unless a test starts one. */
function tellEffort(efforts: readonly Effort[]): void {
  const sums = new Map<string, number>();
  for (const { what, ms } of efforts) sums.set(what, (sums.get(what) ?? 0) + ms);
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(7);
  const total = efforts.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`ℹ processor seconds of the tests: ${seconds(total).trim()}, most of all`);
  const most = [...sums].sort(([, one], [, other]) => other - one).slice(0, TOLD);
  for (const [what, ms] of most) console.log(`ℹ ${seconds(ms)} ${what}`);
}

// One process for every file would spend half of the time on its start and its own database. So the files of a batch share a
// process and its service. Every test makes its own organization, so tests do not meet. Files that loop over all definitions take
// longest and start first.
function batchesOf(files: readonly string[]): string[][] {
  const alone = files.filter((file) => ALONE.test(file));
  const others = files.filter((file) => !ALONE.test(file)).reverse();
  const servers = others.filter((file) => SERVERS.test(file));
  const killing = others.filter((file) => KILLING.test(file));
  const plain = others.filter((file) => !SERVERS.test(file) && !KILLING.test(file));
  return [
    ...inParts(plain, BATCH),
    ...inParts(killing, KILLING_BATCH),
    ...inParts(servers, SERVER_BATCH),
    ...alone.map((file) => [file]),
  ];
}

function inParts(files: readonly string[], size: number): string[][] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, part) => files.slice(part * size, (part + 1) * size));
}

interface Ended {
  code: number;
  /** The totals at the end, by name. */
  counts: Map<string, number>;
  /** The reporter's output about failed tests. */
  failures: string;
  efforts: Effort[];
}

interface Effort {
  /** A test file, or what its process did before and after the tests. */
  what: string;
  ms: number;
}

async function runBatch(flags: readonly string[], files: readonly string[], url: string, statements: string): Promise<Ended> {
  const env = {
    ...process.env,
    TEST_FILES: JSON.stringify(files),
    TEST_DATABASE_URL: url,
    TEST_STATEMENTS: statements,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${HEARING}`,
  };
  const child = spawn(process.execPath, [...FLAGS, ...flags, BATCH_FILE], { stdio: ["ignore", "pipe", "inherit"], env });
  running.add(child);
  let said = "";
  let isSilent = false;
  const silence = setTimeout(() => (isSilent = child.kill()), SILENT_MS);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    silence.refresh();
  });
  const [code] = await once(child, "close");
  clearTimeout(silence);
  running.delete(child);

  const [report = "", ...failures] = said.split(/^(?=✖ failing tests:$)/m);
  process.stdout.write(report.replace(CLOSING, "").replace(EFFORT, ""));
  const efforts = [...said.matchAll(EFFORT)].map(([, ms, what]) => ({ what: what!, ms: Number(ms) }));
  const counts = new Map([...report.matchAll(CLOSING)].map(([, name, count]) => [name!, Number(count)]));
  counts.delete("duration_ms");
  const tested = files.join(" ");
  if (counts.size === 0) failures.push(`A process ended before its tests did: ${tested}\n`);
  if (code !== 0 && counts.get("fail") === 0 && counts.get("cancelled") === 0)
    failures.push(`Outside of its tests a process failed: ${tested}\n`);
  if (isSilent) failures.push(`A process said nothing for ${SILENT_MS / 60_000} minutes and was ended: ${tested}\n`);
  return { code: isSilent ? 1 : (code ?? 1), counts, failures: failures.join("").replace(EFFORT, ""), efforts };
}
