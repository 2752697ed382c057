// `npm run bench`: the service against two floors on the same data and machine, in rounds that take turns: `pgbench` for the
// statement alone, and a bare node:http server that sends stored texts through the same driver. Read the ratios: what one
// machine does in a second says little about another, what the service costs over the floor is the same everywhere.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../src/app.ts";
import type { Actor } from "../src/core/context.ts";
import { perform } from "../src/core/perform.ts";
import type { Statement } from "../src/db/database.ts";
import { type Measured, measure, median, middle } from "./load.ts";
import { type Recorded, recordedWord, searchFor } from "./recorded.ts";
import { foundBenchOrganization, type Organization, openStand, type Running, record, startFloor, startService } from "./stand.ts";

const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const roundSeconds = Number(process.env.BENCH_SECONDS ?? 2);
// A service that stands idle for some seconds while others are measured loses its compiled code: V8 collects, and throws away what
// was compiled for kinds of object of which none is left. At work it never does. So each round begins with a while that is not counted.
const leadInSeconds = 2;
const warmUpSeconds = 8;
const leadCount = 10_000;
/** `BENCH_CASES=get,list` measures only these. */
const chosen = process.env.BENCH_CASES?.split(",");
const familyCount = 500;

/** Ratios to hold, of the service to the floor. */
const targets: Record<string, number> = { get: 0.6, list: 0.45, create: 0.6, search: 0.7 };

interface Case {
  name: string;
  connections: number;
  service: { method?: "POST"; paths: string[]; body?: string };
  floor: string[];
  pgbench: string;
}

function cases({ organization, data, recorded }: Ground): Case[] {
  const some = data.ids.filter((_, i) => i % 40 === 0);
  const words = data.words.slice(0, 50);
  const org = organization.id;
  return [
    {
      name: "get",
      connections: 32,
      service: { paths: some.map((id) => `/api/v1/lead/${id}/`) },
      floor: some.map((id) => `/get/${id}`),
      pgbench: `select rendered from lead where organization_id = '${org}' and id = '${some[0]}';`,
    },
    {
      name: "list",
      connections: 16,
      service: { paths: ["/api/v1/lead/"] },
      floor: ["/list"],
      pgbench: `select rendered from lead where organization_id = '${org}' order by date_created desc, id desc limit 101;`,
    },
    {
      name: "create",
      connections: 32,
      service: { method: "POST", paths: ["/api/v1/lead/"], body: JSON.stringify(sampleLead(recordedWord)) },
      floor: ["/create"],
      pgbench: recorded.create.length > 0 ? pgbenchTransaction(recorded) : "",
    },
    {
      name: "search",
      connections: 16,
      service: { paths: words.map((word) => `/api/v1/lead/?query=${word}`) },
      floor: words.map((word) => `/search/${word}`),
      pgbench: pgbenchSearch(recorded, words[0]!),
    },
    {
      name: "contacts",
      connections: 32,
      service: { paths: data.families.map((id) => `/api/v1/contact/?lead_id=${id}`) },
      floor: data.families.map((id) => `/contacts/${id}`),
      pgbench: `select rendered from contact where organization_id = '${org}' and lead_id = '${data.families[0]}' order by date_created desc, id desc limit 101;`,
    },
  ];
}

/** What every case runs on. */
interface Ground {
  url: string;
  organization: Organization;
  data: Data;
  recorded: Recorded;
  service: Running;
  floor: Running;
  headers: Record<string, string>;
  hasPgbench: boolean;
}

interface Result {
  name: string;
  ratio: number;
  toPgbench: number | null;
  service: Measured;
  floor: Measured;
}

/** Rounds in turn, in the other order every second time, so that a machine that slows down slows both. */
async function compare({ service, floor, headers, hasPgbench, url }: Ground, one: Case): Promise<Result> {
  const ours: Measured[] = [];
  const floors: Measured[] = [];
  const alone: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    // The first round is longer and not counted: code is compiled, caches and plans are warm after it, on all sides.
    const load = { connections: one.connections, leadInSeconds, seconds: round === 0 ? warmUpSeconds : roundSeconds };
    const { method, body } = one.service;
    const runs = [
      async () => ours.push(await measure({ url: service.url, headers, ...load, ...one.service })),
      async () => floors.push(await measure({ url: floor.url, method, body, ...load, paths: one.floor })),
      async () => hasPgbench && one.pgbench !== "" && alone.push(pgbench(url, one.pgbench, one.connections)),
    ];
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run();
    if (round === 0) for (const list of [ours, floors, alone]) list.length = 0;
  }
  const ratios = ours.map((measured, i) => measured.perSecond / floors[i]!.perSecond);
  const toPgbench = alone.length === 0 ? null : median(ours.map((measured, i) => measured.perSecond / alone[i]!));
  return { name: one.name, ratio: median(ratios), toPgbench, service: middle(ours), floor: middle(floors) };
}

function print(rows: readonly Result[]): void {
  console.log(`\n${rounds} rounds of ${roundSeconds} s each, medians; the ratio is the median of the rounds' own ratios.`);
  console.log("| case | to the floor | target | to pgbench | service/s | p50 ms | p99 ms | floor/s | p50 ms | p99 ms |");
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const { name, ratio, toPgbench, service: s, floor: f } of rows) {
    const cells = [
      name,
      ratio.toFixed(2),
      targets[name]?.toFixed(2) ?? "",
      toPgbench?.toFixed(2) ?? "",
      ...[s, f].flatMap((one) => [Math.round(one.perSecond), one.p50.toFixed(2), one.p99.toFixed(2)]),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

// --- data ---

interface Data {
  ids: string[];
  /** Words that stand in a handful of names each. */
  words: string[];
  /** Leads with three contacts each. */
  families: string[];
}

async function fill(on: App, { key }: Organization): Promise<Data> {
  const call = await caller(on, key);
  const words = Array.from({ length: leadCount / 5 }, (_, i) => wordOf(i));
  const ids = await inParallel(
    leadCount,
    async (i) => (await call("lead.create", sampleLead(`${words[i % words.length]} ${wordOf(i * 7 + 1)}`))).id,
  );
  const families = ids.slice(0, familyCount);
  await inParallel(familyCount * 3, (i) =>
    call("contact.create", {
      lead_id: families[i % familyCount],
      name: `Person ${i}`,
      emails: [{ email: `person${i}@example.com` }],
    }),
  );
  return { ids, words, families };
}

const sampleLead = (name: string) => ({
  name,
  url: "https://example.com",
  industry: "Software",
  description: "Makes things that other companies need.",
  mrr: 120_000,
  emails: [{ email: "office@example.com", type: "office" }],
  phones: [{ phone: "+18004445555", type: "office" }],
  addresses: [{ city: "San Francisco", state: "CA", country: "US" }],
});

/** A pronounceable word for every number, no two alike. */
function wordOf(number: number): string {
  const [consonants, vowels] = ["bdfgklmnprstvz", "aeiou"];
  let rest = number + 5000;
  let word = "";
  while (rest > 0) {
    word += consonants[rest % 14];
    rest = Math.floor(rest / 14);
    word += vowels[rest % 5];
    rest = Math.floor(rest / 5);
  }
  return word;
}

async function caller(
  on: App,
  key: string,
): Promise<(name: string, body: object, query?: Record<string, string>) => Promise<any>> {
  const actor: Actor = await on.authenticator.authenticate(`Bearer ${key}`);
  return async (name, body, query = {}) => {
    const operation = on.core.registry.operation(name)!;
    const given = { params: {}, query, body: body as Record<string, unknown>, strict: false };
    const request = { id: "req_bench", method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null };
    return JSON.parse(String((await perform(on.core, { operation, actor, given, request, idempotencyKey: null })).body));
  };
}

/** Loading is not measured: where the machine is too slow for the service's own limits it is tried again. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { status?: number }).status !== 503 || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function inParallel<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < count) {
        const i = next++;
        results[i] = await patiently(() => work(i));
      }
    }),
  );
  return results;
}

// --- the floor's statements ---

async function recordStatements(on: App, { id, key }: Organization): Promise<Recorded> {
  const call = await caller(on, key);
  const { written } = await record(on, () => call("lead.create", sampleLead(recordedWord)));
  const { queried } = await record(on, () => call("lead.list", {}, { query: recordedWord }));
  const created = written.flatMap((statement) =>
    statement.text.startsWith("insert into") ? [statement.values[0] === id ? statement.values[1] : statement.values[0]] : [],
  );
  return { organizationId: id, create: written, createdIds: created as string[], search: queried.at(-1)! };
}

// --- pgbench ---

function canRun(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Transactions a second of one script. */
function pgbench(url: string, script: string, connections: number): number {
  const folder = mkdtempSync(join(tmpdir(), "headwater-pgbench-"));
  const file = join(folder, "script.sql");
  writeFileSync(file, script);
  try {
    const output = execFileSync(
      "pgbench",
      ["-n", "-M", "prepared", "-c", String(connections), "-j", "1", "-T", String(roundSeconds), "-f", file, url],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
    const [, perSecond] = /tps = ([\d.]+)/.exec(output) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench finished nothing:\n${output}`);
    return Number(perSecond);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The recorded create as one transaction; ids are made by the database, of the same length. */
function pgbenchTransaction({ create, createdIds }: Recorded): string {
  const statements = create.map((statement) => {
    let text = inlined(statement);
    for (const id of createdIds)
      text = text.replaceAll(id, `' || E'${id.slice(0, id.indexOf("_") + 1)}' || :i${createdIds.indexOf(id)} || E'`);
    return `${text};`;
  });
  const ids = createdIds.map((_, i) => `\\set i${i} random(100000000000000000, 999999999999999999)`);
  return [...ids, "begin;", ...statements, "commit;"].join("\n");
}

const pgbenchSearch = (recorded: Recorded, word: string): string => `${inlined(searchFor(recorded, word))};`;

function inlined({ text, values }: Statement): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1])).replaceAll("\n", " ");
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join(",")}]::text[]`;
  const text = value instanceof Date ? value.toISOString() : String(value);
  // A colon begins a variable of pgbench.
  const quoted = `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll(":", "\\x3a")}'`;
  // With an id put together inside it, it is text, and JSON only when that is said.
  return /^[[{]/.test(text) ? `(${quoted})::json` : quoted;
}

// --- the run ---

const stand = await openStand();
const { app } = stand;
console.log(`Filling an organization with ${leadCount} leads …`);
const organization = await foundBenchOrganization(app, `bench-${Date.now()}`);
const data = await fill(app, organization);
const recorded = await recordStatements(app, organization);
await app.db.unscoped({ text: "vacuum analyze", values: [] });
await app.db.unscoped({ text: "checkpoint", values: [] });

const service = await startService(stand.databaseUrl);
const idle = service.memory();
const floor = await startFloor(stand.databaseUrl, recorded);
const headers = {
  authorization: `Basic ${Buffer.from(`${organization.key}:`).toString("base64")}`,
  "content-type": "application/json",
};
const hasPgbench = canRun("pgbench", ["--version"]);
if (!hasPgbench) console.log("pgbench is not installed: its column is left out.");

try {
  const ground = { url: stand.databaseUrl, organization, data, recorded, service, floor, headers, hasPgbench };
  const rows = [];
  for (const one of cases(ground)) if (!chosen || chosen.includes(one.name)) rows.push(await compare(ground, one));
  print(rows);
  console.log(`\nService process: ${idle} MB when started, ${service.memory()} MB after the load.`);
  const missed = rows.filter((row) => targets[row.name] !== undefined && row.ratio < targets[row.name]!);
  for (const row of missed) console.log(`${row.name}: ${row.ratio.toFixed(2)} of the floor is below ${targets[row.name]}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  await service.stop();
  await floor.stop();
  await stand.close();
}
